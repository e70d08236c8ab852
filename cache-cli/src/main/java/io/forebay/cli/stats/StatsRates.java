package io.forebay.cli.stats;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * The rates of a node between two readings of its counters.
 *
 * @param hitShare of the requests that a cache could answer, 0 to 1, or -1 where there were none
 * @param errors answers of class 5xx and answers broken off
 */
record StatsRates(
    double requests,
    double hitShare,
    double toClientsBits,
    double fromOriginsBits,
    double fetches,
    double joined,
    double errors,
    long connections,
    double busiest) {

  static final String HEADING =
      "    req/s   hit %   out Gbit/s   origin Gbit/s   fetch/s  join/s   err/s   conns  busy %";

  static StatsRates between(JsonNode before, JsonNode now, double seconds) {
    Delta delta = new Delta(before, now);
    double hits = delta.of("/requests/byResult/hit") + delta.of("/requests/byResult/stale");
    double answerable =
        hits
            + delta.of("/requests/byResult/revalidated")
            + delta.of("/requests/byResult/joined")
            + delta.of("/requests/byResult/miss");
    double busiest = 0;
    for (JsonNode loop : now.path("loops")) {
      busiest = Math.max(busiest, loop.path("busy").asDouble(0));
    }
    return new StatsRates(
        delta.of("/requests/total") / seconds,
        answerable == 0 ? -1 : hits / answerable,
        delta.of("/bytes/toClients") * 8 / seconds,
        delta.of("/bytes/fromOrigins") * 8 / seconds,
        delta.of("/origin/fetches") / seconds,
        delta.of("/fills/joined") / seconds,
        (delta.of("/requests/byStatus/5xx") + delta.of("/requests/aborted")) / seconds,
        now.at("/connections/open").asLong(0),
        busiest);
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%9.0f  %6s  %11.3f  %14.3f  %8.1f %7.1f %7.1f %7d  %6.0f",
        requests,
        hitShare < 0 ? "-" : String.format(Locale.ROOT, "%.1f", hitShare * 100),
        toClientsBits / 1e9,
        fromOriginsBits / 1e9,
        fetches,
        joined,
        errors,
        connections,
        busiest * 100);
  }

  /** Counters begin at 0 again when the node was started anew; then what it has is what it did. */
  private record Delta(JsonNode before, JsonNode now) {
    double of(String counter) {
      double earlier = before.at(counter).asDouble(0);
      double later = now.at(counter).asDouble(0);
      return later >= earlier ? later - earlier : later;
    }
  }
}
