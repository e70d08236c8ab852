package io.forebay.server.cluster.fleet;

/**
 * What a node has served over some time.
 *
 * @param errors responses of class 5xx
 * @param lookups requests that the store could have answered
 * @param hits those that it did
 */
public record Traffic(long requests, long errors, long lookups, long hits) {

  /** Nothing. */
  public static final Traffic NONE = new Traffic(0, 0, 0, 0);

  Traffic plus(Traffic other) {
    return new Traffic(
        requests + other.requests,
        errors + other.errors,
        lookups + other.lookups,
        hits + other.hits);
  }

  Traffic minus(Traffic before) {
    return new Traffic(
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
