package io.forebay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories of memory files, which JUnit's TempDir cannot place, and their removal. */
public final class Directories {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private Directories() {}

  /** A new directory in /dev/shm, or among the temporary files where that is not writable. */
  public static Path inMemory(String prefix) throws IOException {
    return Files.isWritable(SHARED_MEMORY)
        ? Files.createTempDirectory(SHARED_MEMORY, prefix)
        : Files.createTempDirectory(prefix);
  }

  /** Deletes a directory and what is below it; one that does not exist is no failure. */
  public static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
