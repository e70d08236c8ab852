package io.forebay.server.counters;

/** The configuration keys of the limits whose violations are counted. */
public enum LimitKey {
  HEADER_BYTES("limits.header-bytes"),
  HEADER_COUNT("limits.header-count"),
  TARGET_BYTES("limits.target-bytes"),
  REQUEST_BODY("limits.request-body"),
  REQUEST_BODY_RATE("limits.request-body-rate"),
  CONNECTIONS("limits.connections"),
  CONNECTIONS_PER_ADDRESS("limits.connections-per-address"),
  CONNECTIONS_PER_NETWORK("limits.connections-per-network"),
  CONNECTIONS_PER_SERVER_NAME("limits.connections-per-server-name"),
  CONNECTIONS_PER_CERTIFICATE("limits.connections-per-certificate"),
  REQUESTS_PER_CONNECTION("limits.requests-per-connection"),
  STREAMS_PER_CONNECTION("limits.streams-per-connection"),
  FOLLOWERS_PER_FILL("limits.followers-per-fill"),
  FILLS("limits.fills"),
  REFUSED_LOADS("limits.refused-loads"),
  RECOVERY_FETCHES("limits.recovery-fetches"),
  WAITING_PER_CLIENT("limits.waiting-per-client"),
  FETCHES_PER_CLIENT("limits.fetches-per-client"),
  PRIVATE_COPIES("limits.private-copies"),
  TLS_CLIENT_HELLO("tls.client-hello"),
  TLS_HANDSHAKE("timeouts.tls-handshake"),
  REQUEST_HEADER("timeouts.request-header"),
  REQUEST_BODY_IDLE("timeouts.request-body-idle"),
  KEEP_ALIVE("timeouts.keep-alive"),
  NO_PROGRESS("timeouts.no-progress"),
  REQUEST_TOTAL("timeouts.request-total"),
  HTTP2_RESETS("http2.resets"),
  HTTP2_RESETS_CAUSED("http2.resets-caused"),
  HTTP2_PINGS("http2.pings"),
  HTTP2_SETTINGS("http2.settings"),
  HTTP2_PRIORITIES("http2.priorities"),
  HTTP2_CONTINUATIONS("http2.continuations"),
  HTTP2_EMPTY_FRAMES("http2.empty-frames"),
  HTTP2_QUEUED_CONTROL_FRAMES("http2.queued-control-frames"),
  OVERLOAD("overload.delay"),
  TUNNELS("tunnels.limit"),
  TUNNELS_PER_CLIENT("tunnels.per-client"),
  ORIGIN_CONNECTIONS("origins.max-connections"),
  ORIGIN_SERVER_CONNECTIONS("origins.servers.max-connections"),
  ORIGIN_ADAPTIVE_LIMIT("origins.adaptive-limit");

  private final String key;

  LimitKey(String key) {
    this.key = key;
  }

  /** The configuration key that sets it, and its label in metrics. */
  public String key() {
    return key;
  }
}
