package io.forebay.server.rule;

import io.forebay.server.page.ErrorPages;
import org.jspecify.annotations.Nullable;

/**
 * What a route says of all its responses, before its rules: those to clients that its protection
 * refuses, too.
 *
 * @param pages of the route, without those of all routes
 * @param cors null where the node has no part in it
 */
public record RoutePresets(
    ErrorPages pages, @Nullable CorsPolicy cors, SecurityHeaders securityHeaders) {
  public static final RoutePresets NONE =
      new RoutePresets(ErrorPages.NONE, null, SecurityHeaders.NONE);

  /** Whether it changes fields. */
  boolean hasFields() {
    return cors != null || !securityHeaders.rules().isEmpty();
  }
}
