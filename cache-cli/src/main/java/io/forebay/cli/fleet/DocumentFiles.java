package io.forebay.cli.fleet;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.cluster.fleet.FleetDocument;
import io.forebay.server.cluster.fleet.FleetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads a document from a directory, or from one file. */
final class DocumentFiles {
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

  /** Hidden files are left out: editors and version control make them. */
  private static List<FleetDocument.File> below(Path directory) throws IOException {
    List<Path> paths;
    try (Stream<Path> all = Files.walk(directory)) {
      paths =
          all.filter(path -> !isHidden(directory.relativize(path)))
              .filter(path -> !Files.isDirectory(path))
              .limit(FleetDocument.MAX_FILES + 1)
              .toList();
    }
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
