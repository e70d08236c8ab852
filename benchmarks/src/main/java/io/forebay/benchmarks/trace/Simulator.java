package io.forebay.benchmarks.trace;

import io.forebay.storage.evict.Tuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Replays request traces through the store's own eviction and through others, and prints which
 * share of objects and of bytes each missed, at several sizes of the cache.
 *
 * <pre>
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.trace.Simulator TRACE ...
 * </pre>
 *
 * A line of a trace is {@code time,object,size}; sizes of the cache are shares of the bytes of all
 * distinct objects. Every request counts, the first ones too. Slices, directory entries and spare
 * regions count for Forebay alone; the others keep nothing but bodies, whole, in exactly so many
 * bytes.
 */
public final class Simulator {
  private static final double[] PERCENT = {1, 3, 10, 30};
  private static final double SEGMENTED_SHARE = 0.8;

  /** What part of a cache is for objects up to a size, in the caches that are divided by size. */
  private record Split(long smallBytes, double smallShare) {
    static final Split DEFAULT = new Split(8 << 10, 0.1);

    static Split of(String text) {
      int comma = text.indexOf(',');
      Split split =
          new Split(
              Long.parseLong(text.substring(0, Math.max(0, comma))),
              Double.parseDouble(text.substring(comma + 1)));
      if (split.smallShare <= 0 || split.smallShare >= 1) {
        throw new IllegalArgumentException("a share is between 0 and 1");
      }
      return split;
    }
  }

  private static final String USAGE =
      """
      usage: Simulator [--share=SHARE] [--threshold=NUMBER] [--small=BYTES] [--split=BYTES,SHARE]
                        [--only=LIST] [--percent=LIST] [--seed=SEED] TRACE ...

      Replays request traces through Forebay's eviction and through others (LRU, segmented LRU, S3-FIFO, GDSF,
      W-TinyLFU) and prints the share of objects and of bytes that each missed, at cache sizes of 1, 3, 10 and 30 % of
      all distinct bytes. A TRACE is a file FILE.csv[.gz] whose lines are time,object,size, or the name of a kind of
      traffic that is drawn from the seed: KINDS.

        --share=SHARE        fixed share of the protected segment, 0.0 to 0.95 (default: tuned)
        --threshold=NUMBER   fixed number of requests that a record needs to survive probation, 1 or 2 (default: tuned)
        --small=BYTES        fixed size up to which objects are favoured, 0: none (default: tuned)
        --split=BYTES,SHARE  of caches that are divided by size: the largest small object, and the share of the bytes
                             for small objects (default: 8192,0.1)
        --only=LIST          names of policies to replay, as printed (default: all)
        --percent=LIST       sizes of the cache, in percent of all distinct bytes (default: 1,3,10,30)
        --seed=SEED          of the traffic that is drawn (default: 1)
        --help               shows this text
      """
          .replace(
              "KINDS",
              String.join(", ", SyntheticTraces.KINDS.keySet().stream().sorted().toList()));

  private Simulator() {}

  /** Files and options as {@link #USAGE} says; exits with 2 where it cannot read them. */
  public static void main(String[] args) throws IOException {
    double share = Tuning.AUTO.protectedShare();
    int threshold = Tuning.AUTO.touchThreshold();
    int small = Tuning.AUTO.smallClass();
    double[] percents = PERCENT;
    Split split = Split.DEFAULT;
    Set<String> only = Set.of();
    long seed = 1;
    int files = 0;
    try {
      for (String arg : args) {
        if (arg.equals("--help") || arg.equals("-h")) {
          System.out.print(USAGE);
          return;
        } else if (arg.startsWith("--share=")) {
          share = Double.parseDouble(arg.substring(arg.indexOf('=') + 1));
        } else if (arg.startsWith("--threshold=")) {
          threshold = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
        } else if (arg.startsWith("--small=")) {
          small = Tuning.smallClass(Long.parseLong(arg.substring(arg.indexOf('=') + 1)));
        } else if (arg.startsWith("--only=")) {
          only = Set.of(arg.substring(arg.indexOf('=') + 1).split(","));
        } else if (arg.startsWith("--split=")) {
          split = Split.of(arg.substring(arg.indexOf('=') + 1));
        } else if (arg.startsWith("--percent=")) {
          percents =
              Arrays.stream(arg.substring(arg.indexOf('=') + 1).split(","))
                  .mapToDouble(Double::parseDouble)
                  .toArray();
        } else if (arg.startsWith("--seed=")) {
          seed = Long.parseLong(arg.substring(arg.indexOf('=') + 1));
        } else if (arg.startsWith("-")) {
          throw new IllegalArgumentException("unknown option " + arg);
        } else {
          files++;
        }
      }
    } catch (IllegalArgumentException e) {
      fail(String.valueOf(e.getMessage()));
    }
    Tuning tuning = new Tuning(share, threshold, small);
    if (files == 0 || !tuning.isValid()) {
      fail(files == 0 ? "no trace is named" : "an option is out of its range");
    }
    for (String arg : args) {
      if (!arg.startsWith("--")) {
        LongFunction<Trace> kind = SyntheticTraces.KINDS.get(arg);
        Trace trace = kind == null ? Trace.read(Path.of(arg)) : kind.apply(seed);
        System.out.printf(
            Locale.ROOT,
            "%n%s%s: %d requests, %d objects, %.1f GB distinct%n",
            trace.name(),
            kind == null ? "" : ", seed " + seed,
            trace.count(),
            trace.objectCount(),
            trace.distinctBytes() / 1e9);
        for (double percent : percents) {
          print(trace, percent, tuning, split, only);
        }
      }
    }
  }

  private static void fail(String why) {
    System.err.println("Simulator: " + why);
    System.err.print(USAGE);
    System.exit(2);
  }

  private static void print(
      Trace trace, double percent, Tuning tuning, Split split, Set<String> only) {
    long capacity = (long) (trace.distinctBytes() / 100.0 * percent);
    int objects = trace.objectCount();
    Forebay forebay = new Forebay(capacity, tuning);
    Map<String, Policy> policies = new LinkedHashMap<>();
    policies.put("Forebay", forebay);
    policies.put(
        "all sizes alike",
        new Forebay(capacity, new Tuning(tuning.protectedShare(), tuning.touchThreshold(), 0)));
    policies.put("LRU", new Lru(objects, capacity));
    policies.put("segmented LRU", new SegmentedLru(objects, capacity, SEGMENTED_SHARE));
    policies.put("S3-FIFO", new S3Fifo(objects, capacity));
    policies.put("S3-FIFO, one hit", new S3Fifo(objects, capacity, 1));
    policies.put(
        "S3-FIFO by size",
        SizeSplit.s3Fifo(objects, capacity, split.smallBytes(), split.smallShare()));
    policies.put(
        "Forebay by size",
        SizeSplit.forebay(capacity, split.smallBytes(), split.smallShare(), tuning));
    policies.put("GDSF", new Gdsf(objects, capacity));
    policies.put("W-TinyLFU", new WTinyLfu(capacity));
    if (!only.isEmpty()) {
      policies.keySet().retainAll(only);
    }
    System.out.printf(
        Locale.ROOT,
        "%n%s %% = %.2f GB%n",
        Double.toString(percent).replaceAll("\\.0$", ""),
        capacity / 1e9);
    System.out.printf("  %-17s %8s %8s%n", "miss ratio", "objects", "bytes");
    double best = 1;
    double own = 1;
    for (Map.Entry<String, Policy> entry : policies.entrySet()) {
      Outcome outcome = replay(trace, entry.getValue());
      System.out.printf(
          Locale.ROOT,
          "  %-17s %8.4f %8.4f%s%n",
          entry.getKey(),
          outcome.objects(),
          outcome.bytes(),
          entry.getValue() instanceof Forebay one ? told(trace, one) : "");
      switch (entry.getKey()) {
        case "Forebay" -> own = outcome.bytes();
        case "LRU", "segmented LRU", "S3-FIFO", "S3-FIFO, one hit" ->
            best = Math.min(best, outcome.bytes());
        default -> {}
      }
    }
    if (only.isEmpty()) {
      System.out.printf(
          Locale.ROOT,
          "  bytes: %+.1f %% over the best of LRU, segmented LRU and S3-FIFO%n",
          (own / best - 1) * 100);
    }
  }

  private static String told(Trace trace, Forebay forebay) {
    long requested = 0;
    for (int request = 0; request < trace.count(); request++) {
      requested += trace.size(request);
    }
    return String.format(
        Locale.ROOT,
        "   (at the end share %.2f, threshold %d, small %d; %.2f bytes copied a byte asked for)",
        forebay.setting().protectedShare(),
        forebay.setting().threshold(),
        forebay.setting().smallObjectBytes(),
        forebay.movedBytes() / (double) requested);
  }

  record Outcome(double objects, double bytes) {}

  static Outcome replay(Trace trace, Policy policy) {
    long missed = 0;
    long missedBytes = 0;
    long bytes = 0;
    for (int request = 0; request < trace.count(); request++) {
      long size = trace.size(request);
      bytes += size;
      if (!policy.access(trace.id(request), size)) {
        missed++;
        missedBytes += policy.fetchedBytes(size);
      }
    }
    return new Outcome(
        (double) missed / trace.count(), bytes == 0 ? 0 : (double) missedBytes / bytes);
  }
}
