package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Memory in huge pages, or without them where the machine has none. */
final class HugePageMemoryTest {
  private static final long BYTES = 8 << 20;
  private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  @Test
  void isAllocatedAllZerosAndAligned() throws Exception {
    try (HugePageMemory memory = new HugePageMemory(BYTES)) {
      assertEquals(BYTES, memory.segment().byteSize());
      assertEquals(0, memory.segment().address() % (2 << 20));
      for (long at = 0; at < BYTES; at += 4096) {
        assertEquals(0, memory.segment().get(ValueLayout.JAVA_BYTE, at));
      }
      memory.segment().fill((byte) 1);
      boolean givesNone = !Files.exists(SETTING) || Files.readString(SETTING).contains("[never]");
      long most = givesNone ? 0 : BYTES;
      assertTrue(memory.hugeBytes() >= 0 && memory.hugeBytes() <= most, "" + memory.hugeBytes());
    }
  }

  @Test
  void moreThanThereIsIsAnExceptionAndNoSignal() {
    assertThrows(IOException.class, () -> new HugePageMemory(1L << 50));
  }

  @Test
  void isGoneOnceItIsClosed() throws Exception {
    HugePageMemory memory = new HugePageMemory(BYTES);
    memory.close();
    assertThrows(IllegalStateException.class, () -> memory.segment().get(ValueLayout.JAVA_BYTE, 0));
  }
}
