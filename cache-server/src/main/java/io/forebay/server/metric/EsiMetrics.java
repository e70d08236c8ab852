package io.forebay.server.metric;

import io.forebay.server.counters.EsiCounters.Outcome;
import java.util.Locale;

/** Metrics of pages assembled from ESI. */
final class EsiMetrics {
  private EsiMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_esi_pages",
        "Pages assembled from ESI, including those that were broken off.",
        () -> from.sum(c -> c.esi.pages));
    meters.counter(
        "forebay_esi_broken_pages",
        "Assembled pages that were broken off because an include failed or a bound was exceeded.",
        () -> from.sum(c -> c.esi.broken));
    for (Outcome outcome : Outcome.values()) {
      meters.counter(
          "forebay_esi_includes",
          "Includes of assembled pages, by outcome. The request of each fragment is also counted as"
              + " a request.",
          () -> from.sum(c -> c.esi.outcomes(outcome)),
          "outcome",
          outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    meters.counter(
        "forebay_esi_left_tags",
        "ESI tags left in pages as they came, because they are malformed, too long or not supported,"
            + " and conditions that cannot be read.",
        () -> from.sum(c -> c.esi.leftTags));
  }
}
