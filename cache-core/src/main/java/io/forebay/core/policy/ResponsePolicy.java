package io.forebay.core.policy;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.CacheControl;
import io.forebay.core.http.DeltaSeconds;
import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.SetCookie;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether a shared cache may store a response, and what it has to remember of it (RFC 9111 §3).
 * Stricter than the RFC in three ways, each of which has leaked or poisoned caches elsewhere: a
 * response that sets cookies is not stored unless the route says so; an error is stored only by its
 * own explicit word; and a response that gives neither freshness nor Last-Modified is not stored.
 */
public final class ResponsePolicy {

  /** The most fields that a response may vary by. */
  public static final int MAX_SELECTING_FIELDS = 16;

  /**
   * Fields that tell users apart, or that are written anew for each: who varies by them hardly ever
   * has the same response twice.
   */
  private static final Set<String> OF_ONE_USER =
      Set.of("cookie", "user-agent", "x-forwarded-for", "forwarded");

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

  private static final long MAX_HEURISTIC_MILLIS = 24L * 3600 * 1000;

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
    RouteSettings settings = route.settings();
    CacheControl control = CacheControl.of(response);
    Reason refusal = refusal(request, settings, status, response, control);
    if (refusal != null) {
      return new StoreVerdict.DoNotStore(refusal);
    }
    SortedSet<String> selectingFields = new TreeSet<>();
    refusal = addSelectingFields(response, route.keyRecipe().fields(), selectingFields);
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

    int flags = flags(control);
    long lifetime = explicitLifetime(settings, status, control, response, date);
    if (lifetime < 0 && status >= 400) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS);
    }
    if (lifetime < 0) {
      Duration defaultTtl = settings.defaultTtl();
      if (defaultTtl != null && isHeuristicallyCacheable(status)) {
        lifetime = defaultTtl.toMillis();
      }
    }
    if (lifetime < 0
        && settings.heuristic()
        && isHeuristicallyCacheable(status)
        && lastModifiedMillis != HttpDate.INVALID
        && !isPragmaNoCache(response, control)) {
      lifetime = Math.clamp((date - lastModifiedMillis) / 10, 0L, MAX_HEURISTIC_MILLIS);
      flags |= StoredMeta.HEURISTIC;
    }
    boolean hasValidator = etag != null || lastModified != null;
    if (lifetime < 0) {
      if (!control.noCache() || !hasValidator) {
        return new StoreVerdict.DoNotStore(Reason.NOT_STORED_NO_FRESHNESS);
      }
      lifetime = 0;
    }
    long age = age(response);
    long initialAge =
        Age.currentAgeMillis(requestTimeMillis, responseTimeMillis, date, age, responseTimeMillis);
    if (!hasValidator && (control.noCache() || lifetime <= initialAge)) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_STALE);
    }

    List<String> selecting = List.copyOf(selectingFields);
    byte[] meta =
        StoredMeta.encode(
            new MetaValues(
                status,
                flags,
                requestTimeMillis,
                responseTimeMillis,
                date,
                lastModifiedMillis,
                lifetime,
                millis(control.staleWhileRevalidateSeconds()),
                millis(control.staleIfErrorSeconds()),
                age,
                etag,
                lastModified,
                selecting));
    return new StoreVerdict.Store(meta, selecting, omittedFields(settings, control), lifetime);
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
    if (status == 206 || response.has("content-range")) {
      return Reason.NOT_STORED_PARTIAL;
    }
    if (!isStorable(status)) {
      return Reason.NOT_STORED_STATUS;
    }
    boolean isUnderstood = isUnderstood(status);
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
    if (settings.setCookie() == SetCookie.REFUSE
        && response.has("set-cookie")
        && !control.privateNames().contains("set-cookie")
        && !control.noCacheNames().contains("set-cookie")) {
      return Reason.NOT_STORED_SET_COOKIE;
    }
    return null;
  }

  /**
   * Final statuses that say something about the URL. Not those that depend on what is not in the
   * key (the size or syntax of the request's header, its conditions, its body, the load): storing
   * them lets one client spoil the URL for all.
   */
  private static boolean isStorable(int status) {
    return switch (status) {
      case 304, 400, 408, 411, 412, 413, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 511 ->
          false;
      default -> status >= 200 && status <= 599;
    };
  }

  /** Statuses whose caching behaviour this cache implements. */
  private static boolean isUnderstood(int status) {
    return switch (status) {
      case 200,
          203,
          204,
          300,
          301,
          302,
          303,
          307,
          308,
          401,
          403,
          404,
          405,
          410,
          414,
          451,
          500,
          501,
          502,
          503,
          504 ->
          true;
      default -> false;
    };
  }

  /** RFC 9110 §15.1, without 206 and without the errors. */
  private static boolean isHeuristicallyCacheable(int status) {
    return switch (status) {
      case 200, 203, 204, 300, 301, 308 -> true;
      default -> false;
    };
  }

  /**
   * Adds the names in Vary (RFC 9110 §12.5.5); gives the reason if they forbid storing. What the
   * origin was not asked with, or the base key has, selects nothing more.
   */
  private static @Nullable Reason addSelectingFields(
      FieldsView response, FieldRecipe recipe, SortedSet<String> names) {
    int length = 0;
    for (String line : response.all("vary")) {
      int start = 0;
      for (int i = 0; i <= line.length(); i++) {
        if (i < line.length() && line.charAt(i) != ',') {
          continue;
        }
        String name = FieldSyntax.trim(line, start, i).toLowerCase(Locale.ROOT);
        start = i + 1;
        if (name.equals("*")) {
          return Reason.NOT_STORED_VARY_ANY;
        }
        if (name.isEmpty() || NOT_OF_A_FILL.contains(name) || recipe.maps(name)) {
          continue;
        }
        if (OF_ONE_USER.contains(name)) {
          return Reason.NOT_STORED_VARY_USER;
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
   * not (RFC 9110 §12.5.3), and fit to be stored only if the whole class of clients takes it.
   */
  private static @Nullable Reason addEncoding(
      RequestView request, FieldsView response, SortedSet<String> names) {
    int codings = AcceptEncoding.codingsOf(response);
    if (codings == 0) {
      return null;
    }
    names.add("accept-encoding");
    return AcceptEncoding.accepts(AcceptEncoding.classOf(request.fields()), codings)
        ? null
        : Reason.NOT_STORED_ENCODING;
  }

  /** RFC 9111 §4.2.1; -1 when the response says nothing. */
  private static long explicitLifetime(
      RouteSettings settings, int status, CacheControl control, FieldsView response, long date) {
    Duration override = settings.ttlOverride();
    if (override != null && status < 400) {
      return override.toMillis();
    }
    if (control.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      return control.sharedMaxAgeSeconds() * 1000;
    }
    if (control.maxAgeSeconds() != CacheControl.ABSENT) {
      return control.maxAgeSeconds() * 1000;
    }
    CharSequence expires = response.first("expires");
    if (expires == null) {
      return -1;
    }
    // RFC 9111 §5.3: an invalid date, "0" above all, is a time in the past.
    long expiresMillis = HttpDate.parse(expires, date);
    return expiresMillis == HttpDate.INVALID
        ? 0
        : Math.clamp(expiresMillis - date, 0L, CacheControl.MAX_SECONDS * 1000);
  }

  private static int flags(CacheControl control) {
    return (control.noCache() ? StoredMeta.NO_CACHE : 0)
        | (control.mustRevalidate() ? StoredMeta.MUST_REVALIDATE : 0)
        | (control.proxyRevalidate() ? StoredMeta.PROXY_REVALIDATE : 0)
        | (control.sharedMaxAgeSeconds() == CacheControl.ABSENT ? 0 : StoredMeta.SHARED_MAX_AGE)
        | (control.immutable() ? StoredMeta.IMMUTABLE : 0);
  }

  /** An origin too old for Cache-Control can still object to guessing. */
  private static boolean isPragmaNoCache(FieldsView response, CacheControl control) {
    CharSequence pragma = response.first("pragma");
    return pragma != null
        && control == CacheControl.NONE
        && FieldSyntax.equalsIgnoreCase(pragma, "no-cache");
  }

  private static long date(FieldsView response, long responseTimeMillis) {
    CharSequence date = response.first("date");
    long millis = date == null ? HttpDate.INVALID : HttpDate.parse(date, responseTimeMillis);
    return millis == HttpDate.INVALID ? responseTimeMillis : millis;
  }

  /** RFC 9111 §5.1: of a list the first counts, and an invalid one is ignored. */
  private static long age(FieldsView response) {
    CharSequence age = response.first("age");
    return age == null ? 0 : Math.max(0, DeltaSeconds.parseFirst(age));
  }

  private static long millis(long seconds) {
    return seconds == CacheControl.ABSENT ? -1 : seconds * 1000;
  }

  /**
   * Fields that {@code private} or {@code no-cache} names are left out (RFC 9111 §5.2.2.4,
   * §5.2.2.7): so they are never reused, validated or not.
   */
  private static List<String> omittedFields(RouteSettings settings, CacheControl control) {
    List<String> omitted = new ArrayList<>(control.privateNames());
    omitted.addAll(control.noCacheNames());
    if (settings.setCookie() == SetCookie.STRIP) {
      omitted.add("set-cookie");
    }
    return List.copyOf(omitted);
  }

  private static @Nullable String string(@Nullable CharSequence text) {
    return text == null ? null : text.toString();
  }
}
