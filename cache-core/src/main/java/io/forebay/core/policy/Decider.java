package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.core.route.StaleSettings;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The caching decision (RFC 9111 §4): from request, route, stored metadata and the current time to
 * a decision with its reason. A pure function; it allocates only if the client's directives are
 * honoured.
 */
public final class Decider {

  private static final Decision METHOD_NOT_SERVED = new Decision.Refuse(405, Reason.REFUSED_METHOD);
  private static final Decision NOT_CACHED =
      new Decision.Refuse(504, Reason.REFUSED_ONLY_IF_CACHED);

  /** At the beginning of the part one request of three thousand begins it. */
  private static final double EARLY_REFRESH_STEEPNESS = -8;

  private Decider() {}

  /**
   * Decides without looking anything up where that is possible, or gives null: then the key is to
   * be built and looked up, and {@link #decide} asked.
   */
  public static @Nullable Decision decideBeforeLookup(RequestView request, Route route) {
    String method = request.method();
    boolean isQuery = route.keyRecipe().cachesQuery() && QueryRequest.isQuery(request);
    if (!method.equals("GET") && !method.equals("HEAD") && !isQuery) {
      return switch (method) {
        case "CONNECT", "TRACE", "TRACK", "PURGE", "BAN", "REFRESH" -> METHOD_NOT_SERVED;
        default ->
            Decision.pass(route.settings().passthrough() ? Reason.PASS_ROUTE : Reason.PASS_METHOD);
      };
    }
    if (route.settings().passthrough()) {
      return Decision.pass(Reason.PASS_ROUTE);
    }
    if (request.hasBody() && !isQuery) {
      return Decision.pass(Reason.PASS_BODY);
    }
    if (route.settings().cookies().pass(request)) {
      return Decision.pass(Reason.PASS_COOKIE);
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
   * Decides a request for which the stored response must not be used as it is, whatever its age:
   * the node may not know all purges.
   */
  public static Decision decideFenced(
      RequestView request, Route route, StoredMeta stored, long nowMillis) {
    Decision decision = decide(request, route, stored, false, nowMillis);
    if (!(decision instanceof Decision.Serve)) {
      return decision;
    }
    return route.settings().clientDirectives() == ClientDirectives.HONOUR
            && CacheControl.of(request.fields()).onlyIfCached()
        ? NOT_CACHED
        : renew(request, route.settings(), stored, Reason.STALE_FENCED, nowMillis);
  }

  /**
   * Whether a stale response may be served because the origin could not be reached or its answer is
   * a {@link io.forebay.core.http.StatusCode#isOriginFailure failure} (RFC 5861 §4).
   */
  public static boolean mayServeStaleOnError(
      RequestView request, StoredMeta stored, Route route, long nowMillis) {
    RouteSettings settings = route.settings();
    if (stored.isVaryMarker() || isStaleForbidden(stored, nowMillis)) {
      return false;
    }
    long window = StaleWindow.ifErrorMillis(stored, settings.stale());
    if (settings.clientDirectives() == ClientDirectives.HONOUR
        && request.has(KnownField.CACHE_CONTROL)
        && StaleWindow.mayClientWiden(stored)) {
      // What a client says of its own request goes beyond what the response allows of itself.
      long taken = CacheControl.of(request.fields()).staleIfErrorSeconds();
      window = Math.max(window, taken * 1000);
    }
    return isWithin(stored, window, nowMillis);
  }

  /**
   * Whether a fresh response that is about to be served should be fetched anew already, so that a
   * popular one does not expire under its readers. Each request for it in the last part of its
   * lifetime decides by chance, more and more probably: by {@code exp(-8 g)}, with {@code g} the
   * share of that part which is left. So the more often it is asked for the earlier it is fetched,
   * and what is hardly asked for is left to expire (after XFetch: Vattani, Chierichetti,
   * Lowenstein, Optimal Probabilistic Cache Stampede Prevention, 2015).
   *
   * @param random drawn anew for each request, at least 0 and less than 1
   */
  public static boolean isEarlyRefreshDue(
      RequestView request, StoredMeta stored, Route route, long nowMillis, DoubleSupplier random) {
    RouteSettings settings = route.settings();
    int percent = settings.stale().earlyRefreshPercent();
    if (percent == 0 || stored.isImmutable()) {
      return false;
    }
    if (settings.clientDirectives() == ClientDirectives.HONOUR
        && request.has(KnownField.CACHE_CONTROL)) {
      // It may have said that nothing is to be stored, or fetched, for it.
      return false;
    }
    long lifetime = stored.freshnessLifetimeMillis();
    double part = lifetime * (percent / 100.0);
    double left = (lifetime - Age.currentAgeMillis(stored, nowMillis)) / part;
    return left < 1 && random.getAsDouble() < Math.exp(EARLY_REFRESH_STEEPNESS * left);
  }

  private static Decision miss(RequestView request, @Nullable StoredMeta marker) {
    if (request.method().equals("HEAD")) {
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
    long window = StaleWindow.whileRevalidateMillis(stored, settings.stale());
    return !isStaleForbidden(stored, nowMillis) && isWithin(stored, window, nowMillis)
        ? Decision.SERVE_STALE_WHILE_REVALIDATE
        : renew(request, settings, stored, staleness, nowMillis);
  }

  private static Decision renew(
      RequestView request,
      RouteSettings settings,
      StoredMeta stored,
      Reason reason,
      long nowMillis) {
    boolean isKept = isKept(stored, settings.stale(), nowMillis);
    if (stored.hasValidator() && isKept) {
      return Decision.revalidate(reason);
    }
    return request.method().equals("HEAD")
        ? Decision.pass(Reason.PASS_HEAD)
        : Decision.fetch(isKept ? reason : Reason.MISS_NOT_KEPT);
  }

  /** Whether it is still worth confirming; after the route's time it counts as not stored. */
  private static boolean isKept(StoredMeta stored, StaleSettings settings, long nowMillis) {
    Duration keep = settings.keep();
    return keep == null
        || Age.currentAgeMillis(stored, nowMillis)
            < stored.freshnessLifetimeMillis()
                + StaleWindow.longestMillis(stored, settings)
                + keep.toMillis();
  }

  /**
   * RFC 9111 §4.2.4: what the response says goes before every window, and so does a purge that may
   * have been missed.
   */
  public static boolean isStaleForbidden(StoredMeta stored, long nowMillis) {
    return stored.isNoCache()
        || stored.isMustRevalidate()
        || stored.isValidationRequired()
        || Age.isClockBehind(stored, nowMillis);
  }

  /** Whether a response is not staler than that. */
  private static boolean isWithin(StoredMeta stored, long windowMillis, long nowMillis) {
    return windowMillis > 0
        && Age.currentAgeMillis(stored, nowMillis)
            < stored.freshnessLifetimeMillis() + windowMillis;
  }

  /** With the request's own directives (RFC 9111 §5.2.1, §5.4). */
  private static Decision decideHonouring(
      RequestView request,
      RouteSettings settings,
      @Nullable StoredMeta stored,
      boolean softPurged,
      long nowMillis) {
    CacheControl control = CacheControl.of(request.fields());
    Decision decision;
    if (stored == null || stored.isVaryMarker()) {
      decision = miss(request, stored);
    } else {
      decision = decideStored(request, settings, stored, control, softPurged, nowMillis);
    }
    // §5.2.1.5: what is stored already may be served, but nothing may be stored for this request.
    if (control.noStore() && decision.reason() != Reason.HIT_FRESH) {
      decision = Decision.pass(Reason.PASS_NO_STORE);
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
    Reason staleness = staleness(stored, softPurged, nowMillis);
    boolean isUnchanging = staleness == null && stored.isImmutable();
    boolean hasMaxAge = control.maxAgeSeconds() != CacheControl.ABSENT;
    long age = Age.currentAgeMillis(stored, nowMillis);
    long remaining = stored.freshnessLifetimeMillis() - age;
    // RFC 8246 §2: reloading what does not change while it is fresh asks for nothing new.
    if (!isUnchanging) {
      if (control.noCache() || isPragmaNoCache(request, control)) {
        return renew(request, settings, stored, Reason.REQUEST_NO_CACHE, nowMillis);
      }
      if (hasMaxAge && age > control.maxAgeSeconds() * 1000) {
        return renew(request, settings, stored, Reason.REQUEST_MAX_AGE, nowMillis);
      }
    }
    if (control.minFreshSeconds() != CacheControl.ABSENT
        && remaining < control.minFreshSeconds() * 1000) {
      return renew(request, settings, stored, Reason.REQUEST_MIN_FRESH, nowMillis);
    }
    if (staleness == null) {
      return Decision.SERVE_FRESH;
    }
    boolean isTakenStale =
        staleness == Reason.STALE_EXPIRED
            && !stored.isMustRevalidate()
            && StaleWindow.mayClientWiden(stored)
            && control.maxStaleSeconds() != CacheControl.ABSENT
            && -remaining <= control.maxStaleSeconds() * 1000;
    if (isTakenStale) {
      return Decision.SERVE_MAX_STALE;
    }
    // §5.2.1.1: who gives a max-age without max-stale wants nothing stale.
    return hasMaxAge && control.maxStaleSeconds() == CacheControl.ABSENT
        ? renew(request, settings, stored, staleness, nowMillis)
        : decideStale(request, settings, stored, staleness, nowMillis);
  }

  private static boolean isPragmaNoCache(RequestView request, CacheControl control) {
    return request.has(KnownField.PRAGMA)
        && control == CacheControl.NONE
        && FieldSyntax.listContains(request.fields().all("pragma"), "no-cache");
  }

  /** An offer that the route does not let through is ignored (RFC 9110 §7.8). */
  private static boolean isUpgrade(RequestView request, Route route) {
    return request.has(KnownField.UPGRADE)
        && UpgradeOffer.of(request, route.forwarding().upgrades()) != null;
  }
}
