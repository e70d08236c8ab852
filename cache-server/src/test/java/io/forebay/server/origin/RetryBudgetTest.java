package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RetryBudgetTest {
  private final AtomicLong clock = new AtomicLong();

  @Test
  void allowsItsShareOfTheRequestsAndAFloor() {
    RetryBudget budget = new RetryBudget(10, clock::get);
    for (int i = 0; i < 1_000; i++) {
      budget.onRequest();
    }
    assertEquals(100 + 3, taken(budget));
  }

  @Test
  void theFloorComesBackInTenSeconds() {
    RetryBudget budget = new RetryBudget(10, clock::get);
    assertEquals(3, taken(budget));
    clock.addAndGet(TimeUnit.SECONDS.toNanos(4));
    assertEquals(1, taken(budget));
    clock.addAndGet(TimeUnit.MINUTES.toNanos(4));
    assertEquals(3, taken(budget));
  }

  @Test
  void savesNoMoreThanAHundred() {
    RetryBudget budget = new RetryBudget(50, clock::get);
    for (int i = 0; i < 100_000; i++) {
      budget.onRequest();
    }
    assertEquals(103, taken(budget));
  }

  @Test
  void zeroPercentIsNone() {
    RetryBudget budget = new RetryBudget(0, clock::get);
    budget.onRequest();
    assertEquals(0, taken(budget));
  }

  private static int taken(RetryBudget budget) {
    int taken = 0;
    while (budget.tryTake()) {
      taken++;
    }
    return taken;
  }
}
