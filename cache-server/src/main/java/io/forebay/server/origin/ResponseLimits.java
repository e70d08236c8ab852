package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;

/**
 * Limits on what an origin sends; a connection keeps the limits with which it began.
 *
 * @param headerBytes all field lines of a head, or of a trailer section
 * @param headerCount field lines of a head, or of a trailer section
 * @param http2 frames of HTTP/2 that bring nothing
 */
public record ResponseLimits(int headerBytes, int headerCount, Http2Config http2) {

  public static ResponseLimits of(LimitsConfig limits, Http2Config http2) {
    return new ResponseLimits(limits.headerBytes(), limits.headerCount(), http2);
  }
}
