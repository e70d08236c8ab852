package io.forebay.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Cache-Control directives of a request or a response (RFC 9111 §5.2, RFC 5861, RFC 8246).
 * Where the RFCs leave a choice, the stricter reading applies:
 *
 * <ul>
 *   <li>of a directive given twice with different values the more restrictive counts: it is never
 *       fresh for longer than by the first, which the RFC allows besides counting as stale
 *       (§4.2.1);
 *   <li>{@code max-age} and {@code s-maxage} without a plain number of seconds count as 0, so the
 *       response is stale (§4.2.1); both token and quoted form are read (§5.2);
 *   <li>a number too large counts as 2^31 (§1.2.2);
 *   <li>a malformed {@code stale-while-revalidate} or {@code stale-if-error} gives no permission;
 *   <li>{@code private} or {@code no-cache} with a broken or overlong list of names counts as
 *       without one, which forbids more;
 *   <li>a quote that neither begins nor ends a quoted value, as where one is not closed, and text
 *       that follows a quoted value without a comma make the whole field unreadable: it counts as
 *       {@code no-store, no-cache, private}, since what it forbids may stand within the quotes.
 * </ul>
 *
 * Parsing is one pass over each line, whatever it holds; only the lists of names take memory, and
 * they are bounded.
 */
public final class CacheControl {

  /** A directive that is not there. */
  public static final long ABSENT = -1;

  /** What numbers are capped at (RFC 9111 §1.2.2). */
  public static final long MAX_SECONDS = 1L << 31;

  /** The directives of a message without any. */
  public static final CacheControl NONE = new CacheControl();

  private static final long MALFORMED = -2;
  private static final int MAX_NAMES = 32;

  private boolean noStore;
  private boolean noCache;
  private boolean isPrivate;
  private boolean isPublic;
  private boolean mustRevalidate;
  private boolean proxyRevalidate;
  private boolean mustUnderstand;
  private boolean noTransform;
  private boolean immutable;
  private boolean onlyIfCached;
  private boolean isUnreadable;
  private long maxAge = ABSENT;
  private long sharedMaxAge = ABSENT;
  private long staleWhileRevalidate = ABSENT;
  private long staleIfError = ABSENT;
  private long minFresh = ABSENT;
  private long maxStale = ABSENT;
  private List<String> noCacheNames = List.of();
  private List<String> privateNames = List.of();

  private CacheControl() {}

  /** The directives of all Cache-Control lines of a message. */
  public static CacheControl of(FieldsView fields) {
    return parse(fields.all("cache-control"));
  }

  public static CacheControl parse(List<String> lines) {
    if (lines.isEmpty()) {
      return NONE;
    }
    CacheControl control = new CacheControl();
    for (String line : lines) {
      boolean areQuotesPaired = DirectiveParser.forEach(line, control::apply);
      control.isUnreadable |= !areQuotesPaired;
    }
    if (control.isUnreadable) {
      control.forbidAll();
    }
    return control;
  }

  private void forbidAll() {
    noStore = true;
    noCache = true;
    isPrivate = true;
    mustUnderstand = false;
    noCacheNames = List.of();
    privateNames = List.of();
  }

  /**
   * The directives of a targeted field (RFC 9213 §2.1), by name; each value is what it is as a
   * structured field: Boolean, Long or String. A number that is negative, or where none belongs, is
   * ignored like any value of a wrong type, but for directives that forbid something: these count
   * unless they say false, since taking no notice of one could show a response to whom it is not
   * meant for.
   */
  static CacheControl ofStructured(Map<String, Object> directives) {
    CacheControl control = new CacheControl();
    directives.forEach(control::applyStructured);
    return control;
  }

  private void applyStructured(String name, Object value) {
    switch (name) {
      case "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error" -> {
        if (value instanceof Long seconds && seconds >= 0) {
          apply(name, seconds.toString(), false);
        }
      }
      case "public", "immutable" -> {
        if (value.equals(true)) {
          apply(name, null, false);
        }
      }
      default -> {
        if (!value.equals(false)) {
          apply(name, value instanceof String names ? names : null, false);
        }
      }
    }
  }

  /** What Surrogate-Control can say; -1 for seconds that it does not say. */
  static CacheControl ofSurrogate(boolean noStore, long maxAgeSeconds, long graceSeconds) {
    CacheControl control = new CacheControl();
    control.noStore = noStore;
    control.maxAge = maxAgeSeconds;
    control.staleWhileRevalidate = graceSeconds;
    control.staleIfError = graceSeconds;
    return control;
  }

  public boolean noStore() {
    return noStore;
  }

  /** {@code no-cache} for the whole response. */
  public boolean noCache() {
    return noCache;
  }

  /** The fields that {@code no-cache} names; empty when it names none. */
  public List<String> noCacheNames() {
    return noCacheNames;
  }

  /** {@code private} for the whole response. */
  public boolean isPrivate() {
    return isPrivate;
  }

  /** The fields that {@code private} names; empty when it names none. */
  public List<String> privateNames() {
    return privateNames;
  }

  public boolean isPublic() {
    return isPublic;
  }

  public boolean mustRevalidate() {
    return mustRevalidate;
  }

  public boolean proxyRevalidate() {
    return proxyRevalidate;
  }

  public boolean mustUnderstand() {
    return mustUnderstand;
  }

  public boolean noTransform() {
    return noTransform;
  }

  public boolean immutable() {
    return immutable;
  }

  /** Whether quotes that do not pair leave open what the field says. */
  public boolean isUnreadable() {
    return isUnreadable;
  }

  public boolean onlyIfCached() {
    return onlyIfCached;
  }

  /** Seconds, or {@link #ABSENT}. */
  public long maxAgeSeconds() {
    return maxAge;
  }

  /** Seconds of {@code s-maxage}, or {@link #ABSENT}. */
  public long sharedMaxAgeSeconds() {
    return sharedMaxAge;
  }

  public long staleWhileRevalidateSeconds() {
    return staleWhileRevalidate;
  }

  public long staleIfErrorSeconds() {
    return staleIfError;
  }

  public long minFreshSeconds() {
    return minFresh;
  }

  /** Seconds; {@link #MAX_SECONDS} for a {@code max-stale} without a number. */
  public long maxStaleSeconds() {
    return maxStale;
  }

  private void apply(String name, @Nullable String value, boolean isMalformed) {
    switch (name) {
      case "no-store" -> noStore = true;
      case "public" -> isPublic = true;
      case "must-revalidate" -> mustRevalidate = true;
      case "proxy-revalidate" -> proxyRevalidate = true;
      case "must-understand" -> mustUnderstand = true;
      case "no-transform" -> noTransform = true;
      case "immutable" -> immutable = true;
      case "only-if-cached" -> onlyIfCached = true;
      case "no-cache" -> {
        List<String> names = names(value, isMalformed);
        noCache |= names.isEmpty() || noCacheNames.size() + names.size() > MAX_NAMES;
        noCacheNames = noCache ? List.of() : joined(noCacheNames, names);
      }
      case "private" -> {
        List<String> names = names(value, isMalformed);
        isPrivate |= names.isEmpty() || privateNames.size() + names.size() > MAX_NAMES;
        privateNames = isPrivate ? List.of() : joined(privateNames, names);
      }
      case "max-age" -> maxAge = least(maxAge, seconds(value, isMalformed));
      case "s-maxage" -> sharedMaxAge = least(sharedMaxAge, seconds(value, isMalformed));
      case "stale-while-revalidate" ->
          staleWhileRevalidate = least(staleWhileRevalidate, seconds(value, isMalformed));
      case "stale-if-error" -> staleIfError = least(staleIfError, seconds(value, isMalformed));
      case "min-fresh" -> {
        long seconds = seconds(value, isMalformed);
        minFresh = Math.max(minFresh, seconds == MALFORMED ? MAX_SECONDS : seconds);
      }
      case "max-stale" ->
          maxStale = least(maxStale, value == null ? MAX_SECONDS : seconds(value, isMalformed));
      default -> {
        // RFC 9111 §5.2.3: unknown directives are ignored.
      }
    }
  }

  /** What cannot be read counts as 0. */
  private static long least(long before, long seconds) {
    long readable = Math.max(0, seconds);
    return before == ABSENT ? readable : Math.min(before, readable);
  }

  private static long seconds(@Nullable String value, boolean isMalformed) {
    return value == null || isMalformed ? MALFORMED : parseSeconds(value);
  }

  private static long parseSeconds(String value) {
    long seconds = DeltaSeconds.parse(value);
    return seconds == DeltaSeconds.INVALID ? MALFORMED : seconds;
  }

  /** The lower-case names listed; empty means that the directive is for the whole response. */
  private static List<String> names(@Nullable String value, boolean isMalformed) {
    if (value == null || isMalformed) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    int start = 0;
    while (start <= value.length()) {
      int end = FieldSyntax.memberEnd(value, start);
      String name = FieldSyntax.trim(value, start, end);
      start = end + 1;
      if (name.isEmpty()) {
        continue;
      }
      if (!FieldSyntax.isToken(name) || names.size() == MAX_NAMES) {
        return List.of();
      }
      names.add(name.toLowerCase(Locale.ROOT));
    }
    return names;
  }

  private static List<String> joined(List<String> first, List<String> second) {
    if (first.isEmpty()) {
      return List.copyOf(second);
    }
    List<String> both = new ArrayList<>(first);
    both.addAll(second);
    return List.copyOf(both);
  }
}
