package io.forebay.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes the memory files that a failed start created, to free their space: on close, under the
 * directory's lock, unless the start succeeded. A tier that existed before stays.
 */
final class StartCleanup implements AutoCloseable {
  private final List<Path> files = new ArrayList<>();
  private @Nullable Path memory;
  private @Nullable Path data;
  private volatile boolean isKept;

  /** A file, or a directory behind all that lies in it. */
  void add(Path made) {
    files.add(made);
  }

  /** A file that may lie in a directory that was added before. */
  void addFirst(Path made) {
    files.addFirst(made);
  }

  /** A default memory directory that holds nothing older, and the data directory it belongs to. */
  void addDefault(Path memoryDirectory, Path dataDirectory) {
    memory = memoryDirectory;
    data = dataDirectory;
  }

  /** Whether the start has succeeded: then closing this removes nothing. */
  void keep(boolean does) {
    isKept = does;
  }

  @Override
  public void close() throws IOException {
    if (isKept) {
      return;
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    if (memory != null && data != null) {
      StoreFiles.memoryPlace().forget(memory, data);
    }
  }
}
