package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.load.Measured;
import io.forebay.lab.load.SecondCounts;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What one loop counts. */
final class Tally {
  private static final long SECOND = 1_000_000_000L;

  private final Phases phases;
  private final Measured measured;
  private final boolean keepsConnections;
  private final ArrayDeque<SecondCounts> seconds = new ArrayDeque<>();

  Tally(LoadPlan plan, Phases phases) {
    this.phases = phases;
    measured = Measured.of(plan);
    keepsConnections = plan.requestsPerConnection() == 0;
  }

  /** The second of this moment; null before the load begins and after it is over. */
  private @Nullable SecondCounts second(long now) {
    if (now < 0 || now >= phases.end()) {
      return null;
    }
    int second = (int) (now / SECOND);
    SecondCounts last = seconds.peekLast();
    if (last != null && last.second() >= second) {
      return last;
    }
    SecondCounts next = new SecondCounts(second);
    seconds.add(next);
    return next;
  }

  /** What was counted in a second that is over. */
  SecondCounts take(int second) {
    SecondCounts first = seconds.peekFirst();
    if (first == null || first.second() != second) {
      return new SecondCounts(second);
    }
    return seconds.removeFirst();
  }

  /** A piece of a body came. */
  void bytes(Request request, int count, long now) {
    SecondCounts second = second(now);
    if (second != null) {
      second.bytes(count);
      if (phases.isMeasuredAt(now)) {
        measured.bytes(count);
        request.measuredBytes += count;
      }
    }
  }

  void ended(Request request, long now) {
    long last = now - request.due;
    SecondCounts second = second(now);
    if (second != null) {
      second.request(last);
      if (phases.isMeasuredAt(now)) {
        measured.request();
      }
    }
    if (phases.isMeasuredAt(request.due)) {
      measured.times(request.object, request.firstByte - request.due, last);
    }
  }

  void failed(Request request, ErrorKind kind, long now) {
    measured.bytes(-request.measuredBytes);
    error(kind, request.due, now);
  }

  /**
   * An error.
   *
   * @param due the moment that says whether it counts; one before the load began does
   */
  void error(ErrorKind kind, long due, long now) {
    SecondCounts second = second(now);
    if (second != null) {
      second.error();
    }
    if (due < 0 || phases.isMeasuredAt(due)) {
      measured.error(kind);
    }
  }

  void lateness(long due, long nanos) {
    if (phases.isMeasuredAt(due)) {
      measured.lateness(nanos);
    }
  }

  /** A connection was opened; one that is kept counts, too, if that was before. */
  void connection(boolean isResumed, long now) {
    if (phases.isMeasuredAt(now) || (keepsConnections && now < phases.end())) {
      measured.connection(isResumed);
    }
  }

  Measured measured() {
    return measured;
  }
}
