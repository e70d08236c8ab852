package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.forebay.storage.index.DiskIndex;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The lives of a device's regions. */
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
}
