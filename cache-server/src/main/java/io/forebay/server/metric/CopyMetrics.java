package io.forebay.server.metric;

import io.forebay.server.counters.CopyCounters.Outcome;
import java.util.Locale;

/** Metrics of coded copies of stored responses. */
final class CopyMetrics {
  private CopyMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    for (Outcome outcome : Outcome.values()) {
      meters.counter(
          "forebay_coded_copies",
          "Attempts to make a compressed copy of a stored response, by outcome.",
          () -> from.sum(c -> c.copies.outcomes(outcome)),
          "outcome",
          outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    meters.counter(
        "forebay_coded_copy_hits",
        "Responses served from a compressed copy.",
        () -> from.sum(c -> c.copies.served));
    String bytes = "Bytes of the bodies of which compressed copies were made, and of the copies.";
    meters.counter(
        "forebay_coded_copy_bytes",
        bytes,
        () -> from.sum(c -> c.copies.bytesIn),
        "side",
        "identity");
    meters.counter(
        "forebay_coded_copy_bytes", bytes, () -> from.sum(c -> c.copies.bytesOut), "side", "coded");
    addDeltas(meters, from);
  }

  private static void addDeltas(MeterRegistrar meters, CachedReports from) {
    for (Outcome outcome : Outcome.values()) {
      meters.counter(
          "forebay_deltas",
          "Attempts to make a delta of a stored response to a dictionary, by outcome.",
          () -> from.sum(c -> c.deltas.outcomes(outcome)),
          "outcome",
          outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    meters.counter(
        "forebay_delta_hits",
        "Responses served as a delta to a dictionary.",
        () -> from.sum(c -> c.deltas.served));
    String bytes = "Bytes of the bodies of which deltas were made, and of the deltas.";
    meters.counter(
        "forebay_delta_bytes", bytes, () -> from.sum(c -> c.deltas.bytesIn), "side", "identity");
    meters.counter(
        "forebay_delta_bytes", bytes, () -> from.sum(c -> c.deltas.bytesOut), "side", "coded");
    meters.counter(
        "forebay_dictionaries_learned",
        "Stored responses that became known as dictionaries.",
        () -> from.sum(c -> c.deltas.dictionaries));
  }
}
