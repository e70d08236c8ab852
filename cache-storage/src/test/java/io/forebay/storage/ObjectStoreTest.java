package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoreTest {
  @TempDir Path directory;
  private StoreFixture fixture;
  private ObjectStore store;
  private StoreLane lane;

  @BeforeEach
  void open() throws StoreException {
    fixture = new StoreFixture(directory, 16 * StoreFixture.MEBI, 1 << 20, 2);
    store = fixture.store;
    lane = store.lane(0);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private ObjectWriter begin(HeadSpec spec) {
    return Objects.requireNonNull(lane.begin(spec));
  }

  @Test
  void returnsEveryLengthAsItWasStored() {
    int slice = store.sliceBytes();
    int[] lengths = {
      0,
      1,
      63,
      64,
      65,
      1000,
      store.inlineBytes(),
      store.inlineBytes() + 1,
      slice - 1,
      slice,
      slice + 1,
      3 * slice,
      3 * slice + 17
    };
    for (int length : lengths) {
      for (boolean isKnown : new boolean[] {true, false}) {
        String name = "/" + length + isKnown;
        assertNull(fixture.read(lane, name));
        byte[] body = StoreFixture.body(length, length);
        assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, name, body, isKnown), name);
        for (int round = 0; round < 3; round++) {
          assertArrayEquals(body, fixture.read(lane, name), name);
        }
        assertEquals(length <= store.inlineBytes(), lane.head().bodyOffset() >= 0, name);
      }
    }
    assertEquals(0, store.stats().unfinishedBytes());
  }

  @Test
  void servesRepeatedHitsFromTheNearIndex() {
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", new byte[10], true));
    assertNotNull(fixture.read(lane, "/a"));
    long before = store.stats().nearHits();
    assertNotNull(fixture.read(lane, "/a"));
    assertEquals(before + 1, store.stats().nearHits());
  }

  @Test
  void installCountChangesWithWhatIsInstalledUnderTheKeyByAnyLane() {
    long lo = StoreFixture.scope("lo/a");
    long before = lane.installCount(lo);
    assertNull(fixture.read(lane, "/a"));
    ObjectWriter aborted = begin(StoreFixture.spec("/a", store.nextBirth(), 9));
    aborted.abort();
    assertEquals(before, lane.installCount(lo));
    assertEquals(
        InstallOutcome.INSTALLED, fixture.put(store.lane(1), "/a", StoreFixture.body(1, 9), true));
    long stored = lane.installCount(lo);
    assertNotEquals(before, stored);
    assertEquals(
        InstallOutcome.INSTALLED, fixture.put(lane, "/a", StoreFixture.body(2, 100_000), true));
    assertNotEquals(stored, lane.installCount(lo));
  }

  @Test
  void keepsWhatWasBornLater() {
    long early = store.nextBirth();
    byte[] late = StoreFixture.body(1, 100);
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", late, true));
    assertEquals(
        InstallOutcome.OLDER,
        lane.putSmall(StoreFixture.spec("/a", early, 3), ByteBuffer.allocate(3)));
    assertArrayEquals(late, fixture.read(lane, "/a"));
  }

  @Test
  void replacedObjectIsGoneOnEveryLaneAtOnce() {
    StoreLane other = store.lane(1);
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", StoreFixture.body(1, 9), true));
    assertNotNull(fixture.read(other, "/a"));
    assertNotNull(fixture.read(other, "/a"));
    byte[] second = StoreFixture.body(2, 100_000);
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", second, true));
    assertArrayEquals(second, fixture.read(other, "/a"));
  }

  @Test
  void differentKeyTextUnderOneHashIsAMiss() {
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", new byte[10], true));
    byte[] impostor = StoreFixture.key("/b");
    for (int round = 0; round < 2; round++) {
      assertEquals(
          StoreLane.Found.MISS,
          lane.find(
              StoreFixture.scope("hi/a"), StoreFixture.scope("lo/a"), impostor, impostor.length));
      assertNotNull(fixture.read(lane, "/a"));
    }
  }

  @Test
  void refreshGivesANewHeadToTheSameBody() {
    for (int length : new int[] {500, 200_000}) {
      String name = "/" + length;
      byte[] body = StoreFixture.body(length, length);
      assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, name, body, false));
      assertNotNull(fixture.read(lane, name));
      long id = lane.head().objectId();
      long bodyBirth = lane.head().bodyBirth();
      long birth = store.nextBirth();
      assertEquals(InstallOutcome.INSTALLED, lane.refresh(StoreFixture.spec(name, birth, -1), id));
      assertArrayEquals(body, fixture.read(lane, name));
      assertEquals(birth, lane.head().birth());
      assertEquals(bodyBirth, lane.head().bodyBirth());
      assertEquals(
          InstallOutcome.GONE,
          lane.refresh(StoreFixture.spec(name, store.nextBirth(), -1), id + 1));
      assertEquals(InstallOutcome.OLDER, lane.refresh(StoreFixture.spec(name, birth, -1), id));
    }
  }

  @Test
  void markerIsFoundAsMarker() {
    HeadSpec spec = StoreFixture.spec("/a", store.nextBirth(), 0);
    HeadSpec marker =
        new HeadSpec(
            spec.hi(),
            spec.lo(),
            spec.keyText(),
            spec.keyTextLength(),
            spec.head(),
            spec.scopes(),
            spec.birth(),
            spec.expiresAtMillis(),
            HeadSpec.Kind.VARY_MARKER,
            0);
    assertEquals(InstallOutcome.INSTALLED, lane.putMarker(marker));
    assertNotNull(fixture.read(lane, "/a"));
    assertEquals(HeadSpec.Kind.VARY_MARKER, lane.head().kind());
  }

  @Test
  void aMarkerIsReplacedOnlyWhereItIsTheOneThatWasRead() {
    assertEquals(InstallOutcome.INSTALLED, lane.putMarker(marker("/m")));
    assertNotNull(fixture.read(lane, "/m"));
    long first = lane.head().objectId();
    assertEquals(InstallOutcome.INSTALLED, lane.replaceMarker(marker("/m"), first));
    assertNotNull(fixture.read(lane, "/m"));
    long second = lane.head().objectId();
    assertNotEquals(first, second);
    assertEquals(InstallOutcome.GONE, lane.replaceMarker(marker("/m"), first));
    assertNotNull(fixture.read(lane, "/m"));
    assertEquals(second, lane.head().objectId());
    assertEquals(InstallOutcome.GONE, lane.replaceMarker(marker("/other"), first));
  }

  private HeadSpec marker(String key) {
    HeadSpec spec = StoreFixture.spec(key, store.nextBirth(), 0);
    return new HeadSpec(
        spec.hi(),
        spec.lo(),
        spec.keyText(),
        spec.keyTextLength(),
        spec.head(),
        spec.scopes(),
        spec.birth(),
        spec.expiresAtMillis(),
        HeadSpec.Kind.VARY_MARKER,
        0);
  }

  @Test
  void incompleteBodyIsNeverInstalled() {
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), 1000));
    assertTrue(writer.append(ByteBuffer.allocate(999)));
    assertEquals(InstallOutcome.INCOMPLETE, writer.finish());
    ObjectWriter longer = begin(StoreFixture.spec("/a", store.nextBirth(), 100_000));
    assertTrue(longer.append(ByteBuffer.allocate(100_000)));
    ByteBuffer tooMuch = ByteBuffer.allocate(1);
    assertFalse(longer.append(tooMuch));
    assertEquals(1, tooMuch.remaining());
    assertEquals(InstallOutcome.NO_SPACE, longer.finish());
    assertNull(fixture.read(lane, "/a"));
    assertEquals(0, store.stats().unfinishedBytes());
    assertEquals(0, store.stats().unfinishedFills());
  }

  @Test
  void abortedObjectLeavesNothing() {
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    assertTrue(writer.append(ByteBuffer.allocate(300_000)));
    writer.abort();
    assertNull(fixture.read(lane, "/a"));
    assertEquals(StoreLane.Found.MISS, lane.findSlice(writer.objectId(), 0));
    assertEquals(0, store.stats().indexEntries());
  }

  @Test
  void followerOnAnotherLaneReadsBehindTheWatermarkWhilePiecesMove() {
    StoreLane follower = store.lane(1);
    byte[] body = StoreFixture.body(7, 400_000);
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    ObjectWriter neighbour = begin(StoreFixture.spec("/b", store.nextBirth(), -1));
    byte[] seen = new byte[body.length];
    int read = 0;
    for (int at = 0; at < body.length; at += 8000) {
      assertTrue(writer.append(ByteBuffer.wrap(body, at, 8000)));
      // A neighbour keeps the piece from growing where it stands.
      assertTrue(neighbour.append(ByteBuffer.wrap(body, at, 8000)));
      assertFalse(writer.locate(follower, writer.watermark()));
      while (read < writer.watermark()) {
        assertTrue(writer.locate(follower, read));
        SliceLocation pos = follower.slice();
        store.regionBuffer(pos.region()).get(pos.offset(), seen, read, pos.length());
        read += pos.length();
        follower.unpin(pos.region());
      }
    }
    assertArrayEquals(body, seen);
    assertEquals(InstallOutcome.INSTALLED, writer.finish());
    assertArrayEquals(body, fixture.read(follower, "/a"));
    neighbour.abort();
  }

  @Test
  void unfinishedObjectsAreRefusedBeyondTheirBound() {
    byte[] part = new byte[500_000];
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    int taken = 0;
    while (writer.append(ByteBuffer.wrap(part))) {
      taken += part.length;
      assertTrue(taken <= 16 * StoreFixture.MEBI, "no bound");
    }
    assertTrue(taken >= 4 * StoreFixture.MEBI, "bound too low: " + taken);
    assertEquals(InstallOutcome.NO_SPACE, writer.finish());
    fixture.stepAll();
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/b", part, true));
  }

  /** Finished objects everywhere, nothing reclaimed yet. */
  private void takeAllSpareRegions() {
    byte[] body = new byte[200_000];
    int n = 0;
    while (fixture.put(lane, "/filler" + n, body, true) == InstallOutcome.INSTALLED) {
      assertTrue(n++ < 1000, "it never gets full");
    }
  }

  @Test
  void aWriterThatFoundNoSpareRegionGoesOnWhereItWasOnceThereIsOne() {
    byte[] body = StoreFixture.body(9, 1_000_000);
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    ByteBuffer source = ByteBuffer.wrap(body);
    assertTrue(writer.append(source.slice(0, 100_000)));
    source.position(100_000);
    takeAllSpareRegions();
    while (writer.append(source.slice(source.position(), 1000))) {
      source.position(source.position() + 1000);
    }
    assertTrue(writer.lacksRoom());
    // Some of the last thousand may be in.
    source.position((int) writer.watermark());
    ByteBuffer rest = source.slice();
    assertFalse(writer.append(rest), "nobody has made room yet");
    assertEquals(writer.watermark(), source.position() + rest.position());
    fixture.stepAll();
    assertTrue(writer.append(rest));
    assertFalse(writer.lacksRoom());
    assertEquals(body.length, writer.watermark());
    assertTrue(writer.reserveHead());
    assertEquals(InstallOutcome.INSTALLED, writer.finish());
    assertArrayEquals(body, fixture.read(lane, "/a"));
  }

  @Test
  void whatWasLeftOverAndNeverAppendedIsNotInstalled() {
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    assertTrue(writer.append(ByteBuffer.allocate(100_000)));
    takeAllSpareRegions();
    ByteBuffer more = ByteBuffer.allocate(2_000_000);
    assertFalse(writer.append(more));
    assertTrue(more.hasRemaining());
    assertTrue(writer.reserveHead(), "it is for finish to say");
    assertEquals(InstallOutcome.NO_SPACE, writer.finish());
    assertNull(fixture.read(lane, "/a"));
  }

  @Test
  void aBeginningThatFoundNoSpareRegionMaySucceedLater() {
    takeAllSpareRegions();
    HeadSpec spec = StoreFixture.spec("/a", store.nextBirth(), 200_000);
    assertNull(lane.begin(spec));
    assertTrue(lane.lacksRoom());
    fixture.stepAll();
    ObjectWriter writer = begin(spec);
    assertFalse(lane.lacksRoom());
    assertTrue(writer.append(ByteBuffer.allocate(200_000)));
    assertEquals(InstallOutcome.INSTALLED, writer.finish());
    // What is too large for the store is not a matter of waiting.
    assertNull(lane.begin(StoreFixture.spec("/b", store.nextBirth(), 1L << 40)));
    assertFalse(lane.lacksRoom());
  }

  @Test
  void stalledFillLosesItsSpaceAfterTheDeadline() {
    ObjectWriter writer = begin(StoreFixture.spec("/a", store.nextBirth(), -1));
    assertTrue(writer.append(ByteBuffer.allocate(300_000)));
    fixture.clock.addAndGet(600_001);
    fixture.stepAll();
    assertEquals(0, store.stats().unfinishedBytes());
    assertEquals(1, store.stats().revokedFills());
    assertFalse(writer.append(ByteBuffer.allocate(1)));
    assertEquals(InstallOutcome.NO_SPACE, writer.finish());
    assertNull(fixture.read(lane, "/a"));
  }

  @Test
  void invalidationIsSeenByEveryLane() {
    StoreLane other = store.lane(1);
    for (boolean withScope : new boolean[] {false, true}) {
      assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/a", new byte[10], true));
      assertNotNull(fixture.read(other, "/a"));
      long hi = StoreFixture.scope("hi/a");
      long lo = StoreFixture.scope("lo/a");
      assertTrue(
          withScope ? lane.invalidate(hi, lo, StoreFixture.scope("/a")) : lane.invalidate(hi, lo));
      assertNull(fixture.read(other, "/a"));
      assertNull(fixture.read(lane, "/a"));
    }
  }

  @Test
  void pinnedBytesStayAsTheyAreWhileEverythingElseIsReplaced() {
    byte[] body = StoreFixture.body(3, 20_000);
    assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/pinned", body, true));
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "/pinned"));
    int region = lane.head().region();
    int offset = lane.head().bodyOffset();
    for (int n = 0; n < 3000; n++) {
      InstallOutcome ignored =
          fixture.put(store.lane(1), "/" + n, StoreFixture.body(n, 20_000), true);
      fixture.stepAll();
    }
    assertTrue(store.stats().reclaimedRegions() > 30);
    assertArrayEquals(body, fixture.bytes(region, offset, body.length));
    lane.unpin(region);
    assertThrows(IllegalStateException.class, () -> lane.unpin(region));
    assertThrows(IllegalStateException.class, () -> lane.pin(region));
  }

  @Test
  void whatIsAskedForAgainOutlivesWhatIsNot() {
    for (int n = 0; n < 20; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(lane, "/hot" + n, StoreFixture.body(n, 10_000), true));
    }
    for (int n = 0; n < 2000; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(lane, "/cold" + n, StoreFixture.body(n, 20_000), true));
      fixture.stepAll();
      if (n % 50 == 0) {
        for (int hot = 0; hot < 20; hot++) {
          assertArrayEquals(StoreFixture.body(hot, 10_000), fixture.read(lane, "/hot" + hot));
        }
      }
    }
    assertNull(fixture.read(lane, "/cold0"));
    assertTrue(store.stats().movedRecords() >= 20);
    assertTrue(store.stats().protectedRegions() >= 1);
  }

  @Test
  void indexNearItsBoundIsRelievedByReclaim() throws Exception {
    StoreSettings settings =
        StoreSettings.of(directory.resolve("small"), 16 * StoreFixture.MEBI, 1, () -> 0)
            .withMemoryDirectory(directory.resolve("small-memory"))
            .withSizes(1 << 18, 1000, 64)
            .withLockMemory(false);
    try (StoreFixture small = new StoreFixture(settings)) {
      int installed = 0;
      for (int n = 0; n < 5000; n++) {
        if (small.put(small.store.lane(0), "/" + n, new byte[600], true)
            == InstallOutcome.INSTALLED) {
          installed++;
        }
        small.stepAll();
      }
      assertTrue(small.store.stats().indexEntries() <= 1000);
      assertTrue(installed > 4500, "installed only " + installed);
    }
  }

  @Test
  void saysWhatItsMemoryGoesTo() {
    assertTrue(
        store.budget().stream().anyMatch(line -> line.contains("16 regions of 1024 KiB")),
        store.budget()::toString);
    assertTrue(store.budget().getLast().startsWith("store, total"));
  }
}
