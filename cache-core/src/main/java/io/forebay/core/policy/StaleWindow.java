package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.route.StaleSettings;
import java.time.Duration;

/**
 * How long past its freshness a response may be served stale (RFC 5861). Its own word goes before
 * the route's. Where {@code s-maxage} is all it says, it has said that it wants no stale use (RFC
 * 9111 §5.2.2.10); but together with an explicit window that window is what it wants.
 */
public final class StaleWindow {

  private StaleWindow() {}

  /**
   * The window in milliseconds, where nothing forbids it altogether.
   *
   * @param ownMillis what the response says itself, or negative
   */
  static long millis(long ownMillis, boolean hasSharedMaxAge, Duration ofRoute) {
    if (ownMillis >= 0) {
      return ownMillis;
    }
    return hasSharedMaxAge ? 0 : ofRoute.toMillis();
  }

  /** How long it may be served while it is fetched anew, where nothing forbids it altogether. */
  public static long whileRevalidateMillis(StoredMeta stored, StaleSettings settings) {
    return millis(
        stored.staleWhileRevalidateMillis(), stored.hasSharedMaxAge(), settings.whileRevalidate());
  }

  /** How long it may be served while the origin fails, where nothing forbids it altogether. */
  public static long ifErrorMillis(StoredMeta stored, StaleSettings settings) {
    return millis(stored.staleIfErrorMillis(), stored.hasSharedMaxAge(), settings.ifError());
  }

  /** The longer of both windows of a stored response. */
  static long longestMillis(StoredMeta stored, StaleSettings settings) {
    if (stored.isNoCache() || stored.isMustRevalidate()) {
      return 0;
    }
    return Math.max(whileRevalidateMillis(stored, settings), ifErrorMillis(stored, settings));
  }

  /** The longer of both windows of a response that is to be stored. */
  static long longestMillis(CacheControl control, StaleSettings settings) {
    if (control.noCache() || control.mustRevalidate() || control.proxyRevalidate()) {
      return 0;
    }
    boolean isShared = control.sharedMaxAgeSeconds() != CacheControl.ABSENT;
    return Math.max(
        millis(control.staleWhileRevalidateSeconds() * 1000, isShared, settings.whileRevalidate()),
        millis(control.staleIfErrorSeconds() * 1000, isShared, settings.ifError()));
  }
}
