package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which objects the store keeps and evicts. Sixteen regions of 64 KiB, objects of 2 KiB: 30 per
 * region.
 */
class EvictionTest {
  private static final int REGION = 64 << 10;
  private static final int REGIONS = 16;
  private static final int BODY = 2000;

  @TempDir Path directory;
  private StoreFixture fixture;
  private StoreLane lane;
  private int fresh;

  @BeforeEach
  void open() throws StoreException {
    open(new Tuning(0.5, 1, 0));
  }

  private void open(Tuning tuning) throws StoreException {
    fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), (long) REGIONS * REGION, 1, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(REGION, 0, 1024)
                .withEviction(tuning)
                .withLockMemory(false));
    lane = fixture.store.lane(0);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void put(String name) {
    assertEquals(
        InstallOutcome.INSTALLED, fixture.put(lane, name, StoreFixture.body(1, BODY), true));
    fixture.stepAll();
  }

  /** Objects that nobody asks for again, until so many regions more have been taken back. */
  private void flood(int regions) {
    long until = fixture.store.stats().reclaimedRegions() + regions;
    for (int n = 0; fixture.store.stats().reclaimedRegions() < until; n++) {
      assertTrue(n < 100_000, "no region is taken back");
      put("fresh " + fresh++);
    }
  }

  /** Objects that nobody asks for again, about a region of them. */
  private void closeRegion() {
    for (int n = 0; n < REGION / BODY + 1; n++) {
      put("fresh " + fresh++);
    }
  }

  private boolean isThere(String name) {
    if (StoreFixture.find(lane, name) != StoreLane.Found.HIT) {
      return false;
    }
    lane.unpin(lane.head().region());
    return true;
  }

  @Test
  void whatIsAskedForOutlivesWhatIsNot() {
    put("asked for");
    put("not asked for");
    closeRegion();
    assertTrue(isThere("asked for"));
    flood(REGIONS);
    assertTrue(isThere("asked for"));
    assertFalse(isThere("not asked for"));
    assertTrue(fixture.store.stats().movedRecords() > 0);
  }

  @Test
  void aBurstRightAfterItWasWrittenCountsForNothing() {
    put("burst");
    for (int n = 0; n < 100; n++) {
      assertTrue(isThere("burst"));
    }
    flood(REGIONS);
    assertFalse(isThere("burst"));
  }

  @Test
  void aThresholdOfTwoWantsTwoTouches() throws StoreException {
    fixture.close();
    open(new Tuning(0.5, 2, 0));
    put("once");
    put("twice");
    closeRegion();
    assertTrue(isThere("once"));
    assertTrue(isThere("twice"));
    assertTrue(isThere("twice"));
    flood(REGIONS);
    assertTrue(isThere("twice"));
    assertFalse(isThere("once"));
  }

  /** Whether what was asked for once is there when its region's second turn is over. */
  private boolean survivesTwoTurns(int smallClass) throws StoreException {
    fixture.close();
    open(new Tuning(0, 1, smallClass));
    int count = 3 * REGION / BODY;
    for (int n = 0; n < count; n++) {
      put("small " + n);
    }
    closeRegion();
    for (int n = 0; n < count; n++) {
      assertTrue(isThere("small " + n));
    }
    // In the first turn the request keeps it, in the second only its size.
    flood(REGIONS * 4 / 3);
    return isThere("small 3");
  }

  @Test
  @OneTier("what leaves the first tier goes on in the next")
  void whatIsNotAskedForAgainGoesInTheNextTurn() throws StoreException {
    assertFalse(survivesTwoTurns(0));
  }

  // With cells, as many bytes as the tier holds do not reclaim each region of each cell.
  @DisabledIfSystemProperty(named = StoreFixture.CELLS, matches = "[2-9]")
  @Test
  void aSmallObjectSurvivesATurnUntouched() throws StoreException {
    assertTrue(survivesTwoTurns(Tuning.smallClass(BODY)));
  }

  @Test
  @OneTier("what leaves the first tier is not dropped")
  void whatWasDroppedLatelyAndComesBackIsKept() {
    put("back");
    flood(2);
    assertFalse(isThere("back"));
    put("back");
    flood(REGIONS);
    assertTrue(isThere("back"));
  }

  @Test
  void aNewHeadInheritsWhatTheOldOneHasEarned() {
    put("refreshed");
    closeRegion();
    assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "refreshed"));
    long id = lane.head().objectId();
    lane.unpin(lane.head().region());
    HeadSpec head = StoreFixture.spec("refreshed", fixture.store.nextBirth(), BODY);
    assertEquals(InstallOutcome.INSTALLED, lane.refresh(head, id));
    flood(REGIONS);
    assertTrue(isThere("refreshed"));
  }

  @Test
  void aRegionThatIsAllAskedForIsKeptWithoutCopying() {
    for (int n = 0; n < 20; n++) {
      put("hot " + n);
    }
    closeRegion();
    for (int n = 0; n < 20; n++) {
      assertTrue(isThere("hot " + n));
    }
    // The rest of that region, too.
    for (int n = 0; n < fresh; n++) {
      assertTrue(isThere("fresh " + n));
    }
    long moved = fixture.store.stats().movedRecords();
    flood(REGIONS - 6);
    assertTrue(fixture.store.stats().regionsKeptWhole() > 0);
    for (int n = 0; n < 20; n++) {
      assertTrue(isThere("hot " + n));
    }
    assertEquals(moved, fixture.store.stats().movedRecords());
  }

  @Test
  void aKeptRegionIsStillProtectedAfterAnUncleanStop() throws StoreException {
    for (int n = 0; n < 20; n++) {
      put("hot " + n);
    }
    closeRegion();
    for (int n = 0; n < 20; n++) {
      assertTrue(isThere("hot " + n));
    }
    for (int n = 0; n < fresh; n++) {
      assertTrue(isThere("fresh " + n));
    }
    flood(3);
    int isProtected = fixture.store.stats().protectedRegions();
    assertTrue(isProtected > 0);
    fixture.store.abandon();
    fixture.store = ObjectStore.open(fixture.settings);
    lane = fixture.store.lane(0);
    fixture.stepAll();
    assertEquals(isProtected, fixture.store.stats().protectedRegions());
    assertTrue(isThere("hot 7"));
  }

  @Test
  void theShadowSeesHitsAndWhatIsWritten() {
    for (int round = 0; round < 60; round++) {
      for (int n = 0; n < 20; n++) {
        String name = "seen " + n;
        if (!isThere(name)) {
          put(name);
        }
      }
      fixture.stepAll();
    }
    EvictionStats seen = fixture.store.stats().eviction();
    // 20 written and 59 times 20 read; the figures are published every 512.
    assertEquals(1024, seen.sampledRequests());
    assertEquals(0, seen.lostSamples());
    assertEquals(1 - 20.0 / 1024, seen.curve().get(1).objectHitRatio(), 1e-9);
  }

  @Test
  void aReplacementIsOneRequestNotTwo() {
    for (int n = 0; n < 512; n++) {
      put("replaced");
    }
    assertEquals(0, fixture.store.stats().eviction().sampledRequests());
  }

  @Test
  void refusesASettingThatLeavesNoProbation() {
    StoreSettings settings = fixture.settings.withEviction(new Tuning(0.96, 0, 0));
    assertThrows(StoreException.class, settings::resolved);
    StoreSettings other = fixture.settings.withEviction(new Tuning(0.5, 3, 0));
    assertThrows(StoreException.class, other::resolved);
  }
}
