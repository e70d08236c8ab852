package io.forebay.storage.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.region.Regions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The effect of every single flipped bit in a header or a directory entry. */
class FlippedBitsTest {
  private static final int REGION = 64 << 10;
  private static final int GENERATION = 7;
  private static final int SLOT = 0;

  private static void flip(MemorySegment memory, long bit) {
    long at = bit / 8;
    byte flipped = (byte) (memory.get(Layouts.BYTE, at) ^ (1 << (bit % 8)));
    memory.set(Layouts.BYTE, at, flipped);
  }

  private static Regions region(MemorySegment memory) {
    Regions regions = new Regions(memory, REGION, 1);
    regions.renew(0);
    regions.state(0, GENERATION, Regions.PROBATION, Regions.OPEN);
    long word = regions.reserve(0, 1000);
    assertEquals(RegionHeader.LENGTH, word >>> 32);
    regions.enter(0, SLOT, RecordHeader.KIND_OBJECT, 1, 2, RegionHeader.LENGTH, 3, 4, 5);
    regions.commit(0, SLOT, GENERATION, 1000, 9);
    return regions;
  }

  @Test
  void anEntryWithAFlippedBitNamesNothing() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(TierHeader.LENGTH + REGION, TierHeader.LENGTH);
      Regions regions = region(memory);
      assertTrue(regions.isSound(0, SLOT, GENERATION));
      long entry = regions.entry(0, SLOT);
      for (int bit = 0; bit < DirectoryEntry.LENGTH * 8; bit++) {
        int at = bit / 8;
        boolean changesInPlace =
            (at >= DirectoryEntry.LIVE_OFFSET && at < DirectoryEntry.KEY_HIGH_OFFSET)
                || (at >= DirectoryEntry.EPOCH_OFFSET && at < DirectoryEntry.CHECK_OFFSET);
        flip(memory, entry * 8 + bit);
        assertEquals(changesInPlace, regions.isSound(0, SLOT, GENERATION), "bit " + bit);
        flip(memory, entry * 8 + bit);
      }
    }
  }

  @Test
  void upToSevenFlippedBitsNeitherReviveNorFreshen() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(TierHeader.LENGTH + REGION, TierHeader.LENGTH);
      Regions regions = region(memory);
      long entry = regions.entry(0, SLOT);
      assertTrue(regions.harden(0, SLOT));
      for (int flips = 0; flips < 255; flips++) {
        memory.set(
            Layouts.BYTE, entry + DirectoryEntry.LIVE_OFFSET, (byte) (DirectoryEntry.DEAD ^ flips));
        memory.set(
            Layouts.BYTE, entry + DirectoryEntry.SOFT_OFFSET, (byte) (DirectoryEntry.SOFT ^ flips));
        assertFalse(regions.isLive(0, SLOT), "flips " + flips);
        assertTrue(regions.isSoft(0, SLOT), "flips " + flips);
      }
      regions.live(0, SLOT, true);
      assertTrue(regions.isLive(0, SLOT));
    }
  }

  @Test
  void aRegionsGenerationWithAFlippedBitIsNoRegion() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(TierHeader.LENGTH + REGION, TierHeader.LENGTH);
      Regions regions = new Regions(memory, REGION, 1);
      regions.renew(0);
      int generation = regions.generation(0);
      assertTrue(regions.isSound(0));
      long base = regions.base(0);
      for (int at : new int[] {RegionHeader.MAGIC_OFFSET, RegionHeader.GENERATION_OFFSET}) {
        for (int bit = 0; bit < 32; bit++) {
          flip(memory, (base + at) * 8 + bit);
          assertFalse(regions.isSound(0), at + ", bit " + bit);
          flip(memory, (base + at) * 8 + bit);
        }
      }
      flip(memory, (base + RegionHeader.GENERATION_OFFSET) * 8);
      regions.renew(0);
      assertTrue(Math.abs((long) regions.generation(0) - generation) > 1000, "far from the others");
      assertTrue(regions.isSound(0));
    }
  }

  @Test
  void aNumberWithAFlippedBitOrAStopBetweenItsStoresIsStillThere() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(CheckedLong.LENGTH, Long.BYTES);
      assertEquals(-1, CheckedLong.read(memory, 0, -1), "zeros are no number");
      CheckedLong.write(memory, 0, 42);
      for (int bit = 0; bit < CheckedLong.LENGTH * 8; bit++) {
        flip(memory, bit);
        assertEquals(42, CheckedLong.read(memory, 0, -1), "bit " + bit);
        flip(memory, bit);
      }
      MemorySegment next = arena.allocate(CheckedLong.LENGTH, Long.BYTES);
      CheckedLong.write(next, 0, 43);
      for (int stores = 0; stores <= 4; stores++) {
        MemorySegment.copy(next, 0, memory, 0, (long) stores * Long.BYTES);
        assertEquals(stores < 2 ? 42 : 43, CheckedLong.read(memory, 0, -1), stores + " stores");
      }
      flip(memory, 0);
      flip(memory, 8 * 16);
      assertEquals(-1, CheckedLong.read(memory, 0, -1), "both copies damaged");
    }
  }

  @Test
  void aTierHeaderWithAFlippedBitIsNotClean() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(TierHeader.LENGTH, TierHeader.LENGTH);
      memory.set(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET, 77);
      assertFalse(TierHeader.isClean(memory));
      TierHeader.markClean(memory);
      assertTrue(TierHeader.isClean(memory));
      int end = TierHeader.CLEAN_CRC_OFFSET + Integer.BYTES;
      for (int bit = TierHeader.CRC_OFFSET * 8; bit < end * 8; bit++) {
        flip(memory, bit);
        assertFalse(TierHeader.isClean(memory), "bit " + bit);
        flip(memory, bit);
      }
      TierHeader.markUnclean(memory);
      assertFalse(TierHeader.isClean(memory));
    }
  }
}
