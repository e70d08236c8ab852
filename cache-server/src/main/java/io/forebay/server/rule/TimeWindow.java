package io.forebay.server.rule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Some hours of some days of the week, in a zone. A window that ends before it begins goes on to
 * the next day and belongs to the day on which it began.
 */
public final class TimeWindow implements Condition {
  private static final int MINUTES_OF_DAY = 24 * 60;

  private final Set<DayOfWeek> days;
  private final int from;
  private final int to;
  private final ZoneId zone;

  /** The last minute asked about, and whether it is in the window: allocates once a minute. */
  private volatile long known = Long.MIN_VALUE;

  /**
   * A window.
   *
   * @param from minute of the day, inclusive
   * @param to minute of the day, exclusive; equal to {@code from} for the whole day
   */
  public TimeWindow(Set<DayOfWeek> days, int from, int to, ZoneId zone) {
    this.days = EnumSet.copyOf(days);
    this.from = from;
    this.to = to == from ? from + MINUTES_OF_DAY : to < from ? to + MINUTES_OF_DAY : to;
    this.zone = zone;
  }

  @Override
  public int test(RequestFacts facts) {
    long minute = Math.floorDiv(facts.nowMillis(), 60_000L);
    long last = known;
    if (last >> 1 == minute) {
      return (int) (last & 1);
    }
    int verdict = isIn(minute) ? YES : NO;
    known = minute << 1 | verdict;
    return verdict;
  }

  private boolean isIn(long epochMinute) {
    ZonedDateTime now = Instant.ofEpochSecond(epochMinute * 60).atZone(zone);
    int minute = now.getHour() * 60 + now.getMinute();
    boolean isToday = minute >= from && minute < to && days.contains(now.getDayOfWeek());
    int sinceYesterday = minute + MINUTES_OF_DAY;
    boolean isOfYesterday =
        sinceYesterday >= from && sinceYesterday < to && days.contains(now.getDayOfWeek().minus(1));
    return isToday || isOfYesterday;
  }

  @Override
  public int cost() {
    return 1;
  }

  @Override
  public void parts(Consumer<RequestPart> each) {
    each.accept(new RequestPart(RequestPart.Kind.TIME, ""));
  }
}
