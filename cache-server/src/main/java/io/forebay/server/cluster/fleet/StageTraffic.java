package io.forebay.server.cluster.fleet;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The traffic of this node since it took its version in the present stage of a roll-out, as it
 * reports it. Confined to the thread of the agent.
 */
final class StageTraffic {
  /** Time between reports of traffic during a roll-out; each is a write to etcd. */
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Supplier<TrafficCounts> sinceStart;
  private final LongSupplier nanoTime;

  /** Names stage and version; empty without a roll-out. */
  private String mark = "";

  private TrafficCounts atMark = TrafficCounts.NONE;
  private TrafficCounts reported = TrafficCounts.NONE;
  private long reportedNanos;

  StageTraffic(Supplier<TrafficCounts> sinceStart, LongSupplier nanoTime) {
    this.sinceStart = sinceStart;
    this.nanoTime = nanoTime;
  }

  /** Reads the counters, where a report is due. */
  void update(String current) {
    long now = nanoTime.getAsLong();
    TrafficCounts counts = sinceStart.get();
    if (!current.equals(mark)) {
      mark = current;
      atMark = counts;
      reported = TrafficCounts.NONE;
      reportedNanos = now;
    } else if (!mark.isEmpty() && now - reportedNanos >= PERIOD_NANOS) {
      reported = counts.minus(atMark);
      reportedNanos = now;
    }
  }

  String mark() {
    return mark;
  }

  /** Since the mark. */
  TrafficCounts reported() {
    return reported;
  }

  /** Before the mark; none without a roll-out. */
  TrafficCounts before() {
    return mark.isEmpty() ? TrafficCounts.NONE : atMark;
  }
}
