package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.LimitsConfig;

/**
 * Limits on the header fields of an origin's response; a connection keeps the limits with which it
 * began.
 *
 * @param headerBytes all field lines of a head, or of a trailer section
 * @param headerCount field lines of a head, or of a trailer section
 */
public record ResponseLimits(int headerBytes, int headerCount) {

  public static ResponseLimits of(LimitsConfig limits) {
    return new ResponseLimits(limits.headerBytes(), limits.headerCount());
  }
}
