package io.forebay.cli.cluster;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What nodes do in a second: one of them, or several together.
 *
 * <p>Where nodes share objects, the miss of one may be a request to the next:
 *
 * <pre>
 *   client ─▶ edge-1: miss ─▶ edge-3: hit      2 lookups, 1 of a node, 1 hit
 * </pre>
 *
 * <p>For the cluster that is one lookup with one hit. So sums over nodes count all hits, and of the
 * lookups those of clients alone; likewise with bytes.
 *
 * @param requests of clients and of other nodes
 * @param nodeRequests those of other nodes
 * @param hits answered without waiting for an origin
 * @param lookups all that could have been hits
 * @param errors responses of class 5xx, and responses broken off
 * @param originRequests to origins, without those to other nodes
 * @param sentBytes to clients and other nodes
 * @param bodyBytes of responses
 * @param storedBytes those of them that came from the store
 * @param nodeBytes those of them that other nodes got
 */
record NodeRates(
    double requests,
    double nodeRequests,
    double hits,
    double lookups,
    double errors,
    double originRequests,
    double sentBytes,
    double bodyBytes,
    double storedBytes,
    double nodeBytes) {
  static final NodeRates NONE = new NodeRates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** What a node says of itself; null where it has no figures, or not all of them. */
  static @Nullable NodeRates of(JsonNode node) {
    NodeRates read =
        new NodeRates(
            rate(node, "requestsPerSecond"),
            rate(node, "nodeRequestsPerSecond"),
            rate(node, "hitsPerSecond"),
            rate(node, "lookupsPerSecond"),
            rate(node, "errorsPerSecond"),
            rate(node, "originRequestsPerSecond"),
            rate(node, "sentBytesPerSecond"),
            rate(node, "bodyBytesPerSecond"),
            rate(node, "storedBytesPerSecond"),
            rate(node, "nodeBytesPerSecond"));
    // Any that is missing makes the sum no number.
    return Double.isNaN(read.total()) ? null : read;
  }

  private static double rate(JsonNode node, String name) {
    return node.path(name).asDouble(Double.NaN);
  }

  private double total() {
    return requests
        + nodeRequests
        + hits
        + lookups
        + errors
        + originRequests
        + sentBytes
        + bodyBytes
        + storedBytes
        + nodeBytes;
  }

  NodeRates plus(NodeRates other) {
    return new NodeRates(
        requests + other.requests,
        nodeRequests + other.nodeRequests,
        hits + other.hits,
        lookups + other.lookups,
        errors + other.errors,
        originRequests + other.originRequests,
        sentBytes + other.sentBytes,
        bodyBytes + other.bodyBytes,
        storedBytes + other.storedBytes,
        nodeBytes + other.nodeBytes);
  }

  /** As the cluster sees them: what nodes ask each other is no request of a client. */
  NodeRates ofClients() {
    return new NodeRates(
        clientRequests(),
        0,
        hits,
        Math.max(0, lookups - nodeRequests),
        errors,
        originRequests,
        clientBytes(),
        Math.max(0, bodyBytes - nodeBytes),
        storedBytes,
        0);
  }

  double clientRequests() {
    return Math.max(0, requests - nodeRequests);
  }

  /** Sent to clients; what other nodes got is counted at the end of each response only. */
  double clientBytes() {
    return Math.max(0, sentBytes - nodeBytes);
  }

  /** 0 to 1; not a number where nothing was looked up. */
  double hitRatio() {
    return share(hits, lookups);
  }

  /** 0 to 1; not a number where no body was sent. */
  double byteHitRatio() {
    return share(storedBytes, bodyBytes);
  }

  private static double share(double part, double whole) {
    return whole > 0 ? Math.min(1, part / whole) : Double.NaN;
  }
}
