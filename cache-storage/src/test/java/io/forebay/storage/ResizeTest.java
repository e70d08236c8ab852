package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.storage.StoreSettings.MiddleTier;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.evict.ResizeStats;
import io.forebay.storage.inspect.StoreCensus;
import io.forebay.storage.inspect.Tier;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.memory.Blocks;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeTest;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.TierGeometry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A memory tier on a tmpfs that gives regions back to the kernel and takes them again. */
@Tag("slow")
class ResizeTest {
  private static final int REGION = 256 << 10;
  private static final int COUNT = 64;
  private static final long TIER = TierHeader.LENGTH + (long) COUNT * REGION;
  private static final int NAMES = 600;

  @TempDir Path directory;
  private Path shared;
  private Path memory;

  @BeforeEach
  void placeTheTier() throws IOException {
    shared = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-resize-");
    memory = Files.createDirectory(shared.resolve("memory"));
  }

  @AfterEach
  void removeTheTier() throws IOException {
    PurgeTest.deleteAll(shared);
  }

  private StoreSettings settings() {
    return StoreSettings.of(directory.resolve("data"), (long) COUNT * REGION, 2, () -> 0)
        .withMemoryDirectory(memory)
        .withSizes(REGION, 20_000, 256)
        .withLockMemory(false);
  }

  private StoreFixture open() throws StoreException {
    return new StoreFixture(settings());
  }

  private Path tier() {
    return memory.resolve("memory.tier");
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, 20_000 + n % 7 * 9_000);
  }

  private static void put(StoreFixture fixture, int n) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), "/" + n, body(n), n % 2 == 0),
        "/" + n);
    fixture.steps(20);
  }

  private static void fill(StoreFixture fixture) {
    for (int n = 0; n < NAMES; n++) {
      put(fixture, n);
    }
  }

  private static int hits(StoreFixture fixture) {
    int hits = 0;
    for (int n = 0; n < NAMES; n++) {
      byte[] body = fixture.read(fixture.store.lane(0), "/" + n);
      if (body != null) {
        assertArrayEquals(body(n), body, "/" + n);
        hits++;
      }
    }
    return hits;
  }

  private static int inUse(StoreFixture fixture) {
    return COUNT - fixture.store.resizing().withdrawnRegions();
  }

  /** What the file takes with so many regions in use, and the headers of all. */
  private static long bytes(int inUse) {
    return TIER - (long) (COUNT - inUse) * (REGION - Regions.KEPT_BYTES);
  }

  private static void resize(StoreFixture fixture, int regions) {
    fixture.store.resize(regions);
    fixture.stepAll();
    assertEquals(regions, inUse(fixture));
  }

  @Test
  @OneTier("how many of the objects fit depends on what both tiers have chosen to keep")
  void aFullTierShrinksAndGrowsAndServesWhatItKeeps() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      int whole = hits(fixture);
      assertEquals(TIER, Blocks.of(tier()));
      for (int regions : new int[] {60, 32, 16}) {
        resize(fixture, regions);
        assertEquals(bytes(regions), Blocks.of(tier()));
        int hits = hits(fixture);
        assertTrue(hits < whole && hits > NAMES / 4 * regions / COUNT, hits + " hits");
        // And it takes in as before.
        for (int n = 0; n < NAMES; n += 3) {
          put(fixture, n);
        }
        assertEquals(bytes(regions), Blocks.of(tier()));
      }
      assertEquals(List.of(), fixture.store.audit());
      for (int regions = 17; regions <= COUNT; regions++) {
        resize(fixture, regions);
        assertEquals(bytes(regions), Blocks.of(tier()));
      }
      fill(fixture);
      assertEquals(whole, hits(fixture), whole / 10.0, "as much as at first");
      assertEquals(48, fixture.store.resizing().givenBack());
      assertEquals(48, fixture.store.resizing().takenBack());
      assertEquals(0, fixture.store.resizing().failures());
    }
  }

  @Test
  void anEmptyTierShrinksAtOnceAndNotBelowAQuarter() throws Exception {
    try (StoreFixture fixture = open()) {
      fixture.store.resize(1);
      fixture.stepAll();
      assertEquals(COUNT / 4, inUse(fixture));
      assertEquals(COUNT / 4, fixture.store.minRegions());
      assertEquals(bytes(COUNT / 4), Blocks.of(tier()));
      assertEquals(0, fixture.store.stats().evictedRecords());
    }
  }

  /** The oldest objects lie in the middle tier, if there is one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPinnedRegionWaitsForItsReaderAndTheOthersGo(boolean isInMiddleTier) throws Exception {
    long middleBytes = (long) TierGeometry.MIN_REGIONS * REGION;
    StoreSettings settings =
        isInMiddleTier
            ? settings()
                .withTiers(List.of(new MiddleTier(directory.resolve("middle"), middleBytes)))
            : settings();
    try (StoreFixture fixture = new StoreFixture(settings)) {
      fill(fixture);
      StoreLane lane = fixture.store.lane(1);
      int pinned = -1;
      for (int n = 0; n < NAMES && pinned < 0; n++) {
        if (StoreFixture.find(lane, "/" + n) == StoreLane.Found.HIT) {
          pinned = n;
        }
      }
      assertTrue(pinned >= 0);
      int region = lane.head().region();
      assertEquals(!fixture.settings.tiers().isEmpty(), region >= COUNT, "its tier");
      int length = lane.head().headLength();
      int offset = lane.head().headOffset();
      byte[] head = fixture.bytes(region, offset, length);
      fixture.store.resize(16);
      fixture.stepAll();
      assertEquals(16, inUse(fixture), "other regions go instead");
      assertArrayEquals(head, fixture.bytes(region, offset, length));
      lane.unpin(region);
      fixture.stepAll();
      assertEquals(16, inUse(fixture));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRestartKeepsWhatIsLeftAndTheSize(boolean isClean) throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 24);
      int hits = hits(fixture);
      if (isClean) {
        fixture.reopen();
        assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      } else {
        fixture.store.abandon();
        fixture.store = ObjectStore.open(fixture.settings);
        assertEquals(bytes(24), Blocks.of(tier()), "a rebuild touches no withdrawn region");
        fixture.stepAll();
        assertEquals(RecoveryState.Phase.REBUILT, fixture.store.recovery().phase());
      }
      assertEquals(24, inUse(fixture));
      assertEquals(24, fixture.store.resizing().targetRegions());
      assertEquals(bytes(24), Blocks.of(tier()));
      assertEquals(hits, hits(fixture));
      fill(fixture);
      assertEquals(bytes(24), Blocks.of(tier()));
      resize(fixture, COUNT);
      assertEquals(TIER, Blocks.of(tier()));
      fill(fixture);
      assertTrue(hits(fixture) > hits);
    }
  }

  @Test
  void aStopAtAnyStepOfShrinkingOrGrowingLosesNothingThatIsServed() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (StoreFixture fixture = open()) {
      fill(fixture);
      for (int round = 0; round < 30; round++) {
        fixture.store.resize(16 + random.nextInt(COUNT - 15));
        for (int steps = random.nextInt(12); steps > 0; steps--) {
          boolean ignored = fixture.store.step();
        }
        fixture.store.abandon();
        fixture.store = ObjectStore.open(fixture.settings);
        fixture.stepAll();
        assertEquals(bytes(inUse(fixture)), Blocks.of(tier()));
        int hits = hits(fixture);
        assertTrue(hits > 10, hits + " hits");
        assertEquals(List.of(), fixture.store.audit());
        for (int n = 0; n < 40; n++) {
          put(fixture, random.nextInt(NAMES));
        }
      }
    }
  }

  @Test
  void aKillBetweenTheHoleAndTheHeaderLeavesAnEmptyRegion() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 24);
      fixture.store.abandon();
      // Also where nothing at all is left of a region, as no release of this process leaves it.
      int punched = 0;
      for (int region = 0; region < COUNT; region++) {
        long base = TierHeader.LENGTH + (long) region * REGION;
        if (punched < 5 && Blocks.areMissing(tier(), base, REGION)) {
          Blocks.punch(tier(), base, Regions.KEPT_BYTES);
          punched++;
        }
      }
      assertEquals(5, punched);
      assertEquals(bytes(24) - 5 * Regions.KEPT_BYTES, Blocks.of(tier()));
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(24, inUse(fixture));
      assertEquals(bytes(24), Blocks.of(tier()), "its header has a page again");
      assertEquals(List.of(), fixture.store.audit());
      resize(fixture, COUNT);
      fill(fixture);
      assertTrue(hits(fixture) > 100);
    }
  }

  @Test
  void aTierOfAnotherStoreOpensEmptyWithoutTouchingItsHoles() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 24);
      fixture.store.close();
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal"));
      Files.delete(fixture.settings.dataDirectory().resolve("purge.journal.copy"));
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(24, inUse(fixture));
      assertEquals(bytes(24), Blocks.of(tier()));
      fill(fixture);
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(24, inUse(fixture));
    }
  }

  @Test
  void anotherShapeOverTheHolesOpensEmptyAndWorks() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 24);
    }
    long left = Blocks.of(tier());
    StoreSettings other = settings().withSizes(2 * REGION, 20_000, 256);
    try (StoreFixture fixture = new StoreFixture(other)) {
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertTrue(fixture.store.resizing().withdrawnRegions() > 0);
      assertTrue(Blocks.of(tier()) <= left + COUNT / 2 * Regions.KEPT_BYTES);
      fill(fixture);
      fixture.store.resize(COUNT / 2);
      fixture.stepAll();
      assertEquals(0, fixture.store.resizing().withdrawnRegions());
      assertEquals(TIER, Blocks.of(tier()));
      fill(fixture);
      assertTrue(hits(fixture) > 100);
    }
  }

  // Of 16 regions each cell keeps some spare, and has one open that is not full.
  @DisabledIfSystemProperty(named = StoreFixture.CELLS, matches = "[2-9]")
  @Test
  void sharesOfClassesAreOfWhatIsInUse() throws Exception {
    StorageClass pinned =
        StorageClass.of("pinned", StorageClass.Tier.MEMORY).withShares(100, 0, 50);
    try (StoreFixture fixture = new StoreFixture(settings().withClasses(List.of(pinned)))) {
      int number = fixture.store.classes().number("pinned");
      for (int n = 0; n < 200; n++) {
        byte[] body = body(n);
        HeadSpec spec =
            StoreFixture.spec("/" + n, fixture.store.nextBirth(), body.length).inClass(number);
        ObjectWriter writer = fixture.store.lane(0).begin(spec);
        assertNotNull(writer);
        assertTrue(writer.append(ByteBuffer.wrap(body)));
        assertEquals(InstallOutcome.INSTALLED, writer.finish());
        fixture.steps(20);
      }
      for (int n = 200; n < NAMES; n++) {
        put(fixture, n);
      }
      // Half of the whole tier is more than all that stays.
      resize(fixture, 16);
      for (int n = 200; n < NAMES; n++) {
        put(fixture, n);
      }
      assertTrue(hits(fixture) > 60, "those of the class and others");
    }
  }

  @Test
  void whatLeavesIsOnTheDisk() throws Exception {
    DeviceSettings device =
        new DeviceSettings(
            "d", directory.resolve("d"), 64 << 20, 1 << 20, 1 << 18, 4, 1, 3, 9_000, 0);
    StoreSettings withDisk = settings().withDisks(DiskSettings.of(List.of(device)));
    try (StoreFixture fixture = new StoreFixture(withDisk)) {
      fixture.stepAll();
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
      }
      fixture.store.resize(16);
      // The disks take some at a time.
      for (int n = 0; n < 10_000 && inUse(fixture) > 16; n++) {
        fixture.stepAll();
        fixture.clock.addAndGet(10);
      }
      assertEquals(16, inUse(fixture));
      int hits = 0;
      for (int n = 0; n < 300; n++) {
        byte[] body = fixture.read(fixture.store.lane(0), "/" + n);
        if (body != null) {
          assertArrayEquals(body(n), body);
          hits++;
        }
      }
      assertTrue(hits > 290, hits + " of 300 are served");
    }
  }

  @Test
  void purgesAndCountsPassByWhatIsWithdrawn() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 16);
      long left = Blocks.of(tier());
      Purge all = new Purge(PurgeKind.EVERYTHING, new long[0], false, "everything");
      assertNotNull(fixture.store.estimate(all, 60_000));
      assertTrue(fixture.store.purge(all).matched().orElse(0) > 0);
      fixture.clock.addAndGet(100_000);
      fixture.stepAll();
      assertEquals(0, hits(fixture));
      assertEquals(left, Blocks.of(tier()));
    }
  }

  @Test
  void theScrubReadsRoundWithoutWhatIsWithdrawn() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings().withScrub(64 << 20))) {
      fill(fixture);
      resize(fixture, 16);
      for (int n = 0; n < 100 && fixture.store.stats().scrub().rounds() == 0; n++) {
        fixture.clock.addAndGet(1_000);
        fixture.stepAll();
      }
      assertEquals(1, fixture.store.stats().scrub().rounds());
      assertEquals(0, fixture.store.stats().scrub().badRecords());
      assertEquals(bytes(16), Blocks.of(tier()));
    }
  }

  @Test
  void anInspectionTellsThemApart() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      resize(fixture, 16);
      StoreCensus live =
          fixture
              .store
              .inspection()
              .ask(Duration.ofMinutes(1), survey -> survey.census(head -> "", head -> -1));
      assertEquals(48, withdrawn(live));
      fixture.store.close();
      try (OfflineStore offline =
          OfflineStore.open(
              new OfflineStore.Places(
                  directory.resolve("data"),
                  memory,
                  StoreFixture.tiers(fixture.settings),
                  Map.of()),
              fixture.settings.predicates(),
              () -> 0)) {
        StoreCensus atRest = offline.survey(() -> false).census(head -> "", head -> -1);
        assertEquals(48, withdrawn(atRest));
        assertEquals(List.of(), offline.problems());
      }
      assertEquals(bytes(16), Blocks.of(tier()));
      fixture.store = ObjectStore.open(fixture.settings);
    }
  }

  private static long withdrawn(StoreCensus census) {
    long cells =
        census.cells().stream().filter(cell -> cell.state() == Tier.State.WITHDRAWN).count();
    long counted = census.parts().stream().mapToLong(StoreCensus.Part::withdrawnRegions).sum();
    assertEquals(cells, counted);
    assertEquals(
        (long) COUNT * REGION,
        census.parts().stream()
            .filter(part -> part.tier().equals("memory"))
            .mapToLong(part -> part.capacityBytes() + part.withdrawnBytes())
            .sum());
    return cells;
  }

  @Test
  void whatIsBeingWrittenIsBoundedByWhatIsInUse() throws Exception {
    try (StoreFixture fixture = open()) {
      resize(fixture, 16);
      // Half of memory is 2 MiB now.
      byte[] large = StoreFixture.body(1, 3 << 20);
      assertEquals(
          InstallOutcome.NO_SPACE, fixture.put(fixture.store.lane(0), "/large", large, true));
      resize(fixture, COUNT);
      assertEquals(
          InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), "/large", large, true));
    }
  }

  @Test
  void aFullFileSystemIsAnErrorThatIsCountedAndNoSignal() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        PurgeTest.run("mount", "-t", "tmpfs", "-o", "size=24m", "forebay-test", small.toString())
            == 0,
        "needs root to mount a small tmpfs (package mount)");
    try {
      StoreFixture fixture = new StoreFixture(settings().withMemoryDirectory(small));
      try (fixture) {
        fill(fixture);
        resize(fixture, 16);
        Path other = Files.write(small.resolve("other"), new byte[0]);
        fillUp(other);
        fixture.store.resize(COUNT);
        fixture.stepAll();
        assertEquals(16, inUse(fixture));
        assertEquals(1, fixture.store.resizing().failures());
        fill(fixture);
        assertTrue(hits(fixture) > 50);
        assertFalse(fixture.store.isMemoryLost());
        // A start on the full file system: what is left is served.
        fixture.reopen();
        assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
        assertEquals(16, inUse(fixture));
        fill(fixture);

        Files.delete(other);
        fixture.store.resize(COUNT);
        fixture.clock.addAndGet(100_000);
        fixture.stepAll();
        assertEquals(COUNT, inUse(fixture));
        fill(fixture);
        assertTrue(hits(fixture) > 200);
      }
    } finally {
      assertEquals(0, PurgeTest.run("umount", small.toString()));
    }
  }

  /** Writes until there is no page left. */
  private static void fillUp(Path file) throws IOException {
    byte[] page = new byte[4096];
    try (var out = Files.newOutputStream(file)) {
      while (true) {
        out.write(page);
      }
    } catch (java.nio.file.FileSystemException full) {
      throw full;
    } catch (IOException full) {
      assertTrue(String.valueOf(full.getMessage()).contains("No space"), full::toString);
    }
  }

  @Test
  void readersKeepTheRightBytesWhileItBreathes() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    try (ObjectStore store = ObjectStore.open(settings().withClock(System::currentTimeMillis))) {
      BusyLane writer = new BusyLane(store, 0);
      Thread reading =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  BusyLane lane = new BusyLane(store, 1);
                  SplittableRandom random = new SplittableRandom(7);
                  while (!isOver.get()) {
                    lane.check(random.nextInt(NAMES));
                  }
                } catch (Throwable e) {
                  failed.set(e);
                }
              });
      SplittableRandom random = new SplittableRandom(6);
      for (int round = 0; round < 40 && failed.get() == null; round++) {
        int regions = round % 2 == 0 ? 16 : COUNT;
        store.resize(regions);
        for (int n = 0; n < 5_000; n++) {
          writer.put(random.nextInt(NAMES));
          if (isReached(store, regions)) {
            break;
          }
        }
        assertTrue(isReached(store, regions), "round " + round);
        assertEquals(bytes(regions), Blocks.of(tier()));
      }
      isOver.set(true);
      reading.join();
      assertNull(failed.get());
      assertEquals(0, store.stats().pins());
    }
  }

  /** Counted after the pages went, or came. */
  private static boolean isReached(ObjectStore store, int regions) {
    ResizeStats stats = store.resizing();
    return stats.givenBack() - stats.takenBack() == COUNT - regions
        && stats.withdrawnRegions() == COUNT - regions;
  }

  /** A lane on a thread of its own, over a store with threads of its own. */
  private static final class BusyLane {
    private final ObjectStore store;
    private final StoreLane lane;

    BusyLane(ObjectStore store, int lane) {
      this.store = store;
      this.lane = store.lane(lane);
    }

    void put(int n) {
      HeadSpec spec = StoreFixture.spec("/" + n, store.nextBirth(), body(n).length);
      if (spec.birth() < 0) {
        return;
      }
      ObjectWriter writer = lane.begin(spec);
      if (writer == null) {
        return;
      }
      if (!writer.append(ByteBuffer.wrap(body(n)))) {
        writer.abort();
      } else if (writer.finish() == InstallOutcome.BUSY) {
        writer.abort();
      }
    }

    /** Reads a body slowly, with each of its slices pinned for a while. */
    void check(int n) {
      if (StoreFixture.find(lane, "/" + n) != StoreLane.Found.HIT) {
        return;
      }
      StoredHead head = lane.head();
      int headRegion = head.region();
      long id = head.objectId();
      byte[] expected = body(n);
      assertEquals(expected.length, head.totalLength());
      try {
        int at = 0;
        if (head.bodyOffset() >= 0) {
          at = compare(headRegion, head.bodyOffset(), expected, 0, expected.length);
        }
        for (int slice = 0; at < expected.length; slice++) {
          if (lane.findSlice(id, slice) != StoreLane.Found.HIT) {
            return;
          }
          int region = lane.slice().region();
          int offset = lane.slice().offset();
          int length = lane.slice().length();
          try {
            for (int again = 0; again < 3; again++) {
              Thread.onSpinWait();
              int ignored = compare(region, offset, expected, at, length);
            }
            at += length;
          } finally {
            lane.unpin(region);
          }
        }
      } finally {
        lane.unpin(headRegion);
      }
    }

    private int compare(int region, int offset, byte[] expected, int from, int length) {
      byte[] read = new byte[length];
      store.regionBuffer(region).get(offset, read);
      assertArrayEquals(Arrays.copyOfRange(expected, from, from + length), read);
      return length;
    }
  }
}
