package io.forebay.lab.load.client;

import io.forebay.lab.load.LoadPlan;
import java.util.List;

/**
 * When requests are due: evenly at a constant rate, and closer or wider on a ramp. Every n-th of
 * them belongs to this loop. Those that wait need no memory: they are the ones that are due and not
 * taken.
 */
final class Arrivals {
  static final long NEVER = Long.MAX_VALUE;
  private static final double SECOND = 1e9;

  private final List<LoadPlan.Phase> phases;
  private final long stride;
  private int phase = -1;
  private double begin;
  private long count;
  private long index;
  private long due;

  /**
   * A loop's share.
   *
   * @param first index of its first request, below the stride
   */
  Arrivals(List<LoadPlan.Phase> phases, int first, int stride) {
    this.phases = phases;
    this.stride = stride;
    index = first;
    reckon();
  }

  /** When the next request is due; {@link #NEVER} when there is none. */
  long peek() {
    return due;
  }

  void take() {
    index += stride;
    reckon();
  }

  private void reckon() {
    while (index >= count) {
      index -= count;
      if (phase >= 0) {
        begin += phases.get(phase).seconds();
      }
      if (++phase == phases.size()) {
        due = NEVER;
        phase--;
        count = NEVER;
        return;
      }
      count = (long) Math.ceil(requests(phases.get(phase)) - 1e-6);
    }
    if (due != NEVER) {
      due = (long) ((begin + after(phases.get(phase), index)) * SECOND);
    }
  }

  private static double requests(LoadPlan.Phase phase) {
    return (phase.ratePerSecond() + phase.endRatePerSecond()) / 2 * phase.seconds();
  }

  /** Seconds from the begin of the phase until that many requests were due. */
  private static double after(LoadPlan.Phase phase, long requests) {
    if (requests == 0) {
      return 0;
    }
    double rate = phase.ratePerSecond();
    double slope = (phase.endRatePerSecond() - rate) / phase.seconds();
    return 2 * requests / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * requests)));
  }
}
