package io.forebay.server.metric;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.counters.OriginError;
import io.forebay.server.counters.ServerCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Metrics of requests to origins, in total and per origin. */
final class OriginMetrics {
  private OriginMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_origin_fetches",
        "Requests sent to origins.",
        () -> from.sum(c -> c.originFetches));
    meters.counter(
        "forebay_origin_failures",
        "Requests to origins that did not return a complete response.",
        () -> from.sum(c -> c.originFailures));
    meters.counter(
        "forebay_origin_retries",
        "Requests sent again: on a new connection, or to another server.",
        () -> from.sum(c -> c.originRetries));
    meters.counter(
        "forebay_origin_hedges",
        "Requests sent to a second server because the first one was late.",
        () -> from.sum(c -> c.originHedges));
    meters.counter(
        "forebay_origin_hedges_won",
        "Of these, requests that the second server answered first.",
        () -> from.sum(c -> c.originHedgesWon));
    meters.counter(
        "forebay_origin_bodies_resumed",
        "Response bodies that broke off and were continued by a range request.",
        () -> from.sum(c -> c.originBodiesResumed));
    meters.counter(
        "forebay_request_bodies_held",
        "Request bodies read whole before the origin was asked (`hold-body`).",
        () -> from.sum(c -> c.bodiesHeld));
    meters.counter(
        "forebay_mirror_requests",
        "Copies of requests sent to origins by `mirror`; origin metrics count them too.",
        () -> from.sum(c -> c.mirrorsSent));
    meters.counter(
        "forebay_mirror_dropped",
        "Copies not sent: too many in progress, a request with a body, an upgrade, or a copy itself.",
        () -> from.sum(c -> c.mirrorsDropped));
    meters.counter(
        "forebay_mirror_failures",
        "Copies that the mirroring origin did not answer, or not in time.",
        () -> from.sum(c -> c.mirrorFailures));
    meters.counter(
        "forebay_origin_connections_opened",
        "Connections opened to origins.",
        () -> from.sum(c -> c.originConnectionsOpened));
    meters.gauge(
        "forebay_origin_connections",
        "Open connections to origins.",
        () -> from.sum(c -> c.originConnectionsOpen));
    meters.counter(
        "forebay_origin_received_bytes",
        "Bytes received from origins, before TLS, with header sections and framing.",
        () -> from.sum(c -> c.bytesFromOrigins));
    meters.counter(
        "forebay_origin_body_bytes",
        "Body bytes received from origins, without header sections and framing.",
        () -> from.sum(c -> c.originBodyBytes));
    meters.histogram(
        "forebay_origin_first_byte_seconds",
        "Time from sending a request to an origin to the first byte of the response.",
        () -> SummedHistogram.sum(from.loops(), c -> c.originFirstByte));
    meters.histogram(
        "forebay_origin_fetch_seconds",
        "Time from sending a request to an origin to the end of the response.",
        () -> SummedHistogram.sum(from.loops(), c -> c.originTotal));
  }

  /** What is told of one origin. */
  static void addNamed(MeterRegistrar meters, CachedReports from, int number, String name) {
    meters.counter(
        "forebay_origin_requests",
        "Requests sent to the origin.",
        () -> sum(from, number, c -> c.requests),
        "origin",
        name);
    meters.counter(
        "forebay_origin_bytes",
        "Bytes received from the origin, with header sections and framing.",
        () -> sum(from, number, c -> c.receivedBytes),
        "origin",
        name);
    meters.counter(
        "forebay_origin_slow_responses",
        "Responses that took longer than half of origins.timeouts.first-byte to begin.",
        () -> sum(from, number, c -> c.slowResponses),
        "origin",
        name);
    meters.counter(
        "forebay_origin_fallbacks",
        "Requests to the origin that were sent to another one, as `fallback` says.",
        () -> sum(from, number, c -> c.fallbacks),
        "origin",
        name);
    meters.counter(
        "forebay_origin_circuit_opened",
        "Times that requests began to fail at once, as `ejection.circuit` says.",
        () -> sum(from, number, c -> c.circuitOpened),
        "origin",
        name);
    meters.counter(
        "forebay_origin_circuit_refused",
        "Requests to the origin that failed at once, as `ejection.circuit` says.",
        () -> sum(from, number, c -> c.circuitRefused),
        "origin",
        name);
    for (OriginError error : OriginError.values()) {
      meters.counter(
          "forebay_origin_errors",
          "Requests to the origin that failed, by reason.",
          () -> sum(from, number, c -> c.errors(error)),
          "origin",
          name,
          "reason",
          error.label());
    }
    for (int status = 1; status <= 5; status++) {
      int ofClass = status;
      meters.counter(
          "forebay_origin_responses",
          "Responses of the origin, by status class.",
          () -> sum(from, number, c -> c.responses(ofClass)),
          "origin",
          name,
          "status_class",
          status + "xx");
    }
    meters.histogram(
        "forebay_origin_time_to_first_byte_seconds",
        "Time from sending a request to the origin to the first byte of its response.",
        () -> SummedHistogram.sum(parts(from, number), c -> c.firstByte),
        "origin",
        name);
    meters.histogram(
        "forebay_origin_time_to_last_byte_seconds",
        "Time from sending a request to the origin to the end of its response.",
        () -> SummedHistogram.sum(parts(from, number), c -> c.lastByte),
        "origin",
        name);
  }

  /** What is told of one server of an origin; its name is that of the origin and its URL. */
  static void addServer(MeterRegistrar meters, CachedReports from, int number, String name) {
    int space = name.indexOf(' ');
    String origin = space < 0 ? name : name.substring(0, space);
    String server = name.substring(space + 1);
    meters.counter(
        "forebay_origin_server_requests",
        "Requests sent to the server; a request that is sent again counts again.",
        () -> sumOfServer(from, number, c -> c.requests),
        "origin",
        origin,
        "server",
        server);
    meters.counter(
        "forebay_origin_server_failures",
        "Connections to the server that could not be opened, and requests without a response.",
        () -> sumOfServer(from, number, c -> c.failures),
        "origin",
        origin,
        "server",
        server);
    meters.counter(
        "forebay_origin_server_ejections",
        "Times that an address of the server was ejected.",
        () -> sumOfServer(from, number, c -> c.ejections),
        "origin",
        origin,
        "server",
        server);
  }

  private static long sumOfServer(
      CachedReports from, int number, ToLongFunction<ServerCounters> which) {
    long sum = 0;
    for (LoopCounters loop : from.loops()) {
      ServerCounters counters = loop.originServerIfAny(number);
      sum += counters == null ? 0 : which.applyAsLong(counters);
    }
    return sum;
  }

  private static List<OriginCounters> parts(CachedReports from, int number) {
    List<OriginCounters> parts = new ArrayList<>();
    for (LoopCounters loop : from.loops()) {
      OriginCounters counters = loop.originIfAny(number);
      if (counters != null) {
        parts.add(counters);
      }
    }
    return parts;
  }

  private static long sum(CachedReports from, int number, ToLongFunction<OriginCounters> which) {
    long sum = 0;
    for (OriginCounters counters : parts(from, number)) {
      sum += which.applyAsLong(counters);
    }
    return sum;
  }
}
