package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestartTest {
  private static final int OBJECTS = 100;

  @TempDir Path directory;

  private StoreFixture open() throws StoreException {
    return new StoreFixture(directory, 16 * StoreFixture.MEBI, 1 << 18, 1);
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, n * 701 % 60_000);
  }

  private static void fill(StoreFixture fixture) {
    for (int n = 0; n < OBJECTS; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, body(n), n % 2 == 0));
    }
  }

  private static int hits(StoreFixture fixture) {
    int hits = 0;
    for (int n = 0; n < OBJECTS; n++) {
      byte[] read = fixture.read(fixture.store.lane(0), "/" + n);
      if (read != null) {
        assertArrayEquals(body(n), read);
        hits++;
      }
    }
    return hits;
  }

  @Test
  void cleanRestartIsWarmAtOnce() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      byte[] secret = fixture.store.secret();
      long birth = fixture.store.nextBirth();
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(OBJECTS, hits(fixture));
      assertArrayEquals(secret, fixture.store.secret());
      assertTrue(fixture.store.nextBirth() > birth);
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void uncleanRestartIsRebuiltWhileServing() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      assertFalse(fixture.store.recovery().isComplete());
      assertEquals(0, hits(fixture));
      // Stored before the rebuild comes to its older version: the newer one must win.
      byte[] newer = StoreFixture.body(-1, 50_000);
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), "/7", newer, true));
      fixture.stepAll();
      assertEquals(RecoveryState.Phase.REBUILT, fixture.store.recovery().phase());
      assertArrayEquals(newer, fixture.read(fixture.store.lane(0), "/7"));
      assertEquals(
          InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), "/7", body(7), true));
      assertEquals(OBJECTS, hits(fixture));
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void stopDuringTheRebuildLosesNothing() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      for (int n = 0; n < 10; n++) {
        assertTrue(fixture.store.step());
      }
      fixture.reopen();
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      fixture.stepAll();
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void changedByteIsAMissAfterAnUncleanStopAndIsCounted() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      byte[] all = body(20);
      fixture.store.abandon();
      Path tier = fixture.memory().resolve("memory.tier");
      long at = indexOf(Files.readAllBytes(tier), all);
      try (FileChannel channel = FileChannel.open(tier, StandardOpenOption.WRITE)) {
        ByteBuffer other = ByteBuffer.allocate(1).put(0, (byte) (all[5000] ^ 1));
        assertEquals(1, channel.write(other, at + 5000));
      }
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(OBJECTS - 1, hits(fixture));
      assertNull(fixture.read(fixture.store.lane(0), "/20"));
      assertEquals(1, fixture.store.stats().checksumFailures());
    }
  }

  private static long indexOf(byte[] hay, byte[] needle) {
    outer:
    for (int at = 0; at < hay.length - needle.length; at++) {
      for (int n = 0; n < 64; n++) {
        if (hay[at + n] != needle[n]) {
          continue outer;
        }
      }
      return at;
    }
    throw new AssertionError("not found");
  }

  @Test
  void indexThatIsLostIsRebuiltAfterACleanStop() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      Files.delete(fixture.memory().resolve("index.map"));
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void memoryOfAnotherJournalOpensEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal"));
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal.copy"));
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void memoryThatDidNotCountDoesNotCountAfterAStartThatFailed() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal"));
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal.copy"));
      DeviceSettings unmounted =
          DeviceSettings.of("d", directory.resolve("unmounted/d"), 64 * StoreFixture.MEBI);
      StoreException refused =
          refused(fixture.settings.withDisks(DiskSettings.of(List.of(unmounted))));
      assertTrue(String.valueOf(refused.getMessage()).contains("unmounted"), refused::getMessage);
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
    }
  }

  @Test
  @OneTier("the middle tier was not away and is taken up")
  void memoryThatWasAwayDuringASweepOpensEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      Path tier = fixture.memory().resolve("memory.tier");
      Path away = Files.copy(tier, directory.resolve("away"));
      fixture.store = ObjectStore.open(fixture.settings);
      PurgeReceipt ignored =
          fixture.store.purge(
              new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("/1")}, false, "while away"));
      fixture.clock.addAndGet(100_000);
      fixture.stepAll();
      assertEquals(0, fixture.store.stats().purgeScopes());
      fixture.store.close();
      Files.move(away, tier, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      fixture.store = ObjectStore.open(fixture.settings);
      assertNull(fixture.read(fixture.store.lane(0), "/1"));
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
    }
  }

  @Test
  void memoryOfAnEarlierBootThatWasNotClosedOpensEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.abandon();
      Path tier = fixture.memory().resolve("memory.tier");
      try (FileChannel channel = FileChannel.open(tier, StandardOpenOption.WRITE)) {
        assertEquals(8, channel.write(ByteBuffer.allocate(8), TierHeader.BOOT_OFFSET));
      }
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
    }
  }

  @Test
  void anotherShapeOpensEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      try (StoreFixture other = new StoreFixture(directory, 16 * StoreFixture.MEBI, 1 << 19, 1)) {
        assertEquals(RecoveryState.Phase.EMPTY, other.store.recovery().phase());
        assertEquals(0, hits(other));
      }
      fixture.store = ObjectStore.open(fixture.settings);
    }
  }

  private StoreException refused(StoreSettings settings) {
    return assertThrows(StoreException.class, () -> ObjectStore.open(settings).close());
  }

  @Test
  void secondOwnerIsToldWhoTheFirstIs() throws Exception {
    try (StoreFixture fixture = open()) {
      StoreException refused = refused(fixture.settings);
      assertEquals(StoreException.Kind.OWNED, refused.kind());
      String pid = Long.toString(ProcessHandle.current().pid());
      assertTrue(String.valueOf(refused.getMessage()).contains("process " + pid));
      StoreException sameMemory =
          refused(
              StoreSettings.of(directory.resolve("other-data"), 16 * StoreFixture.MEBI, 1, () -> 0)
                  .withMemoryDirectory(directory.resolve("memory")));
      assertEquals(StoreException.Kind.OWNED, sameMemory.kind());
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void namedPlaceWithoutRoomIsAnErrorAndLeavesNothing() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        PurgeTest.run("mount", "-t", "tmpfs", "-o", "size=8m", "forebay-test", small.toString())
            == 0,
        "needs root to mount a small tmpfs (package mount)");
    try {
      StoreException refused =
          refused(
              StoreSettings.of(directory.resolve("data"), 16 * StoreFixture.MEBI, 1, () -> 0)
                  .withMemoryDirectory(small));
      assertEquals(StoreException.Kind.NO_ROOM, refused.kind());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("needs 16 MiB"), refused::getMessage);
      assertFalse(Files.exists(small.resolve("memory.tier")));
      // And the directory is free again.
      open().close();
    } finally {
      assertEquals(0, PurgeTest.run("umount", small.toString()));
    }
  }

  @Test
  void foreignFilesAreLeftAlone() throws Exception {
    Path memory = Files.createDirectories(directory.resolve("memory"));
    Path data = Files.createDirectories(directory.resolve("data"));
    Path tier = Files.writeString(memory.resolve("memory.tier"), "somebody's diary");
    StoreSettings settings =
        StoreSettings.of(data, 16 * StoreFixture.MEBI, 1, () -> 0).withMemoryDirectory(memory);
    assertEquals(StoreException.Kind.FOREIGN_FORMAT, refused(settings).kind());
    assertEquals("somebody's diary", Files.readString(tier));
    Files.delete(tier);
    Path journal = Files.writeString(data.resolve("purge.journal"), "somebody's other diary");
    assertEquals(StoreException.Kind.FOREIGN_FORMAT, refused(settings).kind());
    assertEquals("somebody's other diary", Files.readString(journal));
  }

  @Test
  void directoryThatCanNotBeMadeIsOneClearLine() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    StoreException refused =
        refused(StoreSettings.of(file.resolve("data"), 16 * StoreFixture.MEBI, 1, () -> 0));
    assertEquals(StoreException.Kind.NOT_WRITABLE, refused.kind());
    assertFalse(String.valueOf(refused.getMessage()).contains("\n"));
    assertEquals(
        StoreException.Kind.BAD_SETTINGS,
        refused(StoreSettings.of(directory.resolve("d"), 1000, 1, () -> 0)).kind());
  }

  @Test
  void defaultPlaceIsSharedMemoryAndItsOwnThreadsDoTheWork() throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/shm")), "needs a writable /dev/shm");
    StoreSettings settings =
        StoreSettings.of(
            directory.resolve("data"), 64 * StoreFixture.MEBI, 1, System::currentTimeMillis);
    Path place;
    try (ObjectStore store = ObjectStore.open(settings)) {
      assertTrue(store.outlivesProcess());
      String line = store.budget().getFirst();
      place = Path.of(line.substring(line.indexOf("/dev/shm")));
      StoreLane lane = store.lane(0);
      HeadSpec spec = StoreFixture.spec("/a", store.nextBirth(), 3);
      assertEquals(InstallOutcome.INSTALLED, lane.putSmall(spec, ByteBuffer.allocate(3)));
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "/a"));
      lane.unpin(lane.head().region());
      assertNotNull(store.lane(0).head());
    }
    PurgeTest.deleteAll(place);
    assertFalse(Files.exists(place));
  }
}
