package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.LimitsConfig;

/**
 * What an origin's answer may make this node hold of its fields; a connection keeps the bounds it
 * began with.
 *
 * @param headerBytes all field lines of a head, or of a trailer section
 * @param headerCount field lines of a head, or of a trailer section
 */
public record ResponseLimits(int headerBytes, int headerCount) {

  public static ResponseLimits of(LimitsConfig limits) {
    return new ResponseLimits(limits.headerBytes(), limits.headerCount());
  }
}
