package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.DiskIndex;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The lives of a device's regions, and what a checkpoint keeps of them. */
class DeviceRegionsTest {
  private static final int COUNT = 40;

  private final long seed = new Random().nextLong();

  private DeviceRegions regions() {
    DeviceRegions regions = new DeviceRegions(COUNT, new Random(seed));
    regions.reset();
    return regions;
  }

  @Test
  void aLifeIsToldFromTheOneBeforeByWhatASlotKeepsOfIt() {
    DeviceRegions regions = regions();
    for (int n = 0; n < 2_000; n++) {
      int region = regions.open();
      int before = regions.generation(region);
      regions.giveUp(region);
      assertEquals(region, regions.open(), "one that was given up is opened next");
      assertFalse(DiskIndex.looksLike(before, regions.generation(region)), "seed " + seed + "L");
      regions.seal(region);
      regions.free(region);
    }
  }

  @Test
  void whatWasWrittenIsTakenUpAsItWas() {
    DeviceRegions left = regions();
    int open = -1;
    for (int n = 0; n < 30; n++) {
      open = left.open();
      left.pages(open, n * 7);
      if (n < 29) {
        left.seal(open);
      }
    }
    left.free(3);
    left.free(1);
    ByteBuffer written = ByteBuffer.allocate(left.savedBytes()).order(ByteOrder.LITTLE_ENDIAN);
    left.write(written);
    assertFalse(written.hasRemaining());
    DeviceRegions found = new DeviceRegions(COUNT, new Random(seed + 1));
    assertTrue(found.read(written.flip()));
    assertEquals(left.freeCount(), found.freeCount());
    assertEquals(left.oldest(), found.oldest());
    for (int region = 0; region < COUNT; region++) {
      int generation = left.generation(region);
      assertEquals(generation, found.generation(region));
      assertEquals(left.age(region), found.age(region));
      assertEquals(left.pages(region), found.pages(region));
      assertEquals(left.isReadable(region, generation), found.isReadable(region, generation));
      assertFalse(found.isOwn(region), "a stop may have cut what was written");
    }
    while (left.freeCount() > 0) {
      int next = left.open();
      assertEquals(next, found.open(), "in the same order");
      assertEquals(left.age(next), found.age(next));
    }
  }

  @Test
  void whatIsOfAnotherLengthIsNotTakenUp() {
    DeviceRegions left = regions();
    int ignored = left.open();
    ByteBuffer written = ByteBuffer.allocate(left.savedBytes()).order(ByteOrder.LITTLE_ENDIAN);
    left.write(written);
    written.flip();
    DeviceRegions other = new DeviceRegions(COUNT + 1, new Random(seed));
    assertFalse(other.read(written.duplicate().order(ByteOrder.LITTLE_ENDIAN)));
    assertFalse(
        regions().read(written.slice(0, written.limit() - 4).order(ByteOrder.LITTLE_ENDIAN)));
    assertEquals(0, other.generation(0));
  }
}
