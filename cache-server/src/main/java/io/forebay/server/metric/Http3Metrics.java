package io.forebay.server.metric;

import io.forebay.server.counters.Http3Counters;
import io.forebay.server.counters.LoopCounters;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.ToLongFunction;

/** What is exported of QUIC and HTTP/3. */
final class Http3Metrics {

  private Http3Metrics() {}

  static void add(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    count(all, loops, "handshakes", "QUIC handshakes started.", c -> c.handshakes);
    count(all, loops, "established", "QUIC handshakes that succeeded.", c -> c.established);
    count(
        all,
        loops,
        "retries",
        "Clients required to validate their address with a QUIC Retry.",
        c -> c.retries);
    count(
        all,
        loops,
        "bad_tokens",
        "Retry tokens rejected because they were not issued by this node, were for another"
            + " address, or had expired.",
        c -> c.badTokens);
    count(
        all,
        loops,
        "migrations",
        "Connections whose client migrated to another address.",
        c -> c.migrations);
    count(
        all,
        loops,
        "resets",
        "Streams reset by clients or because of client errors.",
        c -> c.resets);
  }

  private static void count(
      MetricSnapshots.Builder all,
      List<LoopCounters> loops,
      String name,
      String help,
      ToLongFunction<Http3Counters> which) {
    long sum = 0;
    for (LoopCounters loop : loops) {
      sum += which.applyAsLong(loop.http3);
    }
    NodeMetrics.counterOf(all, "forebay_http3_" + name, help, sum);
  }
}
