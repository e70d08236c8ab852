package io.forebay.server.counters;

import java.util.concurrent.atomic.LongAdder;

/** Expressions of rules that had no value for a message. Any thread: fills judge responses. */
public final class RuleErrors {
  private final LongAdder errors = new LongAdder();
  private final LongAdder limits = new LongAdder();

  /**
   * Counts one.
   *
   * @param isLimit whether a bound of the evaluation was exceeded
   */
  public void count(boolean isLimit) {
    (isLimit ? limits : errors).increment();
  }

  /** Those that asked for what is not there. */
  public long errors() {
    return errors.sum();
  }

  /** Those that exceeded a bound. */
  public long limits() {
    return limits.sum();
  }
}
