package io.forebay.server.metric;

import io.forebay.server.compress.CodingCounters;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.Compressors.Use;
import io.forebay.server.compress.ContentCoding;
import java.util.Locale;

/** Metrics of content codings. */
final class CompressionMetrics {
  private CompressionMetrics() {}

  static void add(MeterRegistrar meters, Compressors compressors) {
    CodingCounters counters = compressors.counters();
    for (ContentCoding coding : ContentCoding.values()) {
      meters.counter(
          "forebay_decompressed_bodies",
          "Bodies decompressed for clients that do not accept their coding.",
          () -> counters.decoded(coding),
          "coding",
          coding.token());
    }
    for (Use use : Use.values()) {
      add(meters, compressors, counters, use, use.name().toLowerCase(Locale.ROOT));
    }
  }

  private static void add(
      MeterRegistrar meters,
      Compressors compressors,
      CodingCounters counters,
      Use use,
      String label) {
    for (ContentCoding coding : ContentCoding.values()) {
      meters.counter(
          "forebay_compressed_bodies",
          "Bodies that were begun to be compressed: for a client that waits (`stream`), or to be"
              + " stored (`copy`).",
          () -> counters.begun(use, coding),
          "coding",
          coding.token(),
          "use",
          label);
    }
    meters.gauge(
        "forebay_compression_open",
        "Bodies that are compressed or decompressed now.",
        () -> compressors.open(use),
        "use",
        label);
    meters.counter(
        "forebay_compression_refused",
        "Bodies that were not compressed or decompressed because no place was free.",
        () -> counters.refused(use),
        "use",
        label);
    meters.counter(
        "forebay_compression_failed",
        "Bodies that broke off while they were compressed or decompressed.",
        () -> counters.failed(use),
        "use",
        label);
    meters.counter(
        "forebay_compression_in_bytes",
        "Bytes that were compressed or decompressed.",
        () -> counters.bytesIn(use),
        "use",
        label);
    meters.counter(
        "forebay_compression_out_bytes",
        "Bytes that came of that.",
        () -> counters.bytesOut(use),
        "use",
        label);
    meters.counter(
        "forebay_compression_busy_seconds",
        "Time that threads spent compressing and decompressing.",
        () -> counters.nanos(use) / 1e9,
        "use",
        label);
  }
}
