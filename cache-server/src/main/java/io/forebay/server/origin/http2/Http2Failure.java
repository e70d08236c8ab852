package io.forebay.server.origin.http2;

/** Why a stream gave no complete response. */
public enum Http2Failure {
  /** The origin says that it has not looked at the request (RFC 9113 §8.7). */
  UNPROCESSED,
  /** The origin reset the stream. */
  RESET,
  /** The connection ended. */
  CLOSED,
  /** The origin broke the protocol. */
  INVALID,
  /** The header section is larger than the limit. */
  FIELDS_TOO_LARGE,
  /** A defect of this node. */
  DEFECT
}
