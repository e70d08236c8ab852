package io.forebay.server.counters;

import java.util.Locale;

/** Why a request to an origin failed; the value of the metric label {@code reason}. */
public enum OriginError {
  /** The name gives no address, or none that may be used. */
  NAME,
  /** No connection could be made. */
  CONNECT,
  /** The TLS handshake failed. */
  TLS,
  /** The origin took too long. */
  TIMEOUT,
  /** The origin closed the connection before the response was complete. */
  CLOSED,
  /** The response is not valid HTTP or exceeds a limit. */
  RESPONSE,
  /** A limit of this node: all connections are in use. */
  LIMIT,
  /** The client's request body ended early. */
  REQUEST,
  /** A defect of this node. */
  INTERNAL;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
