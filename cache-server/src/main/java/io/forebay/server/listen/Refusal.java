package io.forebay.server.listen;

import io.forebay.core.policy.ProxyError;

/**
 * A request that goes no further than the listener: the status and the one line that tells the
 * client what was wrong. HTTP/2 answers a malformed message with a reset instead (RFC 9113 §8.1.1).
 */
record Refusal(int status, String detail, boolean isMalformed) {

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
      new Refusal(421, "the target's scheme is not the one of this address", false);
  static final Refusal MISDIRECTED =
      new Refusal(421, "this host wants a connection of its own", false);
  static final Refusal METHOD = new Refusal(405, "this method is not served here", false);
  static final Refusal BODY_TOO_LARGE = new Refusal(413, "the body is larger than allowed", false);
  static final Refusal TARGET_TOO_LONG = new Refusal(414, "the target is too long", false);
  static final Refusal EXPECTATION =
      new Refusal(417, "no expectation but 100-continue can be met", false);
  static final Refusal FIELDS_TOO_LARGE =
      new Refusal(431, "the fields are too large or too many", false);
  static final Refusal CODING = new Refusal(501, "no transfer coding but chunked is known", false);
  static final Refusal VERSION = new Refusal(505, "HTTP/1.0 and HTTP/1.1 are spoken here", false);
  static final Refusal HEADER_TIMEOUT =
      new Refusal(408, "the request did not arrive in time", false);
  static final Refusal BODY_TIMEOUT = new Refusal(408, "the body did not arrive in time", false);

  private static Refusal malformed(String detail) {
    return new Refusal(400, detail, true);
  }

  /** What Proxy-Status says of it. */
  ProxyError error() {
    return switch (status) {
      case 405, 421 -> ProxyError.HTTP_REQUEST_DENIED;
      // A feature that is not there: the request may be all right.
      case 501, 505 -> ProxyError.PROXY_INTERNAL_RESPONSE;
      default -> ProxyError.HTTP_REQUEST_ERROR;
    };
  }

  /** Whether a configured bound was passed (I5). */
  boolean isLimit() {
    return status == 413 || status == 414 || status == 431;
  }

  /** The target cannot be served, and why. */
  static Refusal target(String why) {
    return malformed("the target " + why);
  }
}
