package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Writing to disks, reading from them, and the outcome of each fault of a disk. */
@Tag("slow")
class DiskTierTest extends DiskStores {
  /** Where this run's files lie, in the directory. */
  private String run = "run";

  /** Whether disks are told which regions are free. */
  private boolean isTrimming;

  /** Whether disks are evacuated and brought back while the power is cut. */
  private boolean isEvacuating;

  private StoreFixture open(int disks, DiskSettings.Admission admission, boolean isSimulated)
      throws StoreException {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disks; n++) {
      devices.add(device("d" + n, "d" + n));
    }
    return open(devices, admission, isSimulated);
  }

  private DeviceSettings device(String name, String path) {
    return device(name, path, DISK).withTrim(isTrimming);
  }

  private StoreFixture open(
      List<DeviceSettings> devices, DiskSettings.Admission admission, boolean isSimulated)
      throws StoreException {
    DiskSettings settings = DiskSettings.of(devices).with(admission, 0).withRecoveryThreads(2);
    return open(isSimulated ? settings.withOpener(simulated) : settings);
  }

  @Override
  Path place() {
    return directory.resolve(run);
  }

  private StoreFixture open(int disks) throws StoreException {
    return open(disks, DiskSettings.Admission.ALWAYS, true);
  }

  @Test
  void whatLeavesMemoryIsServedFromTheDisksWithoutLoss() throws Exception {
    try (StoreFixture fixture = open(2, DiskSettings.Admission.ALWAYS, false)) {
      fill(fixture, 0, 600);
      assertTrue(fixture.store.stats().evictedRecords() > 300, "memory held it all");
      assertEquals(600, hits(fixture, 0, 600));
      for (DiskStats disk : fixture.store.diskStats()) {
        assertTrue(disk.reads() > 50, disk.toString());
        assertEquals(0, disk.errors() + disk.checksumFailures() + disk.dropped());
      }
    }
  }

  @Test
  void aLookupSaysThatItIsOnADiskAndAMissReadsNone() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      long before = fixture.store.diskStats().getFirst().reads();
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name(0)));
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "/never/stored"));
      fixture.clock.addAndGet(2 * 24 * 3_600_000L);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(2)), "expired for long");
      fixture.store.purge(Purge.everything(false, ""));
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(3)), "purged with all");
      assertEquals(before, fixture.store.diskStats().getFirst().reads());
    }
  }

  @Test
  void aPurgeOfWhatLiesOnADiskIsFoundWhenItIsRead() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      long before = fixture.store.diskStats().getFirst().reads();
      StoreLane lane = fixture.store.lane(0);
      fixture.store.purge(
          new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name(0))}, false, ""));
      PurgeReceipt receipt =
          fixture.store.purge(
              new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag1")}, false, ""));
      for (int n = 0; n < 2; n++) {
        assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name(n)));
        assertNull(fixture.read(lane, name(n)));
        assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(n)), "it is known now");
      }
      assertEquals(before + 2, fixture.store.diskStats().getFirst().reads());
      PurgeStatus status = Objects.requireNonNull(fixture.store.purgeStatus(receipt.sequence()));
      assertEquals(OptionalLong.of(1), status.objects(), "it is counted");
    }
  }

  @Test
  void aCleanStopKeepsEverythingEvenWhenMemoryIsLost() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 400);
      fixture.reopen();
      fixture.stepAll();
      assertEquals(400, hits(fixture, 0, 400));
      fixture.store.close();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(400, hits(fixture, 0, 400));
    }
  }

  @Test
  void afterAKillTheIndexIsMadeAgainFromMemoryAndDisks() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 400);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      assertFalse(fixture.store.recovery().isComplete());
      fixture.stepAll();
      assertTrue(fixture.store.recovery().isComplete());
      assertEquals(400, hits(fixture, 0, 400));
    }
  }

  @Test
  void aPurgeIsNotUndoneByADiskWhateverTheStop() throws Exception {
    for (int round = 0; round < 3; round++) {
      try (StoreFixture fixture = open(2)) {
        fill(fixture, 0, 300);
        fixture.store.purge(
            new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag2")}, false, "tag2"));
        if (round == 1) {
          // Swept, and the purge itself forgotten.
          fixture.clock.addAndGet(10_000);
          fixture.stepAll();
          assertEquals(0, fixture.store.stats().purgeScopes());
        }
        fixture.store.abandon();
        if (round == 2) {
          simulated.cutPower();
        }
        fixture.loseMemory();
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        for (int n = 0; n < 300; n++) {
          byte[] found = fixture.read(fixture.store.lane(0), name(n));
          if (n % 5 == 2) {
            assertNull(found, name(n));
          } else if (found != null) {
            assertArrayEquals(body(n), found);
          }
        }
        fixture.store.purge(Purge.everything(false, "next round"));
      }
    }
  }

  @Test
  void whatWasReplacedOrInvalidatedDoesNotComeBack() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 500);
      StoreLane lane = fixture.store.lane(0);
      byte[] second = StoreFixture.body(99, 5_000);
      for (int n = 0; n < 50; n++) {
        assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, name(n), second, true));
      }
      for (int n = 50; n < 100; n++) {
        assertTrue(
            lane.invalidate(
                StoreFixture.scope("hi" + name(n)), StoreFixture.scope("lo" + name(n))));
      }
      settle(fixture);
      fixture.store.abandon();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      lane = fixture.store.lane(0);
      for (int n = 0; n < 100; n++) {
        byte[] found = fixture.read(lane, name(n));
        assertTrue(found == null || (n < 50 && found.length == second.length), name(n));
      }
      assertTrue(hits(fixture, 100, 200) > 50);
    }
  }

  @Test
  void readErrorsAreMissesAndTooManyFenceTheDeviceAndOnlyThat() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 400);
      simulated.failReads.set(2);
      int hits = hits(fixture, 0, 100);
      assertEquals(98, hits);
      assertEquals("online", fixture.store.diskStats().getFirst().state());
      simulated.failReads.set(1_000_000);
      assertTrue(hits(fixture, 100, 200) < 60);
      assertTrue(
          fixture.store.diskStats().stream().allMatch(disk -> disk.state().equals("fenced")));
      simulated.failReads.set(0);
      for (int n = 0; n < 2; n++) {
        fixture.store.bringOnline("d" + n);
      }
      assertTrue(hits(fixture, 200, 400) > 190, "what was not touched is still there");
    }
  }

  @Test
  void writeErrorsCostWhatWasBeingWritten() throws Exception {
    try (StoreFixture fixture = open(1)) {
      simulated.failWrites.set(2);
      fill(fixture, 0, 400);
      assertEquals(2, fixture.store.diskStats().getFirst().errors());
      int hits = hits(fixture, 0, 400);
      assertTrue(hits > 200 && hits < 400, hits + " hits, " + fixture.store.diskStats());
    }
  }

  @Test
  void aDeviceThatIsTooSlowIsFenced() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      simulated.slowMillis.set(15_000);
      for (int n = 0; n < 10; n++) {
        byte[] ignored = fixture.read(fixture.store.lane(0), name(n));
      }
      assertEquals("fenced", fixture.store.diskStats().getFirst().state());
      simulated.slowMillis.set(0);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(fixture.store.lane(0), name(20)));
    }
  }

  @Test
  void aDeviceTakenOfflineCountsAsMissingAndReturnsWarm() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      assertTrue(fixture.store.takeOffline("d0"));
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(0)));
      assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, name(1), body(2), true));
      fixture.store.bringOnline("d0");
      fixture.stepAll();
      assertArrayEquals(body(0), fixture.read(lane, name(0)));
      assertArrayEquals(body(2), fixture.read(lane, name(1)));
      fixture.store.reinitialise("d0");
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(2)));
      assertEquals(0, fixture.store.diskStats().getFirst().errors());
    }
  }

  @Test
  void aDeviceThatWasAwayWhilePurgesWereForgottenReturnsEmpty() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 300);
      fixture.store.close();
      StoreSettings without =
          fixture.settings.withDisks(
              DiskSettings.of(List.of(fixture.settings.disks().devices().getFirst()))
                  .withOpener(simulated));
      fixture.store = ObjectStore.open(without);
      fixture.stepAll();
      fixture.store.purge(
          new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag2")}, false, "tag2"));
      fixture.clock.addAndGet(10_000);
      fixture.stepAll();
      assertEquals(0, fixture.store.stats().purgeScopes());
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      for (int n = 2; n < 300; n += 5) {
        assertNull(fixture.read(fixture.store.lane(0), name(n)), name(n));
      }
    }
  }

  @Test
  void addingADeviceMovesOnlyItsShare() throws Exception {
    try (StoreFixture fixture = open(3)) {
      fill(fixture, 0, 300);
    }
    try (StoreFixture fixture = open(4)) {
      assertEquals(300, hits(fixture, 0, 300), "what is there stays where it is");
      long before = fixture.store.diskStats().getLast().writtenBytes();
      fill(fixture, 300, 700);
      long written = fixture.store.diskStats().getLast().writtenBytes() - before;
      long all = fixture.store.diskStats().stream().mapToLong(DiskStats::writtenBytes).sum();
      assertTrue(written > all / 10 && written < all / 2, written + " of " + all);
    }
  }

  @Test
  void onlyWhatWasAskedForAgainIsWrittenIfThatIsTheAdmission() throws Exception {
    try (StoreFixture fixture = open(1, DiskSettings.Admission.SECOND_HIT, true)) {
      fill(fixture, 0, 300);
      assertEquals(0, fixture.store.diskStats().getFirst().writtenBytes());
      // Not the last ones: what is asked for while its region is still open counts as once.
      int wanted = hits(fixture, 230, 260);
      assertTrue(wanted > 20, "hardly any left in memory");
      fill(fixture, 300, 600);
      assertTrue(hits(fixture, 230, 260) >= wanted - 2);
      assertTrue(fixture.store.diskStats().getFirst().writtenBytes() > 0);
    }
  }

  @Test
  void aFlippedByteIsAMissAndACounterNeverABody() throws Exception {
    List<DeviceSettings> devices = List.of(device("d0", "d0").withFaults(1_000_000, 10_000));
    try (StoreFixture fixture = open(devices, DiskSettings.Admission.ALWAYS, true)) {
      fill(fixture, 0, 400);
      for (int n = 0; n < 200; n++) {
        simulated.damage("d0", 1 << 20);
      }
      int hits = hits(fixture, 0, 400);
      assertTrue(hits < 400, "nothing was damaged");
      assertTrue(fixture.store.diskStats().getFirst().checksumFailures() > 0);
    }
  }

  @Test
  void aDiskThatChangesWhatItHoldsIsFenced() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 400);
      for (int n = 0; n < 200; n++) {
        simulated.damage("d0", 1 << 20);
      }
      assertTrue(hits(fixture, 0, 400) < 400, "nothing was damaged");
      var disk = fixture.store.diskStats().getFirst();
      assertEquals("fenced", disk.state());
      assertTrue(disk.errors() >= 3, disk.toString());
      assertEquals(disk.checksumFailures(), disk.errors());
    }
  }

  @Test
  void whatAnUncleanStopMayHaveCutDoesNotCountAgainstTheDisk() throws Exception {
    StoreFixture fixture = open(1);
    fill(fixture, 0, 400);
    fixture.store.abandon();
    for (int n = 0; n < 200; n++) {
      simulated.damage("d0", 1 << 20);
    }
    fixture.store = ObjectStore.open(fixture.settings);
    try (fixture) {
      fixture.stepAll();
      assertTrue(hits(fixture, 0, 400) < 400, "nothing was damaged");
      var disk = fixture.store.diskStats().getFirst();
      assertTrue(disk.checksumFailures() > 3, disk.toString());
      assertEquals(0, disk.errors());
      assertEquals("online", disk.state());
    }
  }

  @Test
  void whatIsAboveADirectoryOfADiskIsNotMade() {
    StoreException refused =
        org.junit.jupiter.api.Assertions.assertThrows(
            StoreException.class,
            () ->
                open(List.of(device("d0", "not/there")), DiskSettings.Admission.ALWAYS, false)
                    .close());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("there is no directory " + place().resolve("not")), message);
    org.junit.jupiter.api.Assertions.assertFalse(
        java.nio.file.Files.exists(place().resolve("not")));
  }

  @Test
  void theScrubFindsAFlippedByteBeforeAnybodyAsks() throws Exception {
    List<DeviceSettings> devices =
        List.of(device("d0", "d0").withScrub(1 << 20).withFaults(1_000_000, 10_000));
    try (StoreFixture fixture = open(devices, DiskSettings.Admission.ALWAYS, true)) {
      fill(fixture, 0, 400);
      awaitRounds(fixture, 1);
      assertEquals(0, scrub(fixture).badRecords());
      for (int n = 0; n < 200; n++) {
        simulated.damage("d0", 1 << 20);
      }
      long reads = fixture.store.diskStats().getFirst().reads();
      clock.addAndGet(3_600_000);
      awaitRounds(fixture, 2);
      assertEquals(reads, fixture.store.diskStats().getFirst().reads(), "somebody asked");
      long bad = scrub(fixture).badRecords();
      assertTrue(bad > 0, "nothing was damaged");
      assertEquals(clock.get(), scrub(fixture).lastRoundMillis());
      assertEquals(bad, fixture.store.diskStats().getFirst().checksumFailures());
      int hits = hits(fixture, 0, 400);
      assertTrue(hits < 400, "what is bad is a miss");
      assertEquals(
          bad, fixture.store.diskStats().getFirst().checksumFailures(), "a reader found one more");
    }
  }

  private static ScrubStats scrub(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst().scrub();
  }

  private void awaitRounds(StoreFixture fixture, int rounds) {
    for (int n = 0; n < 1000 && scrub(fixture).rounds() < rounds; n++) {
      clock.addAndGet(100);
      fixture.stepAll();
    }
    assertEquals(rounds, scrub(fixture).rounds());
  }

  @Test
  void theScrubReadsNoMoreThanItMayAndNothingFromADiskOutOfService() throws Exception {
    long rate = 64 << 10;
    List<DeviceSettings> devices = List.of(device("d0", "d0").withScrub(rate));
    try (StoreFixture fixture = open(devices, DiskSettings.Admission.ALWAYS, true)) {
      fill(fixture, 0, 400);
      long before = scrub(fixture).bytes();
      for (int n = 0; n < 1000; n++) {
        clock.addAndGet(100);
        fixture.stepAll();
      }
      long read = scrub(fixture).bytes() - before;
      assertTrue(read > 50 * rate && read < 101 * rate + (2 << 20), read + " bytes read");
      assertTrue(scrub(fixture).progress() < 1);
      assertTrue(fixture.store.takeOffline("d0"));
      before = scrub(fixture).bytes();
      clock.addAndGet(100_000);
      fixture.stepAll();
      assertEquals(before, scrub(fixture).bytes());
    }
  }

  @Test
  void aSectorThatCannotBeReadCostsTheRecordThatLiesInIt() throws Exception {
    List<DeviceSettings> devices = List.of(device("d0", "d0").withScrub(1 << 20));
    try (StoreFixture fixture = open(devices, DiskSettings.Admission.ALWAYS, true)) {
      fill(fixture, 0, 300);
      awaitRounds(fixture, 1);
      clock.addAndGet(3_600_000);
      // Some read of many records, and the first of them read alone.
      simulated.failLongReads.set(2);
      awaitRounds(fixture, 2);
      assertEquals(1, fixture.store.diskStats().getFirst().errors());
      assertEquals(1, scrub(fixture).badRecords());
      assertEquals("online", fixture.store.diskStats().getFirst().state());
      assertEquals(299, hits(fixture, 0, 300));
    }
  }

  @Test
  void aDiskIsKnownByItsFileWhateverItsNameAndPath() throws Exception {
    List<DeviceSettings> before = List.of(device("a", "a"), device("b", "b"));
    try (StoreFixture fixture = open(before, DiskSettings.Admission.ALWAYS, false)) {
      fill(fixture, 0, 300);
    }
    Files.move(place().resolve("a"), place().resolve("elsewhere"));
    List<DeviceSettings> after = List.of(device("c", "b"), device("a", "elsewhere"));
    try (StoreFixture fixture = open(after, DiskSettings.Admission.ALWAYS, false)) {
      assertEquals(300, hits(fixture, 0, 300));
      fill(fixture, 300, 500);
    }
    // A copy of a disk is not that disk: one of the two opens empty, and neither harms the other.
    Files.createDirectories(place().resolve("copy"));
    Files.copy(place().resolve("b/disk.store"), place().resolve("copy/disk.store"));
    List<DeviceSettings> copied =
        List.of(device("c", "b"), device("a", "elsewhere"), device("d", "copy"));
    try (StoreFixture fixture = open(copied, DiskSettings.Admission.ALWAYS, false)) {
      DiskStats empty = fixture.store.diskStats().getLast();
      assertEquals(empty.regions(), empty.freeRegions());
      assertEquals(0, empty.writtenBytes(), "what the others had was written once more");
      assertEquals(500, hits(fixture, 0, 500));
    }
  }

  @Test
  void whatIsHotWhileNoDiskTakesAnythingIsWrittenBeforeAStop() throws Exception {
    try (StoreFixture fixture = open(1)) {
      assertTrue(fixture.store.takeOffline("d0"));
      fill(fixture, 0, 150);
      for (int n = 0; n < 3; n++) {
        int ignored = hits(fixture, 60, 150);
        fill(fixture, 150 + 60 * n, 210 + 60 * n);
      }
      assertTrue(fixture.store.stats().protectedRegions() > 3, "nothing is hot");
      int hits = hits(fixture, 0, 330);
      assertEquals(0, fixture.store.diskStats().getFirst().writtenBytes());
      fixture.store.bringOnline("d0");
      fixture.stepAll();
      fixture.store.close();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(hits, hits(fixture, 0, 330));
    }
  }

  @Test
  void afterAForceThatFailedADiskIsEmptied() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(fixture.store.lane(0), name(0)));
      simulated.failForces.set(1);
      fill(fixture, 300, 500);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(fixture.store.lane(0), name(0)));
      DiskStats disk = fixture.store.diskStats().getFirst();
      assertEquals("online", disk.state());
      assertEquals(1, disk.errors());
      fill(fixture, 500, 700);
      assertTrue(hits(fixture, 500, 700) > 190);
    }
  }

  @Test
  void whoWaitsInLineBehindASlowDiskIsLetGo() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      StoreLane lane = fixture.store.lane(0);
      List<String> told = new ArrayList<>();
      for (int n = 0; n < 3; n++) {
        String name = name(n);
        assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name));
        assertTrue(lane.load(() -> told.add(name)));
      }
      // Longer than a quarter of what counts as slow.
      clock.addAndGet(2_501);
      boolean ignored = fixture.store.step();
      assertEquals(3, told.size());
      assertEquals(3, fixture.store.diskStats().getFirst().refusedLoads());
      assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name(3)));
      assertFalse(lane.load(() -> told.add("too early")));
      clock.addAndGet(2_501);
      assertArrayEquals(body(3), fixture.read(lane, name(3)));
    }
  }

  @Test
  void afterAPowerCutNothingIsServedThatTheOriginDidNotSend() throws Exception {
    powerCuts(new SplittableRandom().nextLong(), 30);
  }

  @Tag("full")
  @Test
  void afterAPowerCutInTheMiddleOfAnEvacuationNothingElseIsServedEither() throws Exception {
    isEvacuating = true;
    powerCuts(new SplittableRandom().nextLong(), 30);
  }

  private static void evacuate(StoreFixture fixture, SplittableRandom random) throws Exception {
    DiskStats disk = fixture.store.diskStats().get(random.nextInt(2));
    switch (disk.state()) {
      case "online" -> fixture.store.evacuate(disk.name());
      case "evacuating" -> {
        if (random.nextInt(4) == 0) {
          fixture.store.cancelEvacuation(disk.name());
        }
      }
      case "evacuated", "fenced" -> {
        try {
          fixture.store.bringOnline(disk.name());
        } catch (java.io.IOException e) {
          // It fails on purpose now and then: another time.
          return;
        }
      }
      default -> assertEquals("recovering", disk.state());
    }
  }

  @Tag("full")
  @Test
  void afterAPowerCutOfADiskThatIsTrimmedNothingElseIsServedEither() throws Exception {
    isTrimming = true;
    isEvacuating = true;
    powerCuts(new SplittableRandom().nextLong(), 30);
    assertTrue(simulated.trims.get() > 10, "hardly anything was trimmed");
  }

  @Test
  void freeRegionsAreTrimmedAndWhatIsNotFreeStays() throws Exception {
    isTrimming = true;
    try (StoreFixture fixture = open(1, DiskSettings.Admission.ALWAYS, false)) {
      fill(fixture, 0, 300);
      assertEquals(
          32 << 20, fixture.store.diskStats().getFirst().trimmedBytes(), "when it is made");
      assertEquals(300, hits(fixture, 0, 300), "no region was freed yet");
      fill(fixture, 300, 1_600);
      DiskStats disk = fixture.store.diskStats().getFirst();
      assertTrue(disk.reclaimedRegions() > 5, disk.toString());
      assertEquals((32 + disk.reclaimedRegions()) << 20, disk.trimmedBytes());
      assertEquals(0, disk.errors() + disk.checksumFailures());
      assertTrue(hits(fixture, 1_000, 1_600) > 550);
      for (int kill = 0; kill < 2; kill++) {
        if (kill == 1) {
          fixture.store.abandon();
          fixture.loseMemory();
          fixture.store = ObjectStore.open(fixture.settings);
        } else {
          fixture.reopen();
        }
        fixture.stepAll();
        assertTrue(hits(fixture, 1_000, 1_600) > 500);
        assertEquals(0, fixture.store.diskStats().getFirst().errors());
      }
      Path file = place().resolve("d0/disk.store");
      assertEquals((32 << 20) + 65_536, Files.size(file), "the file keeps its length");
    }
  }

  @Test
  @Tag("campaign")
  void afterThousandsOfPowerCuts() throws Exception {
    isTrimming = new SplittableRandom().nextBoolean();
    isEvacuating = new SplittableRandom().nextBoolean();
    for (int n = 0; n < 40; n++) {
      powerCuts(new SplittableRandom().nextLong(), 100);
    }
  }

  private void powerCuts(long seed, int rounds) throws Exception {
    System.out.println("DiskTierTest power cuts, seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    // Nothing of an earlier run: the same seed does the same again.
    run = "run" + seed;
    clock.set(1_000_000);
    simulated = new SimulatedDisk(clock, random.split());
    // Of each name every body it ever had since it was last purged: which of them a cut leaves is
    // not promised, but it is one of them.
    Map<Integer, List<Long>> since = new HashMap<>();
    int hits = 0;
    try (StoreFixture fixture = open(2)) {
      StoreLane lane = fixture.store.lane(0);
      fixture.store.purge(Purge.everything(false, "start"));
      for (int round = 0; round < rounds; round++) {
        int operations = 50 + random.nextInt(400);
        // Sometimes the disks fail before the power does.
        simulated.failWrites.set(random.nextInt(4) == 0 ? random.nextInt(3) : 0);
        simulated.failForces.set(random.nextInt(8) == 0 ? 1 : 0);
        for (int n = 0; n < operations; n++) {
          int name = random.nextInt(300);
          int dice = random.nextInt(100);
          if (dice < 50) {
            long body = random.nextLong();
            if (fixture.put(lane, name(name), varied(body), random.nextBoolean(), "t" + name % 7)
                == InstallOutcome.INSTALLED) {
              since.computeIfAbsent(name, key -> new ArrayList<>()).add(body);
            }
          } else if (dice < 95) {
            byte[] found = fixture.read(lane, name(name));
            if (found != null) {
              assertTrue(isOneOf(found, since.get(name)), "seed " + seed + "L, " + name(name));
              hits++;
            }
          } else if (dice < 97) {
            int tag = random.nextInt(7);
            fixture.store.purge(
                new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("t" + tag)}, false, ""));
            since.keySet().removeIf(known -> known % 7 == tag);
          } else {
            if (isEvacuating) {
              evacuate(fixture, random);
            }
            fixture.clock.addAndGet(random.nextInt(10_000));
            fixture.steps(random.nextInt(200));
          }
        }
        simulated.failWrites.set(0);
        simulated.failForces.set(0);
        fixture.store.abandon();
        simulated.cutPower();
        fixture.loseMemory();
        fixture.store = ObjectStore.open(fixture.settings);
        lane = fixture.store.lane(0);
        fixture.steps(random.nextInt(500));
      }
      System.out.println("  " + hits + " hits");
      assertTrue(hits > 5 * rounds, "hardly any hits: " + hits);
    }
  }

  private static byte[] varied(long seed) {
    return StoreFixture.body(seed, (int) Math.floorMod(seed, 40_000L));
  }

  private static boolean isOneOf(
      byte[] found, @org.jspecify.annotations.Nullable List<Long> seeds) {
    if (seeds == null) {
      return false;
    }
    for (long seed : seeds) {
      if (java.util.Arrays.equals(found, varied(seed))) {
        return true;
      }
    }
    return false;
  }
}
