package io.forebay.lab.run;

import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Why the figures of a step do not count: something else than the server was the bound. */
final class Verdict {
  static final double MOST_BUSY = 0.8;
  static final double MOST_OFF = 0.005;
  static final double MOST_ERRORS = 0.001;

  /** Of the last byte's p99. */
  static final double MOST_LATE = 0.05;

  /** Lateness below this changes no figure that the lab prints. */
  static final double NEGLIGIBLE_MILLIS = 1;

  static final double LEAST_MEASURED = 0.9;

  private Verdict() {}

  /**
   * The CPU that is there for others than the server, in cores.
   *
   * @param client what clients can use; NaN where it is not known, and then not judged
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
  static List<String> voids(Load wanted, LoadTotals load, ServerTotals server, Capacity capacity) {
    List<String> voids = new ArrayList<>();
    if (load.requests() == 0) {
      voids.add("no request ended well" + errors(load));
      return voids;
    }
    double seconds =
        wanted.ramps().isEmpty()
            ? wanted.measuredSeconds()
            : wanted.ramps().stream().mapToDouble(Load.Ramp::seconds).sum();
    if (load.seconds() < seconds * LEAST_MEASURED) {
      voids.add(
          String.format(
              Locale.ROOT, "the load ended after %.1f of %.1f seconds", load.seconds(), seconds));
    }
    if (load.clientCores() > MOST_BUSY * capacity.client()) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the client was the bound: it used %.2f of the %.2f cores that it can use, more than"
                  + " 80 %%",
              load.clientCores(),
              capacity.client()));
    }
    if (server.coresOrigin() > MOST_BUSY * capacity.origin()) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the origin was the bound: it used %.2f of the %.2f cores that it can use, more than"
                  + " 80 %%",
              server.coresOrigin(),
              capacity.origin()));
    }
    HitRatio ratio = wanted.wanted();
    if (ratio != null) {
      hitRatio(ratio, server, voids);
    }
    double late = load.lateness().p99();
    if (wanted.isOpen() && late > NEGLIGIBLE_MILLIS && late > MOST_LATE * load.lastByte().p99()) {
      voids.add(
          String.format(
              Locale.ROOT,
              "the client was late by %.1f ms at p99, more than 5 %% of the response time's p99 of"
                  + " %.1f ms",
              late,
              load.lastByte().p99()));
    }
    long errors = load.errors().values().stream().mapToLong(Long::longValue).sum();
    if (errors > MOST_ERRORS * (load.requests() + errors)) {
      voids.add(
          String.format(
                  Locale.ROOT,
                  "%.2f %% of requests failed",
                  100.0 * errors / (load.requests() + errors))
              + errors(load));
    }
    return voids;
  }

  private static void hitRatio(HitRatio wanted, ServerTotals server, List<String> voids) {
    boolean isOfBytes = wanted.of() == HitRatioOf.BYTES;
    double measured = isOfBytes ? server.byteHitRatio() : server.hitRatio();
    String name = isOfBytes ? "the byte hit ratio" : "the hit ratio";
    if (Double.isNaN(measured)) {
      voids.add(name + " is not known: the program does not count it");
    } else if (Math.abs(measured - wanted.wanted()) > MOST_OFF) {
      voids.add(
          String.format(
              Locale.ROOT,
              "%s was %.1f %% where %.1f %% is wanted, off by more than half a point",
              name,
              100 * measured,
              100 * wanted.wanted()));
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
