package io.forebay.benchmarks.trace;

import io.forebay.storage.evict.Tuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Replays request traces through the store's own eviction and through others, and prints which
 * share of objects and of bytes each missed, at several sizes of the cache.
 *
 * <pre>
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.trace.Simulator FILE.csv.gz ...
 * </pre>
 *
 * A line of a trace is {@code time,object,size}; sizes of the cache are shares of the bytes of all
 * distinct objects. Every request counts, the first ones too. Slices, directory entries and spare
 * regions count for Forebay alone; the others keep nothing but bodies, whole, in exactly so many
 * bytes.
 */
public final class Simulator {
  private static final int[] PERCENT = {1, 3, 10, 30};
  private static final double SEGMENTED_SHARE = 0.8;

  private static final String USAGE =
      """
      usage: Simulator [--share=SHARE] [--threshold=NUMBER] FILE.csv[.gz] ...

      Replays request traces through Forebay's eviction and through others (LRU, segmented LRU, S3-FIFO, GDSF,
      W-TinyLFU) and prints the share of objects and of bytes that each missed, at cache sizes of 1, 3, 10 and 30 % of
      all distinct bytes. A line of a trace is time,object,size.

        --share=SHARE        fixed share of the protected segment, 0.0 to 0.95 (default: tuned)
        --threshold=NUMBER   fixed number of requests that a record needs to survive probation, 1 or 2 (default: tuned)
        --help               shows this text
      """;

  private Simulator() {}

  /** Files and options as {@link #USAGE} says; exits with 2 where it cannot read them. */
  public static void main(String[] args) throws IOException {
    double share = Tuning.AUTO.protectedShare();
    int threshold = Tuning.AUTO.touchThreshold();
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
        } else if (arg.startsWith("-")) {
          throw new IllegalArgumentException("unknown option " + arg);
        } else {
          files++;
        }
      }
    } catch (IllegalArgumentException e) {
      fail(String.valueOf(e.getMessage()));
    }
    Tuning tuning = new Tuning(share, threshold);
    if (files == 0 || !tuning.isValid()) {
      fail(files == 0 ? "no trace is named" : "an option is out of its range");
    }
    for (String arg : args) {
      if (!arg.startsWith("--")) {
        Trace trace = Trace.read(Path.of(arg));
        System.out.printf(
            Locale.ROOT,
            "%n%s: %d requests, %d objects, %.1f GB distinct%n",
            trace.name(),
            trace.count(),
            trace.objectCount(),
            trace.distinctBytes() / 1e9);
        for (int percent : PERCENT) {
          print(trace, percent, tuning);
        }
      }
    }
  }

  private static void fail(String why) {
    System.err.println("Simulator: " + why);
    System.err.print(USAGE);
    System.exit(2);
  }

  private static void print(Trace trace, int percent, Tuning tuning) {
    long capacity = trace.distinctBytes() / 100 * percent;
    int objects = trace.objectCount();
    Forebay forebay = new Forebay(capacity, tuning);
    Map<String, Policy> policies = new LinkedHashMap<>();
    policies.put("Forebay", forebay);
    policies.put("LRU", new Lru(objects, capacity));
    policies.put("segmented LRU", new SegmentedLru(objects, capacity, SEGMENTED_SHARE));
    policies.put("S3-FIFO", new S3Fifo(objects, capacity));
    policies.put("S3-FIFO, one hit", new S3Fifo(objects, capacity, 1));
    policies.put("GDSF", new Gdsf(objects, capacity));
    policies.put("W-TinyLFU", new WTinyLfu(capacity));
    System.out.printf(Locale.ROOT, "%n%d %% = %.2f GB%n", percent, capacity / 1e9);
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
          entry.getValue() == forebay ? told(trace, forebay) : "");
      switch (entry.getKey()) {
        case "Forebay" -> own = outcome.bytes();
        case "LRU", "segmented LRU", "S3-FIFO", "S3-FIFO, one hit" -> best = Math.min(best, outcome.bytes());
        default -> {}
      }
    }
    System.out.printf(
        Locale.ROOT,
        "  bytes: %+.1f %% over the best of LRU, segmented LRU and S3-FIFO%n",
        (own / best - 1) * 100);
  }

  private static String told(Trace trace, Forebay forebay) {
    long requested = 0;
    for (int request = 0; request < trace.count(); request++) {
      requested += trace.size(request);
    }
    return String.format(
        Locale.ROOT,
        "   (at the end share %.2f, threshold %d; %.2f bytes copied a byte asked for)",
        forebay.setting().protectedShare(),
        forebay.setting().threshold(),
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
