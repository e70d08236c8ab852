package io.forebay.e2e.storm;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What was purged, acknowledged and read. An offence is a read that began after a purge was
 * acknowledged and returned a version from before that purge.
 */
final class History {
  private static final int MOST_KEPT = 20;

  /** The version of each object at the origin. */
  private final AtomicLongArray versions;

  /** The version of the latest purge of each object that was acknowledged. */
  private final AtomicLongArray acknowledged;

  private final AtomicLong orders = new AtomicLong();
  private final AtomicLong purges = new AtomicLong();
  private final AtomicLong fenced = new AtomicLong();
  private final AtomicLong pending = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong offences = new AtomicLong();
  private final ConcurrentLinkedQueue<String> examples = new ConcurrentLinkedQueue<>();

  History(int objects) {
    versions = new AtomicLongArray(objects);
    acknowledged = new AtomicLongArray(objects);
  }

  /**
   * Sums since the start, or of a time.
   *
   * @param orders that were acknowledged, each with several purges
   * @param purges that were acknowledged
   * @param fenced orders that were acknowledged with a node that was fenced
   * @param pending orders that were written, and not acknowledged in time
   * @param refused orders that were not written, or whose answer did not come
   */
  record Tally(
      long orders,
      long purges,
      long fenced,
      long pending,
      long refused,
      long reads,
      long hits,
      long offences) {

    Tally since(Tally before) {
      return new Tally(
          orders - before.orders,
          purges - before.purges,
          fenced - before.fenced,
          pending - before.pending,
          refused - before.refused,
          reads - before.reads,
          hits - before.hits,
          offences - before.offences);
    }

    /** Orders that ended in whatever way. */
    long ended() {
      return orders + pending + refused;
    }

    @Override
    public String toString() {
      return "%d purges in %d orders acknowledged (%d with a fenced node), %d orders pending, %d"
              .formatted(purges, orders, fenced, pending, refused)
          + " refused; %d reads, %d hits; %d offences".formatted(reads, hits, offences);
    }
  }

  Tally tally() {
    return new Tally(
        orders.get(),
        purges.get(),
        fenced.get(),
        pending.get(),
        refused.get(),
        reads.get(),
        hits.get(),
        offences.get());
  }

  int objects() {
    return versions.length();
  }

  long version(int object) {
    return versions.get(object);
  }

  /** The object has changed at the origin; only one purger changes it. */
  void change(int object) {
    versions.incrementAndGet(object);
  }

  /** The purges of an order, which was sent after the latest change of its objects. */
  void acknowledged(Collection<Integer> objects, boolean isWithFenced) {
    objects.forEach(object -> acknowledged.set(object, versions.get(object)));
    purges.addAndGet(objects.size());
    fenced.addAndGet(isWithFenced ? 1 : 0);
    orders.incrementAndGet();
  }

  void pending() {
    pending.incrementAndGet();
  }

  void refused() {
    refused.incrementAndGet();
  }

  /** What a read that begins now must at least return. */
  long least(int object) {
    return acknowledged.get(object);
  }

  /**
   * A read has ended.
   *
   * @param least from before it began
   */
  void read(int object, long least, long version, boolean isHit, String how) {
    reads.incrementAndGet();
    hits.addAndGet(isHit ? 1 : 0);
    if (version < least) {
      offences.incrementAndGet();
      if (examples.size() < MOST_KEPT) {
        examples.add(
            "object %d: %d was read after the purge for %d was acknowledged: %s"
                .formatted(object, version, least, how));
      }
    }
  }

  /** Some of the offences. */
  List<String> examples() {
    return List.copyOf(examples);
  }
}
