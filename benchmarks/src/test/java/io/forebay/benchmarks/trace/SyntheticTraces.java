package io.forebay.benchmarks.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Kinds of traffic, each drawn from a seed. Objects have 4 KB to 1 MB, most of them little. */
final class SyntheticTraces {
  private static final int REQUESTS = 300_000;

  private final Trace trace;
  private final SplittableRandom random;
  private final long seed;
  private final Map<Long, Integer> numbers = new HashMap<>();

  private SyntheticTraces(String name, long seed) {
    this.trace = new Trace(name);
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  private void ask(long object) {
    int id = numbers.computeIfAbsent(object, _ -> numbers.size());
    double draw = new SplittableRandom(seed ^ object * 31).nextDouble();
    trace.add(id, (long) (4_000 * Math.pow(256, draw)));
  }

  private static double[] zipf(int objects, double skew) {
    double[] upTo = new double[objects];
    double sum = 0;
    for (int n = 0; n < objects; n++) {
      sum += 1 / Math.pow(n + 1.0, skew);
      upTo[n] = sum;
    }
    return upTo;
  }

  private int draw(double[] upTo) {
    int at = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
    return at < 0 ? -at - 1 : at;
  }

  /** Zipf's law. */
  static Trace steady(long seed) {
    SyntheticTraces all = new SyntheticTraces("steady", seed);
    double[] upTo = zipf(20_000, 0.8);
    for (int request = 0; request < REQUESTS; request++) {
      all.ask(all.draw(upTo));
    }
    return all.trace;
  }

  /** Zipf's law, under which every hundredth request an object is replaced by a new one. */
  static Trace churning(long seed) {
    SyntheticTraces all = new SyntheticTraces("churning", seed);
    double[] upTo = zipf(10_000, 0.9);
    long[] behind = new long[upTo.length];
    long next = 0;
    for (int n = 0; n < behind.length; n++) {
      behind[n] = next++;
    }
    for (int request = 0; request < REQUESTS; request++) {
      if (request % 20 == 0) {
        behind[all.random.nextInt(behind.length)] = next++;
      }
      all.ask(behind[all.draw(upTo)]);
    }
    return all.trace;
  }

  /** Zipf's law, beside it scans of what is never asked for again and a loop over a fixed set. */
  static Trace scanningAndLooping(long seed) {
    SyntheticTraces all = new SyntheticTraces("scans and a loop", seed);
    double[] upTo = zipf(10_000, 0.8);
    long scanned = 1L << 40;
    long looped = 0;
    for (int request = 0; request < REQUESTS; request++) {
      if (request / 5_000 % 4 == 3) {
        all.ask(scanned++);
      } else if (request % 5 == 0) {
        all.ask((1L << 41) + looped++ % 4_000);
      } else {
        all.ask(all.draw(upTo));
      }
    }
    return all.trace;
  }

  /** Three of five requests are for what is asked for once. */
  static Trace mostlyOnce(long seed) {
    SyntheticTraces all = new SyntheticTraces("mostly once", seed);
    double[] upTo = zipf(10_000, 0.9);
    long once = 1L << 40;
    for (int request = 0; request < REQUESTS; request++) {
      all.ask(all.random.nextInt(5) < 3 ? once++ : all.draw(upTo));
    }
    return all.trace;
  }

  /** Everything is asked for a few times shortly after it is new, and hardly ever later. */
  static Trace news(long seed) {
    SyntheticTraces all = new SyntheticTraces("news", seed);
    for (int request = 0; request < REQUESTS; request++) {
      // Older by a long-tailed number of objects than the newest, one of which appears in four.
      double age = Math.pow(all.random.nextDouble(), -1.2) - 1;
      all.ask(Math.max(0, request / 4 - (long) Math.min(age * 20, 1e9)));
    }
    return all.trace;
  }
}
