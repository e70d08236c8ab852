package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The decision of DESIGN §3: request, route, stored metadata and a clock reading in, a decision
 * with its reason out (RFC 9111 §4). Pure, and without allocation but where a client's directives
 * are honoured.
 */
public final class Decider {

  private static final Decision METHOD_NOT_SERVED = new Decision.Refuse(405, Reason.REFUSED_METHOD);
  private static final Decision NOT_CACHED =
      new Decision.Refuse(504, Reason.REFUSED_ONLY_IF_CACHED);

  private Decider() {}

  /**
   * Decides without looking anything up where that is possible, or gives null: then the key is to
   * be built and looked up, and {@link #decide} asked.
   */
  public static @Nullable Decision decideBeforeLookup(RequestView request, Route route) {
    String method = request.method();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return switch (method) {
        case "CONNECT", "TRACE", "TRACK", "PURGE", "BAN", "REFRESH" -> METHOD_NOT_SERVED;
        default ->
            Decision.pass(route.settings().passthrough() ? Reason.PASS_ROUTE : Reason.PASS_METHOD);
      };
    }
    if (route.settings().passthrough()) {
      return Decision.pass(Reason.PASS_ROUTE);
    }
    if (request.hasBody()) {
      return Decision.pass(Reason.PASS_BODY);
    }
    return isUpgrade(request, route) ? Decision.pass(Reason.PASS_UPGRADE) : null;
  }

  /**
   * Decides a request.
   *
   * @param stored what is stored under its key: the response, a vary marker whose variant is not
   *     stored, or null
   * @param softPurged whether a soft purge has made it stale
   */
  public static Decision decide(
      RequestView request,
      Route route,
      @Nullable StoredMeta stored,
      boolean softPurged,
      long nowMillis) {
    Decision early = decideBeforeLookup(request, route);
    if (early != null) {
      return early;
    }
    RouteSettings settings = route.settings();
    if (settings.clientDirectives() == ClientDirectives.HONOUR
        && (request.has(KnownField.CACHE_CONTROL) || request.has(KnownField.PRAGMA))) {
      return decideHonouring(request, settings, stored, softPurged, nowMillis);
    }
    if (stored == null || stored.isVaryMarker()) {
      return miss(request, stored);
    }
    Reason staleness = staleness(stored, softPurged, nowMillis);
    return staleness == null
        ? Decision.SERVE_FRESH
        : decideStale(request, settings, stored, staleness, nowMillis);
  }

  /**
   * Whether a stale response may be served because the origin could not be reached or answered with
   * 500, 502, 503 or 504 (RFC 5861 §4).
   */
  public static boolean mayServeStaleOnError(StoredMeta stored, Route route, long nowMillis) {
    return !stored.isVaryMarker()
        && isWithin(
            stored, stored.staleIfErrorMillis(), route.settings().staleIfError(), nowMillis);
  }

  private static Decision miss(RequestView request, @Nullable StoredMeta marker) {
    if (!request.method().equals("GET")) {
      return Decision.pass(Reason.PASS_HEAD);
    }
    return Decision.fetch(marker == null ? Reason.MISS_URI : Reason.MISS_VARY);
  }

  /** Why the stored response may not be used as it is; null when it is fresh. */
  private static @Nullable Reason staleness(StoredMeta stored, boolean softPurged, long nowMillis) {
    if (softPurged) {
      return Reason.STALE_SOFT_PURGED;
    }
    if (stored.isNoCache()) {
      return Reason.STALE_NO_CACHE;
    }
    if (Age.isClockBehind(stored, nowMillis)) {
      return Reason.STALE_CLOCK;
    }
    return stored.freshnessLifetimeMillis() > Age.currentAgeMillis(stored, nowMillis)
        ? null
        : Reason.STALE_EXPIRED;
  }

  private static Decision decideStale(
      RequestView request,
      RouteSettings settings,
      StoredMeta stored,
      Reason staleness,
      long nowMillis) {
    if (isWithin(
        stored, stored.staleWhileRevalidateMillis(), settings.staleWhileRevalidate(), nowMillis)) {
      return Decision.SERVE_STALE_WHILE_REVALIDATE;
    }
    return renew(request, stored, staleness);
  }

  private static Decision renew(RequestView request, StoredMeta stored, Reason reason) {
    if (stored.hasValidator()) {
      return Decision.revalidate(reason);
    }
    return request.method().equals("GET")
        ? Decision.fetch(reason)
        : Decision.pass(Reason.PASS_HEAD);
  }

  /**
   * Whether a stale response is within its window. The response's own word goes before the route's;
   * where {@code s-maxage} is all it says, it has said that it wants no stale use (RFC 9111
   * §5.2.2.10), but together with an explicit window that window is what it wants.
   */
  private static boolean isWithin(
      StoredMeta stored, long ownMillis, Duration routeWindow, long nowMillis) {
    if (stored.isNoCache() || stored.isMustRevalidate() || Age.isClockBehind(stored, nowMillis)) {
      return false;
    }
    long window = ownMillis;
    if (window < 0) {
      window = stored.hasSharedMaxAge() ? 0 : routeWindow.toMillis();
    }
    return window > 0
        && Age.currentAgeMillis(stored, nowMillis) < stored.freshnessLifetimeMillis() + window;
  }

  /** With the request's own directives (RFC 9111 §5.2.1, §5.4). */
  private static Decision decideHonouring(
      RequestView request,
      RouteSettings settings,
      @Nullable StoredMeta stored,
      boolean softPurged,
      long nowMillis) {
    CacheControl control = CacheControl.of(request.fields());
    if (control.noStore()) {
      return control.onlyIfCached() ? NOT_CACHED : Decision.pass(Reason.PASS_NO_STORE);
    }
    Decision decision;
    if (stored == null || stored.isVaryMarker()) {
      decision = miss(request, stored);
    } else {
      decision = decideStored(request, settings, stored, control, softPurged, nowMillis);
    }
    return control.onlyIfCached() && !(decision instanceof Decision.Serve) ? NOT_CACHED : decision;
  }

  private static Decision decideStored(
      RequestView request,
      RouteSettings settings,
      StoredMeta stored,
      CacheControl control,
      boolean softPurged,
      long nowMillis) {
    if (control.noCache() || isPragmaNoCache(request, control)) {
      return renew(request, stored, Reason.REQUEST_NO_CACHE);
    }
    long age = Age.currentAgeMillis(stored, nowMillis);
    if (control.maxAgeSeconds() != CacheControl.ABSENT && age > control.maxAgeSeconds() * 1000) {
      return renew(request, stored, Reason.REQUEST_MAX_AGE);
    }
    long remaining = stored.freshnessLifetimeMillis() - age;
    if (control.minFreshSeconds() != CacheControl.ABSENT
        && remaining < control.minFreshSeconds() * 1000) {
      return renew(request, stored, Reason.REQUEST_MIN_FRESH);
    }
    Reason staleness = staleness(stored, softPurged, nowMillis);
    if (staleness == null) {
      return Decision.SERVE_FRESH;
    }
    boolean isTakenStale =
        staleness == Reason.STALE_EXPIRED
            && !stored.isMustRevalidate()
            && !stored.hasSharedMaxAge()
            && control.maxStaleSeconds() != CacheControl.ABSENT
            && -remaining <= control.maxStaleSeconds() * 1000;
    return isTakenStale
        ? Decision.SERVE_MAX_STALE
        : decideStale(request, settings, stored, staleness, nowMillis);
  }

  private static boolean isPragmaNoCache(RequestView request, CacheControl control) {
    CharSequence pragma = request.value(KnownField.PRAGMA);
    return pragma != null
        && control == CacheControl.NONE
        && FieldSyntax.equalsIgnoreCase(pragma, "no-cache");
  }

  /** An offer that the route does not let through is ignored (RFC 9110 §7.8). */
  private static boolean isUpgrade(RequestView request, Route route) {
    return request.has(KnownField.UPGRADE)
        && UpgradeOffer.of(request, route.forwarding().upgrades()) != null;
  }
}
