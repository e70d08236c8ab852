package io.forebay.server.listen.connection;

import io.forebay.core.policy.ProxyError;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.http.RequestRefusal;
import org.jspecify.annotations.Nullable;

/**
 * A request rejected by the listener: the status and a one-line reason for the client. HTTP/2
 * resets the stream of a malformed message instead (RFC 9113 §8.1.1).
 */
public record Rejection(int status, String detail, boolean isMalformed, @Nullable LimitKey limit) {

  public static final Rejection HOST_MISSING = malformed("Host is missing");
  public static final Rejection HOST_TWICE = malformed("Host is repeated");
  static final Rejection HOST_INVALID = malformed("Host is not a valid host and port");
  public static final Rejection FIELD_NAME = malformed("a field name is not a token");
  public static final Rejection FIELD_VALUE = malformed("a field value has a control character");
  public static final Rejection FOLDED = malformed("a field line is folded");
  public static final Rejection CONTENT_LENGTH = malformed("Content-Length is not a single number");
  public static final Rejection TRANSFER_ENCODING = malformed("Transfer-Encoding is not chunked");
  public static final Rejection FRAMING =
      malformed("Content-Length and Transfer-Encoding must not be combined");
  public static final Rejection CONNECTION =
      malformed("Connection names a field that must not be removed");
  public static final Rejection CHUNK = malformed("the chunked body is malformed");
  public static final Rejection REQUEST_LINE = malformed("the request line is malformed");
  public static final Rejection MALFORMED = malformed("the request is malformed");
  public static final Rejection OBSOLETE_WEBSOCKET =
      malformed("this WebSocket draft is not supported");
  public static final Rejection PROTOCOL = malformed("the stream violates the protocol");
  static final Rejection SCHEME_MISMATCH =
      plain(421, "the target's scheme does not match this listener");
  static final Rejection MISDIRECTED = plain(421, "this host requires a connection of its own");
  public static final Rejection METHOD = plain(405, "this method is not served here");
  public static final Rejection BODY_TOO_LARGE =
      limit(413, "the body is larger than allowed", LimitKey.REQUEST_BODY);
  public static final Rejection TARGET_TOO_LONG =
      limit(414, "the target is too long", LimitKey.TARGET_BYTES);
  public static final Rejection EXPECTATION =
      plain(417, "the only supported expectation is 100-continue");
  public static final Rejection FIELDS_TOO_LARGE =
      limit(431, "the header section is too large", LimitKey.HEADER_BYTES);
  public static final Rejection FIELDS_TOO_MANY =
      limit(431, "there are too many header fields", LimitKey.HEADER_COUNT);
  public static final Rejection CODING =
      plain(501, "the only supported transfer coding is chunked");
  public static final Rejection VERSION =
      plain(505, "the supported versions are HTTP/1.0 and HTTP/1.1");
  public static final Rejection HEADER_TIMEOUT =
      limit(408, "the request did not arrive in time", LimitKey.REQUEST_HEADER);
  public static final Rejection BODY_TIMEOUT =
      limit(408, "the body did not arrive in time", LimitKey.REQUEST_BODY_IDLE);
  public static final Rejection BODY_TOO_SLOW =
      limit(408, "the body arrives too slowly", LimitKey.REQUEST_BODY_RATE);
  public static final Rejection REQUEST_TIMEOUT =
      limit(408, "the request took too long", LimitKey.REQUEST_TOTAL);
  static final Rejection OVERLOAD = plain(503, "the node is overloaded");

  /** What a limit of a route makes of a request is what the same limit of the node makes of it. */
  public static Rejection of(RequestRefusal why) {
    return switch (why) {
      case BODY_TOO_LARGE -> BODY_TOO_LARGE;
      case BODY_TIMEOUT -> BODY_TIMEOUT;
      case BODY_TOO_SLOW -> BODY_TOO_SLOW;
      case REQUEST_TIMEOUT -> REQUEST_TIMEOUT;
    };
  }

  private static Rejection malformed(String detail) {
    return new Rejection(400, detail, true, null);
  }

  private static Rejection plain(int status, String detail) {
    return new Rejection(status, detail, false, null);
  }

  private static Rejection limit(int status, String detail, LimitKey limit) {
    return new Rejection(status, detail, false, limit);
  }

  /** What Proxy-Status says of it. */
  public ProxyError error() {
    return switch (status) {
      case 405, 421 -> ProxyError.HTTP_REQUEST_DENIED;
      case 503 -> ProxyError.CONNECTION_LIMIT_REACHED;
      // A feature that is not there: the request may be all right.
      case 501, 505 -> ProxyError.PROXY_INTERNAL_RESPONSE;
      default -> ProxyError.HTTP_REQUEST_ERROR;
    };
  }

  /** The target cannot be served, and why. */
  static Rejection target(String why) {
    return malformed("the target " + why);
  }
}
