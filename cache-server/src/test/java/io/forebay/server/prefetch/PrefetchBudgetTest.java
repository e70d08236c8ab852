package io.forebay.server.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.prefetch.PrefetchSettings.Source;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PrefetchBudgetTest {
  private static final PrefetchSettings SETTINGS =
      new PrefetchSettings(true, 1, Set.of(Source.NUMBER), 5, 2);

  private final PrefetchBudget budget = new PrefetchBudget();

  private boolean fetch(long key, long now) {
    if (!budget.tryBegin(100, SETTINGS, now)) {
      return false;
    }
    budget.end(100);
    budget.fetched(key, 0, 100, now);
    return true;
  }

  @Test
  void whatClientsFetchEarnsAShare() {
    assertFalse(fetch(1, 0));
    budget.earned(1_999, 5);
    assertFalse(fetch(1, 0));
    budget.earned(1, 5);
    assertTrue(fetch(1, 0));
    assertFalse(fetch(2, 0), "not used yet");
    assertEquals(100, budget.served(1, 0));
    assertEquals(0, budget.served(1, 0));
    assertTrue(fetch(2, 0), "what is used gives its share back");
  }

  @Test
  void whatIsNotUsedInTimeIsWastedAndCounts() {
    budget.earned(2_000, 5);
    assertTrue(fetch(1, 0));
    assertEquals(0, budget.expired(PrefetchBudget.UNUSED_MILLIS - 1));
    assertEquals(100, budget.expired(PrefetchBudget.UNUSED_MILLIS));
    assertEquals(0, budget.served(1, 0));
    assertFalse(fetch(2, 1));
    budget.earned(2_000, 5);
    assertTrue(fetch(2, 2));
  }

  @Test
  void earningsAndWasteFade() {
    budget.earned(4_000, 5);
    assertTrue(fetch(1, 0));
    assertEquals(100, budget.expired(60_000));
    // Half of 200 earned, and half of 100 wasted.
    assertFalse(fetch(2, 60_000));
    budget.earned(1_000, 5);
    assertTrue(fetch(2, 60_000));
  }

  @Test
  void soManyRunAtATime() {
    budget.earned(1_000_000, 5);
    assertTrue(budget.tryBegin(1, SETTINGS, 0));
    assertTrue(budget.tryBegin(1, SETTINGS, 0));
    assertFalse(budget.tryBegin(1, SETTINGS, 0));
    budget.end(1);
    assertTrue(budget.tryBegin(1, SETTINGS, 0));
    assertEquals(2, budget.running());
  }

  @Test
  void soManyObjectsAreRemembered() {
    budget.earned(1L << 40, 5);
    int remembered = 0;
    while (remembered <= PrefetchBudget.MAX_OBJECTS && fetch(remembered, 0)) {
      budget.served(remembered, 0);
      remembered++;
    }
    assertEquals(PrefetchBudget.MAX_OBJECTS, remembered);
    assertEquals(0, budget.expired(PrefetchBudget.UNUSED_MILLIS));
    assertTrue(fetch(1, PrefetchBudget.UNUSED_MILLIS));
  }
}
