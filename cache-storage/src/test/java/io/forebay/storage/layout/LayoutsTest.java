package io.forebay.storage.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutsTest {
  @Test
  void comparesToTheLastByte() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      byte[] bytes = new byte[40];
      for (int n = 0; n < bytes.length; n++) {
        bytes[n] = (byte) (n + 1);
        memory.set(Layouts.BYTE, 3 + n, bytes[n]);
      }
      for (int length = 0; length <= bytes.length; length++) {
        assertTrue(Layouts.same(memory, 3, bytes, length));
        for (int n = 0; n < length; n++) {
          bytes[n] ^= 1;
          assertFalse(Layouts.same(memory, 3, bytes, length), length + ", " + n);
          bytes[n] ^= 1;
        }
      }
    }
  }

  @Test
  void picturesAddUp() {
    assertEquals(DirectoryEntry.LENGTH, DirectoryEntry.CHECK_OFFSET + Integer.BYTES);
    assertEquals(SliceRecord.LENGTH, SliceRecord.BIRTH_OFFSET + Long.BYTES);
    assertEquals(104, HeadRecord.SCOPES_OFFSET);
    assertEquals(184, TierHeader.CLEAN_CRC_OFFSET + Integer.BYTES);
    assertEquals(RegionHeader.LENGTH, RegionHeader.AGE_OFFSET + CheckedLong.LENGTH);
  }

  @Test
  void slicesHaveKeysOfTheirOwn() {
    Set<Long> high = new HashSet<>();
    Set<Long> low = new HashSet<>();
    for (int n = 0; n < 100_000; n++) {
      assertTrue(high.add(SliceRecord.keyHigh(n)));
      assertTrue(low.add(SliceRecord.keyLow(7, n)));
    }
  }
}
