package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More leaves memory at a time than the write buffers of a disk hold, or than it can write. */
class DiskOverloadTest extends DiskStores {
  private static final int BUFFER = 1 << 16;

  /** Twelve slices and a part of one. */
  private static final int LARGE = 200_000;

  private StoreFixture open(int buffers) throws StoreException {
    DeviceSettings device =
        new DeviceSettings(
            "d0", place().resolve("d0"), DISK, 1 << 20, BUFFER, buffers, 1, 3, 10_000, 0);
    return open(DiskSettings.of(List.of(device)).withOpener(simulated));
  }

  @Test
  void aRegionThatHoldsMoreThanTheWriteBuffersLosesNothing() throws Exception {
    assertTrue(2 * BUFFER < REGION);
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 400);
      assertTrue(fixture.store.stats().evictedRecords() > 300, "memory held it all");
      assertEquals(0, disk(fixture).dropped());
      assertEquals(400, hits(fixture, 0, 400));
    }
  }

  @Test
  void lanesWithoutARegionWaitAMomentForADiskThatIsBehind() throws Exception {
    try (StoreFixture fixture = open(2)) {
      for (int n = 0; n < 60; n++) {
        putLarge(fixture, n, 1);
      }
      settle(fixture);
      assertEquals(0, disk(fixture).dropped());
      for (int n = 0; n < 60; n++) {
        assertTrue(isWhole(fixture, n), name(n));
      }
    }
  }

  @Test
  void aDiskThatIsTooSlowTakesSomeObjectsWholeAndOthersNot() throws Exception {
    try (StoreFixture fixture = open(4)) {
      int count = 400;
      for (int n = 0; n < count; n++) {
        // After some steps nobody waits any longer.
        putLarge(fixture, n, 100);
      }
      settle(fixture);
      assertTrue(disk(fixture).dropped() > 0, "the disk kept up");
      int whole = 0;
      int torn = 0;
      for (int n = 0; n < count - 40; n++) {
        if (isWhole(fixture, n)) {
          whole++;
        } else if (hasHead(fixture, n)) {
          torn++;
        }
      }
      // A record that takes its chance of one in four would leave none of thirteen slices whole.
      assertTrue(whole > 15 && torn < count / 4, whole + " are whole, " + torn + " have holes");
    }
  }

  /** Puts an object as a fill does, which waits for space; each step takes so long. */
  private void putLarge(StoreFixture fixture, int n, int stepMillis) {
    byte[] body = StoreFixture.body(n, LARGE);
    for (int attempt = 0; attempt < 100; attempt++) {
      InstallOutcome result = fixture.put(fixture.store.lane(0), name(n), body, true);
      clock.addAndGet(stepMillis);
      boolean ignored = fixture.store.step();
      if (result == InstallOutcome.INSTALLED) {
        return;
      }
      assertEquals(InstallOutcome.NO_SPACE, result);
    }
    throw new AssertionError("no space for " + name(n));
  }

  private static boolean hasHead(StoreFixture fixture, int n) {
    StoreLane lane = fixture.store.lane(0);
    StoreLane.Found found = StoreFixture.find(lane, name(n));
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.head());
    }
    return found != StoreLane.Found.MISS;
  }

  private static boolean isWhole(StoreFixture fixture, int n) {
    byte[] read = fixture.read(fixture.store.lane(0), name(n));
    return read != null && Arrays.equals(StoreFixture.body(n, LARGE), read);
  }
}
