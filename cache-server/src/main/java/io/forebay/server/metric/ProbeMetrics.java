package io.forebay.server.metric;

import io.forebay.server.origin.probe.ServerProbes;
import java.util.function.ToDoubleFunction;

/** Metrics of the active probes of an origin's servers. */
final class ProbeMetrics {
  private ProbeMetrics() {}

  static void addNamed(MeterRegistrar meters, CachedReports from, String origin, String server) {
    Of one = new Of(meters, from, origin, server);
    one.counter(
        "forebay_origin_server_probes", "Active probes of the server.", ServerProbes::probes);
    one.counter(
        "forebay_origin_server_probe_failures",
        "Active probes of the server that failed.",
        ServerProbes::failures);
    one.gauge(
        "forebay_origin_server_passing_addresses",
        "Addresses of the server that pass their probes.",
        ServerProbes::passing);
    one.gauge(
        "forebay_origin_server_failing_addresses",
        "Addresses of the server that fail their probes.",
        ServerProbes::failing);
  }

  /** Not a number for a server that is no longer probed. */
  private static double read(
      CachedReports from, String origin, String server, ToDoubleFunction<ServerProbes> which) {
    for (ServerProbes one : from.probes()) {
      if (one.server().equals(server) && one.origin().equals(origin)) {
        return which.applyAsDouble(one);
      }
    }
    return Double.NaN;
  }

  /** Adds meters of one server. */
  private record Of(MeterRegistrar meters, CachedReports from, String origin, String server) {
    void gauge(String metric, String help, ToDoubleFunction<ServerProbes> which) {
      meters.gauge(
          metric,
          help,
          () -> read(from, origin, server, which),
          "origin",
          origin,
          "server",
          server);
    }

    void counter(String metric, String help, ToDoubleFunction<ServerProbes> which) {
      meters.counter(
          metric,
          help,
          () -> read(from, origin, server, which),
          "origin",
          origin,
          "server",
          server);
    }
  }
}
