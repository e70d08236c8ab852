package io.forebay.server.purge;

import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.route.Route;

/**
 * What a route makes of the URLs of its requests, as far as purges have to know it.
 *
 * @param hostPattern of the route
 * @param hasSearchRules whether responses may say what of a query matters
 */
record HostRecipe(String hostPattern, UrlRecipe url, boolean hasSearchRules) {

  static HostRecipe of(Route route) {
    return new HostRecipe(
        route.hostPattern(), route.keyRecipe().url(), route.keyRecipe().hasSearchRules());
  }

  /** Whether purges find responses stored by it without knowing it. */
  boolean isDefault() {
    return url.equals(UrlRecipe.WHOLE) && !hasSearchRules;
  }

  boolean mayServe(String authority) {
    return Route.mayServe(hostPattern, authority);
  }

  KeyRecipe keyRecipe() {
    return new KeyRecipe(url, FieldRecipe.NONE, KeyRecipe.DEFAULT_VARIANTS, hasSearchRules, false);
  }
}
