package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects in memory are copied to the disks ahead of eviction, so that the machine may stop at any
 * time.
 */
class WriteBehindTest {
  private static final int MEMORY = 8 << 20;
  private static final int REGION = 1 << 18;
  private static final int BODY = 20_000;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final SimulatedDisk simulated = new SimulatedDisk(clock, new SplittableRandom(2));

  private StoreFixture open(DiskSettings.Admission admission, long stopMillis)
      throws StoreException {
    DeviceSettings device =
        new DeviceSettings(
            "d", directory.resolve("d"), 64 << 20, 1 << 20, 1 << 18, 4, 1, 3, 9_000, 0);
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), MEMORY, 1, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(REGION, 20_000, 64)
                .withLockMemory(false)
                .withDisks(
                    DiskSettings.of(List.of(device))
                        .with(admission, 0)
                        .withStopMillis(stopMillis)
                        .withOpener(simulated)),
            clock);
    fixture.stepAll();
    return fixture;
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, BODY);
  }

  private static void put(StoreFixture fixture, int from, int to) {
    for (int n = from; n < to; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, body(n), true),
          "/" + n);
      fixture.steps(20);
    }
  }

  private static int hits(StoreFixture fixture, int from, int to) {
    int hits = 0;
    for (int n = from; n < to; n++) {
      byte[] body = fixture.read(fixture.store.lane(0), "/" + n);
      if (body != null) {
        assertArrayEquals(body(n), body);
        hits++;
      }
      fixture.steps(20);
    }
    return hits;
  }

  private static DiskStats disk(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst();
  }

  /** Goes on for some time, in which the kernel brings what was written to the device. */
  private void pass(StoreFixture fixture, int seconds) {
    for (int n = 0; n < seconds; n++) {
      clock.addAndGet(1_000);
      fixture.steps(100);
    }
    simulated.writeBack();
  }

  /** The machine stops: memory is gone, and of the device what had not reached it. */
  private void losePower(StoreFixture fixture) throws Exception {
    fixture.store.abandon();
    simulated.cutPower();
    fixture.loseMemory();
    fixture.store = ObjectStore.open(fixture.settings);
    fixture.stepAll();
    assertTrue(fixture.store.recovery().isComplete());
  }

  @Test
  void whatIsHotThoughMemoryIsNotFullSurvivesAPowerCut() throws Exception {
    try (StoreFixture fixture = open(DiskSettings.Admission.ALWAYS, 10_000)) {
      put(fixture, 0, 200);
      assertEquals(0, fixture.store.stats().protectedRegions(), "memory is full already");
      assertEquals(0, disk(fixture).writtenBytes());
      assertEquals(50, hits(fixture, 0, 50));
      pass(fixture, 130);
      long written = disk(fixture).writtenBytes();
      assertTrue(written < 60 * BODY, "only what was asked for is written: " + written);
      pass(fixture, 300);
      assertTrue(disk(fixture).writtenBytes() - written < BODY, "and only once");
      losePower(fixture);
      assertEquals(50, hits(fixture, 0, 50));
      assertEquals(0, hits(fixture, 50, 200));
    }
  }

  @Test
  void whatBecameProtectedSurvivesAPowerCutThatComesSoonAfter() throws Exception {
    try (StoreFixture fixture = open(DiskSettings.Admission.SECOND_HIT, 10_000)) {
      put(fixture, 0, 60);
      for (int n = 60; n < 900; n += 10) {
        put(fixture, n, n + 10);
        assertEquals(60, hits(fixture, 0, 60));
      }
      assertTrue(fixture.store.stats().protectedRegions() > 2);
      pass(fixture, 6);
      losePower(fixture);
      int hits = hits(fixture, 0, 60);
      assertTrue(hits > 45, "all but the region that was not full: " + hits);
    }
  }

  @Test
  void whatWasWrittenAheadIsNotWrittenAgainWhenItLeaves() throws Exception {
    try (StoreFixture fixture = open(DiskSettings.Admission.ALWAYS, 10_000)) {
      put(fixture, 0, 300);
      assertEquals(300, hits(fixture, 0, 300));
      pass(fixture, 150);
      long ahead = disk(fixture).writtenBytes();
      assertTrue(ahead > 250L * BODY, "written ahead: " + ahead);
      put(fixture, 300, 1_200);
      pass(fixture, 10);
      long all = disk(fixture).writtenBytes();
      assertTrue(all < 1_200L * BODY * 11 / 10, "written in all: " + all);
    }
  }

  @Test
  void aStopWritesWhatOnlyMemoryHoldsAsLongAsItMay() throws Exception {
    for (long limit : new long[] {0, 60_000}) {
      try (StoreFixture fixture = open(DiskSettings.Admission.ALWAYS, limit)) {
        fixture.store.purge(Purge.everything(false, "the round before"));
        put(fixture, 0, 200);
        assertEquals(50, hits(fixture, 0, 50));
        pass(fixture, 130);
        fixture.store.close();
        Files.delete(directory.resolve("memory/memory.tier"));
        Files.delete(directory.resolve("memory/index.map"));
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        assertEquals(50, hits(fixture, 0, 50));
        assertEquals(limit == 0 ? 0 : 150, hits(fixture, 50, 200));
      }
    }
  }
}
