package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.purge.CacheGroup;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgePosition;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Groups of responses that this node has invalidated for a client (RFC 9875), on their way to the
 * log, from which all nodes invalidate them.
 *
 * <pre>
 *   event loops ─▶ add ─▶ a set, bounded ─▶ step, each second ─▶ the log
 *                    └ no place: counted, and invalidated on this node alone
 * </pre>
 *
 * <p>Origins name the groups, so their number has a bound: {@value #BURST} groups at once, then
 * {@value #PER_SECOND} a second. One node alone then writes fewer groups in a day than the log
 * keeps purges by default. A group that is named again while it waits counts once.
 */
public final class GroupInvalidations {
  /** The most groups that wait; each event loop may add one more. */
  static final int MAX_WAITING = 1_000;

  static final int BURST = 100;
  static final int PER_SECOND = 2;

  /** The longest text of a group, in characters. */
  private static final int MAX_LENGTH = 1_000;

  private static final long NANOS_PER_GROUP = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  /** Writes orders to the log. */
  interface Log {
    void publish(List<PurgeOrder> orders) throws EtcdException, InterruptedException;
  }

  private final LongSupplier nanoTime;
  private final Set<CacheGroup> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  /**
   * The time up to which what was written uses up {@link #PER_SECOND}: at most {@link #BURST}
   * groups ahead of now. Confined to the thread of {@link #step}.
   */
  private long usedUntil;

  public GroupInvalidations(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.usedUntil = nanoTime.getAsLong();
  }

  /** Takes a group that is invalidated here. Any thread, never blocks. */
  public void add(CacheGroup group) {
    if (group.text().length() > MAX_LENGTH
        || (waiting.size() >= MAX_WAITING && !waiting.contains(group))) {
      lost.incrementAndGet();
    } else {
      waiting.add(group);
    }
  }

  /**
   * Writes as many groups as the bound allows. One thread at a time.
   *
   * @param applied the position of this node
   */
  public void publish(PurgeLog log, PurgePosition applied)
      throws EtcdException, InterruptedException {
    step(orders -> {
      PurgeLog.Published ignored = log.publish(orders, applied);
    });
  }

  /** The same to any log. After a failure the groups wait again. */
  void step(Log log) throws EtcdException, InterruptedException {
    List<CacheGroup> some = take();
    if (some.isEmpty()) {
      return;
    }
    boolean isWritten = false;
    try {
      log.publish(some.stream().map(CacheGroup::purge).toList());
      isWritten = true;
      published.addAndGet(some.size());
    } finally {
      if (!isWritten) {
        usedUntil -= some.size() * NANOS_PER_GROUP;
        some.forEach(this::add);
      }
    }
  }

  /** Takes them out first: what is named again from now on is written again. */
  private List<CacheGroup> take() {
    long now = nanoTime.getAsLong();
    if (usedUntil - now < 0) {
      usedUntil = now;
    }
    List<CacheGroup> some = new ArrayList<>();
    Iterator<CacheGroup> each = waiting.iterator();
    while (each.hasNext() && usedUntil - now + NANOS_PER_GROUP <= BURST * NANOS_PER_GROUP) {
      some.add(each.next());
      each.remove();
      usedUntil += NANOS_PER_GROUP;
    }
    return some;
  }

  /** Groups that this node has written to the log. */
  public long published() {
    return published.get();
  }

  /** Groups that were invalidated on this node alone, because of a bound. */
  public long lost() {
    return lost.get();
  }
}
