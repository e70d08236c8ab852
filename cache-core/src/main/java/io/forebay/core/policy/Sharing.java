package io.forebay.core.policy;

import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;

/**
 * Decides whether one response may answer several requests that arrived while it was fetched: those
 * that could reuse it as a stored response (RFC 9111 §4).
 */
public final class Sharing {

  private Sharing() {}

  /**
   * Whether a response that is on its way may be used for a request other than its own. A client
   * that wants nothing from the store gets it as well: it comes from the origin now. But only where
   * it is fresh, since what the response itself asks for goes before what a client does.
   */
  public static boolean isUsable(
      RequestView request, Route route, StoredMeta response, long nowMillis) {
    return switch (Decider.decide(request, route, response, false, nowMillis).reason()) {
      case STALE_EXPIRED, STALE_NO_CACHE, STALE_CLOCK -> false;
      case REQUEST_NO_CACHE, REQUEST_MAX_AGE, REQUEST_MIN_FRESH ->
          !response.isNoCache()
              && Age.currentAgeMillis(response, nowMillis) < response.freshnessLifetimeMillis();
      default -> true;
    };
  }

  /**
   * Whether a response was stale when it came, or is to be validated before each use: nobody but
   * who asked for it can use it, so nobody needs to wait for it.
   */
  public static boolean isNeverFresh(StoredMeta response) {
    return response.isNoCache()
        || response.freshnessLifetimeMillis()
            <= Age.currentAgeMillis(response, response.responseTimeMillis());
  }

  /**
   * Whether a response is stored for nothing else than to be confirmed by the origin: it is never
   * fresh, and never served stale either.
   */
  public static boolean isOnlyToBeConfirmed(StoredMeta response, Route route) {
    return isNeverFresh(response)
        && StaleWindow.longestMillis(response, route.settings().stale()) == 0;
  }
}
