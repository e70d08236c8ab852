package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeGap;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * More objects of a disk die than there is space for tombstones, waiting or at a start: nothing
 * else on that disk is lost, and none of them returns.
 */
@Tag("slow")
class DiskSweepTest {
  private static final int PURGED = 3_000;
  private static final int OTHERS = 500;
  private static final int WAITING = 128;
  private static final int KNOWN = 100;
  private static final int FILLER = 10_000;
  private static final long SWEPT_AFTER_MILLIS = 1_000;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final long seed = new SplittableRandom().nextLong();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final SimulatedDisk simulated = new SimulatedDisk(clock, random.split());

  /** How a run ends. */
  enum Stop {
    CLEAN,
    KILL,
    POWER_CUT
  }

  private StoreFixture open() throws StoreException {
    System.out.println("DiskSweepTest seed " + seed + "L");
    DeviceSettings device =
        new DeviceSettings(
                "d0", directory.resolve("d0"), 48 << 20, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0)
            .withTombstones(WAITING, KNOWN);
    return open(4 << 20, 20_000, DiskSettings.of(List.of(device)).withOpener(simulated));
  }

  private StoreFixture open(long memory, int entries, DiskSettings disks) throws StoreException {
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), memory, 1, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(1 << 18, entries, 64)
                .withLockMemory(false)
                .withPurges(64, SWEPT_AFTER_MILLIS, 1 << 16)
                .withDisks(disks.with(DiskSettings.Admission.ALWAYS, 0)),
            clock);
    fixture.stepAll();
    return fixture;
  }

  private static String purged(int n) {
    return "/purged/" + n;
  }

  private static String other(int n) {
    return "/other/" + n;
  }

  private static byte[] body(String name, int length) {
    return StoreFixture.body(name.hashCode(), length);
  }

  private static void put(StoreFixture fixture, String name, int length, String tag) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), name, body(name, length), true, tag));
    fixture.steps(4);
  }

  /** Both kinds, mixed, so that they share pages; and then so much that both leave memory. */
  private static void fill(StoreFixture fixture, int purged, int others, int length) {
    int every = purged / others;
    for (int n = 0; n < purged; n++) {
      put(fixture, purged(n), length, "purged");
      if (n % every == 0 && n / every < others) {
        put(fixture, other(n / every), length, "other");
      }
    }
    for (int n = 0; n * FILLER < 24 << 20; n++) {
      put(fixture, "/filler/" + n, FILLER, "filler");
      fixture.steps(20);
    }
    settle(fixture);
  }

  private static void settle(StoreFixture fixture) {
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  private static void purge(StoreFixture fixture) throws Exception {
    fixture.store.purge(
        new Purge(PurgeKind.PREFIX, new long[] {StoreFixture.scope("purged")}, false, "/purged/"));
  }

  private void stop(StoreFixture fixture, Stop stop) throws Exception {
    if (stop == Stop.CLEAN) {
      fixture.store.close();
    } else {
      fixture.store.abandon();
      if (stop == Stop.POWER_CUT) {
        simulated.cutPower();
      }
    }
    // So that the directories are read.
    try (Stream<Path> files = Files.walk(directory.resolve("memory"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    fixture.store = ObjectStore.open(fixture.settings);
    fixture.stepAll();
  }

  private static int others(StoreFixture fixture, int others, int length) {
    int hits = 0;
    for (int n = 0; n < others; n++) {
      byte[] found = fixture.read(fixture.store.lane(0), other(n));
      if (found != null) {
        assertArrayEquals(body(other(n), length), found, other(n));
        hits++;
      }
      fixture.steps(4);
    }
    return hits;
  }

  private void assertPurgedAreGone(StoreFixture fixture, int purged) {
    for (int n = 0; n < purged; n++) {
      assertNull(fixture.read(fixture.store.lane(0), purged(n)), purged(n) + ", seed " + seed);
      fixture.steps(4);
    }
  }

  private static boolean isRetired(StoreFixture fixture) {
    return fixture.store.stats().purgeScopes() == 0;
  }

  /** Steps until the purge is forgotten, but no further than a second of trying. */
  private static void sweep(StoreFixture fixture) {
    for (int n = 0; n < 1_000 && !isRetired(fixture); n++) {
      fixture.clock.addAndGet(SWEPT_AFTER_MILLIS);
      fixture.steps(1_000);
    }
    assertTrue(isRetired(fixture), "the purge is still in force");
  }

  @ParameterizedTest
  @EnumSource
  void aPurgeOfMoreThanMayWaitLeavesAllElse(Stop stop) throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      purge(fixture);
      sweep(fixture);
      assertPurgedAreGone(fixture, PURGED);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      stop(fixture, stop);
      assertPurgedAreGone(fixture, PURGED);
      // Of what was forced with the sweep a power cut takes nothing.
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
    }
  }

  /** The floor of purges that may have been missed is never forgotten, so records need no mark. */
  @Test
  void aSweepLeavesWhatIsToBeValidated() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      long floor =
          fixture.store.replicatedPurges().skipTo(new PurgePosition(1, 2, 3), PurgeGap.REVALIDATE);
      purge(fixture);
      sweep(fixture);
      assertPurgedAreGone(fixture, PURGED);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      StoreLane lane = fixture.store.lane(0);
      // From a disk, from the index and from the near-index.
      for (int n = 0; n < 3; n++) {
        assertNotNull(fixture.read(lane, other(7)));
        assertTrue(lane.head().birth() < floor);
        assertTrue(lane.head().softPurged() && lane.head().mustValidate(), "look " + n);
        fixture.stepAll();
      }
      put(fixture, other(7), 2_000, "other");
      assertNotNull(fixture.read(lane, other(7)));
      assertFalse(lane.head().softPurged() || lane.head().mustValidate());
      stop(fixture, Stop.KILL);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      assertNotNull(fixture.read(fixture.store.lane(0), other(8)));
      assertTrue(fixture.store.lane(0).head().mustValidate(), "after a restart");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void aPurgeStaysInForceWhenTheSweepIsCutOff(Stop stop) throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      purge(fixture);
      simulated.writeBack();
      int least = OTHERS;
      for (int round = 0; round < 10; round++) {
        fixture.clock.addAndGet(SWEPT_AFTER_MILLIS);
        fixture.steps(random.nextInt(60));
        stop(fixture, stop);
        least = Math.min(least, others(fixture, OTHERS, 2_000));
      }
      assertPurgedAreGone(fixture, PURGED);
      // Pages that were written and not forced may be lost with the power, first pages never.
      assertTrue(
          stop == Stop.POWER_CUT ? least > OTHERS / 20 : least == OTHERS,
          least + " others left, seed " + seed);
      sweep(fixture);
      stop(fixture, Stop.KILL);
      assertPurgedAreGone(fixture, PURGED);
      assertEquals(least, others(fixture, OTHERS, 2_000), "seed " + seed);
    }
  }

  @Test
  void whatWasReplacedStaysDeadWhenTheSweepLosesItsPower() throws Exception {
    powerCutsOverReplaced();
  }

  private void powerCutsOverReplaced() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      byte[] second = StoreFixture.body(99, 3_000);
      for (int n = 0; n < OTHERS; n++) {
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture.put(fixture.store.lane(0), other(n), second, true, "other"));
        fixture.steps(20);
      }
      settle(fixture);
      simulated.writeBack();
      purge(fixture);
      for (int round = 0; round < 10; round++) {
        fixture.clock.addAndGet(SWEPT_AFTER_MILLIS);
        fixture.steps(random.nextInt(60));
        stop(fixture, Stop.POWER_CUT);
        for (int n = 0; n < OTHERS; n++) {
          byte[] found = fixture.read(fixture.store.lane(0), other(n));
          if (found != null) {
            assertArrayEquals(second, found, other(n) + ", seed " + seed);
          }
          fixture.steps(4);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CLEAN", "KILL"})
  void moreReplacedAtOnceThanMayWaitCostsNothingElse(Stop stop) throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      for (int n = 0; n < 10 * WAITING; n++) {
        // Nothing is written meanwhile.
        assertTrue(
            fixture
                .store
                .lane(0)
                .invalidate(
                    StoreFixture.scope("hi" + purged(n)), StoreFixture.scope("lo" + purged(n))));
      }
      if (stop == Stop.KILL) {
        settle(fixture);
      }
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      stop(fixture, stop);
      assertPurgedAreGone(fixture, 10 * WAITING);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      for (int n = 10 * WAITING; n < PURGED; n++) {
        assertArrayEquals(
            body(purged(n), 2_000), fixture.read(fixture.store.lane(0), purged(n)), purged(n));
        fixture.steps(4);
      }
    }
  }

  @Test
  void moreTombstonesThanAStartKeepsCostsNothingElse() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      for (int n = 0; n < 10 * KNOWN; n++) {
        assertTrue(
            fixture
                .store
                .lane(0)
                .invalidate(
                    StoreFixture.scope("hi" + purged(n)), StoreFixture.scope("lo" + purged(n))));
        if (n % (WAITING / 2) == 0) {
          settle(fixture);
        }
      }
      settle(fixture);
      stop(fixture, Stop.KILL);
      assertPurgedAreGone(fixture, 10 * KNOWN);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
      for (int n = 10 * KNOWN; n < PURGED; n++) {
        assertArrayEquals(
            body(purged(n), 2_000), fixture.read(fixture.store.lane(0), purged(n)), purged(n));
        fixture.steps(4);
      }
    }
  }

  @Test
  void aPageThatCannotBeWrittenHasTombstonesForItsDead() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      purge(fixture);
      fixture.clock.addAndGet(SWEPT_AFTER_MILLIS);
      long writes = fixture.store.diskStats().getFirst().writes();
      for (int n = 0; n < 10_000 && fixture.store.diskStats().getFirst().writes() == writes; n++) {
        boolean ignored = fixture.store.step();
      }
      // The sweep has begun to write pages.
      simulated.failWrites.set(1);
      sweep(fixture);
      assertEquals(1, fixture.store.diskStats().getFirst().errors());
      stop(fixture, Stop.KILL);
      assertPurgedAreGone(fixture, PURGED);
      assertEquals(OTHERS, others(fixture, OTHERS, 2_000));
    }
  }

  /** Earlier versions put tombstones and records on the same pages. */
  @Test
  void aPageThatHoldsTombstonesIsNotWrittenAgain() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture, PURGED, OTHERS, 2_000);
      fixture.store.close();
      int page = mixedPage();
      byte[] before = page(page);
      fixture.store = ObjectStore.open(fixture.settings);
      stop(fixture, Stop.KILL);
      assertNull(fixture.read(fixture.store.lane(0), other(0)), "its tombstone is not read");
      purge(fixture);
      sweep(fixture);
      stop(fixture, Stop.KILL);
      assertArrayEquals(before, page(page));
      assertPurgedAreGone(fixture, PURGED);
      assertNull(fixture.read(fixture.store.lane(0), other(0)));
      assertEquals(OTHERS - 2, others(fixture, OTHERS, 2_000));
    }
  }

  private byte[] page(int at) {
    byte[] page = new byte[DirectoryPage.LENGTH];
    simulated.bytes("d0").get(at, page);
    return page;
  }

  /** Makes a tombstone of the first object out of another one's entry beside a purged one's. */
  private int mixedPage() {
    ByteBuffer bytes = simulated.bytes("d0");
    Set<Long> purged = new HashSet<>();
    for (int n = 0; n < PURGED; n++) {
      purged.add(StoreFixture.scope("hi" + purged(n)));
    }
    Map<Long, Integer> others = new HashMap<>();
    for (int n = 1; n < OTHERS; n++) {
      others.put(StoreFixture.scope("hi" + other(n)), n);
    }
    int region = 1 << 20;
    for (int end = DeviceHeader.LENGTH + region; end <= bytes.capacity(); end += region) {
      int page = end - 2 * DirectoryPage.LENGTH;
      boolean hasPurged = false;
      int candidate = -1;
      int at = page + DirectoryPage.ENTRIES_OFFSET;
      int count =
          bytes.getInt(page + DirectoryPage.MAGIC_OFFSET) == DirectoryPage.MAGIC
              ? bytes.getInt(page + DirectoryPage.COUNT_OFFSET)
              : 0;
      for (int n = 0; n < count; n++) {
        long key = bytes.getLong(at + DirectoryPage.KEY_HIGH);
        hasPurged |= purged.contains(key);
        candidate = others.containsKey(key) ? at : candidate;
        at += DirectoryPage.ENTRY_LENGTH + bytes.getShort(at + DirectoryPage.WORDS) * Long.BYTES;
      }
      if (hasPurged && candidate >= 0) {
        bytes.put(candidate + DirectoryPage.KIND, DirectoryPage.KIND_TOMBSTONE);
        bytes.putLong(candidate + DirectoryPage.KEY_HIGH, StoreFixture.scope("hi" + other(0)));
        bytes.putLong(candidate + DirectoryPage.KEY_LOW, StoreFixture.scope("lo" + other(0)));
        seal(bytes, page);
        return page;
      }
    }
    throw new AssertionError("no page holds both");
  }

  private static void seal(ByteBuffer bytes, int page) {
    CRC32C crc = new CRC32C();
    crc.update(
        ByteBuffer.allocate(Long.BYTES).putLong(0, bytes.getLong(DeviceHeader.DEVICE_OFFSET)));
    crc.update(
        bytes.slice(
            page + DirectoryPage.GENERATION_OFFSET,
            DirectoryPage.LENGTH - DirectoryPage.GENERATION_OFFSET));
    bytes.putInt(page + DirectoryPage.CRC_OFFSET, (int) crc.getValue());
  }

  @RepeatedTest(40)
  @Tag("campaign")
  void whatWasReplacedStaysDeadOverManySweeps() throws Exception {
    powerCutsOverReplaced();
  }

  @Test
  @Tag("campaign")
  void aPurgeOf340000ObjectsLeavesAllElse() throws Exception {
    int purged = 340_000;
    int others = 20_000;
    DeviceSettings device =
        new DeviceSettings(
            "d0", directory.resolve("d0"), 512 << 20, 4 << 20, 1 << 20, 4, 1, 3, 10_000, 0);
    try (StoreFixture fixture = open(12 << 20, 600_000, DiskSettings.of(List.of(device)))) {
      fill(fixture, purged, others, 300);
      // Not read before: what is in memory would hide what the disk has lost.
      purge(fixture);
      sweep(fixture);
      assertEquals(others, others(fixture, others, 300), "others after the sweep");
      for (Stop stop : List.of(Stop.CLEAN, Stop.KILL)) {
        stop(fixture, stop);
        assertPurgedAreGone(fixture, purged);
        assertEquals(others, others(fixture, others, 300), "others after " + stop);
      }
    }
  }
}
