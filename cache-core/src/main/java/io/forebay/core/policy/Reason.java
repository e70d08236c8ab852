package io.forebay.core.policy;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request went the way it went, or why a response was not stored: the one source of what
 * Cache-Status (RFC 9211), the log, the metrics and {@code forebay explain} say.
 */
public enum Reason {
  HIT_FRESH(null, null, "The stored response is fresh."),
  HIT_EARLY_REFRESH(
      null,
      "early-refresh",
      "The stored response is fresh, and fetched anew already because it expires soon."),
  HIT_STALE_WHILE_REVALIDATE(
      null,
      "stale-while-revalidate",
      "The stored response is stale, but may be served while it is fetched anew."),
  HIT_STALE_REFRESH_FAILED(
      null,
      "refresh-failed",
      "The stored response is stale and may be served for a while; fetching it anew has just"
          + " failed, so the next try waits."),
  HIT_STALE_IF_ERROR(
      null,
      "stale-if-error",
      "The stored response is stale and the origin failed; it may be served nevertheless."),
  HIT_MAX_STALE(
      null, "max-stale", "The stored response is stale, but the client takes it by max-stale."),

  MISS_URI("uri-miss", null, "Nothing is stored for this URL."),
  MISS_VARY(
      "vary-miss",
      null,
      "Responses are stored for this URL, but none for the request fields that they vary by."),
  MISS_NOT_KEPT("stale", "not-kept", "What is stored is stale for longer than the route keeps it."),
  MISS_PURGED("uri-miss", "purged", "What was stored for this URL has been purged."),
  MISS_PARTIAL("partial", null, "Only a part of what was asked for is stored."),
  MISS_DAMAGED("miss", "damaged", "What was stored could not be read and is fetched again."),

  REST_FETCHED(
      null,
      "rest-fetched",
      "Part of the body left memory while it was sent; the rest came from the origin."),

  STALE_EXPIRED("stale", null, "The stored response is older than its freshness lifetime."),
  STALE_NO_CACHE(
      "stale", "no-cache", "The response says no-cache: it is revalidated before each use."),
  STALE_SOFT_PURGED("stale", "soft-purged", "The stored response was made stale by a soft purge."),
  STALE_CLOCK(
      "stale",
      "clock",
      "The clock reads earlier than when the response was stored, so its age is unknown."),

  REQUEST_NO_CACHE(
      "request", "no-cache", "The client asked for revalidation, and the route honours that."),
  REQUEST_MAX_AGE(
      "request",
      "max-age",
      "The client wants a younger response than the stored one, and the route honours that."),
  REQUEST_MIN_FRESH(
      "request",
      "min-fresh",
      "The client wants a response that stays fresh for longer, and the route honours that."),

  PASS_ROUTE("bypass", "route", "The route passes everything through."),
  PASS_METHOD(
      "method",
      null,
      "Only GET and HEAD, and QUERY where the route says so, are answered from the cache."),
  PASS_BODY("bypass", "request-body", "A GET or HEAD with a body is not what its URL names."),
  PASS_CONTENT(
      "bypass",
      "content",
      "The content of a QUERY is longer than 64 KiB, or too many are being read at once."),
  PASS_UPGRADE("bypass", "upgrade", "The client asks to change the protocol."),
  PASS_HEAD(
      "miss", "head", "A HEAD that nothing usable is stored for goes to the origin as it is."),
  PASS_KEY_TOO_LONG("bypass", "key-too-long", "The key would be longer than 16 KiB."),
  PASS_NO_STORE(
      "request", "no-store", "The client asked not to store, and the route honours that."),
  PASS_UNCACHEABLE(
      "bypass", "known-uncacheable", "The last response to this request could not be stored."),
  PASS_RANGE("bypass", "range", "The range asked for can't be had in parts that could be stored."),
  PASS_WAITED(
      "bypass", "waited", "Another request's fetch took longer to answer than is waited for."),
  PASS_STORE_BUSY("bypass", "store-busy", "The store could not be asked in time."),
  PASS_NOT_KEPT(
      "bypass",
      "not-kept",
      "The stored body could neither be kept until it is sent nor be completed from the origin."),
  PASS_STORE_FULL("bypass", "store-full", "There was no room to store the response."),

  REFUSED_TARGET(null, "target", "The request target is malformed."),
  REFUSED_HOST(null, "host", "The host is missing or malformed."),
  REFUSED_FIELDS(null, "fields", "A header field is malformed or not allowed."),
  REFUSED_METHOD(null, "method", "This method is not served here."),
  REFUSED_NO_ROUTE(null, "no-route", "No route is configured for this host and path."),
  REFUSED_LOOP(null, "loop", "The request has been through this node already."),
  REFUSED_OVERLOAD(null, "overload", "A bound was reached, so the request was shed."),
  REFUSED_CLIENT_LIMIT(
      null,
      "client-limit",
      "Too many requests of this client's network are in progress that are not hits."),
  REFUSED_DRAINING(null, "draining", "The server is shutting down."),
  REFUSED_ONLY_IF_CACHED(
      null, "only-if-cached", "The client takes a stored response only, and none is usable."),

  ORIGIN_UNREACHABLE("miss", "origin-unreachable", "No connection to the origin could be made."),
  ORIGIN_UNRESOLVED("miss", "origin-unresolved", "The origin's name does not resolve."),
  ORIGIN_TIMEOUT("miss", "origin-timeout", "The origin did not answer in time."),
  ORIGIN_BROKEN("miss", "origin-broken", "The origin broke off or sent what is not HTTP."),

  NOT_STORED_METHOD(
      null, "method", "Only responses to GET, and to QUERY where the route says so, are stored."),
  NOT_STORED_ROUTE(null, "route", "The route passes everything through."),
  NOT_STORED_STALE_IF_ERROR(
      null,
      "stale-if-error",
      "The origin failed, and what is stored may still be served in place of its answer."),
  NOT_STORED_STATUS(
      null, "status", "Responses of this status say nothing about the URL and are not stored."),
  NOT_STORED_PARTIAL(null, "partial", "A partial response is not stored as a whole."),
  NOT_STORED_NO_STORE(null, "no-store", "The response says no-store."),
  NOT_STORED_CACHE_CONTROL(
      null,
      "cache-control",
      "A quote in Cache-Control is not closed, so it cannot be told what the field forbids."),
  NOT_STORED_MUST_UNDERSTAND(
      null, "must-understand", "The response says must-understand and its status is unknown."),
  NOT_STORED_PRIVATE(null, "private", "The response says private."),
  NOT_STORED_AUTHORIZATION(
      null,
      "authorization",
      "The request has Authorization and the response neither public, s-maxage nor"
          + " must-revalidate."),
  NOT_STORED_SET_COOKIE(
      null, "set-cookie", "The response sets a cookie and the route does not say otherwise."),
  NOT_STORED_VARY_ANY(null, "vary-any", "The response varies by more than request fields."),
  NOT_STORED_VARY_USER(
      null,
      "vary-user",
      "The response varies by Cookie, User-Agent or the client's address, and the route does not"
          + " map that, so it would hardly hit."),
  NOT_STORED_VARY_MALFORMED(
      null, "vary-malformed", "The Vary field is malformed or names too many fields."),
  NOT_STORED_ENCODING(
      null,
      "encoding",
      "The response has a content coding that not all take who would be served with it."),
  NOT_STORED_NO_FRESHNESS(
      null,
      "no-freshness",
      "The response says neither how long it is fresh nor when it was last modified."),
  NOT_STORED_COOKIE(
      null,
      "cookie",
      "The response does not say how long it is fresh, and that is not guessed for a request with"
          + " cookies."),
  NOT_STORED_ERROR_WITHOUT_FRESHNESS(
      null, "error", "An error is stored only if it, or the route, says how long it is fresh."),
  NOT_STORED_STALE(
      null, "stale", "The response is stale on arrival and has no validator to revalidate it by."),
  NOT_STORED_NEVER_CONFIRMED(
      null,
      "never-confirmed",
      "The response would have to be validated before each use, and the origin has not confirmed"
          + " what was stored before several times in a row."),
  NOT_STORED_FIELDS(null, "fields", "The header is too large to store or has a malformed field."),
  NOT_STORED_TOO_LARGE(null, "too-large", "The response is larger than may be stored."),
  NOT_STORED_CLOSE_DELIMITED(
      null, "close-delimited", "Only the end of the connection says where the response ends."),
  NOT_STORED_NO_ROOM(null, "no-room", "There was no room to store the response."),
  NOT_STORED_PURGED(null, "purged", "It was purged while it was being fetched."),
  NOT_STORED_INCOMPLETE(null, "incomplete", "The response was broken off before its end.");

  private final @Nullable String fwd;
  private final @Nullable String detail;
  private final String explanation;
  private final String label;

  Reason(@Nullable String fwd, @Nullable String detail, String explanation) {
    this.fwd = fwd;
    this.detail = detail;
    this.explanation = explanation;
    this.label = name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether the response came from the store. */
  public boolean isHit() {
    return this == HIT_FRESH
        || this == HIT_EARLY_REFRESH
        || this == HIT_STALE_WHILE_REVALIDATE
        || this == HIT_STALE_REFRESH_FAILED
        || this == HIT_STALE_IF_ERROR
        || this == HIT_MAX_STALE;
  }

  /** The {@code fwd} token of RFC 9211 §2.2, or null when nothing was forwarded. */
  public @Nullable String fwd() {
    return fwd;
  }

  /** The {@code detail} token of RFC 9211 §2.8, or null. */
  public @Nullable String detail() {
    return detail;
  }

  /** The value of a metric label: lower case, hyphens, one for each constant. */
  public String label() {
    return label;
  }

  /** One sentence for people. */
  public String explanation() {
    return explanation;
  }
}
