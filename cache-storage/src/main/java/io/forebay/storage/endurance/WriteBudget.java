package io.forebay.storage.endurance;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What of that which is offered to a device its budget of a day admits. Everything while less than
 * three quarters of it are used up, then what was requested again, then nothing, until hours with
 * many writes are more than a day ago. Any thread.
 *
 * <p>Tombstones, marks of purges and headers are counted but never refused: without them purges
 * would not last. What was admitted and waits to be written is not counted yet, so the budget may
 * be exceeded by the write buffers of the device.
 */
public final class WriteBudget {
  private static final double PICKY_SHARE = 0.75;

  /** What is admitted. */
  public enum Admission {
    OPEN,
    /** Only what was requested again. */
    REQUESTED_AGAIN,
    CLOSED
  }

  private final EnduranceLimits limits;
  private final WriteHistory history;
  private final AtomicLong refused = new AtomicLong();

  public WriteBudget(EnduranceLimits limits, WriteHistory history) {
    this.limits = limits;
    this.history = history;
  }

  public Admission admission() {
    long budget = limits.bytesPerDay();
    if (budget == 0) {
      return Admission.OPEN;
    }
    long used = history.lastDay();
    return used >= budget
        ? Admission.CLOSED
        : used >= budget * PICKY_SHARE ? Admission.REQUESTED_AGAIN : Admission.OPEN;
  }

  /** Whether a record may be written; one that may not is counted. */
  public boolean admits(boolean isRequestedAgain) {
    boolean isAdmitted =
        switch (admission()) {
          case OPEN -> true;
          case REQUESTED_AGAIN -> isRequestedAgain;
          case CLOSED -> false;
        };
    if (!isAdmitted) {
      refused.incrementAndGet();
    }
    return isAdmitted;
  }

  /**
   * The figures of a device.
   *
   * @param deviceBytes its size
   */
  public EnduranceStats stats(long deviceBytes) {
    double average = history.averageOfDay();
    long total = history.total();
    double yearsLeft =
        limits.ratedBytes() == 0 || !(average > 0)
            ? Double.NaN
            : Math.max(0, limits.ratedBytes() - total) / average / 365.25;
    return new EnduranceStats(
        history.beganMillis(),
        total,
        history.lastDay(),
        average / deviceBytes,
        yearsLeft,
        limits,
        admission(),
        refused.get());
  }
}
