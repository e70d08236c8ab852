package io.forebay.core.policy;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.FreshnessSettings;
import io.forebay.core.route.Route;

/**
 * Removes response fields for a route: cookies that the route strips, before the rules see the
 * response, and fields that target this cache, before the response is forwarded.
 */
public final class ResponseFilter {

  private ResponseFilter() {}

  /**
   * The fields without the cookies that the route strips, as if they had never been set, and
   * without what nodes say to each other.
   */
  public static HeaderFields received(Route route, HeaderFields received) {
    // Only what a node says of itself has a meaning, and that is read before.
    HeaderFields fields =
        received.has(PeerRequestField.NAME)
            ? received.without(PeerRequestField.NAME::equals)
            : received;
    CookieFilter cookies = route.settings().cookies().response();
    if (cookies.passesAll() || !fields.has("set-cookie")) {
      return fields;
    }
    HeaderFields.Builder passed = HeaderFields.builder();
    for (int i = 0; i < fields.size(); i++) {
      String value = fields.value(i);
      if (!fields.name(i).equals("set-cookie") || cookies.passesSetCookie(value)) {
        passed.add(fields.name(i), value);
      }
    }
    return passed.build();
  }

  /** The fields without those that were meant for this cache alone (RFC 9213 §2). */
  public static HeaderFields forwarded(Route route, HeaderFields fields) {
    FreshnessSettings freshness = route.settings().freshness();
    for (String name : FreshnessSettings.OWN_FIELDS) {
      if (freshness.consumes(name) && fields.has(name)) {
        return fields.without(freshness::consumes);
      }
    }
    return fields;
  }
}
