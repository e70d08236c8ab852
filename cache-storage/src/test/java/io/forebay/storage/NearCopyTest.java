package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A copy is found by the key of its object only while both would be found by keys of their own, and
 * it is the copy of just that object.
 */
class NearCopyTest {
  private static final String[] SUFFIXES = {" :br9.1", " :gzip6.1"};
  private static final int BODY_BYTES = 3000;

  @TempDir Path directory;
  private StoreFixture fixture;
  private ObjectStore store;
  private StoreLane lane;

  /** The object that each copy was made of, both by number. */
  private final Map<Long, Long> sources = new HashMap<>();

  private int bodies;

  @BeforeEach
  void open() throws StoreException {
    fixture = new StoreFixture(directory, 16 * StoreFixture.MEBI, 1 << 20, 2);
    store = fixture.store;
    lane = store.lane(0);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Stores an object and a copy of it, and links them; gives the number of the copy. */
  private long linked(String name) {
    putSource(lane, name);
    long copy = putCopy(lane, name, 0);
    link(lane, name, 0);
    assertEquals(copy, findLinked(lane, name, 0));
    return copy;
  }

  private void putSource(StoreLane by, String name) {
    put(by, name);
  }

  private void put(StoreLane by, String name, String... scopes) {
    InstallOutcome outcome = fixture.put(by, name, body(), true, scopes);
    if (outcome == InstallOutcome.NO_SPACE) {
      fixture.stepAll();
      outcome = fixture.put(by, name, body(), true, scopes);
    }
    assertEquals(InstallOutcome.INSTALLED, outcome);
  }

  private long putCopy(StoreLane by, String name, int form) {
    long source = find(by, name);
    assertTrue(source >= 0, name);
    String copyName = name + SUFFIXES[form];
    put(by, copyName, name);
    long copy = find(by, copyName);
    sources.put(copy, source);
    return copy;
  }

  private byte[] body() {
    return StoreFixture.body(++bodies, BODY_BYTES);
  }

  /** The number of what is found and is not soft, or -1. */
  private long find(StoreLane by, String name) {
    if (StoreFixture.find(by, name) != StoreLane.Found.HIT) {
      return -1;
    }
    long id = by.head().softPurged() ? -1 : by.head().objectId();
    by.unpin(by.head());
    return id;
  }

  private void link(StoreLane by, String name, int form) {
    assertTrue(findNear(by, name));
    assertTrue(findNear(by, name + SUFFIXES[form]));
    by.linkNearCopy(
        StoreFixture.scope("hi" + name),
        StoreFixture.scope("lo" + name),
        form,
        StoreFixture.scope("hi" + name + SUFFIXES[form]),
        StoreFixture.scope("lo" + name + SUFFIXES[form]));
  }

  private boolean findNear(StoreLane by, String name) {
    byte[] key = StoreFixture.key(name);
    boolean isFound =
        by.findNear(
            StoreFixture.scope("hi" + name), StoreFixture.scope("lo" + name), key, key.length);
    if (isFound) {
      by.unpin(by.head());
    }
    return isFound;
  }

  /** The number of the copy that is found by the key of its object, or -1. */
  private long findLinked(StoreLane by, String name, int form) {
    return findLinked(by, name, form, StoreFixture.key(name));
  }

  private long findLinked(StoreLane by, String name, int form, byte[] keyText) {
    boolean isFound =
        by.findNearCopy(
            StoreFixture.scope("hi" + name),
            StoreFixture.scope("lo" + name),
            form,
            keyText,
            keyText.length,
            SUFFIXES[form].length());
    if (!isFound) {
      return -1;
    }
    assertEquals(1, store.stats().pins());
    assertFalse(by.head().softPurged());
    long id = by.head().objectId();
    by.askedFor();
    by.unpin(by.head());
    return id;
  }

  private void purge(String name, boolean isSoft) throws PurgeFailedException {
    assertNotNull(
        store.purge(new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(name)}, isSoft, "t")));
  }

  @Test
  void aLinkedCopyIsFoundByTheKeyOfItsObject() {
    assertFalse(lane.hasNearCopies(StoreFixture.scope("hi/a"), StoreFixture.scope("lo/a")));
    long copy = linked("/a");
    assertTrue(lane.hasNearCopies(StoreFixture.scope("hi/a"), StoreFixture.scope("lo/a")));
    long hits = store.stats().nearHits();
    assertEquals(copy, findLinked(lane, "/a", 0));
    assertEquals(hits + 2, store.stats().nearHits(), "both were asked for");
    assertEquals(-1, findLinked(lane, "/a", 1), "another coding");
    assertEquals(-1, findLinked(store.lane(1), "/a", 0), "links belong to a lane");
    putSource(lane, "/b");
    assertTrue(find(lane, "/b") >= 0);
    assertFalse(lane.hasNearCopies(StoreFixture.scope("hi/b"), StoreFixture.scope("lo/b")));
  }

  @Test
  void anotherKeyTextUnderTheSameHashDoesNotFindIt() {
    long copy = linked("/a");
    assertEquals(-1, findLinked(lane, "/a", 0, StoreFixture.key("/b")));
    link(lane, "/a", 0);
    assertEquals(-1, findLinked(lane, "/a", 0, StoreFixture.key("/a ")));
    link(lane, "/a", 0);
    assertEquals(copy, findLinked(lane, "/a", 0));
  }

  @Test
  void aCopyIsNotFoundOnceItsObjectIsReplaced() {
    linked("/a");
    putSource(store.lane(1), "/a");
    assertEquals(-1, findLinked(lane, "/a", 0));
    assertTrue(find(lane, "/a") >= 0);
    assertEquals(-1, findLinked(lane, "/a", 0), "of the object before");
  }

  @Test
  void aCopyIsNotFoundOnceItsObjectHasAnotherHead() {
    linked("/a");
    long id = find(lane, "/a");
    assertEquals(
        InstallOutcome.INSTALLED,
        store.lane(1).refresh(StoreFixture.spec("/a", store.nextBirth(), -1), id));
    assertEquals(-1, findLinked(lane, "/a", 0));
    assertEquals(id, find(lane, "/a"));
    assertEquals(-1, findLinked(lane, "/a", 0));
  }

  @Test
  void aReplacedCopyIsNotFound() {
    linked("/a");
    long second = putCopy(store.lane(1), "/a", 0);
    assertEquals(-1, findLinked(lane, "/a", 0));
    assertEquals(second, find(lane, "/a" + SUFFIXES[0]));
    link(lane, "/a", 0);
    assertEquals(second, findLinked(lane, "/a", 0));
  }

  @Test
  void purgesOfEitherAreObeyed() throws PurgeFailedException {
    for (boolean isSoft : new boolean[] {false, true}) {
      for (String purged : new String[] {"/a", "/a" + SUFFIXES[0]}) {
        linked("/a");
        purge(purged, isSoft);
        assertEquals(-1, findLinked(lane, "/a", 0), purged + isSoft);
        find(lane, "/a");
        find(lane, "/a" + SUFFIXES[0]);
        assertEquals(-1, findLinked(lane, "/a", 0), purged + isSoft);
      }
    }
  }

  @Test
  void aPurgeOfSomethingElseCostsOneLookUpByBothKeys() throws PurgeFailedException {
    long copy = linked("/a");
    purge("/other", false);
    assertEquals(-1, findLinked(lane, "/a", 0));
    link(lane, "/a", 0);
    assertEquals(copy, findLinked(lane, "/a", 0));
  }

  @Test
  void whatIsInvalidatedOrDroppedIsNotFound() {
    linked("/a");
    assertTrue(store.lane(1).invalidate(StoreFixture.scope("hi/a"), StoreFixture.scope("lo/a")));
    assertEquals(-1, findLinked(lane, "/a", 0));
    long copy = linked("/b");
    String copyName = "/b" + SUFFIXES[0];
    assertTrue(
        store
            .lane(1)
            .drop(StoreFixture.scope("hi" + copyName), StoreFixture.scope("lo" + copyName), copy));
    assertEquals(-1, findLinked(lane, "/b", 0));
  }

  @Test
  void nothingIsFoundAtRandomThatTwoLookUpsWouldNotFind() throws PurgeFailedException {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("NearCopyTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int found = 0;
    for (int step = 0; step < 3000; step++) {
      String name = "/" + random.nextInt(8);
      int form = random.nextInt(SUFFIXES.length);
      StoreLane by = store.lane(random.nextInt(2));
      switch (random.nextInt(100)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> putSource(by, name);
        case 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 -> {
          if (find(by, name) >= 0) {
            putCopy(by, name, form);
          }
        }
        case 20 -> purge(name, random.nextBoolean());
        case 21 -> purge(name + SUFFIXES[form], random.nextBoolean());
        case 22 -> {
          String gone = random.nextBoolean() ? name : name + SUFFIXES[form];
          assertTrue(
              by.invalidate(StoreFixture.scope("hi" + gone), StoreFixture.scope("lo" + gone)));
        }
        case 23 -> {
          if (random.nextInt(4) == 0) {
            evict(by, step);
          }
        }
        case 24 -> {
          if (random.nextInt(8) == 0) {
            assertNotNull(store.purge(Purge.everything(random.nextBoolean(), "t")));
          }
        }
        case 25, 26, 27 -> fixture.stepAll();
        default -> found += ask(by, name, form, "seed " + seed + ", step " + step) ? 1 : 0;
      }
    }
    assertTrue(found > 80, "only " + found + " found");
  }

  /** Until regions were used again. */
  private void evict(StoreLane by, int step) {
    for (int n = 0; n < 60; n++) {
      InstallOutcome ignored = fixture.put(by, "/filler" + step + "-" + n, new byte[200_000], true);
      fixture.steps(50);
    }
    fixture.stepAll();
  }

  private boolean ask(StoreLane by, String name, int form, String at) {
    long linked = findLinked(by, name, form);
    long source = find(by, name);
    long copy = find(by, name + SUFFIXES[form]);
    boolean isThere = source >= 0 && copy >= 0 && Objects.equals(sources.get(copy), source);
    if (linked >= 0) {
      assertTrue(isThere, at);
      assertEquals(copy, linked, at);
      return true;
    }
    if (isThere && findNear(by, name) && findNear(by, name + SUFFIXES[form])) {
      link(by, name, form);
      assertEquals(copy, findLinked(by, name, form), at);
    }
    return false;
  }
}
