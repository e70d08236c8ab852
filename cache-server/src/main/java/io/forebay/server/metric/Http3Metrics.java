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
    count(all, loops, "handshakes", "QUIC handshakes begun.", c -> c.handshakes);
    count(all, loops, "established", "QUIC handshakes that succeeded.", c -> c.established);
    count(
        all,
        loops,
        "retries",
        "Clients that had to show that they are at the address they claim, before anything was"
            + " remembered of them.",
        c -> c.retries);
    count(
        all,
        loops,
        "bad_tokens",
        "Retry tokens that were not ours, not for that address, or too old.",
        c -> c.badTokens);
    count(
        all,
        loops,
        "migrations",
        "Connections whose client moved to another address.",
        c -> c.migrations);
    count(
        all, loops, "resets", "Streams broken off by clients, or by their faults.", c -> c.resets);
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
