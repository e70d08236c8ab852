package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.StoreSettings.Cell;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.region.RegionPart;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A memory tier that is divided among lanes: where records lie, and that all lanes serve all. */
class CellTest {
  private static final int REGION = 64 << 10;
  private static final int COUNT = 32;
  private static final int HALF = COUNT / 2;
  private static final int BODY = 1_000;

  /** With heads and directory entries. */
  private static final int PER_REGION = REGION / (BODY + 500);

  @TempDir Path directory;

  private StoreSettings undivided() {
    return StoreSettings.of(directory.resolve("data"), COUNT * REGION, 2, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(REGION, 8192, 1024)
        .withEviction(new Tuning(0.5, 1, 0))
        .withLockMemory(false);
  }

  private StoreSettings divided(int cells) {
    return undivided().withCells(StoreFixture.cells(cells, 2));
  }

  private static byte[] bodyOf(String name) {
    return StoreFixture.body(StoreFixture.scope(name), BODY);
  }

  private static InstallOutcome put(StoreFixture fixture, int lane, String name) {
    return fixture.put(fixture.store.lane(lane), name, bodyOf(name), true);
  }

  private static List<String> fill(StoreFixture fixture, int lane, String prefix, int count) {
    List<String> names = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      names.add(prefix + n);
      assertEquals(InstallOutcome.INSTALLED, put(fixture, lane, prefix + n));
      fixture.stepAll();
    }
    return names;
  }

  private static int regionOf(StoreFixture fixture, int laneIndex, String name) {
    StoreLane lane = fixture.store.lane(laneIndex);
    if (StoreFixture.find(lane, name) != StoreLane.Found.HIT) {
      return -1;
    }
    int region = lane.head().region();
    lane.unpin(region);
    return region;
  }

  private static long readable(StoreFixture fixture, int lane, List<String> names) {
    long count = 0;
    for (String name : names) {
      byte[] body = fixture.read(fixture.store.lane(lane), name);
      if (body != null) {
        assertArrayEquals(bodyOf(name), body, name);
        count++;
      }
    }
    return count;
  }

  @Test
  void aTierIsDividedIntoEqualPartsOfEnoughRegions() {
    assertEquals(List.of(new RegionPart(0, 0, 100)), RegionPart.cells(100, 1));
    assertEquals(
        List.of(new RegionPart(0, 0, 34), new RegionPart(0, 34, 67), new RegionPart(0, 67, 100)),
        RegionPart.cells(100, 3));
    assertEquals(
        List.of(new RegionPart(0, 0, 12), new RegionPart(0, 12, 23)), RegionPart.cells(23, 4));
    assertEquals(List.of(new RegionPart(0, 0, 8)), RegionPart.cells(8, 2));
  }

  @Test
  void eachLaneWritesInItsCellAndServesBoth() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      List<String> left = fill(fixture, 0, "/left", 2 * PER_REGION);
      List<String> right = fill(fixture, 1, "/right", 2 * PER_REGION);
      StoreLane first = fixture.store.lane(0);
      StoreLane second = fixture.store.lane(1);
      assertEquals(0, first.cell());
      assertEquals(1, second.cell());
      for (String name : left) {
        int region = regionOf(fixture, 1, name);
        assertTrue(region >= 0 && region < HALF, name + " in " + region);
        assertFalse(first.isOfAnotherCell(region));
        assertTrue(second.isOfAnotherCell(region));
      }
      for (String name : right) {
        int region = regionOf(fixture, 0, name);
        assertTrue(region >= HALF, name + " in " + region);
        assertTrue(first.isOfAnotherCell(region));
        assertFalse(second.isOfAnotherCell(region));
      }
      for (int lane = 0; lane < 2; lane++) {
        assertEquals(left.size(), readable(fixture, lane, left));
        assertEquals(right.size(), readable(fixture, lane, right));
      }
    }
  }

  @Test
  void withoutCellsNothingIsOfAnotherOne() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(1))) {
      assertEquals(List.of(), fixture.store.stats().cells());
      for (int region = 0; region < COUNT; region++) {
        assertFalse(fixture.store.lane(1).isOfAnotherCell(region));
      }
    }
  }

  @Test
  void theRegionsOfAMiddleTierAreOfNoCell() throws Exception {
    StoreSettings settings =
        divided(2)
            .withTiers(
                List.of(new StoreSettings.MiddleTier(directory.resolve("middle"), 8 * REGION)));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      for (int lane = 0; lane < 2; lane++) {
        for (int region = COUNT; region < COUNT + 8; region++) {
          assertFalse(fixture.store.lane(lane).isOfAnotherCell(region));
        }
      }
      // All passes through both cells into it, and comes back.
      List<String> names = fill(fixture, 0, "/", (COUNT + 3) * PER_REGION);
      assertEquals(names.size(), readable(fixture, 1, names));
      assertTrue(fixture.store.stats().middleTiers().getFirst().demotedRecords() > 0);
    }
  }

  @Test
  void aLaneFillsTheOtherCellBeforeAnythingIsEvicted() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      // But for what each cell keeps spare, and the ends of regions.
      List<String> names = fill(fixture, 0, "/", (COUNT - 6) * PER_REGION);
      assertEquals(names.size(), readable(fixture, 0, names));
      assertEquals(0, fixture.store.stats().evictedRecords());
      assertTrue(names.stream().anyMatch(name -> regionOf(fixture, 0, name) >= HALF));
    }
  }

  @Test
  void noRecordIsRefusedWhileAnotherCellHasRoom() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      // Nothing is reclaimed, as nobody steps the store.
      long stored = 0;
      while (put(fixture, 1, "/" + stored) == InstallOutcome.INSTALLED) {
        stored++;
      }
      assertEquals(1, fixture.store.stats().refusedForSpace());
      // Each cell keeps one region for its reclaim.
      assertEquals(2, fixture.store.stats().spareRegions());
      assertEquals(COUNT - 2, fixture.store.stats().probationRegions());
    }
  }

  @Test
  void bothCellsAreReclaimed() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      List<String> names = new ArrayList<>();
      for (int n = 0; n < 3 * COUNT * PER_REGION; n++) {
        names.add("/" + n);
        assertEquals(InstallOutcome.INSTALLED, put(fixture, n % 2, "/" + n));
        fixture.stepAll();
      }
      List<String> latest = names.subList(names.size() - HALF * PER_REGION, names.size());
      assertEquals(latest.size(), readable(fixture, 0, latest));
      for (CellStats cell : fixture.store.stats().cells()) {
        assertTrue(cell.probationRegions() > HALF / 2, cell.toString());
        assertTrue(cell.spareRegions() >= 2, cell.toString());
      }
    }
  }

  /** Else the records of a cell that nobody writes in would stay for ever. */
  @Test
  void aCellThatIsWrittenLessDoesNotKeepWhatIsOld() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      List<String> old = fill(fixture, 1, "/old", (HALF - 4) * PER_REGION);
      List<String> names = fill(fixture, 0, "/", 4 * COUNT * PER_REGION);
      assertEquals(0, readable(fixture, 0, old));
      // Of the tier, not of one cell.
      List<String> latest = names.subList(names.size() - HALF * PER_REGION, names.size());
      assertEquals(latest.size(), readable(fixture, 0, latest));
    }
  }

  @Test
  void whatIsRequestedSurvivesInItsCell() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      assertEquals(InstallOutcome.INSTALLED, put(fixture, 1, "/hot"));
      for (int n = 0; n < 2 * COUNT * PER_REGION; n++) {
        assertEquals(InstallOutcome.INSTALLED, put(fixture, n % 2, "/" + n));
        fixture.stepAll();
        assertNotNull(fixture.read(fixture.store.lane(0), "/hot"));
      }
      assertTrue(regionOf(fixture, 0, "/hot") >= HALF);
    }
  }

  /** More than fits into the cell of the lane that stores it. */
  @Test
  void whatAStorageClassKeepsStaysInOneCellOrAnother() throws Exception {
    StoreSettings settings =
        divided(2)
            .withClasses(
                List.of(
                    StorageClass.of("pinned", StorageClass.Tier.DEFAULT).withShares(100, 0, 60)));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      int pinned = fixture.store.classes().number("pinned");
      List<String> kept = new ArrayList<>();
      for (int n = 0; n < COUNT / 2 * PER_REGION; n++) {
        String name = "/kept" + n;
        long birth = fixture.store.nextBirth();
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture
                .store
                .lane(0)
                .putSmall(
                    StoreFixture.spec(name, birth, BODY).inClass(pinned),
                    ByteBuffer.wrap(bodyOf(name))));
        kept.add(name);
        fixture.stepAll();
      }
      for (int n = 0; n < 3 * COUNT * PER_REGION; n++) {
        assertEquals(InstallOutcome.INSTALLED, put(fixture, n % 2, "/" + n));
        fixture.stepAll();
      }
      assertEquals(kept.size(), readable(fixture, 1, kept));
    }
  }

  @Test
  void aClassOverItsQuotaInOneCellGivesWayToWhatAnotherOneStores() throws Exception {
    StoreSettings settings =
        divided(2)
            .withClasses(
                List.of(StorageClass.of("greedy", StorageClass.Tier.DEFAULT).withShares(20, 0, 0)));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      List<String> others = fill(fixture, 0, "/other", (HALF - 4) * PER_REGION);
      int greedy = fixture.store.classes().number("greedy");
      for (int n = 0; n < 3 * COUNT * PER_REGION; n++) {
        String name = "/greedy" + n;
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture
                .store
                .lane(1)
                .putSmall(
                    StoreFixture.spec(name, fixture.store.nextBirth(), BODY).inClass(greedy),
                    ByteBuffer.wrap(bodyOf(name))));
        fixture.stepAll();
      }
      assertEquals(others.size(), readable(fixture, 1, others));
      others.addAll(fill(fixture, 0, "/more", 4 * PER_REGION));
      assertEquals(others.size(), readable(fixture, 1, others));
    }
  }

  @Test
  void aPurgeFindsWhatLiesInAnyCell() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      for (int lane = 0; lane < 2; lane++) {
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture.put(
                fixture.store.lane(lane), "/" + lane, bodyOf("/" + lane), true, "tag of both"));
      }
      fixture.store.purge(
          new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag of both")}, false, "tag"));
      for (int lane = 0; lane < 2; lane++) {
        assertNull(fixture.read(fixture.store.lane(1 - lane), "/" + lane));
      }
    }
  }

  @Test
  void aRestartWithAnotherNumberOfCellsKeepsTheContent() throws Exception {
    AtomicLong clock = new AtomicLong(1_000_000);
    List<String> names = new ArrayList<>();
    int round = 0;
    for (int cells : new int[] {2, 2, 1, 3, 4, 1}) {
      try (StoreFixture fixture = new StoreFixture(divided(cells), clock)) {
        RecoveryState.Phase phase = fixture.store.recovery().phase();
        assertEquals(round == 0 ? RecoveryState.Phase.EMPTY : RecoveryState.Phase.WARM, phase);
        assertEquals(names.size(), readable(fixture, 0, names));
        assertEquals(cells == 1 ? 0 : cells, fixture.store.stats().cells().size());
        names.addAll(fill(fixture, round % 2, "/" + round + "-", 3 * PER_REGION));
        assertEquals(names.size(), readable(fixture, 1, names));
      }
      round++;
    }
  }

  @Test
  void aKillKeepsTheContentOfAllCells() throws Exception {
    try (StoreFixture fixture = new StoreFixture(divided(2))) {
      List<String> names = new ArrayList<>(fill(fixture, 0, "/a", 4 * PER_REGION));
      names.addAll(fill(fixture, 1, "/b", 4 * PER_REGION));
      for (int cells : new int[] {2, 3, 1}) {
        fixture.store.abandon();
        fixture.store = ObjectStore.open(divided(cells).withThreads(Thread::new, true));
        assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
        fixture.stepAll();
        assertEquals(names.size(), readable(fixture, 0, names));
      }
    }
  }

  /** Where the machine has no such node, or the process may not, the store does without. */
  @Test
  void nodesThatCannotBeBoundAreNoReasonNotToStart() throws Exception {
    AtomicLong clock = new AtomicLong(1_000_000);
    for (int node : new int[] {0, 900, 5_000}) {
      StoreSettings settings =
          undivided()
              .withMemoryDirectory(directory.resolve("memory" + node))
              .withCells(List.of(new Cell(0, List.of(0)), new Cell(node, List.of(1))));
      try (StoreFixture fixture = new StoreFixture(settings, clock)) {
        assertEquals(InstallOutcome.INSTALLED, put(fixture, 1, "/1"));
        assertArrayEquals(bodyOf("/1"), fixture.read(fixture.store.lane(0), "/1"));
        StoreStats stats = fixture.store.stats();
        assertEquals(List.of(0, node), stats.cells().stream().map(CellStats::node).toList());
        assertTrue(
            stats.nodeState().startsWith("not bound to nodes: ")
                || stats.nodeState().equals("bound to nodes [0, " + node + "]"),
            stats.nodeState());
        assertTrue(node == 0 || stats.nodeState().startsWith("not bound"), stats.nodeState());
      }
    }
  }

  @Test
  void aCellThatNamesALaneThatIsNotThereIsRefused() {
    StoreException refused =
        assertThrows(
            StoreException.class,
            () -> ObjectStore.open(undivided().withCells(List.of(new Cell(-1, List.of(0, 2))))));
    assertEquals(StoreException.Kind.BAD_SETTINGS, refused.kind());
  }
}
