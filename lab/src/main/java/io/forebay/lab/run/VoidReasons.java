package io.forebay.lab.run;

import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.ObjectRow;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Why the figures of a step do not count: something else than the server was the bound. */
final class VoidReasons {
  static final double MAX_BUSY = 0.8;
  static final double MAX_ERRORS = 0.001;

  /** Of the last byte's p99. */
  static final double MAX_LATE = 0.05;

  /** Lateness below this changes no figure that the lab prints. */
  static final double NEGLIGIBLE_MILLIS = 1;

  static final double MIN_MEASURED = 0.9;

  /** Of the CPUs that the lab may run on. */
  static final double MAX_OTHERS = 0.1;

  /** Of all requests, beside those that are in progress when the counters are read. */
  static final double MAX_MISCOUNTED = 0.01;

  private VoidReasons() {}

  /**
   * What was measured.
   *
   * @param objects that were asked for
   * @param capacity for others than the server
   * @param others share of the CPUs that programs used which have nothing to do with the run; NaN
   *     where it is not known, and then not judged
   * @param fetches that the origin answered, or null where they are not known
   */
  record Evidence(
      LoadTotals load,
      ServerTotals server,
      List<ObjectRow> objects,
      Capacity capacity,
      double others,
      @Nullable Fetches fetches) {}

  /**
   * Requests that the origin answered. The counters of server and origin are not read at the same
   * moment, so that it is at least and at most so many.
   *
   * @param counted how many the program says it has sent; -1 for as many as it had misses
   */
  record Fetches(long min, long max, long counted) {}

  /**
   * The CPU that is there for others than the server, in cores.
   *
   * @param client what clients can use
   * @param origin the same of the origin
   */
  record Capacity(double client, double origin) {

    /**
     * Of a machine that all share: the client can use what server and origin leave to it, the
     * origin as many cores as it has threads.
     */
    static Capacity shared(int cores, ServerTotals server, int originThreads) {
      return new Capacity(
          Math.max(0.01, cores - server.cores() - server.coresOrigin()),
          Math.min(originThreads, cores));
    }
  }

  /** Each a sentence; empty where the figures count. */
  static List<String> of(Load wanted, Evidence evidence) {
    List<String> voids = new ArrayList<>();
    if (evidence.others > MAX_OTHERS) {
      voids.add(
          String.format(
              Locale.ROOT,
              "other programs used %.0f %% of the CPUs, more than 10 %%: stop them and run again",
              100 * evidence.others));
    }
    if (evidence.load.requests() == 0) {
      voids.add("no request ended well" + errors(evidence.load));
      return voids;
    }
    length(wanted, evidence.load, voids);
    cpu(evidence, voids);
    hits(wanted, evidence, voids);
    client(wanted, evidence.load, voids);
    return voids;
  }

  private static void length(Load wanted, LoadTotals load, List<String> voids) {
    double seconds =
        wanted.ramps().isEmpty()
            ? wanted.measuredSeconds()
            : wanted.ramps().stream().mapToDouble(Load.Ramp::seconds).sum();
    if (load.seconds() < seconds * MIN_MEASURED) {
      voids.add(
          String.format(
              Locale.ROOT, "the load ended after %.1f of %.1f seconds", load.seconds(), seconds));
    }
  }

  private static void cpu(Evidence evidence, List<String> voids) {
    bound("client", evidence.load.clientCores(), evidence.capacity.client, voids);
    bound("origin", evidence.server.coresOrigin(), evidence.capacity.origin, voids);
  }

  private static void bound(String who, double used, double capacity, List<String> voids) {
    if (used > MAX_BUSY * capacity) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the %s was the bound: it used %.2f of the %.2f cores that it can use, more than"
                  + " 80 %%",
              who,
              used,
              capacity));
    }
  }

  private static void hits(Load wanted, Evidence evidence, List<String> voids) {
    HitRatio ratio = wanted.wanted();
    if (ratio != null) {
      hitRatio(ratio, evidence, voids);
    }
    Fetches fetches = evidence.fetches;
    if (fetches != null && evidence.server.requests() > 0) {
      misses(wanted, evidence.server, fetches, voids);
    }
  }

  private static void misses(
      Load wanted, ServerTotals server, Fetches fetches, List<String> voids) {
    boolean hasCounted = fetches.counted >= 0;
    long misses = hasCounted ? fetches.counted : server.requests() - server.hits();
    double tolerance = MAX_MISCOUNTED * server.requests() + wanted.allConnections();
    if (misses < fetches.min - tolerance || misses > fetches.max + tolerance) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the program counted %d %s, the origin %d to %d requests: its hit ratio is not known",
              misses,
              hasCounted ? "requests to the origin" : "misses",
              fetches.min,
              fetches.max));
    }
  }

  private static void hitRatio(HitRatio wanted, Evidence evidence, List<String> voids) {
    boolean isOfBytes = wanted.of() == HitRatioOf.BYTES;
    ServerTotals server = evidence.server;
    double measured = isOfBytes ? server.byteHitRatio() : server.hitRatio();
    String name = isOfBytes ? "the byte hit ratio" : "the hit ratio";
    if (Double.isNaN(measured)) {
      voids.add(name + " is not known: the program does not count it");
      return;
    }
    double tolerance =
        HitRatioTolerance.of(wanted, server.requests(), evidence.load, evidence.objects);
    if (Math.abs(measured - wanted.wanted()) > tolerance) {
      voids.add(
          String.format(
              Locale.ROOT,
              "%s was %.1f %% where %.1f %% is wanted, off by more than %s",
              name,
              100 * measured,
              100 * wanted.wanted(),
              tolerance <= HitRatioTolerance.MIN
                  ? "half a point"
                  : String.format(
                      Locale.ROOT,
                      "the %.1f points that chance explains in %d requests",
                      100 * tolerance,
                      server.requests())));
    }
  }

  private static void client(Load wanted, LoadTotals load, List<String> voids) {
    double late = load.lateness().p99();
    if (wanted.isOpen() && late > NEGLIGIBLE_MILLIS && late > MAX_LATE * load.lastByte().p99()) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the client was late by %.1f ms at p99, more than 5 %% of the response time's p99 of"
                  + " %.1f ms",
              late,
              load.lastByte().p99()));
    }
    long errors = load.errorCount();
    if (errors > MAX_ERRORS * (load.requests() + errors)) {
      voids.add(
          String.format(
                  Locale.ROOT,
                  "%.2f %% of requests failed",
                  100.0 * errors / (load.requests() + errors))
              + errors(load));
    }
  }

  private static String errors(LoadTotals load) {
    List<String> kinds = new ArrayList<>();
    load.errors().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(kind -> kinds.add(kind.getValue() + " " + kind.getKey()));
    return kinds.isEmpty() ? "" : ": " + String.join(", ", kinds);
  }
}
