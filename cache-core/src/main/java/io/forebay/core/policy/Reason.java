package io.forebay.core.policy;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was handled as it was, or why a response was not stored: the single source for
 * Cache-Status (RFC 9211), the log, the metrics and {@code forebay explain}.
 */
public enum Reason {
  HIT_FRESH(null, null, "The stored response is fresh."),
  HIT_EARLY_REFRESH(
      null,
      "early-refresh",
      "The stored response is fresh but expires soon, so it is being refreshed in advance."),
  HIT_STALE_WHILE_REVALIDATE(
      null,
      "stale-while-revalidate",
      "The stored response is stale, but may be served while it is revalidated."),
  HIT_STALE_REFRESH_FAILED(
      null,
      "refresh-failed",
      "The stored response is stale and may still be served; the last refresh failed, so the"
          + " next attempt is delayed."),
  HIT_STALE_IF_ERROR(
      null,
      "stale-if-error",
      "The stored response is stale, but may be served because the origin failed."),
  HIT_MAX_STALE(
      null, "max-stale", "The stored response is stale, but the client's max-stale accepts it."),

  MISS_URI("uri-miss", null, "Nothing is stored for this URL."),
  MISS_VARY(
      "vary-miss",
      null,
      "Responses are stored for this URL, but none matches the request fields that Vary names."),
  MISS_NOT_KEPT(
      "stale",
      "not-kept",
      "The stored response has been stale for longer than the route keeps it."),
  MISS_PURGED("uri-miss", "purged", "The stored response for this URL was purged."),
  MISS_PARTIAL("partial", null, "Only part of the requested content is stored."),
  MISS_DAMAGED("miss", "damaged", "The stored response could not be read and is fetched again."),

  REST_FETCHED(
      null,
      "rest-fetched",
      "Part of the body was evicted from memory while it was being sent; the rest came from"
          + " the origin."),

  STALE_EXPIRED("stale", null, "The stored response is older than its freshness lifetime."),
  STALE_NO_CACHE(
      "stale", "no-cache", "The response says no-cache: it is revalidated before each use."),
  STALE_SOFT_PURGED("stale", "soft-purged", "The stored response was made stale by a soft purge."),
  STALE_FENCED(
      "stale",
      "fenced",
      "The node could not prove that it knows all purges of its cluster, so the stored response was"
          + " validated before use."),
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
  PASS_RULE("bypass", "rule", "A rule of the route passes the request through."),
  PASS_METHOD(
      "method",
      null,
      "Only GET, HEAD and, where the route enables it, QUERY are answered from the cache."),
  PASS_BODY(
      "bypass",
      "request-body",
      "A GET or HEAD request with a body is not answered from the cache."),
  PASS_CONTENT(
      "bypass",
      "content",
      "The content of the QUERY exceeds 64 KiB, or the node is reading too many at once."),
  PASS_UPGRADE("bypass", "upgrade", "The client requests a protocol upgrade."),
  PASS_HEAD(
      "miss",
      "head",
      "No usable response is stored for this HEAD request, so it is forwarded unchanged."),
  PASS_KEY_TOO_LONG("bypass", "key-too-long", "The cache key would be longer than 16 KiB."),
  PASS_NO_STORE(
      "request", "no-store", "The client asked not to store, and the route honours that."),
  PASS_UNCACHEABLE(
      "bypass", "known-uncacheable", "The last response to this request could not be stored."),
  PASS_COOKIE(
      "bypass",
      "cookie",
      "The request has a cookie that the route lists in pass-cookies, so it is forwarded."),
  PASS_RANGE(
      "bypass", "range", "The requested range cannot be fetched in parts that could be stored."),
  PASS_WAITED("bypass", "waited", "The wait for another request's fetch timed out."),
  PASS_STORE_BUSY("bypass", "store-busy", "The store was too busy to serve the request."),
  PASS_NOT_KEPT(
      "bypass",
      "not-kept",
      "The stored body could neither be held until it was sent nor completed from the origin."),
  PASS_STORE_FULL("bypass", "store-full", "There was no room to store the response."),

  PURGED(null, null, "The request was a purge, and it is on disk and in force."),

  RULE_DENY(null, "rule-deny", "A rule of the route denies the request."),
  RULE_REDIRECT(null, "rule-redirect", "A rule of the route redirects the request."),
  RULE_RESPOND(null, "rule-respond", "A rule of the route responds to the request."),
  CORS_PREFLIGHT(
      null, "cors-preflight", "The node answers a CORS preflight by the route's `cors`."),

  REFUSED_PURGE(null, "purge", "The purge is malformed or could not be made."),
  REFUSED_TARGET(null, "target", "The request target is malformed."),
  REFUSED_HOST(null, "host", "The host is missing or malformed."),
  REFUSED_FIELDS(null, "fields", "A header field is malformed or not allowed."),
  REFUSED_METHOD(null, "method", "This method is not served here."),
  REFUSED_NO_ROUTE(null, "no-route", "No route is configured for this host and path."),
  REFUSED_UPGRADE(
      null, "upgrade", "The route does not allow the protocol that the client wants a tunnel for."),
  REFUSED_LOOP(null, "loop", "The request has already passed through this node."),
  REFUSED_OVERLOAD(null, "overload", "The node is overloaded, or a limit was reached."),
  REFUSED_CLIENT_LIMIT(
      null,
      "client-limit",
      "Too many requests from this client's network are waiting for the origin."),
  REFUSED_ACCESS(
      null, "access", "The route's protection does not admit clients from this network."),
  REFUSED_RATE_LIMIT(
      null,
      "rate-limit",
      "A rate limit of the route is reached: requests, bytes or requests in flight."),
  REFUSED_FETCH_LIMIT(
      null,
      "fetch-limit",
      "As many requests to origins as a fetch limit of the route admits were made."),
  REFUSED_BODY_SIZE(null, "body-size", "The body of the request is larger than its route allows."),
  REFUSED_CREDENTIALS(
      null,
      "credentials",
      "The route asks for a name and password, and the request has no valid one."),
  REFUSED_TOKEN(
      null, "token", "The route asks for a signed token, and the request has no valid one."),
  REFUSED_CLAIMS(null, "claims", "The token of the request lacks a claim that the route asks for."),
  REFUSED_FORWARD_AUTH(
      null, "forward-auth", "The server that decides on requests of the route refuses this one."),
  REFUSED_UNVERIFIED(
      null, "unverified", "Whether the client is admitted cannot be found out at the moment."),
  REFUSED_SIGNATURE(
      null, "signature", "The route serves signed URLs, and this one has no valid signature."),
  REFUSED_EXPIRED(null, "expired", "The time for which this URL was signed is over."),
  REFUSED_RELOAD(
      null,
      "blocking-reload",
      "The playlist has not reached the requested segment within three target durations, or the"
          + " origin refused the blocking reload."),
  REFUSED_CUT_OFF(
      null, "cut-off", "The node could not prove that it knows all purges of its cluster."),
  REFUSED_NODE(
      null,
      "node",
      "Another node of the cluster asked for what this node cannot give it; it asks the origin."),
  REFUSED_DRAINING(null, "draining", "The server is shutting down."),
  REFUSED_ONLY_IF_CACHED(
      null,
      "only-if-cached",
      "The request says only-if-cached, and no stored response can be used."),

  ORIGIN_UNREACHABLE("miss", "origin-unreachable", "The node cannot connect to the origin."),
  ORIGIN_UNRESOLVED("miss", "origin-unresolved", "The origin's name does not resolve."),
  ORIGIN_TIMEOUT("miss", "origin-timeout", "The origin did not respond in time."),
  ORIGIN_BROKEN(
      "miss", "origin-broken", "The origin closed the connection early or sent malformed HTTP."),

  NOT_STORED_METHOD(null, "method", "Responses to requests with this method are not stored."),
  NOT_STORED_ROUTE(null, "route", "The route passes everything through."),
  NOT_STORED_RULE(null, "rule", "A rule of the route forbids storing the response."),
  NOT_STORED_STALE_IF_ERROR(
      null,
      "stale-if-error",
      "The origin failed, and the stored response may still be served instead."),
  NOT_STORED_STATUS(null, "status", "Responses with this status code are not stored."),
  NOT_STORED_PARTIAL(null, "partial", "A partial response is not stored as a complete one."),
  NOT_STORED_NO_STORE(null, "no-store", "The response says no-store."),
  NOT_STORED_CACHE_CONTROL(
      null,
      "cache-control",
      "Cache-Control contains a malformed quoted string, so its directives are unclear."),
  NOT_STORED_MUST_UNDERSTAND(
      null,
      "must-understand",
      "The response says must-understand, and its status code is unknown."),
  NOT_STORED_PRIVATE(null, "private", "The response says private."),
  NOT_STORED_AUTHORIZATION(
      null,
      "authorization",
      "The request has Authorization, and the response has none of public, s-maxage and"
          + " must-revalidate."),
  NOT_STORED_SET_COOKIE(
      null,
      "set-cookie",
      "The response sets a cookie, and the route does not allow storing such responses."),
  NOT_STORED_VARY_ANY(
      null, "vary-any", "The response has Vary: *, so it depends on more than request fields."),
  NOT_STORED_VARY_USER(
      null,
      "vary-user",
      "The response varies on User-Agent or the client's address, and the route does not normalize"
          + " that field, so hits would be rare."),
  NOT_STORED_VARY_COOKIE(
      null,
      "vary-cookie",
      "The response varies on Cookie, and the request has cookies: such responses are stored for"
          + " requests without cookies only."),
  NOT_STORED_VARY_MALFORMED(
      null, "vary-malformed", "The Vary field is malformed or names too many fields."),
  NOT_STORED_ENCODING(
      null,
      "encoding",
      "The response's content coding is not accepted by every client that shares this cache"
          + " key."),
  NOT_STORED_NO_FRESHNESS(
      null, "no-freshness", "The response has neither a freshness lifetime nor Last-Modified."),
  NOT_STORED_COOKIE(
      null,
      "cookie",
      "The response has no explicit freshness lifetime, and the heuristic does not apply to"
          + " requests with cookies."),
  NOT_STORED_ERROR_WITHOUT_FRESHNESS(
      null,
      "error",
      "An error response is stored only if it, or the route, specifies a freshness lifetime."),
  NOT_STORED_STALE(null, "stale", "The response is stale on arrival and has no validator."),
  NOT_STORED_NEVER_CONFIRMED(
      null,
      "never-confirmed",
      "The response requires validation before each use, and the origin has not confirmed"
          + " earlier stored responses several times in a row."),
  NOT_STORED_FIELDS(
      null, "fields", "The header section is too large to store or contains a malformed field."),
  NOT_STORED_TOO_LARGE(null, "too-large", "The response exceeds the maximum size for storage."),
  NOT_STORED_CLOSE_DELIMITED(
      null, "close-delimited", "Only the end of the connection marks the end of the response."),
  NOT_STORED_NO_ROOM(null, "no-room", "There was no room to store the response."),
  NOT_STORED_PURGED(null, "purged", "The response was purged while it was being fetched."),
  NOT_STORED_INCOMPLETE(null, "incomplete", "The response ended prematurely.");

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

  /** Whether the response came from the store and was stale. */
  public boolean isStaleHit() {
    return isHit() && this != HIT_FRESH && this != HIT_EARLY_REFRESH;
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
