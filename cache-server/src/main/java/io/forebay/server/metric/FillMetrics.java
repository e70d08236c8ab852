package io.forebay.server.metric;

/** Metrics of fetches into the store, revalidations and fetches of missing slices. */
final class FillMetrics {
  private FillMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_fills_started", "Fetches into the store.", () -> from.sum(c -> c.fillsStarted));
    String ended = "Fetches into the store, by outcome.";
    meters.counter(
        "forebay_fills_ended",
        ended,
        () -> from.sum(c -> c.fillsInstalled),
        "outcome",
        "installed");
    meters.counter(
        "forebay_fills_ended", ended, () -> from.sum(c -> c.fillsUnstored), "outcome", "unstored");
    meters.counter(
        "forebay_fills_ended", ended, () -> from.sum(c -> c.fillsFailed), "outcome", "failed");
    meters.counter(
        "forebay_fills_joined",
        "Requests that joined a fetch already in progress.",
        () -> from.sum(c -> c.joined));
    meters.counter(
        "forebay_fill_history_displaced",
        "Keys whose fetch history (not storable, not shared, failed refresh) was displaced by"
            + " another key before it expired.",
        () -> from.sum(c -> c.historyDisplaced));
    meters.counter(
        "forebay_revalidations",
        "Conditional requests to origins.",
        () -> from.sum(c -> c.revalidations));
    meters.counter(
        "forebay_revalidated",
        "Conditional requests answered with 304.",
        () -> from.sum(c -> c.revalidated));
    meters.counter(
        "forebay_variants_dropped",
        "Variants dropped because their key reached its limit of variants or its set of"
            + " variants changed.",
        () -> from.sum(c -> c.variantsDropped));
    meters.counter(
        "forebay_variants_copied",
        "Variants that reuse another variant's body because the origin answered 304 with its"
            + " entity tag.",
        () -> from.sum(c -> c.variantsCopied));
    meters.counter(
        "forebay_post_responses_stored",
        "Responses to POST that were stored for GET and HEAD.",
        () -> from.sum(c -> c.postsStored));
    meters.counter(
        "forebay_fills_kept",
        "Fetches abandoned by all clients, whose complete slices were kept.",
        () -> from.sum(c -> c.fillsKept));
    meters.counter(
        "forebay_fill_wait_timeouts",
        "Requests forwarded to the origin after waiting too long for another request's fetch.",
        () -> from.sum(c -> c.waitsGivenUp));
    meters.counter(
        "forebay_slice_fetches_started",
        "Range fetches of slices missing from stored objects.",
        () -> from.sum(c -> c.sliceRuns));
    String failed = "Fetches of missing slices that returned none or not all of them, by reason.";
    meters.counter(
        "forebay_slice_fetches_failed",
        failed,
        () -> from.sum(c -> c.sliceRunsDenied),
        "reason",
        "changed");
    meters.counter(
        "forebay_slice_fetches_failed",
        failed,
        () -> from.sum(c -> c.sliceRunsFailed),
        "reason",
        "failed");
    meters.counter(
        "forebay_slice_fetches_joined",
        "Requests that joined a fetch of missing slices already in progress.",
        () -> from.sum(c -> c.sliceRunsJoined));
    meters.counter(
        "forebay_slices_fetched",
        "Missing slices added to stored objects.",
        () -> from.sum(c -> c.slicesFetched));
  }
}
