package io.forebay.core.route;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a route's requests and responses are judged. Durations that are null are not set.
 *
 * @param clientDirectives what Cache-Control and Pragma of a request may do
 * @param setCookie what a Set-Cookie does to storing
 * @param defaultTtl freshness of a response that says nothing of its own
 * @param ttlOverride freshness whatever the response says; {@code no-store}, {@code private} and
 *     the like still count
 * @param staleWhileRevalidate where the response does not say, how long it may be served stale
 *     while it is fetched anew
 * @param staleIfError where the response does not say, how long it may be served stale while the
 *     origin fails
 * @param heuristic whether freshness may be guessed from Last-Modified (RFC 9111 §4.2.2)
 * @param passthrough nothing is stored or looked up
 */
public record RouteSettings(
    ClientDirectives clientDirectives,
    SetCookie setCookie,
    @Nullable Duration defaultTtl,
    @Nullable Duration ttlOverride,
    Duration staleWhileRevalidate,
    Duration staleIfError,
    boolean heuristic,
    boolean passthrough) {

  /** Obeys the origin, ignores the client, stores no cookies. */
  public static final RouteSettings DEFAULT =
      new RouteSettings(
          ClientDirectives.IGNORE,
          SetCookie.REFUSE,
          null,
          null,
          Duration.ZERO,
          Duration.ZERO,
          true,
          false);

  /** What Cache-Control and Pragma of a request may do. */
  public enum ClientDirectives {
    /** Nothing: clients do not get to make the origin work. */
    IGNORE,
    /** What RFC 9111 §5.2.1 says. */
    HONOUR
  }

  /** What becomes of a response with Set-Cookie. */
  public enum SetCookie {
    /** It is not stored. */
    REFUSE,
    /** It is stored with its cookies, and every client gets them. */
    STORE,
    /** It is stored without them; the client whose request fetched it gets none either. */
    STRIP
  }

  public RouteSettings {
    requireNotNegative(defaultTtl, "defaultTtl");
    requireNotNegative(ttlOverride, "ttlOverride");
    requireNotNegative(staleWhileRevalidate, "staleWhileRevalidate");
    requireNotNegative(staleIfError, "staleIfError");
  }

  private static void requireNotNegative(@Nullable Duration duration, String name) {
    if (duration != null && duration.isNegative()) {
      throw new IllegalArgumentException(name + " is negative: " + duration);
    }
  }

  public RouteSettings withClientDirectives(ClientDirectives value) {
    return new RouteSettings(
        value,
        setCookie,
        defaultTtl,
        ttlOverride,
        staleWhileRevalidate,
        staleIfError,
        heuristic,
        passthrough);
  }

  public RouteSettings withSetCookie(SetCookie value) {
    return new RouteSettings(
        clientDirectives,
        value,
        defaultTtl,
        ttlOverride,
        staleWhileRevalidate,
        staleIfError,
        heuristic,
        passthrough);
  }

  public RouteSettings withDefaultTtl(@Nullable Duration value) {
    return new RouteSettings(
        clientDirectives,
        setCookie,
        value,
        ttlOverride,
        staleWhileRevalidate,
        staleIfError,
        heuristic,
        passthrough);
  }

  public RouteSettings withTtlOverride(@Nullable Duration value) {
    return new RouteSettings(
        clientDirectives,
        setCookie,
        defaultTtl,
        value,
        staleWhileRevalidate,
        staleIfError,
        heuristic,
        passthrough);
  }

  /** With the windows in which stale responses may be served where they do not say. */
  public RouteSettings withGrace(Duration whileRevalidate, Duration ifError) {
    return new RouteSettings(
        clientDirectives,
        setCookie,
        defaultTtl,
        ttlOverride,
        whileRevalidate,
        ifError,
        heuristic,
        passthrough);
  }

  public RouteSettings withHeuristic(boolean value) {
    return new RouteSettings(
        clientDirectives,
        setCookie,
        defaultTtl,
        ttlOverride,
        staleWhileRevalidate,
        staleIfError,
        value,
        passthrough);
  }

  public RouteSettings withPassthrough(boolean value) {
    return new RouteSettings(
        clientDirectives,
        setCookie,
        defaultTtl,
        ttlOverride,
        staleWhileRevalidate,
        staleIfError,
        heuristic,
        value);
  }
}
