package io.forebay.server.metric;

import io.forebay.server.counters.LimitKey;

/** Metrics of client connections, their limits, and tunnels. */
final class ConnectionMetrics {
  private ConnectionMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_connections_accepted",
        "Client connections accepted.",
        () -> from.sum(c -> c.connectionsAccepted));
    meters.counter(
        "forebay_connections_refused",
        "Client connections refused because a limit was reached.",
        () -> from.sum(c -> c.connectionsRefused));
    meters.gauge(
        "forebay_connections", "Open client connections.", () -> from.sum(c -> c.connectionsOpen));
    meters.counter(
        "forebay_requests_refused",
        "Requests refused before routing.",
        () -> from.sum(c -> c.requestsRefused));
    for (LimitKey limit : LimitKey.values()) {
      meters.counter(
          "forebay_limits_exceeded",
          "Times a configured limit was exceeded, by configuration key.",
          () -> from.sum(c -> c.hits(limit)),
          "limit",
          limit.key());
    }
    meters.counter(
        "forebay_private_copies",
        "Private copies made for slow clients.",
        () -> from.sum(c -> c.privateCopies));
    meters.counter(
        "forebay_private_copied_bytes",
        "Bytes copied into private copies for slow clients.",
        () -> from.sum(c -> c.privateCopyBytes));
    meters.counter(
        "forebay_stalled_connections_closed",
        "Connections closed because the client made no progress.",
        () -> from.sum(c -> c.stalledClosed));
    meters.gauge(
        "forebay_large_write_connections",
        "Client connections currently sent large chunks.",
        () -> from.sum(c -> c.largeWrites));
    meters.counter(
        "forebay_tunnels_opened",
        "Connections upgraded to another protocol and tunneled.",
        () -> from.sum(c -> c.tunnelsOpened));
    meters.counter(
        "forebay_tunnels_refused",
        "Protocol upgrades refused because the limit on open tunnels was reached.",
        () -> from.sum(c -> c.tunnelsRefused));
    String help = "Bytes transferred through closed tunnels, by direction.";
    meters.counter(
        "forebay_tunnel_bytes", help, () -> from.sum(c -> c.tunnelBytesToClients), "to", "client");
    meters.counter(
        "forebay_tunnel_bytes", help, () -> from.sum(c -> c.tunnelBytesToOrigins), "to", "origin");
    meters.gauge("forebay_tunnels", "Open tunnels.", () -> from.sum(c -> c.tunnelsOpen));
    meters.gauge(
        "forebay_private_copy_held_bytes",
        "Bytes currently held in private copies for slow clients.",
        () -> from.node().privateCopyBytes());
  }
}
