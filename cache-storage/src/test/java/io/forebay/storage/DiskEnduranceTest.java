package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.endurance.EnduranceLimits;
import io.forebay.storage.endurance.EnduranceStats;
import io.forebay.storage.endurance.WriteBudget;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.WriteHistoryPage;
import io.forebay.storage.purge.Purge;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How much is written to a disk: remembered over every stop, and bounded a day. */
@Tag("slow")
class DiskEnduranceTest extends DiskStores {
  private static final int MEBI = 1 << 20;
  private static final long HOUR = 3_600_000;

  private StoreFixture open(EnduranceLimits limits) throws StoreException {
    DeviceSettings device = device("d").withEndurance(limits);
    return open(DiskSettings.of(List.of(device)).withOpener(simulated));
  }

  private static EnduranceStats endurance(StoreFixture fixture) {
    return disk(fixture).endurance();
  }

  @Test
  void whatIsWrittenIsRememberedOverAStopInOrder() throws Exception {
    try (StoreFixture fixture = open(EnduranceLimits.NONE)) {
      fill(fixture, 0, 400);
      long before = endurance(fixture).totalBytes();
      assertTrue(before >= disk(fixture).writtenBytes(), "headers and marks count, too");
      assertTrue(before > 4 * MEBI, before + " bytes");
      fixture.reopen();
      fixture.stepAll();
      assertEquals(0, disk(fixture).writes());
      assertTrue(endurance(fixture).totalBytes() >= before);
      assertTrue(endurance(fixture).dayBytes() >= before);
      fixture.clock.addAndGet(26 * HOUR);
      assertEquals(0, endurance(fixture).dayBytes());
    }
  }

  @Test
  void aKillCostsTheLastMinuteOfTheHistory() throws Exception {
    try (StoreFixture fixture = open(EnduranceLimits.NONE)) {
      fill(fixture, 0, 300);
      fixture.clock.addAndGet(61_000);
      fixture.stepAll();
      long noted = endurance(fixture).totalBytes();
      fill(fixture, 300, 400);
      long before = endurance(fixture).totalBytes();
      assertTrue(before > noted);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      long after = endurance(fixture).totalBytes();
      assertTrue(after >= noted - DeviceHeader.PAGE && after < before, after + " of " + before);
    }
  }

  @Test
  void emptyingADiskLeavesItsHistory() throws Exception {
    try (StoreFixture fixture = open(EnduranceLimits.NONE)) {
      fill(fixture, 0, 300);
      long before = endurance(fixture).totalBytes();
      fixture.store.reinitialise("d");
      assertTrue(endurance(fixture).totalBytes() >= before);
      fixture.store.purge(Purge.everything(false, ""));
      fixture.reopen();
      assertTrue(endurance(fixture).totalBytes() >= before);
    }
  }

  @Test
  void aDamagedPageOfTheHistoryLeavesTheOtherOneAndBothBeginItAnew() throws Exception {
    try (StoreFixture fixture = open(EnduranceLimits.NONE)) {
      fill(fixture, 0, 300);
      fixture.clock.addAndGet(61_000);
      fixture.stepAll();
      fill(fixture, 300, 400);
      fixture.store.close();
      for (int copy = 0; copy < WriteHistoryPage.COPIES; copy++) {
        damage(copy);
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        assertTrue(endurance(fixture).totalBytes() > 4 * MEBI, "copy " + copy);
        damage(copy);
        fixture.store.close();
      }
      damage(0);
      damage(1);
      fixture.store = ObjectStore.open(fixture.settings);
      assertTrue(endurance(fixture).totalBytes() < MEBI);
      fixture.stepAll();
      assertEquals("online", disk(fixture).state());
    }
  }

  /** Or heals it again. */
  private void damage(int copy) {
    int at = (WriteHistoryPage.FIRST + copy) * DeviceHeader.PAGE + WriteHistoryPage.TOTAL_OFFSET;
    simulated.bytes("d").put(at, (byte) ~simulated.bytes("d").get(at));
  }

  @Test
  void aUsedUpBudgetStopsWritesOfRecordsUntilADayLater() throws Exception {
    try (StoreFixture fixture = open(new EnduranceLimits(4 * MEBI, 0))) {
      fill(fixture, 0, 600);
      EnduranceStats stats = endurance(fixture);
      assertTrue(stats.dayBytes() >= 3 * MEBI, stats.toString());
      assertTrue(stats.dayBytes() < 5 * MEBI, "beyond the budget: " + stats);
      assertTrue(stats.refused() > 200, stats.toString());
      assertEquals(WriteBudget.Admission.REQUESTED_AGAIN, stats.admission());
      assertTrue(fixture.store.stats().evictedRecords() > 300, "memory goes on evicting");
      fixture.clock.addAndGet(26 * HOUR);
      long before = endurance(fixture).totalBytes();
      fill(fixture, 600, 800);
      assertTrue(endurance(fixture).totalBytes() > before + 2 * MEBI);
    }
  }

  @Test
  void fromThreeQuartersOfTheBudgetOnOnlyWhatIsRequestedAgainIsWritten() throws Exception {
    try (StoreFixture fixture = open(new EnduranceLimits(8 * MEBI, 0))) {
      fill(fixture, 0, 600);
      assertEquals(WriteBudget.Admission.REQUESTED_AGAIN, endurance(fixture).admission());
      long before = endurance(fixture).totalBytes();
      for (int n = 600; n < 700; n++) {
        fill(fixture, n, n + 1);
        for (int again = Math.max(600, n - 40); again < n; again += 8) {
          byte[] ignored = fixture.read(fixture.store.lane(0), name(again));
        }
      }
      long written = endurance(fixture).totalBytes() - before;
      assertTrue(written > MEBI / 2, written + " bytes");
      assertTrue(endurance(fixture).dayBytes() <= 9 * MEBI, endurance(fixture).toString());
    }
  }
}
