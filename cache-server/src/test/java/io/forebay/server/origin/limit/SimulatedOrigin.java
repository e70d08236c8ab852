package io.forebay.server.origin.limit;

import io.forebay.server.config.AdaptiveLimitConfig;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * An origin that works on a number of requests at a time and lets the others queue, and a node that
 * sends it requests through a {@link GradientLimit}; in simulated time.
 */
final class SimulatedOrigin {
  private final SplittableRandom random;
  private final AdaptiveLimitConfig config;
  final GradientLimit limit;
  private final LatencySamples samples = new LatencySamples();

  /** Requests that it works on at a time. */
  int workers;

  /** Mean time that it works on one. */
  double serviceNanos;

  /** Share of the time of a request that varies: 0 for none, 1 for an exponential distribution. */
  double variation = 1;

  /** Requests per second that come; those that find the limit reached wait at the node. */
  double arrivals;

  /** The origin rejects requests that find as many in it; 0 for never. */
  int rejectsAbove;

  private long now;
  private long nextArrival;
  private final ArrayDeque<Long> waitingAtNode = new ArrayDeque<>();
  private final ArrayDeque<Long> queued = new ArrayDeque<>();
  private final PriorityQueue<long[]> working =
      new PriorityQueue<>((one, other) -> Long.compare(one[0], other[0]));
  private int inProgress;

  // Since the last call of forget.
  private long sinceNanos;
  private long served;
  private long rejected;
  private double latencySum;
  private double inProgressTime;

  SimulatedOrigin(long seed, AdaptiveLimitConfig config, int workers, double serviceMillis) {
    this.config = config;
    random = new SplittableRandom(seed);
    limit = new GradientLimit(config, 0);
    this.workers = workers;
    serviceNanos = serviceMillis * 1e6;
  }

  void run(double seconds) {
    long end = now + (long) (seconds * 1e9);
    nextArrival = Math.max(nextArrival, now);
    while (true) {
      long next = working.isEmpty() ? Long.MAX_VALUE : working.peek()[0];
      boolean isArrival = nextArrival <= next;
      long at = Math.min(next, nextArrival);
      if (at > end) {
        advance(end);
        return;
      }
      advance(at);
      if (isArrival) {
        nextArrival =
            arrivals == 0 ? Long.MAX_VALUE : now + (long) (exponential() * 1e9 / arrivals);
        if (waitingAtNode.size() < 1000) {
          waitingAtNode.add(now);
        }
      } else {
        complete(working.remove()[1]);
      }
      admit();
    }
  }

  private void advance(long to) {
    inProgressTime += (double) inProgress * (to - now);
    now = to;
  }

  private double exponential() {
    return -Math.log(1 - random.nextDouble());
  }

  private void admit() {
    while (!waitingAtNode.isEmpty() && inProgress < limit.limit()) {
      waitingAtNode.remove();
      if (rejectsAbove > 0 && inProgress >= rejectsAbove) {
        rejected++;
        samples.addRejected(inProgress + 1);
        look();
        continue;
      }
      inProgress++;
      queued.add(now);
      work();
    }
  }

  private void work() {
    while (working.size() < workers && !queued.isEmpty()) {
      double time = serviceNanos * (1 - variation + variation * exponential());
      working.add(new long[] {now + (long) time, queued.remove()});
    }
  }

  private void complete(long start) {
    samples.add(now - start, inProgress);
    inProgress--;
    served++;
    latencySum += now - start;
    work();
    look();
  }

  private void look() {
    if (limit.isWindowOver(samples.count() + samples.rejected(), now)) {
      limit.onWindow(samples, config, now);
      samples.clear();
    }
  }

  /** What is asked from now on begins now. */
  void forget() {
    sinceNanos = now;
    served = 0;
    rejected = 0;
    latencySum = 0;
    inProgressTime = 0;
  }

  double meanInProgress() {
    return inProgressTime / (now - sinceNanos);
  }

  double meanLatencyMillis() {
    return latencySum / served / 1e6;
  }

  /** Responses per second, by what the origin can do. */
  double utilisation() {
    double most = workers / serviceNanos * (now - sinceNanos);
    return served / most;
  }

  double rejectedShare() {
    return (double) rejected / (served + rejected);
  }
}
