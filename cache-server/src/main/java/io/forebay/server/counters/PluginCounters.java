package io.forebay.server.counters;

import java.util.concurrent.atomic.LongAdder;

/** Calls of one plugin, over all its rules and all reloads. Any thread. */
public final class PluginCounters {
  private final LongAdder calls = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder overruns = new LongAdder();
  private final LongAdder suspended = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** A call has ended. */
  public void count(long tookNanos) {
    calls.increment();
    nanos.add(tookNanos);
  }

  /** It threw, or said what cannot be. */
  public void countError() {
    errors.increment();
  }

  /** It took longer than its budget. */
  public void countOverrun() {
    overruns.increment();
  }

  /** It was not called, because it had exceeded its budget too often. */
  public void countSuspended() {
    suspended.increment();
  }

  public long calls() {
    return calls.sum();
  }

  public long errors() {
    return errors.sum();
  }

  public long overruns() {
    return overruns.sum();
  }

  public long suspended() {
    return suspended.sum();
  }

  public long nanos() {
    return nanos.sum();
  }
}
