package io.forebay.storage.disk;

import io.forebay.storage.memory.FileTrim;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the {@link FileTrim} of a file at the first trim: most disks are never trimmed. */
final class LazyTrim {
  private final Path path;
  private boolean isOpened;
  private @Nullable FileTrim trim;

  LazyTrim(Path path) {
    this.path = path;
  }

  /** Null where it is not possible. */
  synchronized @Nullable FileTrim get() {
    if (!isOpened) {
      isOpened = true;
      trim = FileTrim.open(path);
    }
    return trim;
  }

  synchronized void close() {
    FileTrim opened = trim;
    trim = null;
    isOpened = true;
    if (opened != null) {
      opened.close();
    }
  }
}
