package io.forebay.server.protect.forward;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.protect.auth.VerdictTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of a node: those that are remembered, and those that are awaited, each by all
 * requests with the same credentials. Any thread.
 */
public final class ForwardVerdicts {

  /** Verdicts that are remembered. */
  static final int MAX_REMEMBERED = 16_384;

  /** Subrequests in progress. */
  static final int MAX_SUBREQUESTS = 1024;

  /** Requests that wait for one verdict. */
  static final int MAX_WAITING = 4096;

  private static final long LOG_NANOS = 10_000_000_000L;

  private final LongSupplier nanoTime;
  private final VerdictTable<HeaderFields> remembered;
  private final ConcurrentHashMap<String, List<Consumer<ForwardVerdict>>> awaited =
      new ConcurrentHashMap<>();
  private final AtomicInteger subrequests = new AtomicInteger();
  private final AtomicLong nextLogNanos;

  /**
   * One that knows nothing.
   *
   * @param nanoTime a clock that never goes back
   */
  public ForwardVerdicts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.remembered = new VerdictTable<>(MAX_REMEMBERED, nanoTime);
    this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** What becomes of a request that needs a verdict. */
  enum Joining {
    /** It asks, for all who join it. */
    FIRST,
    /** Another one has asked. */
    JOINED,
    /** Too many wait for that verdict. */
    FULL
  }

  /** The fields that an admitted request gets; null where no verdict is remembered. */
  @Nullable HeaderFields remembered(String key) {
    return remembered.get(key);
  }

  Joining join(String key, Consumer<ForwardVerdict> waiter) {
    Joining[] outcome = {Joining.JOINED};
    List<Consumer<ForwardVerdict>> ignored =
        awaited.compute(
            key,
            (_, waiting) -> {
              List<Consumer<ForwardVerdict>> all = waiting == null ? new ArrayList<>(1) : waiting;
              if (waiting == null) {
                outcome[0] = Joining.FIRST;
              }
              if (all.size() >= MAX_WAITING) {
                outcome[0] = Joining.FULL;
              } else {
                all.add(waiter);
              }
              return all;
            });
    return outcome[0];
  }

  /**
   * A verdict has come.
   *
   * @param nanos for which it is remembered, if it admits; 0 for not at all
   */
  void settled(String key, ForwardVerdict verdict, long nanos) {
    if (nanos > 0 && verdict instanceof ForwardVerdict.Admitted admitted) {
      remembered.put(key, admitted.fields(), nanos);
    }
    List<Consumer<ForwardVerdict>> waiting = awaited.remove(key);
    if (waiting != null) {
      waiting.forEach(waiter -> waiter.accept(verdict));
    }
  }

  /** Takes a place for a subrequest; false where there is none. */
  boolean begin() {
    if (subrequests.incrementAndGet() <= MAX_SUBREQUESTS) {
      return true;
    }
    subrequests.decrementAndGet();
    return false;
  }

  /** Gives a place back. */
  void end() {
    subrequests.decrementAndGet();
  }

  /** Whether a failure is logged: one in ten seconds. */
  boolean logs() {
    long now = nanoTime.getAsLong();
    long next = nextLogNanos.get();
    return next - now <= 0 && nextLogNanos.compareAndSet(next, now + LOG_NANOS);
  }
}
