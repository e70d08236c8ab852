package io.forebay.server.metric;

import io.forebay.server.counters.Http3Counters;
import java.util.function.ToLongFunction;

/** Metrics of QUIC and HTTP/3. */
final class Http3Metrics {

  private Http3Metrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    count(meters, from, "handshakes", "QUIC handshakes started.", c -> c.handshakes);
    count(meters, from, "established", "QUIC handshakes that succeeded.", c -> c.established);
    count(
        meters,
        from,
        "retries",
        "Clients required to validate their address with a QUIC Retry.",
        c -> c.retries);
    count(
        meters,
        from,
        "bad_tokens",
        "Retry tokens rejected because they were not issued by this node, were for another"
            + " address, or had expired.",
        c -> c.badTokens);
    count(
        meters,
        from,
        "migrations",
        "Connections whose client migrated to another address.",
        c -> c.migrations);
    count(
        meters,
        from,
        "resets",
        "Streams reset by clients or because of client errors.",
        c -> c.resets);
  }

  private static void count(
      MeterRegistrar meters,
      CachedReports from,
      String name,
      String help,
      ToLongFunction<Http3Counters> which) {
    meters.counter(
        "forebay_http3_" + name, help, () -> from.sum(loop -> which.applyAsLong(loop.http3)));
  }
}
