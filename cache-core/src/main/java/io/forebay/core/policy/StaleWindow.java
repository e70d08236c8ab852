package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.route.StaleSettings;
import java.time.Duration;

/**
 * How long after its freshness ends a response may be served stale (RFC 5861). Directives of the
 * response override the route. {@code s-maxage} without an explicit window forbids stale use (RFC
 * 9111 §5.2.2.10); with one, the window applies.
 *
 * <p>The route's windows, and what a client asks for, prolong a lifetime: they apply only where
 * there is one. A response that is never fresh ({@code Expires: 0}, {@code max-age=0}, a lifetime
 * that cannot be read) is often one user's own, and only its origin may permit that others can have
 * it stale.
 */
public final class StaleWindow {

  private StaleWindow() {}

  /**
   * The window in milliseconds, where nothing forbids it altogether.
   *
   * @param ownMillis what the response says itself, or negative
   * @param lifetimeMillis how long the response is fresh
   */
  static long millis(
      long ownMillis, boolean hasSharedMaxAge, long lifetimeMillis, Duration ofRoute) {
    if (ownMillis >= 0) {
      return ownMillis;
    }
    return hasSharedMaxAge || lifetimeMillis <= 0 ? 0 : ofRoute.toMillis();
  }

  /** Whether a client's wish for something stale ({@code max-stale}, say) may be granted. */
  static boolean mayClientWiden(StoredMeta stored) {
    return !stored.hasSharedMaxAge() && stored.freshnessLifetimeMillis() > 0;
  }

  /** How long it may be served while it is fetched anew, where nothing forbids it altogether. */
  public static long whileRevalidateMillis(StoredMeta stored, StaleSettings settings) {
    return millis(
        stored.staleWhileRevalidateMillis(),
        stored.hasSharedMaxAge(),
        stored.freshnessLifetimeMillis(),
        settings.whileRevalidate());
  }

  /** How long it may be served while the origin fails, where nothing forbids it altogether. */
  public static long ifErrorMillis(StoredMeta stored, StaleSettings settings) {
    return millis(
        stored.staleIfErrorMillis(),
        stored.hasSharedMaxAge(),
        stored.freshnessLifetimeMillis(),
        settings.ifError());
  }

  /** The longer of both windows of a stored response. */
  static long longestMillis(StoredMeta stored, StaleSettings settings) {
    if (stored.isNoCache() || stored.isMustRevalidate()) {
      return 0;
    }
    return Math.max(whileRevalidateMillis(stored, settings), ifErrorMillis(stored, settings));
  }

  /** The longer of both windows of a response to be stored. */
  static long longestMillis(CacheControl control, long lifetimeMillis, StaleSettings settings) {
    if (control.noCache() || control.mustRevalidate() || control.proxyRevalidate()) {
      return 0;
    }
    boolean isShared = control.sharedMaxAgeSeconds() != CacheControl.ABSENT;
    return Math.max(
        millis(
            control.staleWhileRevalidateSeconds() * 1000,
            isShared,
            lifetimeMillis,
            settings.whileRevalidate()),
        millis(control.staleIfErrorSeconds() * 1000, isShared, lifetimeMillis, settings.ifError()));
  }
}
