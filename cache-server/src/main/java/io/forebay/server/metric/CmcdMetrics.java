package io.forebay.server.metric;

import io.forebay.server.counters.CmcdCounters;
import io.forebay.server.counters.HistogramScale;
import java.util.function.ToLongFunction;

/** Metrics of what players tell (CMCD), with one label per route that reads it. */
final class CmcdMetrics {
  private CmcdMetrics() {}

  static void addRoute(MeterRegistrar meters, CachedReports from, int number, String name) {
    counter(
        meters,
        from,
        number,
        name,
        "forebay_cmcd_requests",
        "Requests with CMCD, on routes with cmcd.",
        of -> of.requests);
    counter(
        meters,
        from,
        number,
        name,
        "forebay_cmcd_malformed",
        "Requests with CMCD that was ignored because it is malformed or too long.",
        of -> of.malformed);
    counter(
        meters,
        from,
        number,
        name,
        "forebay_cmcd_startups",
        "Requests of players that are starting, seeking or recovering (su).",
        of -> of.startups);
    counter(
        meters,
        from,
        number,
        name,
        "forebay_cmcd_starvations",
        "Requests of players whose buffer ran empty since their last request (bs).",
        of -> of.starvations);
    meters.histogram(
        "forebay_cmcd_buffer_seconds",
        "Media in the players' buffers at a request (bl).",
        () ->
            SummedHistogram.sum(
                HistogramScale.BUFFER_MILLIS,
                from.loops(),
                loop -> {
                  CmcdCounters.OfRoute of = loop.cmcd.ifAny(number);
                  return of == null ? null : of.buffer;
                }),
        "route",
        name);
    meters.histogram(
        "forebay_cmcd_throughput_bits_per_second",
        "Throughput that players measured (mtp).",
        () ->
            SummedHistogram.sum(
                HistogramScale.THROUGHPUT_KBITS,
                from.loops(),
                loop -> {
                  CmcdCounters.OfRoute of = loop.cmcd.ifAny(number);
                  return of == null ? null : of.throughput;
                }),
        "route",
        name);
  }

  private static void counter(
      MeterRegistrar meters,
      CachedReports from,
      int number,
      String route,
      String name,
      String help,
      ToLongFunction<CmcdCounters.OfRoute> value) {
    meters.counter(
        name,
        help,
        () ->
            from.sum(loop -> {
              CmcdCounters.OfRoute of = loop.cmcd.ifAny(number);
              return of == null ? 0 : value.applyAsLong(of);
            }),
        "route",
        route);
  }
}
