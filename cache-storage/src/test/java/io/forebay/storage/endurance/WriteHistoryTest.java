package io.forebay.storage.endurance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.WriteHistoryPage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is remembered of writes, and what a budget makes of it. */
class WriteHistoryTest {
  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;
  private static final long START = 1_000 * DAY;

  private final AtomicLong clock = new AtomicLong(START);
  private final WriteHistory history = new WriteHistory(clock::get);

  private ByteBuffer page() {
    ByteBuffer page = ByteBuffer.allocate(WriteHistoryPage.END).order(ByteOrder.LITTLE_ENDIAN);
    history.write(page);
    return page;
  }

  private WriteHistory readAgain() {
    WriteHistory next = new WriteHistory(clock::get);
    next.read(page());
    return next;
  }

  @Test
  void aDayIsNeverLessThanTwentyFourHours() {
    clock.set(START + HOUR - 1);
    history.add(100);
    clock.set(START + HOUR - 1 + DAY);
    assertEquals(100, history.lastDay(), "24 hours ago");
    clock.set(START + HOUR + DAY);
    assertEquals(0, history.lastDay());
    assertEquals(100, history.total());
  }

  @Test
  void theMeanIsThatOfTheLastWeekAndUnknownInTheFirstDay() {
    history.add(70);
    clock.set(START + DAY - 1);
    assertTrue(Double.isNaN(history.averageOfDay()));
    clock.set(START + 2 * DAY);
    assertEquals(35, history.averageOfDay());
    history.add(700);
    clock.set(START + 30 * DAY);
    assertEquals(0, history.averageOfDay(), "more than a week ago");
    history.add(7);
    assertEquals(1, history.averageOfDay());
  }

  @Test
  void itGoesOnAfterARestartAndForgetsTheHoursInBetween() {
    history.add(10);
    clock.addAndGet(3 * HOUR);
    history.add(5);
    clock.addAndGet(22 * HOUR);
    WriteHistory next = readAgain();
    assertEquals(15, next.total());
    assertEquals(5, next.lastDay(), "the first write is 25 hours ago");
    assertEquals(START, next.beganMillis());
    clock.addAndGet(365 * DAY);
    assertEquals(0, next.lastDay());
  }

  @Test
  void aClockThatGoesBackLosesNothing() {
    history.add(10);
    clock.addAndGet(-5 * HOUR);
    history.add(5);
    assertEquals(15, history.lastDay());
    assertEquals(15, readAgain().lastDay());
  }

  @Test
  void hoursFarInTheFutureAreDroppedAndTheSumStays() {
    clock.addAndGet(3650 * DAY);
    history.add(10);
    ByteBuffer ahead = page();
    clock.set(START);
    WriteHistory next = new WriteHistory(clock::get);
    next.read(ahead);
    assertEquals(10, next.total());
    assertEquals(0, next.lastDay());
  }

  @Test
  void aBudgetBecomesPickyThenClosesAndOpensAgainADayLater() {
    WriteBudget budget = new WriteBudget(new EnduranceLimits(1000, 0), history);
    assertTrue(budget.admits(false));
    history.add(749);
    assertEquals(WriteBudget.Admission.OPEN, budget.admission());
    history.add(1);
    assertFalse(budget.admits(false));
    assertTrue(budget.admits(true));
    history.add(250);
    assertFalse(budget.admits(true));
    assertEquals(2, budget.stats(10).refused());
    clock.addAndGet(25 * HOUR);
    assertTrue(budget.admits(false));
  }

  @Test
  void withoutABudgetEverythingIsAdmitted() {
    history.add(Long.MAX_VALUE / 2);
    assertTrue(new WriteBudget(EnduranceLimits.NONE, history).admits(false));
  }

  @Test
  void yearsAreLeftUntilTheRatedBytesAreWritten() {
    WriteBudget budget = new WriteBudget(new EnduranceLimits(0, 1_000_000), history);
    assertTrue(Double.isNaN(budget.stats(100).yearsLeft()), "nothing is known of a day");
    history.add(2_000);
    clock.addAndGet(2 * DAY);
    EnduranceStats stats = budget.stats(500);
    assertEquals(2.0, stats.driveWritesPerDay());
    assertEquals(998_000 / 1000.0 / 365.25, stats.yearsLeft());
    history.add(2_000_000);
    assertEquals(0, budget.stats(500).yearsLeft(), "beyond its rating");
  }
}
