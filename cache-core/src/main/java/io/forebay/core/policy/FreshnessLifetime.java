package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.StatusCode;
import io.forebay.core.http.TargetedCacheControl;
import io.forebay.core.route.FreshnessSettings;
import java.time.Duration;
import java.util.List;

/**
 * Calculates the freshness lifetime of a response (RFC 9111 §4.2.1, §4.2.2). The first that exists
 * applies: the route's override, the response's explicit lifetime, the route's lifetime for errors
 * or for responses without one, the heuristic.
 *
 * @param millis negative where nothing says anything
 */
record FreshnessLifetime(long millis, boolean isHeuristic) {

  private static final FreshnessLifetime UNKNOWN = new FreshnessLifetime(-1, false);
  private static final long MAX_HEURISTIC_MILLIS = 24L * 3600 * 1000;

  /** A guess that keeps an error is a guess that keeps a site down: not for long. */
  private static final long MAX_HEURISTIC_ERROR_MILLIS = 5L * 60 * 1000;

  /**
   * The lifetime of a response.
   *
   * @param mayGuess whether one may be guessed for an answer to its request
   * @param date when it was made
   * @param lastModified or {@link HttpDate#INVALID}
   */
  static FreshnessLifetime of(
      FreshnessSettings settings,
      boolean mayGuess,
      int status,
      TargetedCacheControl chosen,
      FieldsView response,
      long date,
      long lastModified) {
    long explicit = explicit(settings, status, chosen, response, date);
    if (explicit >= 0) {
      return new FreshnessLifetime(bounded(settings, status, explicit), false);
    }
    if (!StatusCode.isStorable(status)) {
      // A route can have a 400 stored by its own word, and by nothing else.
      return UNKNOWN;
    }
    boolean isError = status >= 400;
    boolean isGuessable = isGuessable(settings, status, chosen.control());
    Duration ofRoute = isError ? settings.negativeTtl().of(status) : settings.defaultTtl();
    if (ofRoute != null && (isError || isGuessable)) {
      return new FreshnessLifetime(ofRoute.toMillis(), false);
    }
    if (!isGuessable
        || !mayGuess
        || !settings.heuristic()
        || lastModified == HttpDate.INVALID
        || isPragmaNoCache(response, chosen)) {
      return UNKNOWN;
    }
    long longest = isError ? MAX_HEURISTIC_ERROR_MILLIS : MAX_HEURISTIC_MILLIS;
    long guessed = Math.clamp((date - lastModified) / 10, 0L, longest);
    return new FreshnessLifetime(bounded(settings, status, guessed), true);
  }

  /** Where a 404 says that something is not there yet, its own word may be too long. */
  private static long bounded(FreshnessSettings settings, int status, long millis) {
    if (status != 404 || !settings.boundsNotFound()) {
      return millis;
    }
    Duration longest = settings.negativeTtl().of(404);
    return longest == null ? millis : Math.min(millis, longest.toMillis());
  }

  /**
   * RFC 9111 §4.2.2. An error that depends on the client is one client's, whatever it says of
   * itself, unless the route names it.
   */
  static boolean isGuessable(FreshnessSettings settings, int status, CacheControl control) {
    return StatusCode.isStorable(status)
        && (StatusCode.isHeuristicallyCacheable(status)
            || settings.heuristicErrors().contains(status)
            || (control.isPublic() && !StatusCode.isOfOneClient(status)));
  }

  private static long explicit(
      FreshnessSettings settings,
      int status,
      TargetedCacheControl chosen,
      FieldsView response,
      long date) {
    Duration override = settings.ttlOverride();
    if (override != null && status < 400) {
      return override.toMillis();
    }
    CacheControl control = chosen.control();
    if (control.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      return control.sharedMaxAgeSeconds() * 1000;
    }
    if (control.maxAgeSeconds() != CacheControl.ABSENT) {
      return control.maxAgeSeconds() * 1000;
    }
    return chosen.isTargeted()
        ? -1
        : untilExpires(response.all("expires"), latestDate(response, date));
  }

  /** RFC 9111 §5.3; of several lines the earliest counts, which is never later than the first. */
  private static long untilExpires(List<String> lines, long date) {
    long least = -1;
    for (String line : lines) {
      // An invalid date, "0" above all, is a time in the past.
      long expires = HttpDate.parse(line, date);
      long lifetime =
          expires == HttpDate.INVALID
              ? 0
              : Math.clamp(expires - date, 0L, CacheControl.MAX_SECONDS * 1000);
      least = least < 0 ? lifetime : Math.min(least, lifetime);
    }
    return least;
  }

  /** Of several Dates the latest leaves least until Expires; its age is taken from the earliest. */
  private static long latestDate(FieldsView response, long date) {
    long latest = date;
    for (String line : response.all("date")) {
      latest = Math.max(latest, HttpDate.parse(line, date));
    }
    return latest;
  }

  /** An origin too old for Cache-Control can still object to guessing. */
  private static boolean isPragmaNoCache(FieldsView response, TargetedCacheControl chosen) {
    return chosen.control() == CacheControl.NONE
        && FieldSyntax.listContains(response.all("pragma"), "no-cache");
  }

  /**
   * This lifetime, shortened by up to a share of it, so that objects stored together do not expire
   * together. The result depends only on the seed.
   *
   * @param seed tells one stored response from another; 0 takes nothing away
   */
  long jittered(int percent, long seed) {
    if (percent == 0 || millis <= 0) {
      return millis;
    }
    double share = (mix(seed) >>> 11) * 0x1p-53;
    return millis - (long) (millis * (percent / 100.0) * share);
  }

  /** The finaliser of SplitMix64: every bit of the seed moves every bit of the result. */
  private static long mix(long seed) {
    long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
