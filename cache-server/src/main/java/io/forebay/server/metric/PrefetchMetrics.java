package io.forebay.server.metric;

/** Metrics of what is fetched ahead of clients. */
final class PrefetchMetrics {
  private PrefetchMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_prefetches",
        "Fetches ahead of clients that were begun.",
        () -> from.sum(c -> c.prefetch.started));
    meters.counter(
        "forebay_prefetches_unfinished",
        "Fetches ahead of clients that stored nothing: the object did not exist yet or was too"
            + " large, the fetch failed, or it gave way to requests of clients.",
        () -> from.sum(c -> c.prefetch.unfinished));
    meters.counter(
        "forebay_prefetches_held_back",
        "Fetches ahead of clients that were not begun because of prefetch.share or"
            + " prefetch.concurrent.",
        () -> from.sum(c -> c.prefetch.heldBack));
    meters.counter(
        "forebay_prefetch_bytes",
        "Body bytes that were fetched ahead of clients.",
        () -> from.sum(c -> c.prefetch.bytes));
    meters.counter(
        "forebay_prefetch_used_bytes",
        "Body bytes that were fetched ahead, of objects that clients were then served.",
        () -> from.sum(c -> c.prefetch.usedBytes));
    meters.counter(
        "forebay_prefetch_wasted_bytes",
        "Body bytes that were fetched ahead, of objects that no client was served within a minute,"
            + " or that were not completed.",
        () -> from.sum(c -> c.prefetch.wastedBytes));
  }
}
