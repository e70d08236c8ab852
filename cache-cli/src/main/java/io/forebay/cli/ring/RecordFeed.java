package io.forebay.cli.ring;

import io.forebay.server.ring.RingRecord;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Hands the records that a query takes to a consumer. */
final class RecordFeed {
  /** So often are rings read while something else is waited for. */
  static final long POLL_MILLIS = 100;

  private final RingSource source;
  private final RecordQuery query;
  private final Consumer<RingRecord> taker;

  RecordFeed(RingSource source, RecordQuery query, Consumer<RingRecord> taker) {
    this.source = source;
    this.query = query;
    this.taker = taker;
  }

  /** Takes what has ended by now: a busy node would never be read to its end. */
  void take() {
    long now = System.currentTimeMillis() * 1_000_000;
    RingRecord record = source.next();
    while (record != null) {
      if (query.holds(record)) {
        taker.accept(record);
      }
      record = record.endNanos() > now ? null : source.next();
    }
  }

  /** Keeps up with the rings for that long. */
  void takeFor(double seconds) throws InterruptedException {
    long due = System.nanoTime() + (long) (seconds * 1e9);
    long left = due - System.nanoTime();
    while (left > 0) {
      TimeUnit.MILLISECONDS.sleep(Math.clamp(left / 1_000_000, 1, POLL_MILLIS));
      take();
      left = due - System.nanoTime();
    }
  }
}
