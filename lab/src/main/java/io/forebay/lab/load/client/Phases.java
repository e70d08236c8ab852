package io.forebay.lab.load.client;

import io.forebay.lab.load.LoadPlan;
import java.util.List;

/** Which moments of a load count, and which are a closed loop. For one thread. */
final class Phases {
  private static final double SECOND = 1e9;

  private final long[] ends;
  private final boolean[] isMeasured;
  private final boolean[] isClosed;
  private int last;

  Phases(List<LoadPlan.Phase> phases) {
    ends = new long[phases.size()];
    isMeasured = new boolean[ends.length];
    isClosed = new boolean[ends.length];
    double end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += phases.get(i).seconds();
      ends[i] = (long) (end * SECOND);
      isMeasured[i] = phases.get(i).isMeasured();
      isClosed[i] = !phases.get(i).hasRate();
    }
  }

  /** Index of the phase, or the number of phases after the end. Moments mostly go on. */
  private int at(long nanos) {
    int phase = last;
    while (phase < ends.length && nanos >= ends[phase]) {
      phase++;
    }
    while (phase > 0 && nanos < ends[phase - 1]) {
      phase--;
    }
    last = phase;
    return phase;
  }

  boolean isMeasuredAt(long nanos) {
    int phase = at(nanos);
    return nanos >= 0 && phase < ends.length && isMeasured[phase];
  }

  boolean isClosedAt(long nanos) {
    int phase = at(nanos);
    return nanos >= 0 && phase < ends.length && isClosed[phase];
  }

  /** When the phase of this moment began. */
  long beginAt(long nanos) {
    int phase = at(nanos);
    return phase == 0 ? 0 : ends[phase - 1];
  }

  /** When the next closed loop begins, {@link Long#MAX_VALUE} for never. */
  long nextClosedAfter(long nanos) {
    for (int phase = nanos < 0 ? 0 : at(nanos) + 1; phase < ends.length; phase++) {
      if (isClosed[phase]) {
        return phase == 0 ? 0 : ends[phase - 1];
      }
    }
    return Long.MAX_VALUE;
  }

  long end() {
    return ends[ends.length - 1];
  }

  int count() {
    return ends.length;
  }

  long beginOf(int phase) {
    return phase == 0 ? 0 : ends[phase - 1];
  }

  long endOf(int phase) {
    return ends[phase];
  }

  boolean isMeasured(int phase) {
    return isMeasured[phase];
  }
}
