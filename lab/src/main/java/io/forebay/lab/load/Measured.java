package io.forebay.lab.load;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was measured in the phases that count, in a form that adds up. Requests, bytes, connections
 * and errors count by when they end; times of requests count by when these were due, so that a
 * request that outlasts the load is among them.
 */
public final class Measured {
  private final LatencyHistogram firstByte = new LatencyHistogram();
  private final LatencyHistogram lastByte = new LatencyHistogram();
  private final LatencyHistogram lateness = new LatencyHistogram();
  private final List<String> names;
  private final List<LatencyHistogram> byObject = new ArrayList<>();
  private final EnumMap<ErrorKind, Long> errors = new EnumMap<>(ErrorKind.class);
  private double seconds;
  private double cores;
  private long requests;
  private long bodyBytes;
  private long connections;
  private long resumed;

  /**
   * Nothing yet.
   *
   * @param names of the objects, in the order of the plan
   */
  public Measured(List<String> names) {
    this.names = List.copyOf(names);
    for (String _ : names) {
      byObject.add(new LatencyHistogram());
    }
  }

  /** Nothing of the plan's objects yet. */
  public static Measured of(LoadPlan plan) {
    return new Measured(plan.objects().stream().map(LoadPlan.ObjectClass::name).toList());
  }

  /** A request that ended well within the time that counts. */
  public void request() {
    requests++;
  }

  /** Bytes of bodies; negative for those of a request that failed after all. */
  public void bytes(long more) {
    bodyBytes += more;
  }

  public void connection(boolean isResumed) {
    connections++;
    if (isResumed) {
      resumed++;
    }
  }

  public void error(ErrorKind kind) {
    errors.merge(kind, 1L, Long::sum);
  }

  /** Times of a request that was due within the time that counts and ended well. */
  public void times(int object, long firstNanos, long lastNanos) {
    firstByte.record(firstNanos);
    lastByte.record(lastNanos);
    byObject.get(object).record(lastNanos);
  }

  /** How long after its time the client began a request, though a connection was free. */
  public void lateness(long nanos) {
    lateness.record(nanos);
  }

  /** The length of what was measured, and the CPU that it took. */
  public void took(double seconds, double cores) {
    this.seconds = seconds;
    this.cores = cores;
  }

  /** Adds what another loop of the same process measured. */
  public void add(Measured other) {
    firstByte.add(other.firstByte);
    lastByte.add(other.lastByte);
    lateness.add(other.lateness);
    for (int i = 0; i < byObject.size(); i++) {
      byObject.get(i).add(other.byObject.get(i));
    }
    other.errors.forEach((kind, count) -> errors.merge(kind, count, Long::sum));
    requests += other.requests;
    bodyBytes += other.bodyBytes;
    connections += other.connections;
    resumed += other.resumed;
    seconds = Math.max(seconds, other.seconds);
    cores += other.cores;
  }

  public LoadTotals totals() {
    Map<String, Long> kinds = new TreeMap<>();
    errors.forEach((kind, count) -> kinds.put(kind.label(), count));
    Map<String, Latency> objects = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      objects.put(names.get(i), byObject.get(i).latency());
    }
    return new LoadTotals(
        seconds,
        requests,
        bodyBytes,
        connections,
        resumed,
        kinds,
        firstByte.latency(),
        lastByte.latency(),
        lateness.latency(),
        cores,
        objects);
  }

  Histograms histograms() {
    return new Histograms(
        firstByte.encoded(),
        lastByte.encoded(),
        lateness.encoded(),
        byObject.stream().map(LatencyHistogram::encoded).toList());
  }

  /** Adds what another process measured. */
  void add(LoadTotals totals, Histograms histograms) {
    Measured other = new Measured(names);
    if (histograms.byObject().size() != names.size()) {
      throw new IllegalArgumentException("another number of objects than in the plan");
    }
    other.firstByte.add(LatencyHistogram.decoded(histograms.firstByte()));
    other.lastByte.add(LatencyHistogram.decoded(histograms.lastByte()));
    other.lateness.add(LatencyHistogram.decoded(histograms.lateness()));
    for (int i = 0; i < names.size(); i++) {
      other.byObject.get(i).add(LatencyHistogram.decoded(histograms.byObject().get(i)));
    }
    for (ErrorKind kind : ErrorKind.values()) {
      @Nullable Long count = totals.errors().get(kind.label());
      if (count != null) {
        other.errors.put(kind, count);
      }
    }
    other.requests = totals.requests();
    other.bodyBytes = totals.bodyBytes();
    other.connections = totals.connections();
    other.resumed = totals.resumed();
    other.took(totals.seconds(), totals.clientCores());
    add(other);
  }

  /**
   * Encoded, as they travel.
   *
   * @param byObject in the order of the plan
   */
  record Histograms(String firstByte, String lastByte, String lateness, List<String> byObject) {
    Histograms {
      byObject = List.copyOf(byObject);
    }
  }
}
