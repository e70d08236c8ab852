package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start without the memory tier: what the checkpoints of the disks say, and when they count. */
@Tag("slow")
class DiskCheckpointTest {
  private static final int OBJECTS = 300;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  private StoreSettings settings(int disks) {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disks; n++) {
      devices.add(
          new DeviceSettings("d" + n, disk(n), 32 << 20, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0));
    }
    return StoreSettings.of(directory.resolve("data"), 4 << 20, 1, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(1 << 18, 20_000, 64)
        .withLockMemory(false)
        .withPurges(64, 1000, 1 << 16)
        .withDisks(DiskSettings.of(devices));
  }

  private StoreFixture open(int disks) throws StoreException {
    return new StoreFixture(settings(disks), clock);
  }

  private Path disk(int n) {
    return directory.resolve("d" + n);
  }

  private Path checkpoint(int n) {
    return disk(n).resolve("disk.checkpoint");
  }

  private static String name(int n) {
    return "/object/" + n;
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, 1000 + n * 137 % 60_000);
  }

  private static void fill(StoreFixture fixture) {
    for (int n = 0; n < OBJECTS; n++) {
      InstallOutcome result = fixture.put(fixture.store.lane(0), name(n), body(n), true, "tag");
      assertEquals(InstallOutcome.INSTALLED, result);
      fixture.steps(20);
    }
    settle(fixture);
  }

  private static void settle(StoreFixture fixture) {
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  private static int hits(StoreFixture fixture) {
    int hits = 0;
    for (int n = 0; n < OBJECTS; n++) {
      byte[] found = fixture.read(fixture.store.lane(0), name(n));
      if (found != null) {
        assertArrayEquals(body(n), found, name(n));
        hits++;
      }
      fixture.steps(20);
    }
    return hits;
  }

  private static boolean isComplete(StoreFixture fixture) {
    return fixture.store.recovery().isComplete();
  }

  @Test
  void afterACleanStopAStartWithoutMemoryKnowsAllOfTheDisksAtOnce() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture), "some are in memory and on a disk now");
      for (int round = 0; round < 3; round++) {
        fixture.store.close();
        fixture.loseMemory();
        assertTrue(Files.exists(checkpoint(0)) && Files.exists(checkpoint(1)));
        fixture.store = ObjectStore.open(fixture.settings);
        assertTrue(isComplete(fixture), "directories are to be read");
        assertEquals(OBJECTS, hits(fixture), "round " + round);
        assertEquals(List.of(), fixture.store.audit());
      }
    }
  }

  @Test
  @OneTier("a middle tier keeps its records, and the index is made again from them")
  void aTierOfAnotherSizeKeepsTheDisks() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture);
    }
    StoreSettings larger =
        StoreSettings.of(directory.resolve("data"), 8 << 20, 1, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 18, 20_000, 64)
            .withLockMemory(false)
            .withDisks(settings(1).disks());
    try (StoreFixture fixture = new StoreFixture(larger, clock)) {
      assertTrue(isComplete(fixture));
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void whenMemoryIsThereTheRegionsOfTheDisksAreKnownAtOnce() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture);
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(OBJECTS, hits(fixture));
      // It goes on with the regions where it was.
      for (int n = 0; n < OBJECTS; n++) {
        InstallOutcome ignored = fixture.put(fixture.store.lane(0), "/more/" + n, body(n), true);
        fixture.steps(20);
      }
      fixture.store.abandon();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertTrue(hits(fixture) > OBJECTS / 2);
    }
  }

  @Test
  void afterAKillThereIsNone() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture);
      fixture.reopen();
      assertFalse(Files.exists(checkpoint(0)), "it is of no use any more");
      fixture.store.abandon();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      assertFalse(isComplete(fixture));
      fixture.stepAll();
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void aCheckpointOfBeforeAKillDoesNotCount() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture);
      fixture.store.close();
      byte[] kept = Files.readAllBytes(checkpoint(0));
      fixture.store = ObjectStore.open(fixture.settings);
      StoreLane lane = fixture.store.lane(0);
      for (int n = 0; n < 50; n++) {
        assertTrue(
            lane.invalidate(
                StoreFixture.scope("hi" + name(n)), StoreFixture.scope("lo" + name(n))));
      }
      settle(fixture);
      for (boolean isClean : new boolean[] {false, true}) {
        if (isClean) {
          fixture.store.close();
        } else {
          fixture.store.abandon();
        }
        fixture.loseMemory();
        Files.write(checkpoint(0), kept);
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        for (int n = 0; n < 50; n++) {
          assertNull(fixture.read(fixture.store.lane(0), name(n)), name(n));
        }
        assertEquals(OBJECTS - 50, hits(fixture));
      }
    }
  }

  @Test
  void aDiskThatWasAwayInBetweenIsReadAnew() throws Exception {
    byte[] second = StoreFixture.body(99, 5_000);
    StoreSettings both = settings(2);
    StoreSettings one = settings(1);
    try (StoreFixture fixture = open(2)) {
      fill(fixture);
    }
    StoreSettings used;
    try (StoreFixture fixture = new StoreFixture(one, clock)) {
      used = fixture.settings;
      for (int n = 0; n < 100; n++) {
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture.put(fixture.store.lane(0), name(n), second, true, "tag"));
        fixture.steps(20);
      }
      settle(fixture);
      assertTrue(isComplete(fixture));
    }
    StoreFixture.loseMemory(used);
    try (StoreFixture fixture = new StoreFixture(both, clock)) {
      assertFalse(isComplete(fixture), "nothing is known of the one that was away");
      fixture.stepAll();
      for (int n = 0; n < 100; n++) {
        byte[] found = fixture.read(fixture.store.lane(0), name(n));
        assertTrue(found == null || found.length == second.length, name(n));
      }
    }
  }

  @Test
  @Tag("full")
  void damageAnywhereCostsTheCheckpointAndNoObject() throws Exception {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    int read = 0;
    try (StoreFixture fixture = open(1)) {
      fill(fixture);
      for (int round = 0; round < 40; round++) {
        fixture.store.close();
        if (round % 4 != 0) {
          fixture.loseMemory();
        }
        byte[] bytes = Files.readAllBytes(checkpoint(0));
        // The header, the copies, then anywhere; or cut.
        int end = round < 10 ? 132 : round < 20 ? Math.min(bytes.length, 20_000) : bytes.length;
        bytes[random.nextInt(end)] ^= (byte) (1 << random.nextInt(8));
        byte[] left = bytes;
        if (round % 10 == 9) {
          left = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        }
        Files.write(checkpoint(0), left);
        fixture.store = ObjectStore.open(fixture.settings);
        read += isComplete(fixture) ? 0 : 1;
        fixture.stepAll();
        assertEquals(OBJECTS, hits(fixture), "seed " + seed + "L, round " + round);
        assertEquals(List.of(), fixture.store.audit());
      }
      assertTrue(read > 10, "nothing was damaged");
    }
  }

  @Test
  void whatAWholeStripeSaysIsServedWhileTheDirectoriesAreRead() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture);
      fixture.store.close();
      fixture.loseMemory();
      byte[] bytes = Files.readAllBytes(checkpoint(0));
      // In the states of the regions, behind the copies.
      int regionsAt = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(88);
      bytes[regionsAt + 100] ^= 1;
      Files.write(checkpoint(0), bytes);
      fixture.store = ObjectStore.open(fixture.settings);
      assertFalse(isComplete(fixture));
      assertTrue(fixture.store.diskStats().getFirst().indexEntries() >= OBJECTS);
      fixture.stepAll();
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void aStartThatFailsLeavesTheCheckpoints() throws Exception {
    StoreSettings used;
    try (StoreFixture fixture = open(2)) {
      used = fixture.settings;
      fill(fixture);
    }
    StoreFixture.loseMemory(used);
    List<DeviceSettings> devices = new ArrayList<>(settings(2).disks().devices());
    devices.add(
        new DeviceSettings(
            "d2",
            directory.resolve("not/mounted"),
            32 << 20,
            1 << 20,
            1 << 18,
            4,
            1,
            3,
            10_000,
            0));
    StoreSettings wrong = settings(2).withDisks(DiskSettings.of(devices));
    for (int n = 0; n < 2; n++) {
      StoreException refused =
          assertThrows(StoreException.class, () -> new StoreFixture(wrong, clock).close());
      assertEquals(StoreException.Kind.NOT_WRITABLE, refused.kind());
    }
    try (StoreFixture fixture = open(2)) {
      assertTrue(isComplete(fixture), "directories are to be read");
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void aStopWithoutTimeLeavesNone() throws Exception {
    StoreSettings hasty = settings(1);
    hasty = hasty.withDisks(hasty.disks().withStopMillis(0));
    try (StoreFixture fixture = new StoreFixture(hasty, clock)) {
      fill(fixture);
      fixture.store.close();
      assertFalse(Files.exists(checkpoint(0)));
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      assertFalse(isComplete(fixture));
      fixture.stepAll();
      assertTrue(hits(fixture) > OBJECTS / 2);
    }
  }

  @Test
  void aHeadIsNotFoundBeforeItsSlicesAre() throws Exception {
    byte[] large = StoreFixture.body(7, 200_000);
    try (StoreFixture fixture = open(1)) {
      StoreLane lane = fixture.store.lane(0);
      assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/large", large, true));
      StoreLane.Found found = fixture.loaded(lane, () -> StoreFixture.find(lane, "/large"));
      assertEquals(StoreLane.Found.HIT, found);
      long id = lane.head().objectId();
      int slices = lane.head().sliceCount();
      lane.unpin(lane.head().region());
      fill(fixture);
      // The head becomes younger than its slices, by many regions of the disk.
      found = fixture.loaded(lane, () -> StoreFixture.find(lane, "/large"));
      assertEquals(StoreLane.Found.HIT, found);
      lane.unpin(lane.head().region());
      InstallOutcome refreshed =
          lane.refresh(StoreFixture.spec("/large", fixture.store.nextBirth(), -1), id);
      assertEquals(InstallOutcome.INSTALLED, refreshed);
      for (int n = 0; n < OBJECTS; n++) {
        InstallOutcome ignored = fixture.put(lane, "/more/" + n, body(n), true);
        fixture.steps(20);
      }
      settle(fixture);
      fixture.store.abandon();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      StoreLane after = fixture.store.lane(0);
      int misses = 0;
      while (!isComplete(fixture)) {
        boolean ignored = fixture.store.step();
        if (StoreFixture.find(after, "/large") == StoreLane.Found.MISS) {
          misses++;
        } else {
          for (int slice = 0; slice < slices; slice++) {
            assertEquals(StoreLane.Found.ON_DISK, after.findSlice(id, slice), "slice " + slice);
          }
        }
      }
      assertTrue(misses > 0, "found before anything was read");
      assertArrayEquals(large, fixture.read(after, "/large"));
    }
  }
}
