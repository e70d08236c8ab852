package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreLane.Found;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Objects that lie whole in their head's record go from a disk to a reader past the memory tier.
 */
@Tag("slow")
class SmallObjectTransitTest extends DiskStores {
  /** Twice what memory holds. */
  private static final int OBJECTS = 2_400;

  /** Its body lies in slices. */
  private static final String LARGE = "/large";

  private StoreFixture open(long transitBytes) throws StoreException {
    StoreFixture fixture =
        open(
            DiskSettings.of(List.of(device("d0").withTransit(transitBytes))).withOpener(simulated));
    put(fixture, LARGE, StoreFixture.body(-1, 40_000));
    for (int n = 0; n < OBJECTS; n++) {
      put(fixture, name(n), small(n));
    }
    settle(fixture);
    return fixture;
  }

  private static void put(StoreFixture fixture, String name, byte[] body) {
    assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), name, body, true));
    fixture.steps(20);
  }

  private static byte[] small(int n) {
    return StoreFixture.body(n, 3_000);
  }

  /** Only a reader does, so until then page cache is of no help. */
  private static void allocateBuffers(StoreFixture fixture) {
    Reader reader = read(fixture, name(1));
    assertNull(fixture.store.lane(0).readCached());
    fixture.stepAll();
    reader.bytes().release();
    assertTrue(disk(fixture).transitAllocatedBytes() > 0);
  }

  private static Reader read(StoreFixture fixture, String name) {
    StoreLane lane = fixture.store.lane(0);
    assertEquals(Found.ON_DISK, StoreFixture.find(lane, name), name);
    Reader reader = new Reader();
    assertTrue(lane.read(reader));
    return reader;
  }

  /** Looks a name up that is on the disk, in what was read. */
  private static Found findRead(StoreFixture fixture, String name, TransitBuffer read) {
    StoreLane lane = fixture.store.lane(0);
    Found found = StoreFixture.find(lane, name);
    return found == Found.ON_DISK ? StoreFixture.findRead(lane, name, read) : found;
  }

  /** What was found last is an object that is in no region; gives it back. */
  private static void assertRead(StoreFixture fixture, byte[] body) {
    StoreLane lane = fixture.store.lane(0);
    StoredHead head = lane.head();
    assertNotNull(head.read());
    assertTrue(head.region() < 0);
    assertArrayEquals(body, fixture.bytes(head, head.bodyOffset(), head.totalLength()));
    lane.unpin(head);
  }

  private static boolean isOnDisk(StoreFixture fixture, String name) {
    StoreLane lane = fixture.store.lane(0);
    Found found = StoreFixture.find(lane, name);
    if (found == Found.HIT) {
      lane.unpin(lane.head());
    }
    return found == Found.ON_DISK;
  }

  private static boolean isInMemory(StoreFixture fixture, String name) {
    StoreLane lane = fixture.store.lane(0);
    Found found = StoreFixture.find(lane, name);
    if (found == Found.HIT) {
      lane.unpin(lane.head());
    }
    return found == Found.HIT;
  }

  @Test
  void whatIsReadOnceStaysOutOfMemoryAndWhatIsReadAgainComesIn() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      Reader once = read(fixture, name(0));
      fixture.stepAll();
      assertEquals(Found.HIT, findRead(fixture, name(0), once.bytes()));
      assertRead(fixture, small(0));
      once.bytes().release();
      assertEquals(0, disk(fixture).transitBytes());
      Reader again = read(fixture, name(0));
      fixture.stepAll();
      again.bytes().release();
      assertTrue(isInMemory(fixture, name(0)));
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void whatPageCacheHasIsFoundWithoutAWaitAndComesIntoMemoryAtTheSecondRead() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      allocateBuffers(fixture);
      for (int time = 0; time < 2; time++) {
        assertEquals(Found.ON_DISK, StoreFixture.find(lane, name(0)));
        TransitBuffer read = Objects.requireNonNull(lane.readCached());
        assertEquals(Found.HIT, StoreFixture.findRead(lane, name(0), read));
        // The head holds it by itself.
        read.release();
        assertRead(fixture, small(0));
        fixture.stepAll();
      }
      assertTrue(isInMemory(fixture, name(0)));
      assertEquals(2, disk(fixture).cachedReads());
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void aScanLeavesMemoryAsItIs() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      long reclaimed = fixture.store.stats().reclaimedRegions();
      // Nearly all: a ghost may be taken for another's.
      int scanned = 0;
      for (int n = 0; n < OBJECTS; n++) {
        if (isOnDisk(fixture, name(n))) {
          Reader reader = read(fixture, name(n));
          fixture.stepAll();
          assertEquals(Found.HIT, findRead(fixture, name(n), reader.bytes()));
          scanned += fixture.store.lane(0).head().read() == null ? 0 : 1;
          fixture.store.lane(0).unpin(fixture.store.lane(0).head());
          reader.bytes().release();
        }
      }
      assertTrue(scanned > OBJECTS / 3, scanned + " objects");
      assertEquals(reclaimed, fixture.store.stats().reclaimedRegions());
    }
  }

  @Test
  void aHeadWhoseBodyLiesInSlicesComesIntoMemoryAtItsFirstRead() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      allocateBuffers(fixture);
      StoreLane lane = fixture.store.lane(0);
      assertEquals(Found.ON_DISK, StoreFixture.find(lane, LARGE));
      assertNull(lane.readCached());
      Reader reader = read(fixture, LARGE);
      fixture.stepAll();
      // It may be had all the same: where memory has no room it is served from there.
      assertEquals(Found.HIT, findRead(fixture, LARGE, reader.bytes()));
      assertNull(lane.head().read());
      lane.unpin(lane.head());
      reader.bytes().release();
    }
  }

  @Test
  void whereNoBufferIsLeftTheObjectComesIntoMemory() throws Exception {
    try (StoreFixture fixture = open(0)) {
      Reader reader = read(fixture, name(0));
      assertNull(fixture.store.lane(0).readCached());
      fixture.stepAll();
      assertNull(reader.told.getFirst());
      assertTrue(isInMemory(fixture, name(0)));
    }
  }

  @Test
  void aPurgeBetweenTheReadAndItsUseIsFoundByEveryReaderAndCountedOnce() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      Reader one = read(fixture, name(0));
      Reader joined = read(fixture, name(0));
      fixture.steps(1);
      purge(fixture, name(0), false);
      assertEquals(Found.MISS, findRead(fixture, name(0), one.bytes()));
      assertEquals(Found.MISS, findRead(fixture, name(0), joined.bytes()));
      one.bytes().release();
      joined.bytes().release();
      clock.addAndGet(1_000);
      fixture.stepAll();
      assertEquals(OptionalLong.of(1), fixture.store.latestPurges(1).getFirst().objects());
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  /**
   * A purge is acknowledged, swept and forgotten behind the read of an object for one reader and
   * another that has joined. Both hold its bytes, and nothing but the index says that it is dead.
   */
  @Test
  void aPurgeThatIsForgottenBetweenAReadAndItsUseIsAMissToAllWhoJoined() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      Reader before = read(fixture, name(0));
      Reader joined = read(fixture, name(0));
      simulated.behindRead(3_000, () -> purge(fixture, name(0), false));
      fixture.steps(1);
      clock.addAndGet(120_000);
      fixture.stepAll();
      assertTrue(simulated.hasHappened());
      assertTrue(fixture.store.latestPurges(1).getFirst().isSwept());
      // As if the index had been asked before the purge, and only the rest came after it.
      assertEquals(Found.MISS, StoreFixture.findRead(lane, name(0), before.bytes()));
      assertEquals(Found.MISS, StoreFixture.findRead(lane, name(0), joined.bytes()));
      before.bytes().release();
      joined.bytes().release();
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void whatIsPurgedSoftlyIsStaleInWhatWasRead() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      Reader reader = read(fixture, name(0));
      fixture.steps(1);
      purge(fixture, name(0), true);
      assertEquals(Found.HIT, findRead(fixture, name(0), reader.bytes()));
      assertTrue(fixture.store.lane(0).head().softPurged());
      assertRead(fixture, small(0));
      reader.bytes().release();
    }
  }

  @Test
  void whatWasReplacedMeanwhileIsNotServed() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      Reader reader = read(fixture, name(0));
      fixture.stepAll();
      assertEquals(
          InstallOutcome.INSTALLED, fixture.put(lane, name(0), StoreFixture.body(77, 500), true));
      assertEquals(Found.HIT, StoreFixture.findRead(lane, name(0), reader.bytes()));
      StoredHead head = lane.head();
      assertNull(head.read());
      assertArrayEquals(
          StoreFixture.body(77, 500), fixture.bytes(head, head.bodyOffset(), head.totalLength()));
      lane.unpin(head);
      reader.bytes().release();
    }
  }

  @Test
  void anotherRecordThanTheOneThatIsWantedSaysNothing() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      Reader reader = read(fixture, name(0));
      fixture.stepAll();
      assertEquals(Found.ON_DISK, findRead(fixture, name(1), reader.bytes()));
      reader.bytes().release();
    }
  }

  @Test
  void aDamagedRecordIsServedByNoWay() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      allocateBuffers(fixture);
      StoreLane lane = fixture.store.lane(0);
      Reader reader = read(fixture, name(0));
      simulated.damageAll("d0");
      assertNull(lane.readCached());
      fixture.stepAll();
      assertNull(reader.told.getFirst());
      assertEquals(Found.MISS, StoreFixture.find(lane, name(0)));
      assertEquals(1, disk(fixture).checksumFailures());
    }
  }
}
