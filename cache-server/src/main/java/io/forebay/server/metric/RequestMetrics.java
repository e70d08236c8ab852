package io.forebay.server.metric;

import io.forebay.server.counters.AbortLabel;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.LoopCounters.PurgeResult;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.counters.Protocol;
import java.util.List;
import java.util.Locale;

/** Metrics of requests and responses: in total, per route and per listener. */
final class RequestMetrics {
  /** The metric with more cells than are shown where most are 0. */
  static final String REQUESTS = "forebay_requests";

  private static final String RULE_ERRORS =
      "Evaluations of expressions in rules that had no value, by cause: something that is not there"
          + " (no-value), or a bound of the evaluation was exceeded (limit).";

  private static final String[] STATUS_CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

  /** Results of requests that need no request to the origin of their own for what is stored. */
  private static final List<CacheResult> HITS =
      List.of(CacheResult.HIT, CacheResult.STALE, CacheResult.JOINED);

  private RequestMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    for (MethodClass method : MethodClass.values()) {
      for (CacheResult result : CacheResult.values()) {
        for (int status = 0; status < STATUS_CLASSES.length; status++) {
          int ofClass = status;
          meters.counter(
              REQUESTS,
              "Requests by method class, status class and cache result.",
              () -> from.sum(c -> c.requests(method, result, ofClass)),
              "cache",
              label(result),
              "method_class",
              label(method),
              "status_class",
              STATUS_CLASSES[status]);
        }
      }
    }
    for (CacheResult result : CacheResult.values()) {
      meters.counter(
          "forebay_response_bytes",
          "Body bytes of responses to clients, by cache result.",
          () -> from.sum(c -> c.served.bytes(result)),
          "cache",
          label(result));
      meters.histogram(
          "forebay_last_byte_seconds",
          "Time from receiving a request to handing the last byte of the response to the"
              + " transport, by cache result.",
          () -> lastByte(from, result),
          "cache",
          label(result));
    }
    meters.gauge(
        "forebay_byte_hit_ratio",
        "Share of the body bytes sent since the start that came from the store (cache results"
            + " hit, stale and revalidated); absent before the first.",
        () -> byteHitRatio(from));
    meters.histogram(
        "forebay_hit_seconds",
        "Time from receiving a request to handing the response to the transport, for hits.",
        () ->
            SummedHistogram.sum(from.loops(), c -> c.hitTime)
                .plus(SummedHistogram.sum(from.loops(), c -> c.fastHitTime)));
    meters.counter(
        "forebay_sent_bytes",
        "Bytes sent to clients, before TLS: over HTTP/1.1 with header sections and framing, over"
            + " HTTP/2 and HTTP/3 bodies alone. `forebay_response_bytes_total` has the bodies of"
            + " all protocols.",
        () -> from.sum(c -> c.bytesToClients));
    meters.counter(
        "forebay_received_bytes",
        "Bytes received from clients, before TLS: over HTTP/1.1 with header sections and framing,"
            + " over HTTP/2 and HTTP/3 bodies alone.",
        () -> from.sum(c -> c.bytesFromClients));
    meters.counter(
        "forebay_client_aborts",
        "Requests whose client disconnected.",
        () -> from.sum(c -> c.clientAborts));
    for (AbortLabel cause : AbortLabel.values()) {
      meters.counter(
          "forebay_responses_aborted",
          "Responses aborted by the node after it sent the header section, by cause.",
          () -> from.sum(c -> c.aborted(cause)),
          "cause",
          cause.label());
    }
    meters.counter(
        "forebay_remainders_fetched",
        "Bodies evicted from memory while being sent, whose remainder was fetched from the"
            + " origin.",
        () -> from.sum(c -> c.remaindersFetched));
    meters.counter(
        "forebay_remainders_lost",
        "Responses aborted because their body was evicted from memory while being sent.",
        () -> from.sum(c -> c.remaindersLost));
    for (CacheResult result : HITS) {
      meters.counter(
          "forebay_partial_hits",
          "Requests counted as hit, stale or joined that requested a part of the body from the"
              + " origin because the store had lost it; each request counts once, by cache"
              + " result.",
          () -> from.sum(c -> c.partlyFetched(result)),
          "cache",
          label(result));
    }
    meters.counter(
        "forebay_bodies_not_kept",
        "Requests for stored bodies without a strong validator that were forwarded to the"
            + " origin because memory could not hold the body until it was sent.",
        () -> from.sum(c -> c.bodiesNotKept));
    meters.counter(
        "forebay_recovery_waits",
        "Requests that waited for the index to be rebuilt because as many as"
            + " limits.recovery-fetches were fetching from origins.",
        () -> from.sum(c -> c.recoveryWaits));
    meters.counter(
        "forebay_fast_hits",
        "Hits answered on the fast path, before the request is decoded.",
        () -> from.sum(c -> c.fastHits));
    meters.counter(
        "forebay_rule_errors",
        RULE_ERRORS,
        () -> from.sum(c -> c.ruleErrors.errors()),
        "cause",
        "no-value");
    meters.counter(
        "forebay_rule_errors",
        RULE_ERRORS,
        () -> from.sum(c -> c.ruleErrors.limits()),
        "cause",
        "limit");
    for (ProtectionRule rule : ProtectionRule.values()) {
      meters.counter(
          "forebay_protection_refused",
          "Requests refused by the protection of their route, by the part that refused.",
          () -> from.sum(c -> c.refusals(rule)),
          "rule",
          rule.label());
    }
    meters.counter(
        "forebay_rate_limit_keys_displaced",
        "Clients or other keys of rate limits whose count was forgotten, or not begun, because"
            + " the table was full.",
        () -> from.sum(c -> c.rateKeysDisplaced));
    meters.gauge(
        "forebay_limited_in_flight",
        "Requests and fetches that limits with in-flight count now.",
        () -> from.node().countedInFlight());
    for (PurgeResult result : PurgeResult.values()) {
      meters.counter(
          "forebay_purge_requests",
          "Purge requests to the listeners while purge.from is set, by result.",
          () -> from.sum(c -> c.purgeRequests(result)),
          "result",
          label(result));
    }
    meters.counter(
        "forebay_stale_served",
        "Requests answered with a stale response.",
        () -> from.sum(c -> c.staleServed));
    meters.counter(
        "forebay_digest_mismatches",
        "Response bodies of origins that did not have the digest of their Content-Digest or"
            + " Repr-Digest, on routes that verify it.",
        () -> from.sum(c -> c.digestMismatches));
    meters.counter(
        "forebay_early_hints",
        "Interim responses (103) with the links of a stale response, sent to clients that waited for"
            + " the origin.",
        () -> from.sum(c -> c.earlyHints));
  }

  /** What is told of one route. */
  static void addRoute(MeterRegistrar meters, CachedReports from, int number, String name) {
    for (CacheResult result : CacheResult.values()) {
      meters.counter(
          "forebay_route_requests",
          "Requests by route and cache result.",
          () -> from.sum(c -> c.served.routeRequests(number, result)),
          "cache",
          label(result),
          "route",
          name);
      meters.counter(
          "forebay_route_sent_bytes",
          "Body bytes sent to clients, by route and cache result.",
          () -> from.sum(c -> c.served.routeBytes(number, result)),
          "cache",
          label(result),
          "route",
          name);
    }
  }

  /** What is told of one listener. */
  static void addListener(MeterRegistrar meters, CachedReports from, int number, String name) {
    for (Protocol protocol : Protocol.values()) {
      meters.counter(
          "forebay_listener_requests",
          "Requests by listener and protocol.",
          () -> from.sum(c -> c.served.listenerRequests(number, protocol)),
          "listener",
          name,
          "protocol",
          protocol.label());
      meters.counter(
          "forebay_listener_sent_bytes",
          "Body bytes sent to clients, by listener and protocol.",
          () -> from.sum(c -> c.served.listenerBytes(number, protocol)),
          "listener",
          name,
          "protocol",
          protocol.label());
    }
  }

  private static SummedHistogram lastByte(CachedReports from, CacheResult result) {
    SummedHistogram slow = SummedHistogram.sum(from.loops(), c -> c.lastByte(result));
    return result == CacheResult.HIT
        ? slow.plus(SummedHistogram.sum(from.loops(), c -> c.fastHitTime))
        : slow;
  }

  private static double byteHitRatio(CachedReports from) {
    long stored = 0;
    long all = 0;
    for (CacheResult result : CacheResult.values()) {
      long bytes = from.sum(c -> c.served.bytes(result));
      all += bytes;
      stored += isStored(result) ? bytes : 0;
    }
    return all == 0 ? Double.NaN : (double) stored / all;
  }

  private static boolean isStored(CacheResult result) {
    return result == CacheResult.HIT
        || result == CacheResult.STALE
        || result == CacheResult.REVALIDATED;
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
