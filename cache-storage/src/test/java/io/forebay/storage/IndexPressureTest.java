package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.object.InstallOutcome;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index that is full before memory and disks are. */
@Tag("slow")
class IndexPressureTest {
  private static final int ENTRIES = 2000;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  private StoreSettings settings(long entries) {
    return StoreSettings.of(directory.resolve("data"), 16 * StoreFixture.MEBI, 1, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(1 << 18, entries, 64)
        .withLockMemory(false);
  }

  private void fill(StoreFixture fixture, int objects, int bytes) {
    for (int n = 0; n < objects; n++) {
      InstallOutcome ignored = fixture.put(fixture.store.lane(0), "/" + n, new byte[bytes], true);
      clock.addAndGet(2);
      fixture.stepAll();
    }
    clock.addAndGet(2000);
    fixture.stepAll();
  }

  private static int used(StoreStats stats) {
    return stats.regionCount() - stats.spareRegions();
  }

  @Test
  void isCountedAndLearnedSoThatTheNextStartUsesAllOfMemory() throws Exception {
    try (StoreFixture small = new StoreFixture(settings(ENTRIES), clock)) {
      fill(small, 4 * ENTRIES, 100);

      StoreStats stats = small.store.stats();
      assertTrue(stats.reclaimedForIndex() > 0, stats::toString);
      assertTrue(used(stats) < stats.regionCount() / 4, stats::toString);
    }

    IndexCapacity.Learned learned = IndexCapacity.learned(directory.resolve("data"));
    assertTrue(learned.memory() > 4 * ENTRIES, learned + " entries");
    long entries = IndexCapacity.of(16 * StoreFixture.MEBI, 0, 0, learned, 0).entries();
    assertEquals(learned.memory(), entries);
    try (StoreFixture enough = new StoreFixture(settings(entries), clock)) {
      fill(enough, (int) entries, 100);

      StoreStats stats = enough.store.stats();
      assertTrue(used(stats) > stats.regionCount() * 3 / 4, stats::toString);
    }
  }

  @Test
  void isNotCountedWhereSpaceIsTheBound() throws Exception {
    try (StoreFixture large = new StoreFixture(settings(20 * ENTRIES), clock)) {
      fill(large, ENTRIES, 20_000);

      assertTrue(large.store.stats().reclaimedRegions() > 0);
      assertEquals(0, large.store.stats().reclaimedForIndex());
    }
    assertEquals(IndexCapacity.Learned.NOTHING, IndexCapacity.learned(directory.resolve("data")));
  }

  @Test
  @Tag("full")
  void namesOfObjectsOnDisksDoNotPushOthersOutOfMemory() throws Exception {
    DeviceSettings disk =
        new DeviceSettings(
            "d0", directory.resolve("d0"), 256 << 20, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0);
    try (StoreFixture fixture =
        new StoreFixture(settings(2 * ENTRIES).withDisks(DiskSettings.of(List.of(disk))), clock)) {
      fill(fixture, 6 * ENTRIES, 10_000);

      int memoryHolds = (int) (16 * StoreFixture.MEBI / 10_000);
      StoreStats stats = fixture.store.stats();
      DiskStats onDisk = fixture.store.diskStats().getFirst();
      assertTrue(onDisk.reclaimedRegions() > 0, onDisk::toString);
      assertTrue(onDisk.freeRegions() > onDisk.regions() / 2, onDisk::toString);
      assertTrue(stats.reclaimedForIndex() > 0, stats::toString);
      assertTrue(used(stats) > stats.regionCount() * 3 / 4, stats::toString);
      int hits = 0;
      for (int n = 6 * ENTRIES - 3000; n < 6 * ENTRIES; n++) {
        hits += fixture.read(fixture.store.lane(0), "/" + n) == null ? 0 : 1;
      }
      assertTrue(hits > memoryHolds, hits + " hits");
    }
  }
}
