package io.forebay.lab.load;

import java.time.Instant;
import java.util.SplittableRandom;

/**
 * Draws what requests ask for. Many draws of one plan go side by side, each with random numbers of
 * its own; sequential and fresh numbers are dealt out among them.
 */
public final class RequestDraw {
  private static final long EPOCH = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();
  private static final int FRESH_BITS = 33;

  private final LoadPlan plan;
  private final SplittableRandom random;
  private final double[] weights;
  private final ZipfNumbers[] zipf;
  private final long[] sequence;
  private final long index;
  private final long draws;
  private final long freshBase;
  private long fresh;
  private double freshDue;
  private int object;
  private long number;

  /**
   * One of many draws.
   *
   * @param index of this draw, from 0
   * @param draws how many there are
   * @param now by which names are told from those of earlier loads with the same seed
   */
  public RequestDraw(LoadPlan plan, int index, int draws, Instant now) {
    this.plan = plan;
    this.index = index;
    this.draws = draws;
    random = new SplittableRandom(plan.seed() * 0x9E3779B97F4A7C15L + index);
    weights = new double[plan.objects().size()];
    zipf = new ZipfNumbers[weights.length];
    sequence = new long[weights.length];
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      LoadPlan.ObjectClass object = plan.objects().get(i);
      sum += object.weight();
      weights[i] = sum;
      zipf[i] = new ZipfNumbers(object.count());
      sequence[i] = index;
    }
    freshBase = Math.max(1, now.getEpochSecond() - EPOCH) << FRESH_BITS;
    fresh = index;
    // Evenly among all draws, so that the share is right after few requests as well.
    freshDue = (index + 0.5) / draws;
  }

  /** Draws the next one: {@link #object} and {@link #number} say which. */
  public void next() {
    object = drawObject();
    freshDue += plan.freshShare();
    if (freshDue >= 1) {
      freshDue -= 1;
      number = freshBase + fresh;
      fresh += draws;
      return;
    }
    long count = plan.objects().get(object).count();
    number =
        switch (plan.popularity()) {
          case UNIFORM -> count == 1 ? 0 : random.nextLong(count);
          case ZIPF -> zipf[object].draw(random);
          case SEQUENTIAL -> {
            long next = sequence[object];
            sequence[object] = next + draws;
            yield next % count;
          }
        };
  }

  private int drawObject() {
    if (weights.length == 1) {
      return 0;
    }
    double at = random.nextDouble() * weights[weights.length - 1];
    int drawn = 0;
    while (drawn < weights.length - 1 && at >= weights[drawn]) {
      drawn++;
    }
    return drawn;
  }

  /** Whether a new connection is to offer its TLS session. */
  public boolean resumes() {
    return plan.resumedShare() > 0 && random.nextDouble() < plan.resumedShare();
  }

  /** Index of the object class in the plan. */
  public int object() {
    return object;
  }

  public long number() {
    return number;
  }

  @Override
  public String toString() {
    return "draw " + index + " of " + draws;
  }
}
