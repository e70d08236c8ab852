package io.forebay.benchmarks.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Kinds of traffic, each drawn from a seed. In the first five, objects have 4 KB to 1 MB, most of
 * them little; in those whose names begin with {@code web}, sizes are those of the web: log-normal
 * about 12 KB, one in fifty from a long tail up to 64 MB.
 */
final class SyntheticTraces {
  /** By name. */
  static final Map<String, LongFunction<Trace>> KINDS =
      Map.ofEntries(
          Map.entry("steady", SyntheticTraces::steady),
          Map.entry("churning", SyntheticTraces::churning),
          Map.entry("scans", SyntheticTraces::scanningAndLooping),
          Map.entry("once", SyntheticTraces::mostlyOnce),
          Map.entry("news", SyntheticTraces::news),
          Map.entry("web", SyntheticTraces::web),
          Map.entry("web-drift", SyntheticTraces::webDrift),
          Map.entry("web-crawl", SyntheticTraces::webCrawl),
          Map.entry("web-video", SyntheticTraces::webAndVideo),
          Map.entry("web-large", SyntheticTraces::webWithPopularLarge));

  private static final int REQUESTS = 300_000;
  private static final int WEB_REQUESTS = 400_000;
  private static final int WEB_OBJECTS = 60_000;

  /** Object numbers from here on are asked for once, or belong to another part of the traffic. */
  private static final long ONCE = 1L << 40;

  private static final long OTHER = 1L << 41;

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

  private SplittableRandom ofObject(long object) {
    return new SplittableRandom(seed ^ object * 31);
  }

  private void ask(long object, long size) {
    trace.add(numbers.computeIfAbsent(object, _ -> numbers.size()), size);
  }

  private static long webSize(SplittableRandom random) {
    double size =
        random.nextInt(50) == 0
            ? 200_000 * Math.pow(1 - random.nextDouble(), -1 / 1.1)
            : 12_000 * Math.exp(1.6 * random.nextGaussian());
    return (long) Math.clamp(size, 200, 64e6);
  }

  private void askWeb(long object) {
    ask(object, webSize(ofObject(object)));
  }

  /** Zipf's law over the web's sizes; one request in six is for what is asked for once. */
  static Trace web(long seed) {
    SyntheticTraces all = new SyntheticTraces("web", seed);
    double[] upTo = zipf(WEB_OBJECTS, 0.9);
    long once = ONCE;
    for (int request = 0; request < WEB_REQUESTS; request++) {
      all.askWeb(all.random.nextInt(6) == 0 ? once++ : all.draw(upTo));
    }
    return all.trace;
  }

  /** The web, whose objects are replaced by new ones, one every ten requests, popular or not. */
  static Trace webDrift(long seed) {
    SyntheticTraces all = new SyntheticTraces("web-drift", seed);
    double[] upTo = zipf(WEB_OBJECTS / 2, 0.8);
    long[] behind = new long[upTo.length];
    long next = 0;
    for (int n = 0; n < behind.length; n++) {
      behind[n] = next++;
    }
    for (int request = 0; request < WEB_REQUESTS; request++) {
      if (request % 10 == 0) {
        behind[all.random.nextInt(behind.length)] = next++;
      }
      all.askWeb(behind[all.draw(upTo)]);
    }
    return all.trace;
  }

  /**
   * The web beside crawlers: a fifth of the time only small objects that nobody else asks for, and
   * a fifth of the time every second request is for the next object of the whole site.
   */
  static Trace webCrawl(long seed) {
    SyntheticTraces all = new SyntheticTraces("web-crawl", seed);
    double[] upTo = zipf(WEB_OBJECTS, 0.9);
    long once = ONCE;
    long crawled = 0;
    for (int request = 0; request < WEB_REQUESTS; request++) {
      int phase = request / 20_000 % 5;
      if (phase == 1) {
        long object = once++;
        all.ask(object, 500 + all.ofObject(object).nextInt(8_000));
      } else if (phase == 3 && request % 2 == 0) {
        all.askWeb(crawled++ % WEB_OBJECTS);
      } else {
        all.askWeb(all.draw(upTo));
      }
    }
    return all.trace;
  }

  /**
   * The web in one cache with video: one request in five is for a segment of 0.2 to 4 MB, most of
   * them recent.
   */
  static Trace webAndVideo(long seed) {
    SyntheticTraces all = new SyntheticTraces("web-video", seed);
    double[] upTo = zipf(WEB_OBJECTS, 0.85);
    for (int request = 0; request < WEB_REQUESTS; request++) {
      if (all.random.nextInt(5) == 0) {
        double age = Math.pow(all.random.nextDouble(), -1.2) - 1;
        long segment = OTHER + Math.max(0, request / 50 - (long) Math.min(age * 40, 1e9));
        all.ask(segment, 200_000 + all.ofObject(segment).nextInt(3_800_000));
      } else {
        all.askWeb(all.draw(upTo));
      }
    }
    return all.trace;
  }

  /**
   * The web with popular downloads: of the thousand most popular objects every tenth has 1 to 20
   * MB. To favour small objects is wrong there.
   */
  static Trace webWithPopularLarge(long seed) {
    SyntheticTraces all = new SyntheticTraces("web-large", seed);
    double[] upTo = zipf(WEB_OBJECTS, 0.9);
    for (int request = 0; request < WEB_REQUESTS; request++) {
      int object = all.draw(upTo);
      if (object < 1_000 && object % 10 == 3) {
        all.ask(object, 1_000_000 + all.ofObject(object).nextInt(19_000_000));
      } else {
        all.askWeb(object);
      }
    }
    return all.trace;
  }
}
