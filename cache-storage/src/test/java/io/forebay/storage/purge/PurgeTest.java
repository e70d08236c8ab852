package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreFixture;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class PurgeTest {
  @TempDir Path directory;

  private StoreFixture open(int scopes) throws StoreException {
    return new StoreFixture(
        StoreSettings.of(directory.resolve("data"), 8 * StoreFixture.MEBI, 2, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 18, 0, 64)
            .withPurges(scopes, 1000, 1 << 16)
            .withLockMemory(false));
  }

  private static Purge purge(PurgeKind kind, String scope, boolean soft) {
    return new Purge(kind, new long[] {StoreFixture.scope(scope)}, soft, scope);
  }

  private static void put(StoreFixture fixture, String name, String... scopes) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), name, new byte[100], true, scopes));
  }

  @Test
  void everyKindOfPurgeTakesWhatItNamesAndNothingElse() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(1);
      for (PurgeKind kind :
          new PurgeKind[] {PurgeKind.URL, PurgeKind.HOST, PurgeKind.PREFIX, PurgeKind.TAG}) {
        String scope = kind == PurgeKind.URL ? "/a" : "scope";
        put(fixture, "/a", "scope");
        put(fixture, "/b", "other");
        assertNotNull(fixture.read(lane, "/a"));
        assertNotNull(fixture.read(lane, "/b"));
        PurgeReceipt receipt = fixture.store.purge(purge(kind, scope, false));
        assertEquals(fixture.store.purgeSequence(), receipt.sequence());
        assertEquals(
            kind == PurgeKind.URL ? OptionalLong.of(1) : OptionalLong.empty(), receipt.matched());
        assertNull(fixture.read(lane, "/a"), kind::toString);
        assertNotNull(fixture.read(lane, "/b"), kind::toString);
        put(fixture, "/a", "scope");
        assertNotNull(fixture.read(lane, "/a"), kind::toString);
      }
      PurgeReceipt receipt = fixture.store.purge(Purge.everything(false, "all"));
      assertTrue(receipt.sequence() > 0);
      assertNull(fixture.read(lane, "/a"));
      assertNull(fixture.read(lane, "/b"));
    }
  }

  @Test
  void softPurgeMakesStaleUntilRefreshed() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a", "tag");
      assertNotNull(fixture.read(lane, "/a"));
      assertFalse(lane.head().softPurged());
      PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "tag", true));
      for (int round = 0; round < 3; round++) {
        assertNotNull(fixture.read(lane, "/a"));
        assertTrue(lane.head().softPurged());
      }
      sweep(fixture);
      assertNotNull(fixture.read(lane, "/a"));
      assertTrue(lane.head().softPurged(), "swept");
      long birth = fixture.store.nextBirth();
      assertEquals(
          InstallOutcome.INSTALLED,
          lane.refresh(StoreFixture.spec("/a", birth, -1, "tag"), lane.head().objectId()));
      assertNotNull(fixture.read(lane, "/a"));
      assertFalse(lane.head().softPurged());
    }
  }

  @Test
  void hardPurgeLooksAtTheBirthOfTheBody() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a", "tag");
      assertNotNull(fixture.read(lane, "/a"));
      long id = lane.head().objectId();
      PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
      long birth = fixture.store.nextBirth();
      assertEquals(
          InstallOutcome.PURGED, lane.refresh(StoreFixture.spec("/a", birth, -1, "tag"), id));
      assertNull(fixture.read(lane, "/a"));
    }
  }

  @Test
  void fillThatBeganBeforeThePurgeIsNotInstalled() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      HeadSpec spec = StoreFixture.spec("/a", fixture.store.nextBirth(), 5, "tag");
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      assertFalse(lane.isDead(spec));
      PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
      assertTrue(lane.isDead(spec));
      // The purge may not be forgotten while that fill is under way.
      sweep(fixture);
      assertEquals(InstallOutcome.PURGED, writer.finish());
      assertNull(fixture.read(lane, "/a"));
    }
  }

  @Test
  void forgottenPurgesStillRefuseWhatWasBornBeforeThem() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/b", "tag");
      long early = fixture.store.nextBirth();
      PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
      sweep(fixture);
      assertEquals(0, fixture.store.stats().purgeScopes());
      assertEquals(fixture.store.purgeSequence(), fixture.store.stats().purgesRetiredThrough());
      assertNull(lane.begin(StoreFixture.spec("/a", early, 5, "tag")));
      assertEquals(
          InstallOutcome.PURGED,
          lane.putSmall(StoreFixture.spec("/a", early, 5, "tag"), ByteBuffer.allocate(5)));
      assertNull(fixture.read(lane, "/b"));
      assertEquals(0, fixture.store.stats().indexEntries());
    }
  }

  private static final long[] SCOPES = {StoreFixture.scope("/a"), StoreFixture.scope("tag")};

  @Test
  void whatReplacesOutlivesItsOwnInvalidationAlone() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/variant", "/a");
      HeadSpec underWay = StoreFixture.spec("/a", fixture.store.nextBirth(), 5, "tag");
      ObjectWriter earlier = Objects.requireNonNull(lane.begin(underWay));
      assertTrue(earlier.append(ByteBuffer.allocate(5)));
      long requested = fixture.store.nextBirth();
      HeadSpec whileAsked = StoreFixture.spec("/a", fixture.store.nextBirth(), 5, "tag");
      ObjectWriter meanwhile = Objects.requireNonNull(lane.begin(whileAsked));
      assertTrue(meanwhile.append(ByteBuffer.allocate(5)));

      long birth = lane.replace(SCOPES[0], SCOPES, requested);
      assertTrue(birth > fixture.store.purgeSequence());
      assertEquals(InstallOutcome.PURGED, earlier.finish());
      assertNull(fixture.read(lane, "/variant"));
      HeadSpec spec = StoreFixture.spec("/a", birth, 5, "tag");
      ObjectWriter own = Objects.requireNonNull(lane.begin(spec));
      assertTrue(own.append(ByteBuffer.allocate(5)));
      assertEquals(InstallOutcome.INSTALLED, own.finish());
      assertEquals(InstallOutcome.PURGED, meanwhile.finish());
      assertNotNull(fixture.read(lane, "/a"));

      PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
      assertNull(fixture.read(lane, "/a"));
    }
  }

  @Test
  void nothingReplacesWhatAPurgeHasOverruledSinceItWasRequested() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      StoreLane lane = fixture.store.lane(0);
      List<Purge> purges =
          List.of(
              purge(PurgeKind.TAG, "tag", false),
              purge(PurgeKind.TAG, "tag", true),
              purge(PurgeKind.URL, "/a", false),
              new Purge(PurgeKind.EVERYTHING, new long[0], false, ""));
      for (Purge purge : purges) {
        long requested = fixture.store.nextBirth();
        PurgeReceipt ignored = fixture.store.purge(purge);
        assertEquals(-1, lane.replace(SCOPES[0], SCOPES, requested), purge.text());
        // Forgotten, it is still not evaded.
        sweep(fixture);
        assertEquals(-1, lane.replace(SCOPES[0], SCOPES, requested), purge.text());
        assertTrue(lane.replace(SCOPES[0], SCOPES, fixture.store.nextBirth()) > 0);
      }
    }
  }

  private static void sweep(StoreFixture fixture) {
    fixture.clock.addAndGet(2000);
    fixture.stepAll();
  }

  @Test
  void purgesSurviveEveryKindOfRestart() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      for (int round = 0; round < 6; round++) {
        put(fixture, "/a", "tag");
        put(fixture, "/b", "other");
        PurgeReceipt receipt = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
        if (round >= 2) {
          sweep(fixture);
        }
        if (round % 2 == 0) {
          fixture.reopen();
        } else {
          fixture.store.abandon();
          fixture.store = ObjectStore.open(fixture.settings);
        }
        assertNull(fixture.read(fixture.store.lane(0), "/a"), "round " + round);
        fixture.stepAll();
        assertNull(fixture.read(fixture.store.lane(0), "/a"), "round " + round);
        assertNotNull(fixture.read(fixture.store.lane(0), "/b"), "round " + round);
        assertTrue(fixture.store.nextBirth() > receipt.sequence());
        assertEquals(receipt.sequence(), fixture.store.purgeSequence());
      }
    }
  }

  @Test
  void invalidationsSurviveARestartOnceTheyAreJournalled() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      put(fixture, "/variant", "base");
      assertTrue(fixture.store.lane(0).invalidate(1, 2, StoreFixture.scope("base")));
      assertNull(fixture.read(fixture.store.lane(0), "/variant"));
      fixture.steps(1);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertNull(fixture.read(fixture.store.lane(0), "/variant"));
    }
  }

  @Test
  void clientsCanNotFillTheTable() throws Exception {
    try (StoreFixture fixture = open(1000)) {
      put(fixture, "/a");
      for (int n = 0; n < 5000; n++) {
        boolean ignored = fixture.store.lane(0).invalidate(n, n, n + 1L);
      }
      assertTrue(fixture.store.stats().purgeScopes() <= 125);
      assertEquals(0, fixture.store.stats().purgeFloor());
      assertNotNull(fixture.read(fixture.store.lane(0), "/a"));
    }
  }

  @Test
  void hundredThousandPurgesStayBoundedAndRaiseTheFloor() throws Exception {
    Path shared = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(shared), "needs a tmpfs for its many fsyncs");
    Path fast = Files.createTempDirectory(shared, "forebay-test");
    StoreSettings settings =
        StoreSettings.of(fast.resolve("data"), 8 * StoreFixture.MEBI, 1, () -> 0)
            .withMemoryDirectory(fast.resolve("memory"))
            .withSizes(1 << 18, 0, 64)
            .withPurges(10_000, Long.MAX_VALUE, 1 << 20)
            .withLockMemory(false);
    try {
      try (StoreFixture fixture = new StoreFixture(settings)) {
        put(fixture, "/old");
        for (int n = 0; n < 100_000; n++) {
          PurgeReceipt ignored =
              fixture.store.purge(new Purge(PurgeKind.TAG, new long[] {n + 1L}, false, "many"));
        }
        put(fixture, "/new");
        assertTrue(fixture.store.stats().purgeScopes() <= 10_000);
        assertTrue(fixture.store.stats().purgeFloor() > 0);
        long journal = Files.size(fast.resolve("data").resolve("purge.journal"));
        assertTrue(journal < 4 << 20, "journal of " + journal);
        assertNull(fixture.read(fixture.store.lane(0), "/old"));
        fixture.store.abandon();
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        assertNull(fixture.read(fixture.store.lane(0), "/old"));
        assertNotNull(fixture.read(fixture.store.lane(0), "/new"));
      }
    } finally {
      deleteAll(fast);
    }
  }

  @Test
  void fullDiskFailsThePurgeWithItsReasonAndHealsByItself() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=64k", "forebay-test", small.toString()) == 0,
        "needs root to mount a small tmpfs (package mount)");
    try {
      StoreSettings settings =
          StoreSettings.of(small.resolve("data"), 8 * StoreFixture.MEBI, 1, () -> 0)
              .withMemoryDirectory(directory.resolve("memory"))
              .withSizes(1 << 18, 0, 64)
              .withPurges(1000, 1000, 1 << 20)
              .withLockMemory(false);
      try (StoreFixture fixture = new StoreFixture(settings)) {
        put(fixture, "/a", "tag");
        Path filler = small.resolve("filler");
        fillUp(filler);
        PurgeFailedException failure = null;
        for (int n = 0; n < 1000 && failure == null; n++) {
          try {
            PurgeReceipt ignored = fixture.store.purge(purge(PurgeKind.TAG, "x" + n, false));
          } catch (PurgeFailedException e) {
            failure = e;
          }
        }
        assertNotNull(failure);
        assertTrue(
            Objects.requireNonNull(failure.getMessage()).contains("No space left"),
            failure::getMessage);
        assertThrows(
            PurgeFailedException.class,
            () -> fixture.store.purge(purge(PurgeKind.TAG, "tag", false)));
        assertNotNull(fixture.read(fixture.store.lane(0), "/a"));
        Files.delete(filler);
        PurgeReceipt receipt = fixture.store.purge(purge(PurgeKind.TAG, "tag", false));
        assertTrue(receipt.sequence() > 0);
        assertNull(fixture.read(fixture.store.lane(0), "/a"));
        fixture.store.abandon();
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        assertNull(fixture.read(fixture.store.lane(0), "/a"));
        assertEquals(2, fixture.store.stats().purgeFloor() + 2);
      }
    } finally {
      assertEquals(0, run("umount", small.toString()));
    }
  }

  private static void fillUp(Path file) throws IOException {
    try (var out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[512]);
      }
    } catch (IOException e) {
      assertTrue(Files.size(file) > 0);
    }
  }

  public static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  public static void deleteAll(Path root) throws IOException {
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
