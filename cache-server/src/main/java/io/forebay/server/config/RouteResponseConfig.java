package io.forebay.server.config;

import io.forebay.server.hint.HintPolicy;

/**
 * What a route does with responses beyond caching them.
 *
 * @param earlyHints which clients get the links of a stored response while the origin is asked
 */
public record RouteResponseConfig(HintPolicy earlyHints) {

  /** Nothing. */
  public static final RouteResponseConfig NONE = new RouteResponseConfig(HintPolicy.OFF);
}
