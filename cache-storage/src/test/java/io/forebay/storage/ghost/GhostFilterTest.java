package io.forebay.storage.ghost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GhostFilterTest {
  private static final int OBJECTS = 20_000;

  /** Objects of 100 bytes, dropped one after the other. */
  private static void drop(GhostFilter filter, int from, int to) {
    for (int object = from; object < to; object++) {
      filter.add(object);
      filter.age(100);
    }
  }

  private static int known(GhostFilter filter, int from, int to) {
    int known = 0;
    for (int object = from; object < to; object++) {
      known += filter.mayContain(object) ? 1 : 0;
    }
    return known;
  }

  @Test
  void remembersTheLastTwoThirdsOfACacheFull() {
    GhostFilter filter = new GhostFilter(100L * OBJECTS, 2 * OBJECTS);
    drop(filter, 0, 10 * OBJECTS);
    int lately = OBJECTS * 2 / 3;
    // Few are lost where more than four fall into one bucket.
    int known = known(filter, 10 * OBJECTS - lately, 10 * OBJECTS);
    assertTrue(known > lately * 0.97, known + " of " + lately);
  }

  @Test
  void forgetsWhatIsTwoCacheFullsOld() {
    GhostFilter filter = new GhostFilter(100L * OBJECTS, 2 * OBJECTS);
    drop(filter, 0, 10 * OBJECTS);
    int known = known(filter, 6 * OBJECTS, 8 * OBJECTS);
    assertTrue(known < 2 * OBJECTS / 1000, known + " still known");
  }

  @Test
  void takesFewStrangersForFriends() {
    GhostFilter filter = new GhostFilter(Long.MAX_VALUE, OBJECTS);
    drop(filter, 0, OBJECTS);
    int asked = 2_000_000;
    int taken = known(filter, 1_000_000, 1_000_000 + asked);
    // 2 tables of 4 places with 65,535 prints each; a fifth more for chance.
    assertTrue(taken <= asked * 8.0 / 65_535 * 1.2, taken + " of " + asked);
  }

  @Test
  void morePartsThanItHasRoomForPushOldOnesOut() {
    GhostFilter filter = new GhostFilter(Long.MAX_VALUE, OBJECTS);
    drop(filter, 0, 100 * OBJECTS);
    assertTrue(known(filter, 99 * OBJECTS + OBJECTS / 2, 100 * OBJECTS) > OBJECTS / 3);
    assertTrue(known(filter, 0, OBJECTS) < OBJECTS / 100);
  }

  @Test
  void largePartsAgeWhatIsRemembered() {
    GhostFilter filter = new GhostFilter(900, OBJECTS);
    filter.add(1);
    filter.age(500);
    assertTrue(filter.mayContain(1));
    filter.age(100);
    assertTrue(filter.mayContain(1));
    filter.age(600);
    assertFalse(filter.mayContain(1));
  }

  @Test
  void knowsNothingAtFirst() {
    assertEquals(0, known(new GhostFilter(1000, OBJECTS), 0, OBJECTS));
  }
}
