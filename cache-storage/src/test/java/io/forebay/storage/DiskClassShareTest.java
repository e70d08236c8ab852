package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.Purge;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Quotas and floors of storage classes on disks, over several turns of their logs. */
@Tag("slow")
class DiskClassShareTest extends DiskStores {
  private static final int BODY = 20_000;
  private static final int DISK_REGION = 1 << 20;

  /** More objects than a disk holds. */
  private static final int TURN = DISK / BODY;

  private StoreFixture open(int disks, StorageClass... classes) throws StoreException {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disks; n++) {
      devices.add(device("d" + n));
    }
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(place().resolve("data"), MEMORY, 1, () -> 0)
                .withMemoryDirectory(place().resolve("memory"))
                .withSizes(REGION, 20_000, 64)
                .withLockMemory(false)
                .withClasses(List.of(classes))
                .withDisks(DiskSettings.of(devices).withOpener(simulated)),
            clock);
    fixture.stepAll();
    return fixture;
  }

  private static StorageClass shares(String name, int quota, int floor) {
    return StorageClass.of(name, Tier.DEFAULT).withDiskShares(quota, floor);
  }

  private static byte[] body(String name) {
    return StoreFixture.body(name.hashCode(), BODY);
  }

  private static void put(StoreFixture fixture, String storageClass, String name) {
    int number = fixture.store.classes().number(storageClass);
    assertEquals(storageClass.equals("default"), number == 0, storageClass);
    HeadSpec spec = StoreFixture.spec(name, fixture.store.nextBirth(), BODY).inClass(number);
    ObjectWriter writer = fixture.store.lane(0).begin(spec, true);
    assertNotNull(writer, name);
    assertTrue(writer.append(ByteBuffer.wrap(body(name))), name);
    assertEquals(InstallOutcome.INSTALLED, writer.finish(), name);
    fixture.steps(20);
  }

  private static void put(
      StoreFixture fixture, String storageClass, String prefix, int from, int to) {
    for (int n = from; n < to; n++) {
      put(fixture, storageClass, prefix + n);
    }
  }

  /** Objects of two classes in turn. */
  private static void putBoth(StoreFixture fixture, String one, String other, int from, int to) {
    for (int n = from; n < to; n++) {
      put(fixture, one, "/" + one + n);
      put(fixture, other, "/" + other + n);
    }
  }

  private static int hits(StoreFixture fixture, String prefix, int from, int to) {
    int hits = 0;
    for (int n = from; n < to; n++) {
      byte[] found = fixture.read(fixture.store.lane(0), prefix + n);
      if (found != null) {
        assertArrayEquals(body(prefix + n), found, prefix + n);
        hits++;
      }
      fixture.steps(20);
    }
    return hits;
  }

  private static StorageClassStats stats(StoreFixture fixture, String name) {
    return fixture.store.classStats().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static long diskBytes(StoreFixture fixture, String name) {
    return stats(fixture, name).diskBytes();
  }

  private static long writtenBytes(StoreFixture fixture) {
    return fixture.store.diskStats().stream().mapToLong(DiskStats::writtenBytes).sum();
  }

  // --- quota -------------------------------------------------------------------------------------

  @Test
  void aClassMayTakeWhatNobodyElseNeeds() throws Exception {
    try (StoreFixture fixture = open(1, shares("greedy", 30, 0))) {
      put(fixture, "greedy", "/g", 0, TURN * 3 / 4);
      settle(fixture);
      StorageClassStats greedy = stats(fixture, "greedy");
      assertTrue(greedy.diskBytes() > greedy.diskQuotaBytes() * 3 / 2, greedy.toString());
      assertEquals(0, greedy.diskRefused());
    }
  }

  @Test
  void aClassOverItsQuotaGivesWayToOthersWithinOneTurn() throws Exception {
    try (StoreFixture fixture = open(1, shares("greedy", 30, 0))) {
      put(fixture, "greedy", "/first", 0, 2 * TURN);
      long alone = diskBytes(fixture, "greedy");
      putBoth(fixture, "greedy", "default", 0, 2 * TURN);
      settle(fixture);
      StorageClassStats greedy = stats(fixture, "greedy");
      assertTrue(alone > 2 * greedy.diskQuotaBytes(), alone + " before " + greedy);
      assertTrue(
          greedy.diskBytes() <= greedy.diskQuotaBytes() + 2 * DISK_REGION, greedy.toString());
      assertTrue(greedy.diskBytes() >= greedy.diskQuotaBytes() / 2, greedy.toString());
      assertTrue(greedy.diskRefused() > 0, greedy.toString());
      int others = (int) (DISK * 45L / 100 / (BODY + 1_000));
      assertEquals(others, hits(fixture, "/default", 2 * TURN - others, 2 * TURN));
    }
  }

  @Test
  void aClassThatFillsADiskAloneGoesOnReplacingItsOldestObjects() throws Exception {
    try (StoreFixture fixture = open(1, shares("greedy", 30, 0))) {
      put(fixture, "greedy", "/g", 0, 4 * TURN);
      settle(fixture);
      int latest = TURN / 2;
      assertEquals(latest, hits(fixture, "/g", 4 * TURN - latest, 4 * TURN));
      assertEquals(0, hits(fixture, "/g", 0, TURN));
    }
  }

  @Test
  void whatAClassOverItsQuotaWritesDoesNotPushOthersOut() throws Exception {
    int others = TURN / 5;
    try (StoreFixture fixture = open(1, shares("greedy", 60, 0))) {
      put(fixture, "default", "/o", 0, others);
      put(fixture, "greedy", "/g", 0, 5 * TURN);
      settle(fixture);
      assertEquals(others, hits(fixture, "/o", 0, others), "never requested");
      assertEquals(TURN / 4, hits(fixture, "/g", 5 * TURN - TURN / 4, 5 * TURN));
    }
  }

  @Test
  @Tag("full")
  void aClassWithinItsQuotaIsTreatedLikeOthers() throws Exception {
    try (StoreFixture fixture = open(1, shares("modest", 80, 0))) {
      putBoth(fixture, "modest", "default", 0, 2 * TURN);
      settle(fixture);
      long bytes = diskBytes(fixture, "modest");
      assertTrue(bytes > DISK * 4L / 10 && bytes < DISK * 6L / 10, bytes + " of " + DISK);
      assertEquals(0, stats(fixture, "modest").diskRefused());
    }
  }

  @Test
  @Tag("full")
  void aReloadLowersAQuotaOfWhatIsStored() throws Exception {
    try (StoreFixture fixture = open(1, shares("greedy", 100, 0))) {
      putBoth(fixture, "greedy", "default", 0, 2 * TURN);
      long before = diskBytes(fixture, "greedy");
      assertTrue(before > DISK * 4L / 10, before + " of " + DISK);
      fixture.store.configure(List.of(shares("greedy", 10, 0)));
      putBoth(fixture, "greedy", "default", 2 * TURN, 4 * TURN);
      settle(fixture);
      StorageClassStats greedy = stats(fixture, "greedy");
      assertTrue(
          greedy.diskBytes() <= greedy.diskQuotaBytes() + 2 * DISK_REGION, greedy.toString());
    }
  }

  // --- floor -------------------------------------------------------------------------------------

  @Test
  @Tag("full")
  void aFloorIsKeptOverTurnsOfTheLog() throws Exception {
    try (StoreFixture fixture = open(1, shares("small", 100, 30))) {
      int count = (int) (DISK * 28L / 100 / (BODY + 1_000));
      put(fixture, "small", "/s", 0, count);
      put(fixture, "default", "/d", 0, 5 * TURN);
      settle(fixture);
      assertEquals(count, hits(fixture, "/s", 0, count), "never requested before");
      assertEquals(TURN / 4, hits(fixture, "/d", 5 * TURN - TURN / 4, 5 * TURN));
    }
  }

  @Test
  void aboveItsFloorAClassIsTreatedLikeOthers() throws Exception {
    try (StoreFixture fixture = open(1, shares("small", 100, 10))) {
      put(fixture, "small", "/s", 0, TURN / 2);
      put(fixture, "default", "/d", 0, 4 * TURN);
      settle(fixture);
      StorageClassStats small = stats(fixture, "small");
      // A copy that finds no room leaves.
      assertTrue(
          small.diskBytes() >= small.diskFloorBytes() - BODY
              && small.diskBytes() <= small.diskFloorBytes() + DISK_REGION,
          small.toString());
      long left = (long) hits(fixture, "/s", 0, TURN / 2) * BODY;
      assertTrue(left >= small.diskFloorBytes() * 9 / 10 - 2 * BODY, left + " of " + small);
    }
  }

  @Test
  void aFloorDoesNotKeepWhatIsPurgedOrLongExpired() throws Exception {
    try (StoreFixture fixture = open(1, shares("small", 100, 30))) {
      put(fixture, "small", "/s", 0, 100);
      put(fixture, "default", "/d", 0, TURN / 2);
      fixture.store.purge(Purge.everything(false, "all"));
      settle(fixture);
      put(fixture, "small", "/t", 0, 100);
      put(fixture, "default", "/e", 0, TURN / 2);
      settle(fixture);
      // Objects expire a second after their birth; disks keep them a day longer.
      clock.addAndGet(2 * 86_400_000L);
      put(fixture, "default", "/f", 0, 3 * TURN);
      settle(fixture);
      assertEquals(0, diskBytes(fixture, "small"));
      assertEquals(0, hits(fixture, "/s", 0, 100) + hits(fixture, "/t", 0, 100));
    }
  }

  @Test
  @Tag("full")
  void spaceIsFoundWhenFloorsWouldKeepAllOfTheDisk() throws Exception {
    try (StoreFixture fixture = open(1, shares("a", 100, 60), shares("b", 100, 60))) {
      for (int turn = 0; turn < 4; turn++) {
        putBoth(fixture, "a", "b", turn * TURN, (turn + 1) * TURN);
        settle(fixture);
      }
      assertEquals(50, hits(fixture, "/b", 4 * TURN - 50, 4 * TURN));
      long written = writtenBytes(fixture);
      clock.addAndGet(60_000);
      fixture.stepAll();
      assertTrue(writtenBytes(fixture) < written + DISK_REGION, "it comes to rest");
    }
  }

  // --- over restarts -----------------------------------------------------------------------------

  @Test
  void everyStartKnowsWhatClassesTake() throws Exception {
    try (StoreFixture fixture = open(2, shares("a", 60, 10), shares("b", 100, 20))) {
      putBoth(fixture, "a", "b", 0, TURN);
      settle(fixture);
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      long a = diskBytes(fixture, "a");
      long b = diskBytes(fixture, "b");
      assertTrue(a > 10 << 20 && b > 10 << 20, a + " and " + b);

      fixture.store.close();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(a, diskBytes(fixture, "a"), "by the checkpoint, at once");
      assertEquals(b, diskBytes(fixture, "b"));

      fixture.store.close();
      for (int n = 0; n < 2; n++) {
        Path checkpoint = directory.resolve("d" + n).resolve("disk.checkpoint");
        assertTrue(Files.deleteIfExists(checkpoint));
      }
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(a, diskBytes(fixture, "a"), "by the directories, with a table that is whole");
      assertEquals(b, diskBytes(fixture, "b"));

      fixture.store.abandon();
      fixture.loseMemory();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(a, diskBytes(fixture, "a"), "by the directories, after a kill");
      assertEquals(b, diskBytes(fixture, "b"));
    }
  }

  @Test
  void classesThatAreConfiguredLaterAreCountedToo() throws Exception {
    try (StoreFixture fixture = open(1, shares("a", 60, 10))) {
      put(fixture, "a", "/a", 0, TURN / 2);
      settle(fixture);
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      long bytes = diskBytes(fixture, "a");
      // A start and a stop without any class: the checkpoint says nothing of them.
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings.withClasses(List.of()));
      fixture.stepAll();
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(bytes, diskBytes(fixture, "a"));
    }
  }

  @Tag("full")
  @Test
  void anEvacuationTakesTheFloorOfAClassAlong() throws Exception {
    try (StoreFixture fixture = open(2, shares("small", 100, 20))) {
      int count = (int) (DISK * 30L / 100 / (BODY + 1_000));
      put(fixture, "small", "/s", 0, count);
      put(fixture, "default", "/d", 0, 5 * TURN);
      settle(fixture);
      fixture.store.evacuate("d1");
      settle(fixture);
      assertEquals("evacuated", fixture.store.diskStats().getLast().state());
      StorageClassStats small = stats(fixture, "small");
      assertTrue(small.diskFloorBytes() < DISK / 4, "of the disk that is left: " + small);
      assertTrue(small.diskBytes() >= small.diskFloorBytes() - DISK_REGION, small.toString());
    }
  }
}
