package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeGap;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgeStatus;
import io.forebay.storage.purge.UndoRefusedException;
import io.forebay.storage.purge.UndoRefusedException.Why;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Soft purges that are taken back. I2: what a hard purge took never comes back. */
@Tag("slow")
class PurgeUndoTest extends PurgeStores {
  private static final long UNDO_MILLIS = 10 * RETIRE_MILLIS;

  private StoreFixture openUndoing(int disks) throws StoreException {
    undoMillis = UNDO_MILLIS;
    return open(disks);
  }

  private static long soft(StoreFixture fixture, String scope) throws Exception {
    return fixture
        .store
        .purge(new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(scope)}, true, scope))
        .sequence();
  }

  private static long hard(StoreFixture fixture, String scope) throws Exception {
    return fixture
        .store
        .purge(new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(scope)}, false, scope))
        .sequence();
  }

  private static long undo(StoreFixture fixture, long id) throws Exception {
    long number = fixture.store.undo(id).sequence();
    fixture.stepAll();
    return number;
  }

  private static boolean isStale(StoreFixture fixture, String name) {
    assertNotNull(read(fixture, name), name);
    return fixture.store.lane(0).head().softPurged();
  }

  private static Why refused(StoreFixture fixture, long id) {
    return assertThrows(UndoRefusedException.class, () -> fixture.store.undo(id)).why();
  }

  private static PurgeStatus status(StoreFixture fixture, long id) {
    return Objects.requireNonNull(fixture.store.purgeStatus(id));
  }

  @Test
  void anUndoMakesFreshAgainWhatThePurgeAloneHadMadeStale() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      put(fixture, "/a", "tag");
      put(fixture, "/b", "tag", "other");
      long first = soft(fixture, "tag");
      long second = soft(fixture, "other");
      assertTrue(isStale(fixture, "/a"));
      assertTrue(isStale(fixture, "/b"));
      assertTrue(status(fixture, first).canBeUndone());
      long undo = undo(fixture, first);
      assertTrue(undo > second, "a number of its own");
      assertFalse(isStale(fixture, "/a"));
      assertTrue(isStale(fixture, "/b"), "the other purge stays");
      assertEquals(OptionalLong.of(undo), status(fixture, first).undoneBy());
      assertFalse(status(fixture, first).canBeUndone());
      assertEquals(PurgeKind.UNDO, status(fixture, undo).kind());
      assertEquals(first + " tag tag", status(fixture, undo).text());
      assertTrue(status(fixture, undo).isSwept());
      undo(fixture, second);
      assertFalse(isStale(fixture, "/b"));
    }
  }

  @Test
  void anEarlierPurgeOfTheSameScopeStaysInForce() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      put(fixture, "/old", "tag");
      long first = soft(fixture, "tag");
      put(fixture, "/new", "tag");
      long second = soft(fixture, "tag");
      undo(fixture, second);
      assertTrue(isStale(fixture, "/old"));
      assertFalse(isStale(fixture, "/new"));
      long third = soft(fixture, "tag");
      undo(fixture, first);
      assertTrue(isStale(fixture, "/old"));
      undo(fixture, third);
      assertFalse(isStale(fixture, "/old"));
      assertFalse(isStale(fixture, "/new"));
    }
  }

  @Test
  void whatWasValidatedSinceStaysAsItIs() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a", "tag");
      long first = soft(fixture, "tag");
      assertTrue(isStale(fixture, "/a"));
      long birth = fixture.store.nextBirth();
      assertEquals(
          InstallOutcome.INSTALLED,
          lane.refresh(StoreFixture.spec("/a", birth, -1, "tag"), lane.head().objectId()));
      long second = soft(fixture, "tag");
      undo(fixture, first);
      assertTrue(isStale(fixture, "/a"), "by the later purge");
      assertEquals(birth, lane.head().birth());
      undo(fixture, second);
      assertFalse(isStale(fixture, "/a"));
    }
  }

  @Test
  void saysWhyItRefuses() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      put(fixture, "/a", "tag");
      assertEquals(Why.UNKNOWN, refused(fixture, 1));
      assertEquals(Why.HARD, refused(fixture, hard(fixture, "tag")));
      assertNull(read(fixture, "/a"));
      long purge = soft(fixture, "tag");
      long undo = undo(fixture, purge);
      assertEquals(Why.UNDONE, refused(fixture, purge));
      assertEquals(Why.NO_PURGE, refused(fixture, undo));
      long late = soft(fixture, "tag");
      fixture.clock.addAndGet(UNDO_MILLIS);
      fixture.stepAll();
      assertEquals(Why.CLOSED, refused(fixture, late));
      assertTrue(status(fixture, late).isSwept());
    }
  }

  @Test
  void aPurgeThatCannotBeUndoneAnyMoreHoldsForGood() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      put(fixture, "/a", "tag");
      long late = soft(fixture, "tag");
      fixture.clock.addAndGet(UNDO_MILLIS);
      fixture.stepAll();
      long other = soft(fixture, "tag");
      undo(fixture, other);
      assertTrue(isStale(fixture, "/a"), "by purge " + late);
      fixture.reopen();
      fixture.stepAll();
      assertTrue(isStale(fixture, "/a"));
    }
  }

  @Test
  void aPurgeThatIsForgottenBelowOneThatIsUndoneLaterHoldsForGood() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      put(fixture, "/a", "tag");
      long first = soft(fixture, "tag");
      fixture.clock.addAndGet(UNDO_MILLIS - 1);
      long second = soft(fixture, "tag");
      fixture.clock.addAndGet(1);
      fixture.stepAll();
      assertEquals(Why.CLOSED, refused(fixture, first));
      assertTrue(status(fixture, second).canBeUndone());
      fixture.reopen();
      undo(fixture, second);
      assertTrue(isStale(fixture, "/a"));
    }
  }

  @Test
  void anUndoAndItsPurgeSurviveEveryStop() throws Exception {
    Path root = directory;
    for (boolean isClean : List.of(true, false)) {
      directory = root.resolve("clean " + isClean);
      try (StoreFixture fixture = openUndoing(0)) {
        put(fixture, "/a", "tag");
        put(fixture, "/b", "tag", "b");
        put(fixture, "/c");
        long tag = soft(fixture, "tag");
        long all = fixture.store.purge(Purge.everything(true, "*")).sequence();
        long pattern = purge(fixture, "key /b", true).sequence();
        assertTrue(isStale(fixture, "/c"));
        // The journal is written anew on the way.
        for (int n = 0; n < 1500; n++) {
          long ignored = hard(fixture, "none");
        }
        restart(fixture, isClean);
        assertTrue(isStale(fixture, "/a"));
        undo(fixture, all);
        assertFalse(isStale(fixture, "/c"));
        assertTrue(isStale(fixture, "/a"));
        restart(fixture, isClean);
        assertEquals(Why.UNDONE, refused(fixture, all));
        assertFalse(isStale(fixture, "/c"));
        assertTrue(isStale(fixture, "/a"));
        long last = fixture.store.undo(tag).sequence();
        // No sweep in between: the mark is still there.
        restart(fixture, isClean);
        fixture.stepAll();
        assertFalse(isStale(fixture, "/a"), "undone by " + last);
        assertTrue(isStale(fixture, "/b"));
        undo(fixture, pattern);
        assertFalse(isStale(fixture, "/b"));
        fixture.clock.addAndGet(2 * UNDO_MILLIS);
        fixture.stepAll();
      }
    }
  }

  private static void restart(StoreFixture fixture, boolean isClean) throws Exception {
    if (isClean) {
      fixture.reopen();
    } else {
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
    }
  }

  @Test
  void aDiskKeepsWhatMayBecomeFreshAgainUntilThePurgeIsForgotten() throws Exception {
    Path root = directory;
    for (boolean isUndone : List.of(true, false)) {
      directory = root.resolve("undone " + isUndone);
      try (StoreFixture fixture = openUndoing(1)) {
        fillTagged(fixture, 0, 300);
        long tag = soft(fixture, "odd");
        long pattern = purge(fixture, "key odd", true).sequence();
        long ignored = hard(fixture, "none");
        sweep(fixture);
        kill(fixture);
        fixture.stepAll();
        int found = 0;
        for (int n = 1; n < 300; n += 2) {
          found += read(fixture, name(n)) == null ? 0 : 1;
        }
        assertTrue(found > 10, "left: " + found);
        if (isUndone) {
          undo(fixture, tag);
          undo(fixture, pattern);
        } else {
          fixture.clock.addAndGet(UNDO_MILLIS);
          fixture.stepAll();
          sweep(fixture);
          assertTrue(status(fixture, tag).isSwept());
        }
        for (int n = 0; n < 300; n++) {
          if (read(fixture, name(n)) != null) {
            assertEquals(
                !isUndone && n % 2 == 1, fixture.store.lane(0).head().softPurged(), name(n));
          }
        }
      }
    }
  }

  /** What the model knows of an object. */
  private record Known(long birth, Set<Long> softs) {}

  @Test
  void noOrderOfPurgesAndUndosBringsBackWhatAHardOneTook() throws Exception {
    Path root = directory;
    for (int round = 0; round < 4; round++) {
      long seed = new SplittableRandom().nextLong();
      directory = root.resolve("round " + round);
      try (StoreFixture fixture = openUndoing(round % 2)) {
        new Model(fixture, seed).run(800);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + "L", e);
      }
    }
  }

  @Test
  @Tag("campaign")
  void noOrderOfPurgesAndUndosBringsBackWhatAHardOneTookForLong() throws Exception {
    Path root = directory;
    for (int round = 0; round < 300; round++) {
      long seed = new SplittableRandom().nextLong();
      directory = root.resolve("round " + round);
      try (StoreFixture fixture = openUndoing(round % 3)) {
        new Model(fixture, seed).run(4000);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + "L", e);
      }
    }
  }

  /**
   * Objects with two scopes each, purges of scopes, of patterns and of everything, hard and soft,
   * undos of any that can be undone, fetches, validations, sweeps and stops, beside a map.
   */
  private static final class Model {
    private final StoreFixture fixture;
    private final SplittableRandom random;
    private final Map<String, Known> objects = new HashMap<>();
    private final Set<Long> undone = new HashSet<>();
    private final Set<Long> softs = new HashSet<>();
    private final Set<Long> hards = new HashSet<>();

    Model(StoreFixture fixture, long seed) {
      this.fixture = fixture;
      this.random = new SplittableRandom(seed);
    }

    void run(int operations) throws Exception {
      for (int n = 0; n < operations; n++) {
        try {
          step();
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("operation " + n, e);
        }
      }
    }

    private static String even(int n) {
      return "mod2 " + n % 2;
    }

    private static String third(int n) {
      return "mod3 " + n % 3;
    }

    private void step() throws Exception {
      int object = random.nextInt(12);
      int dice = random.nextInt(100);
      if (dice < 25) {
        fetch(object);
      } else if (dice < 30) {
        validate(object);
      } else if (dice < 50) {
        purge(true);
      } else if (dice < 58) {
        purge(false);
      } else if (dice < 75) {
        undoOne();
      } else if (dice < 80) {
        undoWrongly();
      } else if (dice < 90) {
        fixture.clock.addAndGet(random.nextInt(3) * (RETIRE_MILLIS + 1L));
        fixture.steps(random.nextInt(200));
      } else if (dice < 95) {
        check(object, false);
      } else {
        if (dice == 99) {
          restart(fixture, random.nextBoolean());
        }
        fixture.stepAll();
        for (int n = 0; n < 12; n++) {
          check(n, true);
        }
      }
    }

    private void fetch(int n) {
      String name = "/" + n;
      long birth = fixture.store.nextBirth();
      InstallOutcome outcome =
          fixture.put(fixture.store.lane(0), name, new byte[100], true, even(n), third(n));
      assertEquals(InstallOutcome.INSTALLED, outcome);
      objects.put(name, new Known(birth, new HashSet<>()));
    }

    private void validate(int n) {
      String name = "/" + n;
      StoreLane lane = fixture.store.lane(0);
      if (objects.containsKey(name) && read(fixture, name) != null) {
        long birth = fixture.store.nextBirth();
        InstallOutcome outcome =
            lane.refresh(
                StoreFixture.spec(name, birth, -1, even(n), third(n)), lane.head().objectId());
        if (outcome == InstallOutcome.INSTALLED) {
          objects.put(name, new Known(birth, new HashSet<>()));
        }
      }
    }

    private void purge(boolean isSoft) throws Exception {
      int value = random.nextInt(6);
      Purge purge =
          switch (random.nextInt(10)) {
            case 0 -> Purge.everything(isSoft, "*");
            case 1, 2 -> new Purge(PurgeKind.PATTERN, new long[0], isSoft, "key /" + value);
            case 3, 4, 5 ->
                new Purge(
                    PurgeKind.TAG,
                    new long[] {
                      StoreFixture.scope("mod2 " + value % 2), StoreFixture.scope("mod3 1")
                    },
                    isSoft,
                    "both " + value % 2);
            default ->
                new Purge(
                    PurgeKind.TAG,
                    new long[] {StoreFixture.scope("mod3 " + value % 3)},
                    isSoft,
                    "third " + value % 3);
          };
      long id = fixture.store.purge(purge).sequence();
      (isSoft ? softs : hards).add(id);
      objects
          .entrySet()
          .removeIf(entry -> {
            int n = Integer.parseInt(entry.getKey().substring(1));
            boolean isMatched =
                switch (purge.kind()) {
                  case EVERYTHING -> true;
                  case PATTERN -> ("/" + n).contains("/" + value);
                  default ->
                      purge.scopes().length == 2
                          ? n % 2 == value % 2 || n % 3 == 1
                          : n % 3 == value % 3;
                };
            if (isMatched && isSoft) {
              entry.getValue().softs().add(id);
            }
            return isMatched && !isSoft;
          });
    }

    private void undoOne() throws Exception {
      List<Long> open = softs.stream().sorted().filter(id -> !undone.contains(id)).toList();
      if (!open.isEmpty()) {
        long id = open.get(random.nextInt(open.size()));
        try {
          long ignored = fixture.store.undo(id).sequence();
          undone.add(id);
          objects.values().forEach(known -> known.softs().remove(id));
        } catch (UndoRefusedException e) {
          assertEquals(Why.CLOSED, e.why());
        }
      }
    }

    private void undoWrongly() {
      for (long id : hards) {
        assertThrows(UndoRefusedException.class, () -> fixture.store.undo(id));
      }
      for (long id : undone) {
        assertThrows(UndoRefusedException.class, () -> fixture.store.undo(id));
      }
    }

    private void check(int n, boolean isSettled) {
      String name = "/" + n;
      Known known = objects.get(name);
      byte[] body = read(fixture, name);
      if (known == null) {
        assertNull(body, name + " was purged, or never stored");
      } else if (body != null) {
        boolean isStale = fixture.store.lane(0).head().softPurged();
        if (!known.softs().isEmpty()) {
          assertTrue(isStale, name + " is stale by " + known.softs());
        } else if (isSettled) {
          assertFalse(isStale, name + " is stale by nothing");
        }
      }
    }
  }

  @Test
  void purgesOfALogAreUndoneByTheirRevision() throws Exception {
    try (StoreFixture fixture = openUndoing(0)) {
      PurgePosition log = new PurgePosition(1, 2, 10);
      long ignored = fixture.store.replicatedPurges().skipTo(log, PurgeGap.EMPTY);
      put(fixture, "/a", "tag");
      put(fixture, "/b", "tag", "b");
      Purge tag = new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag")}, true, "tag");
      Purge b = new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("b")}, true, "b");
      long[] numbers =
          fixture.store.replicatedPurges().apply(List.of(tag.at(11), b.at(12)), log.at(12));
      assertTrue(isStale(fixture, "/a"));
      assertEquals(1, fixture.store.replicatedPurges().openAt(11));
      restart(fixture, false);
      long[] undo =
          fixture.store.replicatedPurges().apply(List.of(Purge.undo(11, "c-11")), log.at(13));
      assertTrue(undo[0] > numbers[1]);
      fixture.stepAll();
      assertFalse(isStale(fixture, "/a"));
      assertTrue(isStale(fixture, "/b"));
      // An undo of what this node does not have, or has forgotten, changes nothing.
      long[] nothing =
          fixture.store.replicatedPurges().apply(List.of(Purge.undo(5, "c-5")), log.at(14));
      assertTrue(nothing[0] > undo[0]);
      restart(fixture, true);
      assertFalse(isStale(fixture, "/a"));
      assertTrue(isStale(fixture, "/b"));
      long epoch =
          fixture.store.replicatedPurges().skipTo(new PurgePosition(3, 4, 1), PurgeGap.REVALIDATE);
      assertTrue(epoch > nothing[0]);
      assertEquals(0, fixture.store.replicatedPurges().openAt(12), "revisions of another log");
      assertTrue(isStale(fixture, "/b"));
    }
  }
}
