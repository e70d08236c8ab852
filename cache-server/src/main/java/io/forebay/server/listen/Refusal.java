package io.forebay.server.listen;

import io.forebay.core.policy.ProxyError;
import io.forebay.server.metric.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes no further than the listener: the status and the one line that tells the
 * client what was wrong. HTTP/2 answers a malformed message with a reset instead (RFC 9113 §8.1.1).
 */
record Refusal(int status, String detail, boolean isMalformed, @Nullable Limit limit) {

  static final Refusal HOST_MISSING = malformed("Host is missing");
  static final Refusal HOST_TWICE = malformed("Host is there twice");
  static final Refusal HOST_INVALID = malformed("Host is not a host and port");
  static final Refusal FIELD_NAME = malformed("a field name is not a token");
  static final Refusal FIELD_VALUE = malformed("a field value has a control character");
  static final Refusal FOLDED = malformed("a field line is folded");
  static final Refusal CONTENT_LENGTH = malformed("Content-Length is not one number");
  static final Refusal TRANSFER_ENCODING = malformed("Transfer-Encoding is not chunked");
  static final Refusal FRAMING =
      malformed("Content-Length and Transfer-Encoding exclude each other");
  static final Refusal CONNECTION = malformed("Connection names a field that has to stay");
  static final Refusal CHUNK = malformed("the chunked body is malformed");
  static final Refusal REQUEST_LINE = malformed("the request line is malformed");
  static final Refusal MALFORMED = malformed("the request is malformed");
  static final Refusal OBSOLETE_WEBSOCKET = malformed("this WebSocket draft has no framing");
  static final Refusal PROTOCOL = malformed("the stream breaks the protocol");
  static final Refusal SCHEME_MISMATCH =
      plain(421, "the target's scheme is not the one of this address");
  static final Refusal MISDIRECTED = plain(421, "this host wants a connection of its own");
  static final Refusal METHOD = plain(405, "this method is not served here");
  static final Refusal BODY_TOO_LARGE =
      limit(413, "the body is larger than allowed", Limit.REQUEST_BODY);
  static final Refusal TARGET_TOO_LONG = limit(414, "the target is too long", Limit.TARGET_BYTES);
  static final Refusal EXPECTATION = plain(417, "no expectation but 100-continue can be met");
  static final Refusal FIELDS_TOO_LARGE =
      limit(431, "the fields are too large", Limit.HEADER_BYTES);
  static final Refusal FIELDS_TOO_MANY = limit(431, "the fields are too many", Limit.HEADER_COUNT);
  static final Refusal CODING = plain(501, "no transfer coding but chunked is known");
  static final Refusal VERSION = plain(505, "HTTP/1.0 and HTTP/1.1 are spoken here");
  static final Refusal HEADER_TIMEOUT =
      limit(408, "the request did not arrive in time", Limit.REQUEST_HEADER);
  static final Refusal BODY_TIMEOUT =
      limit(408, "the body did not arrive in time", Limit.REQUEST_BODY_IDLE);
  static final Refusal BODY_TOO_SLOW =
      limit(408, "the body comes too slowly", Limit.REQUEST_BODY_RATE);
  static final Refusal REQUEST_TIMEOUT =
      limit(408, "the request took too long", Limit.REQUEST_TOTAL);
  static final Refusal OVERLOAD = plain(503, "there is too much to do here");

  private static Refusal malformed(String detail) {
    return new Refusal(400, detail, true, null);
  }

  private static Refusal plain(int status, String detail) {
    return new Refusal(status, detail, false, null);
  }

  private static Refusal limit(int status, String detail, Limit limit) {
    return new Refusal(status, detail, false, limit);
  }

  /** What Proxy-Status says of it. */
  ProxyError error() {
    return switch (status) {
      case 405, 421 -> ProxyError.HTTP_REQUEST_DENIED;
      case 503 -> ProxyError.CONNECTION_LIMIT_REACHED;
      // A feature that is not there: the request may be all right.
      case 501, 505 -> ProxyError.PROXY_INTERNAL_RESPONSE;
      default -> ProxyError.HTTP_REQUEST_ERROR;
    };
  }

  /** The target cannot be served, and why. */
  static Refusal target(String why) {
    return malformed("the target " + why);
  }
}
