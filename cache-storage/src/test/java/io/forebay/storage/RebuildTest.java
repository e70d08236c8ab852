package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full store after a kill accepts new objects while its index is rebuilt. */
@Tag("slow")
class RebuildTest {
  private static final int REGION = 1 << 17;
  private static final int REGIONS = 32;
  private static final int BODY = 8_000;

  @TempDir Path directory;

  private StoreFixture open() throws StoreException {
    return new StoreFixture(directory, REGIONS * REGION, REGION, 1);
  }

  private static byte[] body(long seed) {
    return StoreFixture.body(seed, BODY);
  }

  private static InstallOutcome put(StoreFixture fixture, String name, long seed) {
    return fixture.put(fixture.store.lane(0), name, body(seed), true);
  }

  private static byte @org.jspecify.annotations.Nullable [] read(
      StoreFixture fixture, String name) {
    return fixture.read(fixture.store.lane(0), name);
  }

  private static void kill(StoreFixture fixture) throws StoreException {
    fixture.store.abandon();
    fixture.store = ObjectStore.open(fixture.settings);
    assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
  }

  /** As many objects as fill the store several times over. */
  private static int fillUp(StoreFixture fixture) {
    int count = 3 * REGIONS * REGION / BODY;
    for (int n = 0; n < count; n++) {
      assertEquals(InstallOutcome.INSTALLED, put(fixture, "/fill/" + n, n));
      fixture.steps(10);
    }
    return count;
  }

  /** The last of a row of objects that found room without another step. */
  private static int untilRefused(StoreFixture fixture, String prefix) {
    int n = 0;
    while (put(fixture, prefix + n, n) == InstallOutcome.INSTALLED) {
      n++;
      assertTrue(n < REGIONS * REGION / BODY, "more fits than there is room for");
    }
    return n;
  }

  @Test
  void aFullStoreTakesInWhatComesWhileItIsRebuilt() throws Exception {
    try (StoreFixture fixture = open()) {
      int filled = fillUp(fixture);
      kill(fixture);
      int taken = untilRefused(fixture, "/early/");
      int more = 0;
      for (int step = 0; step < 20; step++) {
        assertTrue(fixture.store.step());
        assertFalse(fixture.store.recovery().isComplete(), "the rebuild is over too soon");
        while (put(fixture, "/more/" + more, more) == InstallOutcome.INSTALLED) {
          more++;
        }
      }
      assertTrue(more > 15 * (REGION / BODY - 1), more + " taken in, after " + taken);
      fixture.stepAll();
      int early = 0;
      for (int n = 0; n < more; n++) {
        byte[] body = read(fixture, "/more/" + n);
        if (body != null) {
          assertArrayEquals(body(n), body);
          early++;
        }
      }
      assertTrue(early > more * 9 / 10, "what was taken in meanwhile is there: " + early);
      int young = 0;
      for (int n = filled - 40; n < filled; n++) {
        young += read(fixture, "/fill/" + n) == null ? 0 : 1;
      }
      assertTrue(young > 35, "what was given up is the oldest: " + young);
    }
  }

  @Test
  void nothingIsGivenUpWhileThereIsRoom() throws Exception {
    try (StoreFixture fixture = open()) {
      int filled = fillUp(fixture);
      List<String> there = new ArrayList<>();
      for (int n = 0; n < filled; n++) {
        if (StoreFixture.find(fixture.store.lane(0), "/fill/" + n) == StoreLane.Found.HIT) {
          fixture.store.lane(0).unpin(fixture.store.lane(0).head().region());
          there.add("/fill/" + n);
        }
      }
      kill(fixture);
      while (!fixture.store.recovery().isComplete()) {
        assertTrue(fixture.store.step());
      }
      for (String name : there) {
        assertTrue(read(fixture, name) != null, name);
      }
    }
  }

  /**
   * The older of two live heads lies where it would be found last, in a protected region, and its
   * successor, stored during a rebuild that was cut off, in probation, where room is looked for.
   */
  @Test
  void anOlderHeadNeverComesBackWhenItsSuccessorsRegionIsWanted() throws Exception {
    try (StoreFixture fixture = open()) {
      String name = "/replaced";
      assertEquals(InstallOutcome.INSTALLED, put(fixture, name, 1));
      for (int n = 0; fixture.store.stats().movedRecords() == 0; n++) {
        assertTrue(n < 10_000, "it never became protected");
        assertEquals(InstallOutcome.INSTALLED, put(fixture, "/first/" + n, n));
        assertArrayEquals(body(1), read(fixture, name));
        fixture.steps(10);
      }
      fillUp(fixture);
      assertArrayEquals(body(1), read(fixture, name), "it is protected");

      kill(fixture);
      assertNull(read(fixture, name), "the rebuild has found it already");
      assertEquals(InstallOutcome.INSTALLED, put(fixture, name, 2));
      kill(fixture);
      int probation = fixture.store.stats().probationRegions();
      for (int step = 0; step < probation; step++) {
        assertTrue(untilRefused(fixture, "/more/" + step + "/") >= 0);
        assertTrue(fixture.store.step());
        assertNull(read(fixture, name), "the rebuild has come to heads too soon");
      }
      for (int again = 0; again < 2; again++) {
        fixture.stepAll();
        byte[] found = read(fixture, name);
        if (found != null) {
          assertArrayEquals(body(2), found, "the older one is back");
        }
        kill(fixture);
      }
      fixture.stepAll();
      assertEquals(List.of(), fixture.store.audit());
    }
  }

  @Tag("full")
  @Test
  void neverGoesBackOverKillsThatInterruptTheRebuild() throws Exception {
    run(new SplittableRandom().nextLong(), 300);
  }

  @Test
  @Tag("campaign")
  void neverGoesBackOverManyKills() throws Exception {
    for (int n = 0; n < 100; n++) {
      run(new SplittableRandom().nextLong(), 1000);
    }
  }

  /** Few steps between kills, so that most of them hit a rebuild; what is read is the latest. */
  private void run(long seed, int kills) throws Exception {
    System.out.println("RebuildTest seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    Map<Integer, Long> latest = new HashMap<>();
    int hits = 0;
    int interrupted = 0;
    Path own = directory.resolve(Long.toString(seed));
    try (StoreFixture fixture = new StoreFixture(own, REGIONS * REGION, REGION, 1)) {
      for (int kill = 0; kill < kills; kill++) {
        int operations = random.nextInt(600);
        boolean isBusy = random.nextInt(3) == 0;
        for (int n = 0; n < operations; n++) {
          int name = random.nextInt(400);
          int dice = random.nextInt(100);
          if (dice < 50) {
            long body = random.nextLong();
            if (put(fixture, "/" + name, body) == InstallOutcome.INSTALLED) {
              latest.put(name, body);
            }
          } else if (dice < 85) {
            byte[] found = read(fixture, "/" + name);
            if (found != null) {
              Long known = latest.get(name);
              String where = "seed " + seed + "L, kill " + kill + ", /" + name;
              assertTrue(known != null, where);
              assertArrayEquals(body(known), found, where);
              hits++;
            }
          } else {
            fixture.steps(isBusy ? 10 : random.nextInt(2));
          }
        }
        interrupted += fixture.store.recovery().isComplete() ? 0 : 1;
        kill(fixture);
      }
      fixture.stepAll();
    }
    System.out.println("  " + hits + " hits, " + interrupted + " rebuilds interrupted");
    assertTrue(interrupted > kills / 10, "hardly any rebuild was interrupted: " + interrupted);
    assertTrue(hits > kills, "hardly any hits: " + hits);
  }
}
