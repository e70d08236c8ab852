package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way to read a file gives the same bytes, through page cache or past it. */
final class BlockFileTest {
  private static final int LENGTH = 2 << 20;
  private static final int PAGE = 4096;

  @TempDir Path directory;

  private BlockFile open(boolean isDirect) throws IOException {
    DeviceSettings settings = DeviceSettings.of("d", directory, 32 << 20);
    DiskTier.Opener opener = isDirect ? DiskTier.Opener.direct() : DiskTier.Opener.files();
    return opener.open(settings, directory.resolve("disk.store"), LENGTH);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readsWhatWasWrittenWhereverItBegins(boolean isDirect) throws Exception {
    byte[] bytes = new byte[LENGTH];
    SplittableRandom random = new SplittableRandom(1);
    random.nextBytes(bytes);
    try (BlockFile file = open(isDirect);
        Arena arena = Arena.ofConfined()) {
      if (Files.getFileStore(directory).type().equals("ext4")) {
        assertEquals(isDirect, file instanceof DirectBlockFile);
      }
      ByteBuffer whole = ByteBuffer.allocateDirect(LENGTH).put(bytes).flip();
      file.write(whole, 0);
      for (int n = 0; n < 200; n++) {
        int length = 1 + random.nextInt(300_000);
        int at = random.nextInt(LENGTH - length + 1);
        byte[] expected = Arrays.copyOfRange(bytes, at, at + length);
        ByteBuffer exact = ByteBuffer.allocateDirect(length);
        file.read(exact, at);
        assertArrayEquals(expected, bytes(exact, 0, length), "read " + length + " at " + at);
        ByteBuffer room = arena.allocate(length + 2L * PAGE, PAGE).asByteBuffer();
        int start = file.readWithin(room, length, at);
        assertArrayEquals(expected, bytes(room, start, length), "within " + length + " at " + at);
      }
    }
  }

  private static byte[] bytes(ByteBuffer from, int at, int length) {
    byte[] bytes = new byte[length];
    from.get(at, bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pastTheEndOfTheFileIsAnError(boolean isDirect) throws Exception {
    try (BlockFile file = open(isDirect);
        Arena arena = Arena.ofConfined()) {
      ByteBuffer room = arena.allocate(5L * PAGE, PAGE).asByteBuffer();
      assertThrows(IOException.class, () -> file.readWithin(room, 3 * PAGE, LENGTH - 2 * PAGE));
      assertThrows(
          IOException.class, () -> file.read(ByteBuffer.allocateDirect(PAGE + 1), LENGTH - PAGE));
    }
  }
}
