package io.forebay.server.config;

import io.forebay.server.digest.DigestPolicy;
import io.forebay.server.hint.EarlyHintPolicy;

/**
 * What a route does with responses beyond caching them.
 *
 * @param earlyHints which clients get the links of a stored response while the origin is asked
 * @param digests what becomes of digests of stored responses
 */
public record RouteResponseConfig(EarlyHintPolicy earlyHints, DigestPolicy digests) {

  /** Nothing. */
  public static final RouteResponseConfig NONE =
      new RouteResponseConfig(EarlyHintPolicy.OFF, DigestPolicy.NONE);
}
