package io.forebay.storage.endurance;

import io.forebay.storage.layout.WriteHistoryPage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * How much was written to one device: in all, and in each hour of the last week. Any thread.
 *
 * <p>A day is the current hour and the 24 before it, so it is never less than 24 hours: what a
 * budget bounds by it is bounded for every 24 hours.
 */
public final class WriteHistory {
  private static final long HOUR_MILLIS = 3_600_000;
  private static final int HOURS = WriteHistoryPage.HOURS;
  private static final int DAY_HOURS = 24;

  private final LongSupplier clockMillis;
  private final long[] hours = new long[HOURS];
  private long beganMillis;
  private long total;
  private long newestHour;

  public WriteHistory(LongSupplier clockMillis) {
    this.clockMillis = clockMillis;
    this.beganMillis = Math.max(0, clockMillis.getAsLong());
    this.newestHour = beganMillis / HOUR_MILLIS;
  }

  /** Forgets everything: this is another device. */
  public synchronized void restart() {
    Arrays.fill(hours, 0);
    total = 0;
    beganMillis = Math.max(0, clockMillis.getAsLong());
    newestHour = beganMillis / HOUR_MILLIS;
  }

  public synchronized void add(long bytes) {
    turn();
    hours[slot(newestHour)] += bytes;
    total += bytes;
  }

  /** Since the history began. */
  public synchronized long total() {
    return total;
  }

  public synchronized long beganMillis() {
    return beganMillis;
  }

  public synchronized long lastDay() {
    turn();
    long sum = 0;
    for (int age = 0; age <= DAY_HOURS; age++) {
      sum += hours[slot(newestHour - age)];
    }
    return sum;
  }

  /** Of the last week, or of the time since the history began; NaN before that is a day. */
  public synchronized double averageOfDay() {
    turn();
    double days =
        (double) (clockMillis.getAsLong() - beganMillis) / HOUR_MILLIS / (double) DAY_HOURS;
    return days < 1
        ? Double.NaN
        : Arrays.stream(hours).sum() / Math.min(days, (double) HOURS / DAY_HOURS);
  }

  private static int slot(long hour) {
    return (int) Math.floorMod(hour, (long) HOURS);
  }

  /** Begins the hours that have begun; a clock that goes back goes on in the newest hour. */
  private void turn() {
    long hour = clockMillis.getAsLong() / HOUR_MILLIS;
    long first = Math.max(newestHour + 1, hour - HOURS + 1);
    for (long next = first; next <= hour; next++) {
      hours[slot(next)] = 0;
    }
    newestHour = Math.max(newestHour, hour);
  }

  /** Puts the history into a page; the turn and the checksum are the caller's. */
  public synchronized void write(ByteBuffer page) {
    page.putLong(WriteHistoryPage.BEGAN_OFFSET, beganMillis);
    page.putLong(WriteHistoryPage.TOTAL_OFFSET, total);
    page.putLong(WriteHistoryPage.NEWEST_HOUR_OFFSET, newestHour);
    for (int n = 0; n < HOURS; n++) {
      page.putLong(WriteHistoryPage.HOURS_OFFSET + n * Long.BYTES, hours[n]);
    }
  }

  /**
   * Goes on from what a page says. Hours that are not due for more than a day are those of a clock
   * that was wrong: they are dropped, since they would not pass for long, and the sum stays.
   */
  public synchronized void read(ByteBuffer page) {
    long began = page.getLong(WriteHistoryPage.BEGAN_OFFSET);
    long newest = page.getLong(WriteHistoryPage.NEWEST_HOUR_OFFSET);
    long now = clockMillis.getAsLong();
    total = Math.max(0, page.getLong(WriteHistoryPage.TOTAL_OFFSET));
    beganMillis = Math.clamp(began, 0, Math.max(0, now));
    Arrays.fill(hours, 0);
    newestHour = now / HOUR_MILLIS;
    if (newest >= 0 && newest <= newestHour + DAY_HOURS) {
      newestHour = newest;
      for (int n = 0; n < HOURS; n++) {
        hours[n] = Math.max(0, page.getLong(WriteHistoryPage.HOURS_OFFSET + n * Long.BYTES));
      }
      turn();
    }
  }
}
