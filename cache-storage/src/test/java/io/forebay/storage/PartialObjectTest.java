package io.forebay.storage;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceRun;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that are written without all of their slices, or lose some. */
final class PartialObjectTest {
  private static final int SLICE = 16 << 10;
  private static final byte[] BODY = StoreFixture.body(1, 9 * SLICE + 100);

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init")
  private StoreFixture fixture;

  @SuppressWarnings("NullAway.Init")
  private StoreLane lane;

  @BeforeEach
  void open() throws StoreException {
    fixture = new StoreFixture(directory, 8 << 20, 1 << 18, 2);
    lane = fixture.store.lane(0);
    assertEquals(SLICE, fixture.store.sliceBytes());
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private HeadSpec spec() {
    return StoreFixture.spec("a", fixture.store.nextBirth(), BODY.length);
  }

  private static ByteBuffer body(int from, int to) {
    return ByteBuffer.wrap(BODY, from, to - from).slice();
  }

  private InstallOutcome run(long id, int first, int end) {
    int from = first * SLICE;
    int to = Math.min(BODY.length, end * SLICE);
    ObjectWriter run =
        requireNonNull(
            lane.beginSlices(
                new SliceRun(
                    StoreFixture.scope("hia"),
                    StoreFixture.scope("loa"),
                    id,
                    first,
                    to - from,
                    fixture.store.nextBirth())));
    assertTrue(run.append(body(from, to)));
    return run.finish();
  }

  private boolean isThere(long id, int slice) {
    boolean isThere = lane.findSlice(id, slice) == StoreLane.Found.HIT;
    if (isThere) {
      lane.unpin(lane.slice().region());
    }
    return isThere;
  }

  /** The number of the object that the key names. */
  private long found() {
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "a"));
    lane.unpin(lane.head().region());
    assertEquals(BODY.length, lane.head().totalLength());
    assertEquals(-1, lane.head().bodyOffset());
    return lane.head().objectId();
  }

  @Test
  void aHeadAloneIsFoundAndItsSlicesComeLater() throws StoreException {
    assertEquals(InstallOutcome.INSTALLED, lane.putHead(spec()));
    long id = lane.partialObjectId();
    assertEquals(id, found());
    assertNull(fixture.read(lane, "a"));
    assertEquals(InstallOutcome.INSTALLED, run(id, 7, 10));
    assertTrue(isThere(id, 9));
    fixture.store.abandon();
    fixture.store = ObjectStore.open(fixture.settings);
    lane = fixture.store.lane(0);
    fixture.stepAll();
    assertEquals(id, found());
    assertTrue(isThere(id, 7));
    assertEquals(InstallOutcome.INSTALLED, run(id, 0, 7));
    assertArrayEquals(BODY, fixture.read(lane, "a"));
    assertEquals(0, fixture.store.stats().unfinishedBytes());
  }

  @Test
  void aHeadIsNotInstalledOverOneThatWasBornLater() {
    HeadSpec older = spec();
    assertEquals(InstallOutcome.INSTALLED, lane.putHead(spec()));
    long id = found();
    assertEquals(InstallOutcome.OLDER, lane.putHead(older));
    assertEquals(id, found());
  }

  @Test
  void aHeadOfUnknownLengthIsNone() {
    HeadSpec unknown = StoreFixture.spec("a", fixture.store.nextBirth(), -1);
    assertEquals(InstallOutcome.NO_SPACE, lane.putHead(unknown));
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
  }

  @Test
  void whatIsWholeOfAnObjectThatIsCutIsKept() {
    ObjectWriter writer = requireNonNull(lane.begin(spec(), true));
    assertTrue(writer.append(body(0, 4 * SLICE + 10)));
    assertEquals(InstallOutcome.INSTALLED, writer.keep());
    long id = found();
    assertTrue(isThere(id, 3));
    assertFalse(isThere(id, 4));
    assertNull(fixture.read(lane, "a"));
    assertEquals(InstallOutcome.INSTALLED, run(id, 4, 10));
    assertArrayEquals(BODY, fixture.read(lane, "a"));
    assertEquals(0, fixture.store.stats().unfinishedBytes());
    assertEquals(0, fixture.store.stats().unfinishedFills());
  }

  @Test
  void nothingIsKeptOfWhatHasNoWholeSliceOrIsOfUseAsAWholeOnly() {
    ObjectWriter little = requireNonNull(lane.begin(spec(), true));
    assertTrue(little.append(body(0, SLICE - 1)));
    assertEquals(InstallOutcome.INCOMPLETE, little.keep());
    ObjectWriter whole = requireNonNull(lane.begin(spec(), false));
    assertTrue(whole.append(body(0, 4 * SLICE)));
    assertEquals(InstallOutcome.INCOMPLETE, whole.keep());
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
    assertFalse(isThere(whole.objectId(), 0));
    assertEquals(0, fixture.store.stats().unfinishedBytes());
  }

  @Test
  void aRunAheadOfAWriterIsStoredAndTheWriterPassesItBy() {
    ObjectWriter writer = requireNonNull(lane.begin(spec(), true));
    writer.announce();
    assertTrue(writer.append(body(0, 2 * SLICE)));
    assertEquals(InstallOutcome.INSTALLED, run(writer.objectId(), 4, 7));
    assertTrue(isThere(writer.objectId(), 5));
    assertTrue(writer.append(body(2 * SLICE, BODY.length)));
    // Slices beyond the run are released as well.
    writer.release(8L * SLICE);
    assertEquals(8L * SLICE, writer.releasedBytes());
    assertEquals(InstallOutcome.INSTALLED, writer.finish());
    assertArrayEquals(BODY, fixture.read(lane, "a"));
    assertArrayEquals(BODY, fixture.read(fixture.store.lane(1), "a"));
    assertEquals(0, fixture.store.stats().unfinishedBytes());
  }

  @Test
  void aRunAheadOfAWriterThatGivesUpIsFoundByNobody() {
    ObjectWriter writer = requireNonNull(lane.begin(spec(), true));
    writer.announce();
    assertTrue(writer.append(body(0, 2 * SLICE)));
    assertEquals(InstallOutcome.INSTALLED, run(writer.objectId(), 4, 7));
    writer.abort();
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
    assertEquals(InstallOutcome.GONE, run(writer.objectId(), 7, 9));
  }
}
