package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.fleet.FleetDocument.File;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Documents as files below {@code fleet} in the data directory, one directory for each:
 *
 * <pre>
 *   DATA/fleet/last-good                       see LastGoodDocument
 *              v7-1f0c2a7b…/fleet.yaml         version 7, by the hash of its manifest
 *              v7-1f0c2a7b…/errors/503.html
 * </pre>
 *
 * <p>The name of a directory determines its content, so files that exist are compared, never
 * trusted. One thread at a time.
 */
final class FleetDirectory {
  private static final int HASH_DIGITS = 16;

  private final Path root;

  FleetDirectory(Path data) {
    this.root = data.resolve("fleet");
  }

  Path root() {
    return root;
  }

  /** The directory of a document, whether it exists or not. */
  Path main(long version, String manifest) {
    return directory(version, manifest).resolve(FleetDocument.MAIN);
  }

  private Path directory(long version, String manifest) {
    return root.resolve(name(version, manifest));
  }

  private static String name(long version, String manifest) {
    return "v" + version + "-" + manifest.substring(0, HASH_DIGITS);
  }

  /** Whether a main file is that of a document. */
  static boolean isOf(Path main, long version, String manifest) {
    Path has = main.getParent();
    return has != null && has.endsWith(name(version, manifest));
  }

  /** Makes the directory have exactly these files; gives the main file. */
  Path unpack(long version, String manifest, FleetDocument document) throws IOException {
    Path directory = directory(version, manifest);
    PrivateFiles.createDirectories(root);
    PrivateFiles.createDirectories(directory);
    Set<Path> wanted = new HashSet<>();
    for (File file : document.files()) {
      Path path = directory.resolve(file.name());
      wanted.add(path);
      if (Files.isSymbolicLink(path)
          || !Files.isRegularFile(path)
          || Files.size(path) != file.content().length
          || !Arrays.equals(Files.readAllBytes(path), file.content())) {
        PrivateFiles.createDirectories(path.resolve("..").normalize());
        write(path, file.content());
      }
    }
    // Other files are deleted, since the pattern of an include could match them.
    for (Path path : below(directory)) {
      if (!Files.isDirectory(path) && !wanted.contains(path)) {
        Files.delete(path);
      }
    }
    return directory.resolve(FleetDocument.MAIN);
  }

  /** Deletes the directories of all other documents. */
  void keep(Set<Path> mains) throws IOException {
    if (!Files.isDirectory(root)) {
      return;
    }
    List<Path> directories;
    try (Stream<Path> all = Files.list(root)) {
      directories = all.filter(Files::isDirectory).toList();
    }
    for (Path directory : directories) {
      if (!mains.contains(directory.resolve(FleetDocument.MAIN))) {
        List<Path> files = below(directory).reversed();
        for (Path file : files) {
          Files.deleteIfExists(file);
        }
        Files.deleteIfExists(directory);
      }
    }
  }

  /** All paths below a directory, parents first; does not follow links. */
  private static List<Path> below(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> !path.equals(directory)).sorted(Comparator.naturalOrder()).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Replaces a file atomically. */
  static void write(Path file, byte[] content) throws IOException {
    Path directory = file.resolve("..").normalize();
    Path made = directory.resolve(".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(directory);
  }
}
