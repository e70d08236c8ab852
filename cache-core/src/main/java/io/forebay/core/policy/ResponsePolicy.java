package io.forebay.core.policy;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.CacheControl;
import io.forebay.core.http.ContentRange;
import io.forebay.core.http.DeltaSeconds;
import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.StatusCode;
import io.forebay.core.http.TargetedCacheControl;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.FreshnessSettings;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.core.route.ResponseRules;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a shared cache may store a response, and with which metadata (RFC 9111 §3).
 * Stricter than the RFC in four ways, each of which prevents a known leak or poisoning: a response
 * that sets cookies is not stored unless the route allows it; an error that depends on the client
 * is stored only with explicit directives of the response or the route; a response with neither
 * freshness nor Last-Modified is not stored; and a response to a request with cookies gets no
 * heuristic lifetime.
 */
public final class ResponsePolicy {

  /** The most fields that a response may vary by. */
  public static final int MAX_SELECTING_FIELDS = 16;

  /**
   * Fields that tell users apart, or that are written anew for each: who varies by them hardly ever
   * has the same response twice.
   */
  private static final Set<String> OF_ONE_USER =
      Set.of("user-agent", "x-forwarded-for", "forwarded");

  /** Fields that a fill never sends as a client does; the host is in every key. */
  private static final Set<String> NOT_OF_A_FILL =
      Set.of(
          "host",
          "connection",
          "content-length",
          "expect",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "keep-alive",
          "range",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private ResponsePolicy() {}

  /**
   * Judges the final response to a request; after a 304 the updated header of the stored response,
   * with the stored status.
   *
   * @param requestTimeMillis when the request was sent to the origin
   * @param responseTimeMillis when its header had come
   */
  public static StoreVerdict judge(
      RequestView request,
      Route route,
      int status,
      FieldsView response,
      long requestTimeMillis,
      long responseTimeMillis) {
    return judge(request, route, status, response, requestTimeMillis, responseTimeMillis, 0);
  }

  /**
   * As above.
   *
   * @param seed what the route's jitter is drawn by: different for each response stored; 0 for none
   */
  public static StoreVerdict judge(
      RequestView request,
      Route route,
      int status,
      FieldsView response,
      long requestTimeMillis,
      long responseTimeMillis,
      long seed) {
    ResponseRules rules = route.settings().responseRules();
    ResponseOverrides ruled = rules == null ? ResponseOverrides.NONE : rules.of(status, response);
    if (ruled.isNeverStored()) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_RULE);
    }
    RouteSettings settings = ruled.appliedTo(route.settings());
    FreshnessSettings freshness = settings.freshness();
    TargetedCacheControl chosen = TargetedCacheControl.of(response, freshness.targetedFields());
    CacheControl control = chosen.control();
    Reason refusal = refusal(request, settings, status, response, control);
    if (refusal != null) {
      return new StoreVerdict.DoNotStore(refusal);
    }
    SortedSet<String> selectingFields = new TreeSet<>();
    refusal = addSelectingFields(request, response, route.keyRecipe().fields(), selectingFields);
    if (refusal == null) {
      refusal = addEncoding(request, response, selectingFields);
    }
    if (refusal != null) {
      return new StoreVerdict.DoNotStore(refusal);
    }

    long date = date(response, responseTimeMillis);
    String lastModified = string(response.first("last-modified"));
    long lastModifiedMillis =
        lastModified == null ? HttpDate.INVALID : HttpDate.parse(lastModified, responseTimeMillis);
    if (lastModifiedMillis == HttpDate.INVALID) {
      lastModified = null;
    }
    String etag = string(response.first("etag"));
    if (etag != null && (!EntityTag.isValid(etag) || etag.length() > StoredMeta.MAX_TEXT_LENGTH)) {
      etag = null;
    }

    // The origin of a request with cookies may have written for one user without saying so: only
    // its own word makes that fresh for all, unless the key or the route says otherwise.
    boolean mayBePersonal =
        request.has(KnownField.COOKIE)
            && !freshness.heuristicWithCookies()
            && !route.keyRecipe().fields().maps(KnownField.COOKIE.fieldName());
    FreshnessLifetime found =
        FreshnessLifetime.of(
            freshness, !mayBePersonal, status, chosen, response, date, lastModifiedMillis);
    long lifetime = found.jittered(freshness.jitterPercent(), seed);
    boolean hasValidator = etag != null || lastModified != null;
    if (lifetime < 0) {
      boolean isError = status >= 400;
      if (isError || !control.noCache() || !hasValidator) {
        boolean isRefusedForCookies =
            mayBePersonal
                && freshness.heuristic()
                && lastModified != null
                && FreshnessLifetime.isGuessable(freshness, status, control);
        return new StoreVerdict.DoNotStore(
            isRefusedForCookies
                ? Reason.NOT_STORED_COOKIE
                : isError
                    ? Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS
                    : Reason.NOT_STORED_NO_FRESHNESS);
      }
      lifetime = 0;
    }
    long age = age(response);
    long initialAge =
        Age.currentAgeMillis(requestTimeMillis, responseTimeMillis, date, age, responseTimeMillis);
    long usable = lifetime + StaleWindow.longestMillis(control, lifetime, settings.stale());
    if (!hasValidator && (control.noCache() || usable <= initialAge)) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_STALE);
    }

    List<String> consumed = consumedFields(freshness, response);
    List<String> selecting = List.copyOf(selectingFields);
    byte[] meta =
        StoredMeta.encode(
            new MetaValues(
                status,
                flags(control)
                    | (found.isHeuristic() ? StoredMeta.HEURISTIC : 0)
                    | (response.has("content-range") ? StoredMeta.CONTENT_RANGE : 0)
                    | (response.has("content-digest") ? StoredMeta.CONTENT_DIGEST : 0),
                requestTimeMillis,
                responseTimeMillis,
                date,
                lastModifiedMillis,
                lifetime,
                millis(control.staleWhileRevalidateSeconds(), ruled.whileRevalidate()),
                millis(control.staleIfErrorSeconds(), ruled.ifError()),
                age,
                etag,
                lastModified,
                selecting,
                StoredHeader.linesOf(consumed, response)));
    return new StoreVerdict.Store(
        meta, selecting, omittedFields(settings, control, consumed), lifetime);
  }

  /** A window that a rule gives, or else the response's own. */
  private static long millis(long ownSeconds, @Nullable Duration ruled) {
    return ruled == null ? millis(ownSeconds) : ruled.toMillis();
  }

  /** All that forbids storing whatever the freshness, or null. */
  private static @Nullable Reason refusal(
      RequestView request,
      RouteSettings settings,
      int status,
      FieldsView response,
      CacheControl control) {
    if (settings.passthrough()) {
      return Reason.NOT_STORED_ROUTE;
    }
    // RFC 10008 §2.7: a response to QUERY may be stored where the key has the request's content.
    if (request.contentDigest() == null && (!request.method().equals("GET") || request.hasBody())) {
      return Reason.NOT_STORED_METHOD;
    }
    if (status == 206 || ContentRange.mayBePart(response)) {
      return Reason.NOT_STORED_PARTIAL;
    }
    if (!StatusCode.isStorable(status) && !isStorableBadRequest(request, settings, status)) {
      return Reason.NOT_STORED_STATUS;
    }
    if (control.isUnreadable()) {
      return Reason.NOT_STORED_CACHE_CONTROL;
    }
    boolean isUnderstood = StatusCode.isUnderstood(status);
    if (control.mustUnderstand() && !isUnderstood) {
      return Reason.NOT_STORED_MUST_UNDERSTAND;
    }
    // RFC 9111 §5.2.2.3: who understands the status and must-understand ignores the no-store.
    if (control.noStore() && !control.mustUnderstand()) {
      return Reason.NOT_STORED_NO_STORE;
    }
    if (control.isPrivate()) {
      return Reason.NOT_STORED_PRIVATE;
    }
    if (request.has(KnownField.AUTHORIZATION)
        && !control.isPublic()
        && !control.mustRevalidate()
        && control.sharedMaxAgeSeconds() == CacheControl.ABSENT) {
      return Reason.NOT_STORED_AUTHORIZATION;
    }
    if (settings.cookies().setCookie() == SetCookie.REFUSE
        && response.has("set-cookie")
        && !control.privateNames().contains("set-cookie")
        && !control.noCacheNames().contains("set-cookie")) {
      return Reason.NOT_STORED_SET_COOKIE;
    }
    return null;
  }

  /** A 400 where the route vouches for it, to a request that has nothing of one user. */
  private static boolean isStorableBadRequest(
      RequestView request, RouteSettings settings, int status) {
    return status == 400
        && settings.freshness().storesBadRequests()
        && !request.has(KnownField.COOKIE)
        && !request.has(KnownField.AUTHORIZATION);
  }

  /**
   * Adds the names in Vary (RFC 9110 §12.5.5); gives the reason if they forbid storing. What the
   * origin was not asked with, or the base key has, selects nothing more.
   */
  private static @Nullable Reason addSelectingFields(
      RequestView request, FieldsView response, FieldRecipe recipe, SortedSet<String> names) {
    int length = 0;
    for (String line : response.all("vary")) {
      int start = 0;
      while (start <= line.length()) {
        int end = FieldSyntax.memberEnd(line, start);
        String name = FieldSyntax.trim(line, start, end).toLowerCase(Locale.ROOT);
        start = end + 1;
        if (name.equals("*")) {
          return Reason.NOT_STORED_VARY_ANY;
        }
        if (name.isEmpty()
            || NOT_OF_A_FILL.contains(name)
            || (FieldSyntax.isToken(name) && recipe.maps(name))) {
          continue;
        }
        if (OF_ONE_USER.contains(name)) {
          return Reason.NOT_STORED_VARY_USER;
        }
        // Without cookies the response is the one for unknown clients, and only requests without
        // cookies select it.
        if (name.equals("cookie") && request.has(KnownField.COOKIE)) {
          return Reason.NOT_STORED_VARY_COOKIE;
        }
        if (!names.add(name)) {
          continue;
        }
        length += name.length() + 1;
        if (!FieldSyntax.isToken(name)
            || names.size() > MAX_SELECTING_FIELDS
            || length > StoredMeta.MAX_TEXT_LENGTH) {
          return Reason.NOT_STORED_VARY_MALFORMED;
        }
      }
    }
    return null;
  }

  /**
   * A response with a content coding is a variant of Accept-Encoding, whether its origin says so or
   * not (RFC 9110 §12.5.3), and fit to be stored only if the whole class of clients takes it. A
   * coding that no class asks for was sent unasked: all of the class would get the same.
   */
  private static @Nullable Reason addEncoding(
      RequestView request, FieldsView response, SortedSet<String> names) {
    int codings = AcceptEncoding.codingsOf(response);
    if (codings == 0) {
      return null;
    }
    names.add("accept-encoding");
    int asked = codings & ~AcceptEncoding.OTHER_CODING;
    return AcceptEncoding.accepts(AcceptEncoding.classOf(request.fields()), asked)
        ? null
        : Reason.NOT_STORED_ENCODING;
  }

  private static int flags(CacheControl control) {
    return (control.noCache() ? StoredMeta.NO_CACHE : 0)
        | (control.mustRevalidate() ? StoredMeta.MUST_REVALIDATE : 0)
        | (control.proxyRevalidate() ? StoredMeta.PROXY_REVALIDATE : 0)
        | (control.sharedMaxAgeSeconds() == CacheControl.ABSENT ? 0 : StoredMeta.SHARED_MAX_AGE)
        | (control.immutable() ? StoredMeta.IMMUTABLE : 0);
  }

  /**
   * When the response was made: its Date, or when it came if it has none that is valid (RFC 9110
   * §6.6.1). Of several the earliest counts, by which it is oldest.
   */
  private static long date(FieldsView response, long responseTimeMillis) {
    long earliest = HttpDate.INVALID;
    for (String line : response.all("date")) {
      long millis = HttpDate.parse(line, responseTimeMillis);
      if (millis != HttpDate.INVALID) {
        earliest = earliest == HttpDate.INVALID ? millis : Math.min(earliest, millis);
      }
    }
    return earliest == HttpDate.INVALID ? responseTimeMillis : earliest;
  }

  /** RFC 9111 §5.1: of a list the first counts, and an invalid one is ignored. */
  private static long age(FieldsView response) {
    CharSequence age = response.first("age");
    return age == null ? 0 : Math.max(0, DeltaSeconds.parseFirst(age));
  }

  private static long millis(long seconds) {
    return seconds == CacheControl.ABSENT ? -1 : seconds * 1000;
  }

  /** The fields of the response that are meant for this cache alone. */
  private static List<String> consumedFields(FreshnessSettings freshness, FieldsView response) {
    List<String> consumed = List.of();
    for (String name : FreshnessSettings.OWN_FIELDS) {
      if (freshness.omits(name) && response.has(name)) {
        consumed = consumed.isEmpty() ? new ArrayList<>() : consumed;
        consumed.add(name);
      }
    }
    return consumed;
  }

  /**
   * Fields that {@code private} or {@code no-cache} names are left out (RFC 9111 §5.2.2.4,
   * §5.2.2.7): so they are never reused, validated or not.
   */
  private static List<String> omittedFields(
      RouteSettings settings, CacheControl control, List<String> consumed) {
    List<String> omitted = new ArrayList<>(control.privateNames());
    omitted.addAll(control.noCacheNames());
    omitted.addAll(consumed);
    if (settings.cookies().setCookie() == SetCookie.STRIP) {
      omitted.add("set-cookie");
    }
    return List.copyOf(omitted);
  }

  private static @Nullable String string(@Nullable CharSequence text) {
    return text == null ? null : text.toString();
  }
}
