package io.forebay.server.origin.call;

import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.server.counters.OriginError;

/**
 * Why an origin call gave no complete response.
 *
 * @param kind metric label, and what Proxy-Status says
 * @param detail one line for the log, never for the client: it names host and port
 * @param more what Proxy-Status says besides the type: parameters, or {@link ProxyStatus#NO_MORE}
 */
public record OriginFailure(Kind kind, String detail, String more) {

  public OriginFailure(Kind kind, String detail) {
    this(kind, detail, ProxyStatus.NO_MORE);
  }

  /** The kinds, from first to last moment of a call. */
  public enum Kind {
    UNKNOWN_ORIGIN(ProxyError.PROXY_CONFIGURATION_ERROR, OriginError.INTERNAL),
    NAME_NOT_RESOLVED(ProxyError.DNS_ERROR, OriginError.NAME),
    NAME_TIMEOUT(ProxyError.DNS_TIMEOUT, OriginError.NAME),
    ADDRESS_REFUSED(ProxyError.DESTINATION_IP_PROHIBITED, OriginError.NAME),
    /** Not asked at all: the loop has too much to do. */
    OVERLOADED(ProxyError.CONNECTION_LIMIT_REACHED, OriginError.LIMIT),
    TOO_MANY_CONNECTIONS(ProxyError.CONNECTION_LIMIT_REACHED, OriginError.LIMIT),
    /** As many as the adaptive limit of the origin allows are in progress. */
    TOO_MANY_REQUESTS(ProxyError.CONNECTION_LIMIT_REACHED, OriginError.LIMIT),
    /** Not asked at all: the client has too many requests in progress. */
    CLIENT_LIMIT(ProxyError.HTTP_REQUEST_DENIED, OriginError.LIMIT),
    /** Not asked at all: the route or host has too many requests in progress, or sent too many. */
    FETCH_LIMIT(ProxyError.CONNECTION_LIMIT_REACHED, OriginError.LIMIT),
    CONNECT_REFUSED(ProxyError.CONNECTION_REFUSED, OriginError.CONNECT),
    CONNECT_UNROUTABLE(ProxyError.DESTINATION_IP_UNROUTABLE, OriginError.CONNECT),
    CONNECT_FAILED(ProxyError.DESTINATION_UNAVAILABLE, OriginError.CONNECT),
    CONNECT_TIMEOUT(ProxyError.CONNECTION_TIMEOUT, OriginError.CONNECT),
    TLS_CERTIFICATE(ProxyError.TLS_CERTIFICATE_ERROR, OriginError.TLS),
    TLS_FAILED(ProxyError.TLS_PROTOCOL_ERROR, OriginError.TLS),
    /** Its path could leave the base path of the origin. */
    TARGET_REFUSED(ProxyError.HTTP_REQUEST_ERROR, OriginError.REQUEST),
    REQUEST_BODY_FAILED(ProxyError.HTTP_REQUEST_ERROR, OriginError.REQUEST),
    WRITE_TIMEOUT(ProxyError.CONNECTION_WRITE_TIMEOUT, OriginError.TIMEOUT),
    FIRST_BYTE_TIMEOUT(ProxyError.HTTP_RESPONSE_TIMEOUT, OriginError.TIMEOUT),
    /** It began, and its head did not end. */
    HEAD_TIMEOUT(ProxyError.CONNECTION_READ_TIMEOUT, OriginError.TIMEOUT),
    CLOSED_BEFORE_RESPONSE(ProxyError.CONNECTION_TERMINATED, OriginError.CLOSED),
    INVALID_RESPONSE(ProxyError.HTTP_PROTOCOL_ERROR, OriginError.RESPONSE),
    FIELDS_TOO_LARGE(ProxyError.HTTP_RESPONSE_HEADER_SECTION_SIZE, OriginError.RESPONSE),
    UPGRADE_FAILED(ProxyError.HTTP_UPGRADE_FAILED, OriginError.RESPONSE),
    SERVER_ERROR(ProxyError.DESTINATION_UNAVAILABLE, OriginError.RESPONSE),
    IDLE_TIMEOUT(ProxyError.CONNECTION_READ_TIMEOUT, OriginError.TIMEOUT),
    TOTAL_TIMEOUT(ProxyError.HTTP_RESPONSE_TIMEOUT, OriginError.TIMEOUT),
    TRUNCATED(ProxyError.HTTP_RESPONSE_INCOMPLETE, OriginError.CLOSED),
    DEFECT(ProxyError.PROXY_INTERNAL_ERROR, OriginError.INTERNAL);

    private final ProxyError error;
    private final OriginError counted;

    Kind(ProxyError error, OriginError counted) {
      this.error = error;
      this.counted = counted;
    }

    /** As what it is counted. */
    public OriginError counted() {
      return counted;
    }

    /** What Proxy-Status calls it. */
    public ProxyError error() {
      return error;
    }

    /** Whether a limit of the node is reached: 503, and the client may come back. */
    public boolean isOverload() {
      return this == OVERLOADED
          || this == TOO_MANY_CONNECTIONS
          || this == TOO_MANY_REQUESTS
          || this == FETCH_LIMIT;
    }

    /** Whether it speaks against the endpoint, whatever the request was. */
    public boolean isEndpointFault() {
      return switch (this) {
        case CONNECT_REFUSED,
            CONNECT_UNROUTABLE,
            CONNECT_FAILED,
            CONNECT_TIMEOUT,
            TLS_CERTIFICATE,
            TLS_FAILED,
            FIRST_BYTE_TIMEOUT,
            HEAD_TIMEOUT,
            CLOSED_BEFORE_RESPONSE ->
            true;
        default -> false;
      };
    }

    /** Whether nothing was sent: no server could be reached. */
    public boolean isBeforeRequest() {
      return switch (this) {
        case NAME_NOT_RESOLVED,
            NAME_TIMEOUT,
            ADDRESS_REFUSED,
            CONNECT_REFUSED,
            CONNECT_UNROUTABLE,
            CONNECT_FAILED,
            CONNECT_TIMEOUT,
            TLS_CERTIFICATE,
            TLS_FAILED ->
            true;
        default -> false;
      };
    }

    /** Whether the client is told 504 rather than 502. */
    public boolean isTimeout() {
      return this == NAME_TIMEOUT
          || this == CONNECT_TIMEOUT
          || this == WRITE_TIMEOUT
          || this == FIRST_BYTE_TIMEOUT
          || this == HEAD_TIMEOUT
          || this == IDLE_TIMEOUT
          || this == TOTAL_TIMEOUT;
    }
  }
}
