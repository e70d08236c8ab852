package io.forebay.server.origin;

/**
 * Why an origin call brought no whole response.
 *
 * @param kind metric label and Proxy-Status-like token
 * @param detail one line for the log and the error page; names host and port
 */
public record OriginFailure(Kind kind, String detail) {

  /** The kinds, from first to last moment of a call. */
  public enum Kind {
    UNKNOWN_ORIGIN,
    NAME_NOT_RESOLVED,
    ADDRESS_REFUSED,
    TOO_MANY_CONNECTIONS,
    CONNECT_FAILED,
    CONNECT_TIMEOUT,
    TLS_FAILED,
    REQUEST_BODY_FAILED,
    FIRST_BYTE_TIMEOUT,
    CLOSED_BEFORE_RESPONSE,
    INVALID_RESPONSE,
    IDLE_TIMEOUT,
    TOTAL_TIMEOUT,
    TRUNCATED;

    /** Whether the client is told 504 rather than 502. */
    public boolean isTimeout() {
      return this == CONNECT_TIMEOUT
          || this == FIRST_BYTE_TIMEOUT
          || this == IDLE_TIMEOUT
          || this == TOTAL_TIMEOUT;
    }
  }
}
