package io.forebay.storage;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects three times as large as memory: slices are released while they are written. */
final class LargeObjectTest {
  private static final long MEMORY = 4 << 20;
  private static final byte[] BODY = StoreFixture.body(7, (12 << 20) + 77);

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init")
  private StoreFixture fixture;

  @SuppressWarnings("NullAway.Init")
  private StoreLane lane;

  private void open(boolean hasDisk) throws StoreException {
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data"), MEMORY, 2, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 18, 0, 64)
            .withLockMemory(false);
    DeviceSettings disk =
        new DeviceSettings(
            "one", directory.resolve("disk"), 32 << 20, 1 << 20, 1 << 18, 4, 1, 5, 10_000, 0);
    fixture =
        new StoreFixture(hasDisk ? settings.withDisks(DiskSettings.of(List.of(disk))) : settings);
    lane = fixture.store.lane(0);
    fixture.stepAll();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Writes it, holding no more than the last 256 KiB, while the store does its work. */
  private ObjectWriter write(boolean isLengthKnown, boolean mayBePartial) {
    HeadSpec spec =
        StoreFixture.spec("a", fixture.store.nextBirth(), isLengthKnown ? BODY.length : -1);
    ObjectWriter writer = requireNonNull(lane.begin(spec, mayBePartial));
    int at = 0;
    while (at < BODY.length) {
      int part = Math.min(10_000, BODY.length - at);
      assertTrue(writer.append(ByteBuffer.wrap(BODY, at, part)), "at " + at);
      at += part;
      writer.release(at - (1 << 18));
      assertTrue(fixture.store.stats().unfinishedBytes() < 1 << 19);
      fixture.steps(20);
    }
    assertEquals(BODY.length, writer.watermark());
    return writer;
  }

  private static InstallOutcome finish(ObjectWriter writer) {
    InstallOutcome result = writer.finish();
    for (int n = 0; n < 100 && result == InstallOutcome.BUSY; n++) {
      result = writer.finish();
    }
    return result;
  }

  @Test
  void isTooLargeWhereItWouldOnlyBeKeptWhole() throws StoreException {
    open(false);
    HeadSpec spec = StoreFixture.spec("a", fixture.store.nextBirth(), BODY.length);
    assertNull(lane.begin(spec));
    ObjectWriter grows = write(false, false);
    assertEquals(InstallOutcome.NO_SPACE, finish(grows));
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
    // The released space is available again.
    for (int n = 0; n < 100; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(lane, "b" + n, StoreFixture.body(n, 100_000), true));
      fixture.stepAll();
    }
    assertEquals(0, fixture.store.stats().unfinishedBytes());
  }

  @Test
  void isKeptAsFarAsItIsThereWhereItCanBeCompleted() throws StoreException {
    open(false);
    assertEquals(InstallOutcome.INSTALLED, finish(write(true, true)));
    assertNull(fixture.read(lane, "a"));
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "a"));
    StoredHead head = lane.head();
    assertEquals(BODY.length, head.totalLength());
    long id = head.objectId();
    int slices = head.sliceCount();
    int sliceBytes = head.sliceBytes();
    lane.unpin(head.region());
    int present = 0;
    for (int slice = 0; slice < slices; slice++) {
      if (lane.findSlice(id, slice) == StoreLane.Found.HIT) {
        present++;
        SliceLocation pos = lane.slice();
        assertEquals(
            BODY[slice * sliceBytes], fixture.store.regionBuffer(pos.region()).get(pos.offset()));
        lane.unpin(pos.region());
      }
    }
    assertTrue(present * (long) sliceBytes > MEMORY / 2, present + " slices");
    assertTrue(present < slices / 2);
  }

  @Test
  void isKeptWholeWhereADiskTakesWhatMemoryLetsGo() throws StoreException {
    open(true);
    for (boolean isLengthKnown : new boolean[] {true, false}) {
      assertEquals(InstallOutcome.INSTALLED, finish(write(isLengthKnown, false)));
      assertArrayEquals(BODY, fixture.read(lane, "a"));
      assertArrayEquals(BODY, fixture.read(fixture.store.lane(1), "a"));
    }
  }

  @Test
  void isReadBehindTheWriterFromWhereItIsByThen() throws StoreException {
    open(true);
    ObjectWriter writer = write(true, false);
    StoreLane reader = fixture.store.lane(1);
    assertFalse(writer.locate(reader, 0));
    assertTrue(writer.releasedBytes() > 11 << 20);
    assertEquals(
        StoreLane.Found.HIT, fixture.loaded(reader, () -> reader.findSlice(writer.objectId(), 0)));
    SliceLocation pos = reader.slice();
    assertEquals(BODY[0], fixture.store.regionBuffer(pos.region()).get(pos.offset()));
    reader.unpin(pos.region());
    assertTrue(writer.locate(reader, BODY.length - 1));
    reader.unpin(reader.slice().region());
    writer.abort();
    assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "a"));
  }
}
