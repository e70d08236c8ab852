package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects that the tables of disks cannot tell apart: they cost each other a place, and no copy
 * that was replaced, invalidated or purged comes back, whatever the stop.
 */
@Tag("slow")
class DiskCollisionTest {
  private static final int MEMORY = 4 << 20;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  private StoreFixture open(int disks, KeyHash keyHash) throws StoreException {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disks; n++) {
      devices.add(
          new DeviceSettings(
              "d" + n, directory.resolve("d" + n), 16 << 20, 1 << 19, 1 << 17, 4, 1, 5, 10_000, 0));
    }
    return new StoreFixture(
        StoreSettings.of(directory.resolve("data"), MEMORY, 1, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 18, 40_000, 64)
            .withLockMemory(false)
            .withPurges(64, 1000, 1 << 16)
            .withDisks(DiskSettings.of(devices).withKeyHash(keyHash).withRecoveryThreads(3)),
        clock);
  }

  private static KeyHash ofBits(int bits) {
    return (high, low) -> Layouts.mix(Layouts.mix(high ^ low) & (1L << bits) - 1);
  }

  private static String name(int n) {
    return "/object/" + n;
  }

  private static long high(String name) {
    return StoreFixture.scope("hi" + name);
  }

  private static long low(String name) {
    return StoreFixture.scope("lo" + name);
  }

  private void settle(StoreFixture fixture) {
    clock.addAndGet(6_000);
    fixture.stepAll();
  }

  private void restart(StoreFixture fixture, boolean isClean, boolean isMemoryLost)
      throws Exception {
    if (isClean) {
      fixture.store.close();
    } else {
      settle(fixture);
      fixture.store.abandon();
    }
    if (isMemoryLost) {
      try (Stream<Path> files = Files.list(directory.resolve("memory"))) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
    fixture.store = ObjectStore.open(fixture.settings);
  }

  private static long collisions(StoreFixture fixture) {
    return fixture.store.diskStats().stream().mapToLong(DiskStats::indexCollisions).sum();
  }

  private void require(StoreFixture fixture) {
    for (DiskStats disk : fixture.store.diskStats()) {
      assertEquals("online", disk.state(), disk::toString);
      assertEquals(0, disk.errors() + disk.checksumFailures(), disk::toString);
    }
  }

  @Tag("full")
  @Test
  void noOldCopyReturnsWhateverTheStop() throws Exception {
    for (int bits : new int[] {4, 8, 10}) {
      run(bits, new SplittableRandom().nextLong());
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private void run(int bits, long seed) throws Exception {
    System.out.println("DiskCollisionTest seed " + seed + "L, " + bits + " bits");
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, byte[]> latest = new HashMap<>();
    int hits = 0;
    long collisions = 0;
    try (StoreFixture fixture = open(2, ofBits(bits))) {
      for (int n = 0; n < 6_000; n++) {
        StoreLane lane = fixture.store.lane(0);
        String name = name(random.nextInt(600));
        clock.addAndGet(random.nextInt(3));
        int dice = random.nextInt(1000);
        if (dice < 400) {
          byte[] body = StoreFixture.body(random.nextLong(), random.nextInt(50_000));
          InstallOutcome outcome = fixture.put(lane, name, body, true, "tag" + name.hashCode() % 5);
          if (outcome == InstallOutcome.INSTALLED) {
            latest.put(name, body);
          }
        } else if (dice < 420) {
          if (lane.invalidate(high(name), low(name))) {
            latest.remove(name);
          }
        } else if (dice < 425) {
          long scope = StoreFixture.scope(name);
          fixture.store.purge(new Purge(PurgeKind.URL, new long[] {scope}, false, ""));
          latest.remove(name);
        } else if (dice < 800) {
          byte[] found = fixture.read(lane, name);
          if (found != null) {
            hits++;
            assertNotNull(latest.get(name), "seed " + seed + "L: " + name + " came back");
            assertArrayEquals(latest.get(name), found, "seed " + seed + "L: " + name);
          }
        } else if (dice < 996) {
          fixture.steps(20);
        } else {
          collisions += collisions(fixture);
          restart(fixture, random.nextBoolean(), random.nextBoolean());
          fixture.steps(random.nextInt(200));
        }
      }
      settle(fixture);
      require(fixture);
      collisions += collisions(fixture);
      System.out.println("  " + hits + " hits, " + collisions + " collisions");
      assertTrue(collisions > 10, collisions + " collisions, seed " + seed + "L");
      assertTrue(hits > 50, hits + " hits, seed " + seed + "L");
    }
  }

  /** The first name whose key has the same number as another name's. */
  private static String twin(KeyHash keyHash, String of) {
    for (int n = 0; ; n++) {
      String name = "/twin/" + n;
      if (keyHash.of(high(name), low(name)) == keyHash.of(high(of), low(of))) {
        return name;
      }
    }
  }

  private void evictAll(StoreFixture fixture) {
    for (int n = 0; n < 400; n++) {
      InstallOutcome ignored =
          fixture.put(fixture.store.lane(0), "/other/" + n, new byte[20_000], true);
      fixture.steps(20);
    }
    settle(fixture);
  }

  @Test
  void aRecordThatGaveWayIsAMissAndStaysDeadAfterItWasStoredAnew() throws Exception {
    KeyHash keyHash = ofBits(20);
    String one = "/one";
    String two = twin(keyHash, one);
    byte[] first = StoreFixture.body(1, 10_000);
    byte[] second = StoreFixture.body(2, 10_000);
    try (StoreFixture fixture = open(1, keyHash)) {
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), one, first, true));
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), two, first, true));
      evictAll(fixture);
      assertNull(fixture.read(fixture.store.lane(0), one), "born first");
      assertArrayEquals(first, fixture.read(fixture.store.lane(0), two));
      evictAll(fixture);
      // Replaced with nothing in the table that is its own, and lost again.
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), one, second, true));
      restart(fixture, false, true);
      fixture.stepAll();
      assertNull(fixture.read(fixture.store.lane(0), one));
      assertNull(fixture.read(fixture.store.lane(0), two), "it could have been the older one");
      require(fixture);
    }
  }

  @Test
  void aLookUpThatIsLedToAnotherObjectIsAMissAndNoDamage() throws Exception {
    KeyHash keyHash = ofBits(20);
    String one = "/one";
    String two = twin(keyHash, one);
    byte[] body = StoreFixture.body(1, 10_000);
    try (StoreFixture fixture = open(1, keyHash)) {
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), two, body, true));
      evictAll(fixture);
      StoreLane lane = fixture.store.lane(0);
      for (int n = 0; n < 10; n++) {
        assertEquals(StoreLane.Found.ON_DISK, StoreFixture.find(lane, one));
        assertNull(fixture.read(lane, one));
      }
      require(fixture);
      assertArrayEquals(body, fixture.read(lane, two), "the other one is still there");
    }
  }

  @Test
  void whatAnotherObjectsInvalidationCostDoesNotComeBackEither() throws Exception {
    KeyHash keyHash = ofBits(20);
    String one = "/one";
    String two = twin(keyHash, one);
    byte[] body = StoreFixture.body(1, 10_000);
    try (StoreFixture fixture = open(1, keyHash)) {
      assertEquals(InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), two, body, true));
      evictAll(fixture);
      assertTrue(fixture.store.lane(0).invalidate(high(one), low(one)));
      assertNull(fixture.read(fixture.store.lane(0), two));
      for (boolean isMemoryLost : new boolean[] {false, true}) {
        restart(fixture, false, isMemoryLost);
        fixture.stepAll();
        assertNull(fixture.read(fixture.store.lane(0), two));
      }
    }
  }

  @Test
  void aCleanStopKeepsTheTables() throws Exception {
    try (StoreFixture fixture = open(2, KeyHash.STANDARD)) {
      evictAll(fixture);
      long entries = fixture.store.stats().indexEntries();
      assertTrue(fixture.store.diskStats().stream().allMatch(disk -> disk.indexEntries() > 0));
      Map<String, Long> before = new HashMap<>();
      fixture.store.diskStats().forEach(disk -> before.put(disk.name(), disk.indexEntries()));
      restart(fixture, true, false);
      fixture
          .store
          .diskStats()
          .forEach(disk -> assertEquals(before.get(disk.name()), disk.indexEntries()));
      fixture.stepAll();
      assertEquals(entries, fixture.store.stats().indexEntries());
      int hits = 0;
      for (int n = 0; n < 400; n++) {
        hits += fixture.read(fixture.store.lane(0), "/other/" + n) != null ? 1 : 0;
      }
      assertEquals(400, hits);
    }
  }

  @Test
  void aDamagedOrMissingTableIsRebuilt() throws Exception {
    try (StoreFixture fixture = open(1, KeyHash.STANDARD)) {
      evictAll(fixture);
      for (boolean isMissing : new boolean[] {true, false}) {
        fixture.store.close();
        Path table;
        try (Stream<Path> files = Files.list(directory.resolve("memory"))) {
          table = files.filter(one -> one.toString().endsWith(".index")).findFirst().orElseThrow();
        }
        if (isMissing) {
          Files.delete(table);
        } else {
          byte[] bytes = Files.readAllBytes(table);
          bytes[bytes.length / 2] ^= 4;
          Files.write(table, bytes);
        }
        fixture.store = ObjectStore.open(fixture.settings);
        assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
        fixture.stepAll();
        int hits = 0;
        for (int n = 0; n < 400; n++) {
          hits += fixture.read(fixture.store.lane(0), "/other/" + n) != null ? 1 : 0;
        }
        assertEquals(400, hits);
      }
    }
  }

  @Test
  void aTableThatIsCutWhileItIsUsedIsALossOfMemoryUntilTheNextStart() throws Exception {
    try (StoreFixture fixture = open(1, KeyHash.STANDARD)) {
      evictAll(fixture);
      Path table;
      try (Stream<Path> files = Files.list(directory.resolve("memory"))) {
        table = files.filter(one -> one.toString().endsWith(".index")).findFirst().orElseThrow();
      }
      try (FileChannel channel = FileChannel.open(table, StandardOpenOption.WRITE)) {
        channel.truncate(4096);
      }
      assertTrue(!fixture.store.step() && fixture.store.isMemoryLost());
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(fixture.store.lane(0), "/other/1"));
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertNotNull(fixture.read(fixture.store.lane(0), "/other/1"), "the disk has it");
    }
  }
}
