package io.forebay.cli.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Room and rights in directories that may not have been made yet. */
interface FileSpace {

  /** Of the whole file system; 0 where it is not known. */
  long totalBytes(Path directory);

  /** Free for this user; 0 where it is not known. */
  long usableBytes(Path directory);

  /** Of a file; 0 where there is none. */
  long lengthOf(Path file);

  /** Whether this user may write there, or make it. */
  boolean isWritable(Path directory);

  /** That of this machine. */
  static FileSpace here() {
    return new FileSpace() {
      @Override
      public long totalBytes(Path directory) {
        try {
          FileStore store = store(directory);
          return store == null ? 0 : store.getTotalSpace();
        } catch (IOException e) {
          return 0;
        }
      }

      @Override
      public long usableBytes(Path directory) {
        try {
          FileStore store = store(directory);
          return store == null ? 0 : store.getUsableSpace();
        } catch (IOException e) {
          return 0;
        }
      }

      @Override
      public long lengthOf(Path file) {
        try {
          return Files.size(file);
        } catch (IOException e) {
          return 0;
        }
      }

      @Override
      public boolean isWritable(Path directory) {
        Path known = known(directory);
        return known != null && Files.isDirectory(known) && Files.isWritable(known);
      }

      private static @Nullable FileStore store(Path directory) throws IOException {
        Path known = known(directory);
        return known == null ? null : Files.getFileStore(known);
      }

      // The nearest one above that is there.
      private static @Nullable Path known(Path directory) {
        Path known = directory.toAbsolutePath();
        while (known != null && !Files.exists(known)) {
          known = known.getParent();
        }
        return known;
      }
    };
  }
}
