package io.forebay.storage.object;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreFixture;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writing the missing slices of a stored object. */
final class SliceRunTest {
  private static final int SLICE = 16 << 10;
  private static final byte[] BODY = StoreFixture.body(1, 9 * SLICE + 100);

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init")
  private StoreFixture fixture;

  @SuppressWarnings("NullAway.Init")
  private StoreLane lane;

  private long id;

  @BeforeEach
  void storeWithoutItsMiddleAndItsEnd() throws StoreException {
    fixture = new StoreFixture(directory, 8 << 20, 1 << 18, 2);
    lane = fixture.store.lane(0);
    assertEquals(SLICE, fixture.store.sliceBytes());
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "a", BODY, true));
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "a"));
    id = lane.head().objectId();
    lane.unpin(lane.head().region());
    for (int slice : new int[] {3, 4, 5, 9}) {
      assertTrue(lane.invalidate(SliceRecord.keyHigh(id), SliceRecord.keyLow(id, slice)));
    }
    assertNull(fixture.read(lane, "a"));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private ObjectWriter begin(int first, int lengthBytes) {
    return requireNonNull(
        lane.beginSlices(
            new SliceRun(
                StoreFixture.scope("hia"),
                StoreFixture.scope("loa"),
                id,
                first,
                lengthBytes,
                fixture.store.nextBirth())));
  }

  private static ByteBuffer body(int from, int to) {
    return ByteBuffer.wrap(BODY, from, to - from).slice();
  }

  private boolean isThere(int slice) {
    boolean isThere = lane.findSlice(id, slice) == StoreLane.Found.HIT;
    if (isThere) {
      lane.unpin(lane.slice().region());
    }
    return isThere;
  }

  @Test
  void makesTheObjectWholeAgain() {
    ObjectWriter middle = begin(3, 3 * SLICE);
    assertEquals(3 * SLICE, middle.watermark());
    assertTrue(middle.append(body(3 * SLICE, 6 * SLICE)));
    assertEquals(InstallOutcome.INSTALLED, middle.finish());
    ObjectWriter end = begin(9, 100);
    assertTrue(end.append(body(9 * SLICE, BODY.length)));
    assertEquals(InstallOutcome.INSTALLED, end.finish());
    assertArrayEquals(BODY, fixture.read(lane, "a"));
    assertArrayEquals(BODY, fixture.read(fixture.store.lane(1), "a"));
    assertEquals(0, fixture.store.stats().unfinishedBytes());
  }

  @Test
  void survivesAStopAsPartOfTheObject() throws StoreException {
    ObjectWriter all = begin(3, 3 * SLICE);
    assertTrue(all.append(body(3 * SLICE, 6 * SLICE)));
    assertEquals(InstallOutcome.INSTALLED, all.finish());
    ObjectWriter end = begin(9, 100);
    assertTrue(end.append(body(9 * SLICE, BODY.length)));
    assertEquals(InstallOutcome.INSTALLED, end.finish());
    fixture.store.abandon();
    fixture.store = ObjectStore.open(fixture.settings);
    lane = fixture.store.lane(0);
    fixture.stepAll();
    assertArrayEquals(BODY, fixture.read(lane, "a"));
  }

  @Test
  void isReadAsItComes() {
    ObjectWriter run = begin(3, 3 * SLICE);
    assertTrue(run.append(body(3 * SLICE, 3 * SLICE + 10)));
    StoreLane other = fixture.store.lane(1);
    assertFalse(run.locate(other, 3 * SLICE - 1));
    assertTrue(run.locate(other, 3 * SLICE + 4));
    SliceLocation pos = other.slice();
    assertEquals(6, pos.length());
    assertEquals(BODY[3 * SLICE + 4], fixture.store.regionBuffer(pos.region()).get(pos.offset()));
    other.unpin(pos.region());
    assertFalse(run.locate(other, 3 * SLICE + 10));
    assertFalse(isThere(3));
    run.abort();
  }

  @Test
  void whatIsWholeOfARunThatBreaksOffStays() {
    ObjectWriter run = begin(3, 3 * SLICE);
    assertTrue(run.append(body(3 * SLICE, 4 * SLICE + 10)));
    run.abort();
    assertTrue(isThere(3));
    assertFalse(isThere(4));
    assertEquals(0, fixture.store.stats().unfinishedFills());
  }

  @Test
  void aRunThatIsTooLongLeavesNothing() {
    ObjectWriter run = begin(3, 3 * SLICE);
    assertTrue(run.append(body(3 * SLICE, 6 * SLICE)));
    assertTrue(isThere(3));
    assertFalse(run.append(body(6 * SLICE, 6 * SLICE + 1)));
    assertEquals(InstallOutcome.NO_SPACE, run.finish());
    assertFalse(isThere(3));
  }

  @Test
  void aRunThatIsTooShortIsNotWhole() {
    ObjectWriter run = begin(3, 3 * SLICE);
    assertTrue(run.append(body(3 * SLICE, 5 * SLICE)));
    assertEquals(InstallOutcome.INCOMPLETE, run.finish());
    assertTrue(isThere(4));
    assertFalse(isThere(5));
  }

  @Test
  void nothingIsAddedToAnObjectThatWasReplaced() {
    ObjectWriter run = begin(3, 3 * SLICE);
    assertTrue(run.append(body(3 * SLICE, 4 * SLICE)));
    assertTrue(isThere(3));
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "a", StoreFixture.body(2, 100), true));
    assertTrue(run.append(body(4 * SLICE, 6 * SLICE)));
    assertEquals(InstallOutcome.GONE, run.finish());
    assertFalse(isThere(4));
    assertFalse(isThere(5));
    assertArrayEquals(StoreFixture.body(2, 100), fixture.read(lane, "a"));
  }

  @Test
  void nothingIsAddedToAnObjectThatWasPurged() throws PurgeFailedException {
    ObjectWriter run = begin(3, 3 * SLICE);
    fixture.store.purge(new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("a")}, false, "a"));
    assertTrue(run.append(body(3 * SLICE, 6 * SLICE)));
    assertEquals(InstallOutcome.GONE, run.finish());
    assertFalse(isThere(3));
  }

  @Test
  void anObjectIsDroppedOnlyWhileItIsThatOne() {
    assertTrue(lane.drop(StoreFixture.scope("hia"), StoreFixture.scope("loa"), id + 1));
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "a"));
    lane.unpin(lane.head().region());
    assertTrue(lane.drop(StoreFixture.scope("hia"), StoreFixture.scope("loa"), id));
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
  }
}
