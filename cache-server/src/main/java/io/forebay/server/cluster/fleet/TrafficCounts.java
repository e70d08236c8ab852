package io.forebay.server.cluster.fleet;

/**
 * Counts of what a node has served over some time.
 *
 * @param errors responses of class 5xx
 * @param lookups requests that the store could have answered
 * @param hits requests that it did answer
 */
public record TrafficCounts(long requests, long errors, long lookups, long hits) {

  /** No traffic. */
  public static final TrafficCounts NONE = new TrafficCounts(0, 0, 0, 0);

  TrafficCounts plus(TrafficCounts other) {
    return new TrafficCounts(
        requests + other.requests,
        errors + other.errors,
        lookups + other.lookups,
        hits + other.hits);
  }

  TrafficCounts minus(TrafficCounts before) {
    return new TrafficCounts(
        Math.max(0, requests - before.requests),
        Math.max(0, errors - before.errors),
        Math.max(0, lookups - before.lookups),
        Math.max(0, hits - before.hits));
  }

  double errorShare() {
    return requests == 0 ? 0 : (double) errors / requests;
  }

  double hitRatio() {
    return lookups == 0 ? 0 : (double) hits / lookups;
  }
}
