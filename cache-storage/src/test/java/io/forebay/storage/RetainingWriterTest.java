package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers of objects that cannot be fetched again: unread bytes are retained for the readers. */
final class RetainingWriterTest {
  private static final int REGION = 256 << 10;
  private static final int REGIONS = 32;
  private static final int LENGTH = 300_000;
  private static final byte[] BODY = StoreFixture.body(7, LENGTH);

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init")
  private StoreFixture fixture;

  @SuppressWarnings("NullAway.Init")
  private StoreLane lane;

  @SuppressWarnings("NullAway.Init")
  private StoreLane reader;

  @BeforeEach
  void open() throws StoreException {
    fixture = new StoreFixture(directory, (long) REGIONS * REGION, REGION, 2);
    lane = fixture.store.lane(0);
    reader = fixture.store.lane(1);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private ObjectWriter begin(String name, int length) {
    return Objects.requireNonNull(
        lane.beginRetaining(StoreFixture.spec(name, fixture.store.nextBirth(), length)));
  }

  private ObjectWriter written(String name) {
    ObjectWriter writer = begin(name, LENGTH);
    assertTrue(writer.append(ByteBuffer.wrap(BODY)));
    return writer;
  }

  /** Writes four times as much as memory holds, as far as there is room. */
  private int turnOver() {
    int installed = 0;
    for (int n = 0; n < 4 * REGIONS * REGION / 100_000; n++) {
      if (fixture.put(lane, "/churn" + n, StoreFixture.body(n, 100_000), true)
          == InstallOutcome.INSTALLED) {
        installed++;
      }
      fixture.stepAll();
    }
    return installed;
  }

  private void assertReadable(ObjectWriter writer, int from, int to) {
    int at = from;
    while (at < to) {
      assertTrue(writer.locate(reader, at), "at " + at);
      SliceLocation slice = reader.slice();
      byte[] bytes = fixture.bytes(slice.region(), slice.offset(), slice.length());
      assertArrayEquals(Arrays.copyOfRange(BODY, at, at + bytes.length), bytes);
      reader.unpin(slice.region());
      at += bytes.length;
    }
  }

  private void assertNothingRetained() {
    assertEquals(0, fixture.store.stats().unfinishedBytes());
    assertEquals(0, fixture.store.stats().unfinishedFills());
    assertTrue(turnOver() > 0);
    assertEquals(0, fixture.store.stats().pins());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unreadBytesStayAfterTheEndWhetherStoredOrNot(boolean isAborted) {
    ObjectWriter writer = written("/a");
    assertTrue(writer.beginReading(true));
    assertTrue(writer.beginReading(false));
    if (isAborted) {
      writer.abort();
    } else {
      assertEquals(InstallOutcome.INSTALLED, writer.finish());
    }
    writer.close();
    assertFalse(writer.beginReading(false));
    assertTrue(turnOver() > 0);
    assertReadable(writer, 0, LENGTH);
    writer.endReading(true);
    assertTrue(turnOver() > 0);
    assertReadable(writer, 0, LENGTH);
    writer.endReading(false);
    assertNothingRetained();
    assertFalse(writer.locate(reader, 0));
  }

  @Test
  void readersMayBeginAfterTheEndUntilClose() {
    ObjectWriter writer = written("/a");
    assertEquals(InstallOutcome.INSTALLED, writer.finish());
    assertTrue(turnOver() > 0);
    assertTrue(writer.beginReading(false));
    writer.close();
    assertReadable(writer, 0, LENGTH);
    writer.endReading(false);
    writer.close();
    assertNothingRetained();
  }

  @Test
  void aStalledWriterIsRevokedOnlyWithoutReaders() {
    ObjectWriter read = written("/read");
    ObjectWriter unread = written("/unread");
    assertTrue(read.beginReading(false));
    fixture.clock.addAndGet(600_001);
    fixture.stepAll();
    assertEquals(1, fixture.store.stats().revokedFills());
    assertFalse(unread.beginReading(true));
    assertReadable(read, 0, LENGTH);
    assertEquals(InstallOutcome.INSTALLED, read.finish());
    assertEquals(InstallOutcome.NO_SPACE, unread.finish());
    unread.close();
    read.endReading(false);
    read.close();
    assertNothingRetained();
  }

  @Test
  void afterRefusingNewReadersBytesThatAllHaveReadAreReleased() {
    ObjectWriter writer = begin("/a", LENGTH);
    assertTrue(writer.append(ByteBuffer.wrap(BODY, 0, 200_000)));
    assertTrue(writer.beginReading(false));
    writer.refuseNewReaders();
    assertFalse(writer.beginReading(false));
    assertTrue(writer.beginReading(true));
    long before = fixture.store.stats().unfinishedBytes();
    writer.release(100_000);
    assertTrue(writer.releasedBytes() > 0 && writer.releasedBytes() <= 100_000);
    assertTrue(fixture.store.stats().unfinishedBytes() < before);
    assertTrue(turnOver() > 0);
    assertReadable(writer, 100_000, 200_000);
    writer.abort();
    writer.close();
    writer.endReading(true);
    writer.endReading(false);
    assertNothingRetained();
  }

  /** It reuses the space of bytes that all have read, and the object is not stored. */
  @Test
  void aStreamOnlyWriterReusesTheSpaceThatItsReadersHaveRead() {
    ObjectWriter other = begin("/other", -1);
    assertTrue(other.append(ByteBuffer.allocate(REGIONS * REGION / 2 - LENGTH)));
    ObjectWriter writer = begin("/a", LENGTH);
    assertTrue(writer.beginReading(false));
    ByteBuffer body = ByteBuffer.wrap(BODY);
    assertFalse(writer.append(body));
    assertTrue(writer.lacksRoom());
    int there = body.position();
    assertTrue(there > 0 && there < LENGTH);
    writer.becomeStreamOnly();
    assertReadable(writer, 0, there);
    writer.release(there);
    assertTrue(writer.append(body));
    assertReadable(writer, there, LENGTH);
    assertEquals(InstallOutcome.NO_SPACE, writer.finish());
    writer.close();
    writer.endReading(false);
    other.abort();
    other.close();
    assertNull(fixture.read(lane, "/a"));
    assertNothingRetained();
  }

  @Test
  void noRetainingWriterBeginsWhileTheLimitOfKeptBytesIsReached() {
    ObjectWriter first = begin("/first", REGIONS * REGION / 3);
    assertTrue(first.append(ByteBuffer.allocate(REGIONS * REGION / 3)));
    assertTrue(first.beginReading(false));
    assertEquals(InstallOutcome.INSTALLED, first.finish());
    first.close();
    HeadSpec spec = StoreFixture.spec("/second", fixture.store.nextBirth(), 1000);
    assertNull(lane.beginRetaining(spec));
    assertFalse(lane.lacksRoom());
    assertNotNull(fixture.read(lane, "/first"));
    first.endReading(false);
    ObjectWriter second = Objects.requireNonNull(lane.beginRetaining(spec));
    second.abort();
    second.close();
    assertNothingRetained();
  }
}
