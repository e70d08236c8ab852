package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What page cache holds is read without waiting; everything else is not there. */
final class CachedReadsTest {
  private static final Set<String> KNOWN_TO_SUPPORT_IT = Set.of("ext4", "xfs");

  @TempDir Path directory;

  private Path file(byte[] bytes) throws Exception {
    return Files.write(directory.resolve("disk.store"), bytes);
  }

  private static byte[] bytes() {
    byte[] bytes = new byte[300_000];
    new SplittableRandom(1).nextBytes(bytes);
    return bytes;
  }

  @Test
  void readsWhatWasJustWritten() throws Exception {
    byte[] bytes = bytes();
    try (Arena arena = Arena.ofConfined();
        CachedReads reads = CachedReads.open(file(bytes))) {
      MemorySegment into = arena.allocate(100_000);
      boolean isRead = false;
      // The kernel may be writing a page back at the moment.
      for (int n = 0; n < 10_000 && reads.isAvailable() && !isRead; n++) {
        isRead = reads.read(into, 150_001);
      }
      if (KNOWN_TO_SUPPORT_IT.contains(Files.getFileStore(directory).type())) {
        assertTrue(isRead);
      }
      if (isRead) {
        assertArrayEquals(
            Arrays.copyOfRange(bytes, 150_001, 250_001), into.toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  @Test
  void pastTheEndOfTheFileIsNothing() throws Exception {
    try (Arena arena = Arena.ofConfined();
        CachedReads reads = CachedReads.open(file(bytes()))) {
      assertFalse(reads.read(arena.allocate(100_000), 250_000));
    }
  }

  @Test
  void aFileThatIsNotThereHasNothing() {
    try (Arena arena = Arena.ofConfined();
        CachedReads reads = CachedReads.open(directory.resolve("none"))) {
      assertFalse(reads.isAvailable());
      assertFalse(reads.read(arena.allocate(1), 0));
    }
  }

  @Test
  void afterCloseNothingIsRead() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      CachedReads reads = CachedReads.open(file(bytes()));
      reads.close();
      assertFalse(reads.isAvailable());
      assertFalse(reads.read(arena.allocate(1), 0));
      reads.close();
    }
  }
}
