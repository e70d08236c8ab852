package io.forebay.cli.fleet;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.cluster.fleet.FleetDocument;
import io.forebay.server.cluster.fleet.FleetException;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads a document from a directory, or from one file. */
final class DocumentFiles {
  /** Deeper than names of files may be. */
  private static final int MAX_DEPTH = 10;

  private DocumentFiles() {}

  static FleetDocument read(Path path) {
    try {
      return FleetDocument.of(
          Files.isDirectory(path)
              ? below(path)
              : List.of(new FleetDocument.File(FleetDocument.MAIN, content(path, 0))));
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILURE, path + " cannot be read: " + CommandException.reason(e), e);
    } catch (FleetException e) {
      throw new CommandException(ExitCode.USAGE, path + ": " + e.getMessage(), e);
    }
  }

  /**
   * Hidden files are left out: editors and version control make them. Links are followed; their
   * targets get the names of the links.
   */
  private static List<FleetDocument.File> below(Path directory) throws IOException {
    List<Path> paths = new ArrayList<>();
    Files.walkFileTree(
        directory,
        Set.of(FileVisitOption.FOLLOW_LINKS),
        MAX_DEPTH,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) {
            return isHidden(directory.relativize(found))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path found, BasicFileAttributes attributes)
              throws IOException {
            if (isHidden(directory.relativize(found))) {
              return FileVisitResult.CONTINUE;
            }
            if (!attributes.isRegularFile()) {
              throw new IOException(
                  directory.relativize(found) + " is not a file, or leads nowhere or too deep");
            }
            paths.add(found);
            return paths.size() > FleetDocument.MAX_FILES
                ? FileVisitResult.TERMINATE
                : FileVisitResult.CONTINUE;
          }
        });
    List<FleetDocument.File> files = new ArrayList<>();
    long size = 0;
    for (Path path : paths) {
      byte[] content = content(path, size);
      size += content.length;
      files.add(new FleetDocument.File(directory.relativize(path).toString(), content));
    }
    return files;
  }

  private static boolean isHidden(Path relative) {
    for (Path part : relative) {
      if (part.toString().startsWith(".")) {
        return true;
      }
    }
    return false;
  }

  /** Checks sizes first, so that files that are too large are not read. */
  private static byte[] content(Path file, long before) throws IOException {
    long size = before + Files.size(file);
    if (size > FleetDocument.MAX_BYTES) {
      throw new CommandException(
          ExitCode.USAGE,
          "the document has at least "
              + size
              + " bytes; "
              + FleetDocument.MAX_BYTES
              + " (16MiB) are allowed");
    }
    return Files.readAllBytes(file);
  }
}
