package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I2 while the store works on the same object: one test for each way in which an object moves. */
@Timeout(120)
@Tag("slow")
class PurgeRaceTest extends PurgeStores {

  /** The same objects named two ways: odd ones have the tag, and the key. */
  enum Named {
    BY_SCOPE,
    BY_PREDICATE;

    Purge odd(boolean soft) {
      return this == BY_SCOPE
          ? new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("odd")}, soft, "odd")
          : new Purge(PurgeKind.PATTERN, new long[0], soft, "key odd");
    }
  }

  private static void purge(StoreFixture fixture, Purge purge) {
    try {
      assertTrue(fixture.store.purge(purge).sequence() > 0);
    } catch (PurgeFailedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isSwept(StoreFixture fixture) {
    return fixture.store.latestPurges(1).getFirst().isSwept();
  }

  @ParameterizedTest
  @EnumSource
  void aResponseThatReplacesBehindThePurge(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      long[] scopes = {StoreFixture.scope("/odd/1"), StoreFixture.scope("odd")};
      long requested = fixture.store.nextBirth();
      purge(fixture, named.odd(false));
      assertEquals(-1, lane.replace(scopes[0], scopes, requested));
      assertTrue(lane.replace(scopes[0], scopes, fixture.store.nextBirth()) > requested);
      sweep(fixture);
      assertEquals(-1, lane.replace(scopes[0], scopes, requested), "nor once it is forgotten");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFillThatEndsBehindThePurge(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      long birth = fixture.store.nextBirth();
      HeadSpec spec = StoreFixture.spec("/odd/1", birth, 5, "odd");
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      purge(fixture, named.odd(false));
      sweep(fixture);
      assertFalse(isSwept(fixture), "not while that fill is under way");
      assertEquals(InstallOutcome.PURGED, writer.finish());
      assertNull(read(fixture, "/odd/1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFillThatBeganBeforeAndStoresAfterItWasForgotten(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      long birth = fixture.store.nextBirth();
      purge(fixture, named.odd(false));
      sweep(fixture);
      assertTrue(isSwept(fixture));
      HeadSpec late = StoreFixture.spec("/odd/1", birth, 5, "odd");
      assertNull(lane.begin(late));
      assertEquals(InstallOutcome.PURGED, lane.putSmall(late, ByteBuffer.allocate(5)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoJoinsAfterThePurgeAFillOfBefore(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      HeadSpec spec = StoreFixture.spec("/odd/1", fixture.store.nextBirth(), 5, "odd");
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      assertFalse(lane.isOverruled(spec));
      purge(fixture, named.odd(true));
      fixture.stepAll();
      assertTrue(fixture.store.lane(1).isOverruled(spec), "on any lane, also for a soft purge");
      assertEquals(InstallOutcome.INSTALLED, writer.finish(), "soft: stored, and stale");
      fixture.stepAll();
      assertTrue(lane.isOverruled(spec), "and also once it is stored");
      assertNotNull(read(fixture, "/odd/1"));
      assertTrue(lane.head().softPurged());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoLooksAtAFillOfBeforeWhenThePurgeIsForgotten(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      HeadSpec spec = StoreFixture.spec("/odd/1", fixture.store.nextBirth(), 5, "odd");
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      purge(fixture, named.odd(false));
      assertEquals(InstallOutcome.PURGED, writer.finish());
      assertTrue(lane.isOverruled(spec));
      sweep(fixture);
      assertTrue(isSwept(fixture));
      assertTrue(fixture.store.lane(1).isOverruled(spec), "a follower of another loop may be late");
      HeadSpec later = StoreFixture.spec("/odd/1", fixture.store.nextBirth(), 5, "odd");
      assertFalse(lane.isOverruled(later));
    }
  }

  private static HeadSpec copyOf(StoreFixture fixture, String name, String original) {
    StoreLane lane = fixture.store.lane(0);
    assertNotNull(read(fixture, original));
    StoredHead head = lane.head();
    return StoreFixture.spec(name, fixture.store.nextBirth(), 5, "odd")
        .copiedFrom(
            new HeadSpec.Copied(
                StoreFixture.scope("hi" + original),
                StoreFixture.scope("lo" + original),
                head.objectId(),
                head.bodyBirth()));
  }

  @ParameterizedTest
  @EnumSource
  void aCopyOfABodyThatThePurgeKills(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/odd/1", "odd");
      HeadSpec early = copyOf(fixture, "/odd/2", "/odd/1");
      ObjectWriter writer = Objects.requireNonNull(lane.begin(early));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      HeadSpec late = copyOf(fixture, "/odd/3", "/odd/1");
      purge(fixture, named.odd(false));
      sweep(fixture);
      assertFalse(isSwept(fixture), "not while it is being written");
      assertEquals(InstallOutcome.PURGED, writer.finish());
      assertNull(lane.begin(late), "what is copied is gone");
      sweep(fixture);
      assertTrue(isSwept(fixture));
      assertNull(lane.begin(late));
    }
  }

  /** Its own birth is later than the purge's number, its body's is not. */
  @ParameterizedTest
  @EnumSource
  void aCopyIsAsOldAsItsBody(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/other", "other");
      assertNotNull(read(fixture, "/other"));
      long bodyBirth = lane.head().bodyBirth();
      purge(fixture, named.odd(false));
      HeadSpec spec = copyOf(fixture, "/odd/2", "/other");
      assertEquals(bodyBirth, Objects.requireNonNull(spec.copied()).birth());
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      assertEquals(InstallOutcome.PURGED, writer.finish());
      assertNull(read(fixture, "/odd/2"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRevalidationThatEndsBehindThePurge(Named named) throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/odd/1", "odd");
      assertNotNull(read(fixture, "/odd/1"));
      long id = lane.head().objectId();
      long birth = fixture.store.nextBirth();
      purge(fixture, named.odd(false));
      assertEquals(InstallOutcome.PURGED, lane.refresh(StoreFixture.spec("/odd/1", birth, -1), id));
      assertNull(read(fixture, "/odd/1"));
      // Soft: the answer was on its way before the purge, so it does not make fresh again.
      put(fixture, "/odd/1", "odd");
      assertNotNull(read(fixture, "/odd/1"));
      id = lane.head().objectId();
      birth = fixture.store.nextBirth();
      purge(fixture, named.odd(true));
      assertEquals(
          InstallOutcome.INSTALLED,
          lane.refresh(StoreFixture.spec("/odd/1", birth, -1, "odd"), id));
      assertNotNull(read(fixture, "/odd/1"));
      assertTrue(lane.head().softPurged());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPromotionWhosePurgeComesBehindTheRead(Named named) throws Exception {
    try (StoreFixture fixture = open(1)) {
      fillTagged(fixture, 0, 300);
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name(1)));
      disks.behindRead(1, () -> purge(fixture, named.odd(false)));
      assertNull(read(fixture, name(1)));
      assertTrue(disks.hasHappened());
      fixture.stepAll();
      assertNull(read(fixture, name(1)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPromotionAfterMemoryWasSwept(Named named) throws Exception {
    try (StoreFixture fixture = open(1)) {
      fillTagged(fixture, 0, 300);
      purge(fixture, named.odd(false));
      fixture.stepAll();
      assertFalse(isSwept(fixture), "not the disks");
      assertOnlyEvenAreLeft(fixture, 300);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPromotionOfWhatBecameStaleAfterMemoryWasSwept(Named named) throws Exception {
    try (StoreFixture fixture = open(1)) {
      fillTagged(fixture, 0, 300);
      purge(fixture, named.odd(true));
      fixture.stepAll();
      int stale = 0;
      for (int n = 0; n < 300; n++) {
        byte[] found = read(fixture, name(n));
        if (found != null) {
          assertArrayEquals(body(n), found, name(n));
          assertEquals(n % 2 == 1, fixture.store.lane(0).head().softPurged(), name(n));
          stale += n % 2;
        }
        fixture.steps(20);
      }
      // What is marked stale in memory is not written to a disk any more.
      assertTrue(stale > 75, stale + " stale ones");
    }
  }

  /**
   * A record is on its way into memory, and its purges have been looked at; now one more comes into
   * force and memory is swept for it. The sweep has to wait for the record, since nobody will ask
   * that purge again.
   */
  @Test
  void aPromotionThatIsUnderWayWhenTheSweepBegins() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fillTagged(fixture, 0, 300);
      purge(fixture, new Purge(PurgeKind.PATTERN, new long[0], false, "key neither"));
      fixture.stepAll();
      Thread sweeper = new Thread(fixture::stepAll, "sweeper");
      whenAsked =
          () -> {
            purge(fixture, Named.BY_PREDICATE.odd(false));
            sweeper.start();
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (sweeper.isAlive() && sweeper.getState() != Thread.State.WAITING) {
              assertTrue(System.nanoTime() < deadline);
              Thread.onSpinWait();
            }
          };
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, name(1)));
      boolean[] isOver = new boolean[1];
      assertTrue(lane.load(() -> isOver[0] = true));
      while (!isOver[0]) {
        assertTrue(fixture.store.step());
      }
      sweeper.join();
      fixture.stepAll();
      assertNull(whenAsked);
      assertNull(read(fixture, name(1)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDemotionThatIsWrittenBehindThePurge(Named named) throws Exception {
    try (StoreFixture fixture = open(1)) {
      // Left in the buffers of the disk: not one step since they were taken.
      for (int n = 0; n < 300; n++) {
        putTagged(fixture, n);
        fixture.steps(3);
      }
      purge(fixture, named.odd(false));
      settle(fixture);
      assertTrue(fixture.store.diskStats().getFirst().writtenBytes() > 0);
      kill(fixture);
      fixture.stepAll();
      for (int n = 1; n < 300; n += 2) {
        assertNull(read(fixture, name(n)), name(n));
      }
      sweep(fixture);
      assertTrue(isSwept(fixture));
      kill(fixture);
      fixture.stepAll();
      for (int n = 1; n < 300; n += 2) {
        assertNull(read(fixture, name(n)), name(n));
      }
    }
  }

  /** Regions are freed, and what was asked for is copied, while the sweep is half-way. */
  @ParameterizedTest
  @EnumSource
  void regionsThatAreFreedAndCopiedWhileTheirDiskIsSwept(Named named) throws Exception {
    for (int round = 1; round < 3; round++) {
      try (StoreFixture fixture = open(1)) {
        purge(fixture, Purge.everything(false, "next round"));
        // Once around the disk and on, so that the region that is open lies where the sweep comes
        // by, and those that are freed next lie before it; read again, to be worth copying.
        int count = 1000 + 200 * round;
        fillTagged(fixture, 0, count);
        for (int n = 0; n < count; n++) {
          byte[] ignored = read(fixture, name(n));
          fixture.steps(20);
        }
        purge(fixture, named.odd(false));
        fixture.clock.addAndGet(RETIRE_MILLIS);
        fixture.steps(10);
        long reclaimed = fixture.store.diskStats().getFirst().reclaimedRegions();
        int more = count;
        while (!isSwept(fixture)) {
          // About as much as is taken back in a step.
          for (int n = 0; n < 8; n++) {
            putEven(fixture, more++);
          }
          fixture.steps(1);
          assertTrue(more < 20_000, "never swept");
        }
        assertTrue(
            fixture.store.diskStats().getFirst().reclaimedRegions() > reclaimed, "none was freed");
        for (int n = 1; n < count; n += 2) {
          assertNull(read(fixture, name(n)), name(n) + " in round " + round);
          fixture.steps(5);
        }
        settle(fixture);
        kill(fixture);
        fixture.stepAll();
        for (int n = 1; n < count; n += 2) {
          assertNull(read(fixture, name(n)), name(n) + " in round " + round);
          fixture.steps(5);
        }
      }
    }
  }

  /**
   * The one order in which only asking what is copied keeps the purge true: the sweep has looked at
   * the region that is opened now, not yet at the one that is freed for it, and what was read of
   * that one goes where the sweep will not come by again.
   */
  @Test
  void whatIsCopiedToWhereTheSweepHasPassedFromWhereItHasNot() throws Exception {
    int regions = 12;
    try (StoreFixture fixture = open(1, regions)) {
      int count = 0;
      int open = 0;
      // Once around the disk, and on to where the regions that come next are next to each other.
      while (freedRegions(fixture) < 2 || open < 1 || open > regions - 5) {
        putTiny(fixture, count++);
        fixture.steps(3);
        if (count % 100 == 0) {
          settle(fixture);
          open = diskRegion(disks.lastWriteAt("d0"));
        }
      }
      // Without memory there is nothing left that a disk has to take before all has been read: the
      // oldest first, so that those are worth copying, and on the disk alone again in the end.
      kill(fixture);
      fixture.stepAll();
      StoreLane lane = fixture.store.lane(0);
      String young = name(count);
      for (int n = count; StoreFixture.find(lane, young) != StoreLane.Found.ON_DISK; n--) {
        young = name(n);
      }
      // Its tombstone opens a region, so that those of the purge open none.
      assertTrue(
          lane.invalidate(StoreFixture.scope("hi" + young), StoreFixture.scope("lo" + young)));
      settle(fixture);
      open = diskRegion(disks.lastWriteAt("d0"));
      for (int n = 0; n < count; n++) {
        byte[] ignored = read(fixture, name(n));
        fixture.steps(3);
      }
      settle(fixture);
      assertEquals(open, diskRegion(disks.lastWriteAt("d0")), "nothing was written by that");
      final long freed = freedRegions(fixture);
      purge(fixture, Named.BY_PREDICATE.odd(false));
      fixture.clock.addAndGet(RETIRE_MILLIS);
      for (int region : new int[] {0, open + 1}) {
        while (diskRegion(disks.lastReadAt("d0")) != region) {
          fixture.steps(1);
          assertFalse(isSwept(fixture));
        }
      }
      // The heads it has found keep the sweep busy, and the disk takes what memory drops.
      int more = 0;
      while (freedRegions(fixture) == freed) {
        // Beyond the region that is opened now only what is freed is read, to be copied forward.
        assertTrue(diskRegion(disks.lastReadAt("d0")) <= open + 3, "the sweep was quicker");
        for (int n = 0; n < 8; n++) {
          putEven(fixture, more++);
        }
        fixture.steps(1);
      }
      fixture.stepAll();
      assertTrue(isSwept(fixture));
      for (int n = 1; n < count; n += 2) {
        assertNull(read(fixture, name(n)), name(n));
      }
    }
  }

  private static long freedRegions(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst().reclaimedRegions();
  }

  private static int diskRegion(long at) {
    return Math.toIntExact((at - SimulatedDisk.RECORDS_AT) / DISK_REGION);
  }

  private static void putTiny(StoreFixture fixture, int n) {
    InstallOutcome result =
        fixture.put(fixture.store.lane(0), name(n), StoreFixture.body(n, 1000), true, "tiny");
    assertEquals(InstallOutcome.INSTALLED, result);
  }

  private static void putEven(StoreFixture fixture, int n) {
    InstallOutcome ignored =
        fixture.put(fixture.store.lane(0), "/even/more/" + n, body(n), true, "even");
  }

  @ParameterizedTest
  @EnumSource
  void theRebuildOfMemoryWhileAPurgeComes(Named named) throws Exception {
    for (int steps = 0; steps < 12; steps++) {
      try (StoreFixture fixture = open(0)) {
        for (int n = 0; n < 60; n++) {
          putTagged(fixture, n);
          fixture.steps(20);
        }
        fixture.store.abandon();
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.steps(steps);
        purge(fixture, named.odd(false));
        for (int n = 1; n < 60; n += 2) {
          assertNull(read(fixture, name(n)), name(n) + " during the rebuild");
        }
        fixture.stepAll();
        assertTrue(fixture.store.recovery().isComplete());
        assertOnlyEvenAreLeft(fixture, 60);
        purge(fixture, Purge.everything(false, "next round"));
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void theRecoveryOfADiskWhileAPurgeComes(Named named) throws Exception {
    for (int steps : new int[] {0, 1, 20, 40, 45, 50, 60}) {
      try (StoreFixture fixture = open(1)) {
        fillTagged(fixture, 0, 300);
        kill(fixture);
        fixture.steps(steps);
        purge(fixture, named.odd(false));
        for (int n = 1; n < 300; n += 2) {
          assertNull(read(fixture, name(n)), name(n) + " during the recovery");
        }
        sweep(fixture);
        assertTrue(isSwept(fixture));
        kill(fixture);
        fixture.stepAll();
        assertOnlyEvenAreLeft(fixture, 300);
        purge(fixture, Purge.everything(false, "next round"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDiskThatWasAwayForAWhileAndForLong(Named named) throws Exception {
    try (StoreFixture fixture = open(1)) {
      fillTagged(fixture, 0, 300);
      assertTrue(fixture.store.takeOffline("d0"));
      purge(fixture, named.odd(false));
      fixture.stepAll();
      assertFalse(isSwept(fixture));
      fixture.store.bringOnline("d0");
      assertOnlyEvenAreLeft(fixture, 300);
      assertTrue(fixture.store.takeOffline("d0"));
      sweep(fixture);
      assertTrue(isSwept(fixture), "forgotten while it is away");
      fixture.store.bringOnline("d0");
      fixture.stepAll();
      for (int n = 1; n < 300; n += 2) {
        assertNull(read(fixture, name(n)), name(n));
      }
    }
  }

  /** Months in which so much was purged that floors say it: the table has no place for it all. */
  @Test
  void aDiskThatWasAwayWhileAFloorPassedIt() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fillTagged(fixture, 0, 300);
      fixture.store.close();
      fixture.loseMemory();
      StoreSettings without =
          fixture.settings.withDisks(
              DiskSettings.of(fixture.settings.disks().devices().subList(0, 1)).withOpener(disks));
      fixture.store = ObjectStore.open(without);
      for (int n = 0; n < 200; n++) {
        purge(fixture, new Purge(PurgeKind.TAG, new long[] {1000 + n}, false, "month " + n));
      }
      assertTrue(fixture.store.stats().purgeFloor() > 0);
      // Neither swept nor forgotten: the floor alone stands against what returns.
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      for (int n = 0; n < 300; n++) {
        assertNull(read(fixture, name(n)), name(n));
        fixture.steps(5);
      }
      fixture.stepAll();
      for (int n = 0; n < 300; n++) {
        assertNull(read(fixture, name(n)), name(n));
      }
    }
  }
}
