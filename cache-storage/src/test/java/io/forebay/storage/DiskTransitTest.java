package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.HeldRecord;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.transit.TransitBuffer;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slices that go from a disk to a reader past the memory tier. */
@Tag("slow")
class DiskTransitTest extends DiskStores {
  private static final int OBJECTS = 150;

  /** Of an object. */
  private static final int SLICES = 7;

  private StoreFixture open(long transitBytes) throws StoreException {
    DeviceSettings device = device("d0").withTransit(transitBytes);
    StoreFixture fixture = open(DiskSettings.of(List.of(device)).withOpener(simulated));
    for (int n = 0; n < OBJECTS; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), name(n), largeBody(n), true));
      fixture.steps(20);
    }
    settle(fixture);
    return fixture;
  }

  private static byte[] largeBody(int n) {
    return StoreFixture.body(n, 100_000);
  }

  /** The object id of what has a slice on the disk and its head in memory by now. */
  private static long onDisk(StoreFixture fixture, int n) {
    StoreLane lane = fixture.store.lane(0);
    assertEquals(
        StoreLane.Found.HIT, fixture.loaded(lane, () -> StoreFixture.find(lane, name(n))), name(n));
    long id = lane.head().objectId();
    lane.unpin(lane.head().region());
    assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
    return id;
  }

  /** Only a reader does, so until then page cache is of no help. */
  private static void allocateBuffers(StoreFixture fixture) {
    StoreLane lane = fixture.store.lane(0);
    long id = onDisk(fixture, 1);
    assertNull(lane.readCached());
    Reader reader = new Reader();
    assertTrue(lane.read(reader));
    fixture.stepAll();
    reader.bytes().release();
    assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
    assertEquals(1 << 20, disk(fixture).transitAllocatedBytes());
  }

  private static void assertFirstSlice(int n, @Nullable TransitBuffer read) {
    assertNotNull(read);
    byte[] bytes = new byte[read.bodyLength()];
    read.bytes().get(read.bodyOffset(), bytes);
    assertArrayEquals(Arrays.copyOf(largeBody(n), bytes.length), bytes);
  }

  @Test
  void whatIsReadOnceStaysOutOfMemoryAndWhatIsReadAgainComesIn() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      for (int time = 0; time < 2; time++) {
        assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
        Reader reader = new Reader();
        assertTrue(lane.read(reader));
        fixture.stepAll();
        assertFirstSlice(0, reader.bytes());
        reader.bytes().release();
      }
      assertEquals(StoreLane.Found.HIT, lane.findSlice(id, 0));
      lane.unpin(lane.slice().region());
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void whatPageCacheHasComesIntoMemoryAtTheThirdRead() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      allocateBuffers(fixture);
      for (int time = 0; time < 3; time++) {
        assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
        TransitBuffer read = lane.readCached();
        assertFirstSlice(0, read);
        Objects.requireNonNull(read).release();
        fixture.stepAll();
      }
      assertEquals(StoreLane.Found.HIT, lane.findSlice(id, 0));
      lane.unpin(lane.slice().region());
      assertEquals(0, disk(fixture).transitBytes());
      assertEquals(3, disk(fixture).cachedReads());
    }
  }

  @Test
  void aScanLeavesMemoryAsItIs() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long[] ids = new long[60];
      for (int n = 0; n < ids.length; n++) {
        ids[n] = onDisk(fixture, n);
        fixture.stepAll();
      }
      int scanned = 0;
      for (long id : ids) {
        if (lane.findSlice(id, 1) == StoreLane.Found.ON_DISK) {
          Reader reader = new Reader();
          assertTrue(lane.read(reader));
          fixture.stepAll();
          reader.bytes().release();
          assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 1));
          scanned++;
        } else {
          lane.unpin(lane.slice().region());
        }
      }
      assertTrue(scanned > 50, scanned + " slices");
    }
  }

  /** A disk's worth of records, and some more. */
  private void writeOver(StoreFixture fixture) {
    for (int n = 0; n < 500; n++) {
      // What finds no room on the disk is dropped, which is the point here.
      var ignored = fixture.put(fixture.store.lane(0), "/later/" + n, largeBody(n), true);
      fixture.steps(20);
    }
    fixture.stepAll();
  }

  private static void assertHeld(StoreFixture fixture, HeldRecord held) {
    assertTrue(held.isReadable());
    Reader reader = new Reader();
    assertTrue(held.read(reader));
    fixture.stepAll();
    assertFirstSlice(0, reader.bytes());
    reader.bytes().release();
  }

  @Test
  void aHeldRecordIsReadWhateverIsWrittenMeanwhileAndGivesWayInTheEnd() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      HeldRecord held = Objects.requireNonNull(lane.hold(onDisk(fixture, 0), 0));
      writeOver(fixture);
      assertHeld(fixture, held);
      clock.addAndGet(29_000);
      writeOver(fixture);
      assertHeld(fixture, held);
      clock.addAndGet(2_000);
      writeOver(fixture);
      assertFalse(held.isReadable());
      Reader reader = new Reader();
      assertTrue(held.read(reader));
      fixture.stepAll();
      assertNull(reader.told.getFirst());
      held.release();
    }
  }

  @Test
  void whatIsReleasedIsWrittenOver() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      HeldRecord held = Objects.requireNonNull(lane.hold(id, 0));
      HeldRecord again = Objects.requireNonNull(lane.hold(id, 0));
      held.release();
      writeOver(fixture);
      assertHeld(fixture, again);
      again.release();
      writeOver(fixture);
      assertFalse(again.isReadable());
    }
  }

  @Test
  void aQuarterOfTheRegionsCanBeHeld() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      List<HeldRecord> held = new ArrayList<>();
      int refused = 0;
      for (int n = 0; n < 100; n++) {
        HeldRecord one = lane.hold(onDisk(fixture, n), 0);
        if (one == null) {
          refused++;
        } else {
          held.add(one);
        }
      }
      assertTrue(held.size() > 10, held.size() + " held");
      assertTrue(refused > 10, refused + " refused");
      held.forEach(HeldRecord::release);
    }
  }

  @Test
  void readersOfOneReadShareItsBuffer() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      long reads = disk(fixture).reads();
      Reader one = new Reader();
      Reader two = new Reader();
      assertTrue(lane.read(one));
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
      assertTrue(lane.read(two));
      fixture.stepAll();
      assertEquals(reads + 1, disk(fixture).reads());
      assertSame(one.bytes(), two.bytes());
      one.bytes().release();
      assertFirstSlice(0, two.bytes());
      two.bytes().release();
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  /** Asks for all slices of an object at once; those that are in memory are left out. */
  private static List<Reader> readAll(StoreLane lane, long id, int slices) {
    List<Reader> readers = new ArrayList<>();
    for (int slice = 0; slice < slices; slice++) {
      Reader reader = new Reader();
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, slice));
      assertTrue(lane.read(reader));
      readers.add(reader);
    }
    return readers;
  }

  private static byte[] bytes(TransitBuffer read) {
    byte[] bytes = new byte[read.bodyLength()];
    read.bytes().get(read.bodyOffset(), bytes);
    return bytes;
  }

  @Test
  void slicesThatLieOneBehindTheOtherAreReadTogether() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      int reads = simulated.reads.get();
      List<Reader> readers = readAll(lane, id, SLICES);
      fixture.stepAll();
      assertTrue(
          simulated.reads.get() - reads <= 2,
          SLICES + " slices in " + (simulated.reads.get() - reads) + " reads");
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      for (Reader reader : readers) {
        whole.writeBytes(bytes(reader.bytes()));
      }
      assertArrayEquals(largeBody(0), whole.toByteArray());
      assertTrue(disk(fixture).transitBytes() >= largeBody(0).length);
      readers.forEach(reader -> reader.bytes().release());
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void ofSlicesThatAreReadTogetherTheDamagedOneAloneIsLost() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      Reader first = new Reader();
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 3));
      assertTrue(lane.read(first));
      fixture.stepAll();
      first.bytes().release();
      int damaged = (int) simulated.lastReadAt("d0") + 1000;
      ByteBuffer disk = simulated.bytes("d0");
      disk.put(damaged, (byte) ~disk.get(damaged));
      List<Reader> readers = readAll(lane, id, SLICES);
      List<Long> damagesWhenTold = new ArrayList<>();
      for (Reader reader : readers) {
        reader.onTold = () -> damagesWhenTold.add(disk(fixture).checksumFailures());
      }
      fixture.stepAll();
      // All are verified before the first one is told.
      assertEquals(Collections.nCopies(SLICES, 1L), damagesWhenTold);
      for (int slice = 0; slice < SLICES; slice++) {
        if (slice == 3) {
          assertNull(readers.get(slice).told.getFirst());
        } else {
          readers.get(slice).bytes().release();
        }
      }
      assertEquals(1, disk(fixture).checksumFailures());
      assertEquals(StoreLane.Found.MISS, lane.findSlice(id, 3));
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void slicesThatCannotBeReadTogetherAreReadOneByOne() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      List<Reader> readers = readAll(lane, id, SLICES);
      simulated.failReads.set(1);
      fixture.stepAll();
      readers.forEach(reader -> reader.bytes().release());
      assertEquals(0, disk(fixture).errors());
      assertEquals(0, disk(fixture).transitBytes());
    }
  }

  @Test
  void readAheadLeavesHalfOfTheBuffersToWhatIsWaitedFor() throws Exception {
    // Room for 32 slices.
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long[] ids = new long[40];
      for (int n = 0; n < ids.length; n++) {
        ids[n] = onDisk(fixture, n);
      }
      List<Reader> readers = new ArrayList<>();
      for (int n = 0; n < ids.length && lane.mayReadAhead(); n++) {
        assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(ids[n], 0));
        Reader reader = new Reader();
        readers.add(reader);
        assertTrue(lane.read(reader));
      }
      assertEquals(16, readers.size());
      fixture.stepAll();
      readers.forEach(reader -> reader.bytes().release());
      assertEquals(0, disk(fixture).transitExhausted());
      assertTrue(lane.mayReadAhead());
    }
  }

  @Test
  void whereNoBufferIsLeftARecordComesIntoMemory() throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      assertNull(lane.readCached());
      Reader reader = new Reader();
      assertTrue(lane.read(reader));
      fixture.stepAll();
      assertNull(reader.told.getFirst());
      assertEquals(StoreLane.Found.HIT, lane.findSlice(id, 0));
      lane.unpin(lane.slice().region());
      assertTrue(disk(fixture).transitExhausted() > 0);
    }
  }

  @Test
  void aReaderThatNeedsMemoryHasItWhoeverElseReads() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      Reader reader = new Reader();
      boolean[] isLoaded = new boolean[1];
      assertTrue(lane.read(reader));
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
      assertTrue(lane.load(() -> isLoaded[0] = true));
      fixture.stepAll();
      assertTrue(isLoaded[0]);
      TransitBuffer bytes = reader.told.getFirst();
      if (bytes != null) {
        bytes.release();
      }
      assertEquals(StoreLane.Found.HIT, lane.findSlice(id, 0));
      lane.unpin(lane.slice().region());
    }
  }

  /** A damaged record costs itself: a look into page cache says nothing, the reader reports it. */
  @Test
  void whatIsNotWhatWasWrittenIsServedByNoWay() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      allocateBuffers(fixture);
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
      simulated.damageAll("d0");
      assertNull(lane.readCached());
      assertEquals(0, disk(fixture).errors());
      Reader reader = new Reader();
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
      assertTrue(lane.read(reader));
      fixture.stepAll();
      assertNull(reader.told.getFirst());
      assertEquals(1, disk(fixture).checksumFailures());
      assertEquals(StoreLane.Found.MISS, lane.findSlice(id, 0));
    }
  }

  /**
   * A purge is acknowledged, swept and forgotten while a slice of its object is being read for one
   * who had found the head before, and one who joins behind him. Both bodies end whole; nobody who
   * comes later finds the object.
   */
  @Test
  void aPurgeThatIsForgottenBetweenAReadAndItsUse() throws Exception {
    try (StoreFixture fixture = open(1 << 20)) {
      StoreLane lane = fixture.store.lane(0);
      long id = onDisk(fixture, 0);
      Reader before = new Reader();
      Reader joined = new Reader();
      assertTrue(lane.read(before));
      assertEquals(StoreLane.Found.ON_DISK, lane.findSlice(id, 0));
      assertTrue(lane.read(joined));
      simulated.behindRead(10_000, () -> purge(fixture, name(0), false));
      fixture.steps(1);
      clock.addAndGet(120_000);
      fixture.stepAll();
      assertTrue(simulated.hasHappened());
      assertTrue(fixture.store.latestPurges(1).getFirst().isSwept());
      assertFirstSlice(0, before.bytes());
      assertFirstSlice(0, joined.bytes());
      before.bytes().release();
      joined.bytes().release();
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(0)));
      fixture.reopen();
      fixture.stepAll();
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(fixture.store.lane(0), name(0)));
    }
  }
}
