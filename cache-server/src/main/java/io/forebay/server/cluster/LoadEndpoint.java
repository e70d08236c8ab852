package io.forebay.server.cluster;

import io.forebay.server.cluster.peer.NodeEndpoint;
import io.forebay.server.json.Json;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers {@code GET /forebay/load} with the node's load and its position in the log. Rates cover
 * the last seconds, from one sample a second. Any thread.
 */
final class LoadEndpoint implements NodeEndpoint {
  static final String PATH = "/forebay/load";

  private static final int SAMPLES = 10;
  private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What is told of each count: how much it grows in a second. */
  private static final Map<String, ToLongFunction<NodeLoad>> RATES =
      Map.of(
          "requestsPerSecond", NodeLoad::requests,
          "nodeRequestsPerSecond", NodeLoad::nodeRequests,
          "hitsPerSecond", NodeLoad::hits,
          "lookupsPerSecond", NodeLoad::lookups,
          "errorsPerSecond", NodeLoad::errors,
          "originRequestsPerSecond", NodeLoad::originRequests,
          "sentBytesPerSecond", NodeLoad::sentBytes,
          "bodyBytesPerSecond", NodeLoad::bodyBytes,
          "storedBytesPerSecond", NodeLoad::storedBytes,
          "nodeBytesPerSecond", NodeLoad::nodeBytes);

  private record Sample(long nanos, NodeLoad load) {}

  /**
   * How far the node has come.
   *
   * @param pending purges that were ordered here and wait for the log, or for other nodes
   */
  record Progress(
      long revision, long newest, double proofAgeSeconds, boolean isDraining, long pending) {}

  private final Supplier<Progress> progress;
  private final Supplier<@Nullable NodeLoad> load;

  /** Samples, the oldest first. Guarded by this. */
  private final Deque<Sample> samples = new ArrayDeque<>();

  LoadEndpoint(Supplier<Progress> progress, Supplier<@Nullable NodeLoad> load) {
    this.progress = progress;
    this.load = load;
  }

  /** Takes a sample; called once a second. */
  void sample() {
    NodeLoad now = load.get();
    if (now != null) {
      synchronized (this) {
        samples.addLast(new Sample(System.nanoTime(), now));
        if (samples.size() > SAMPLES) {
          samples.removeFirst();
        }
      }
    }
  }

  private synchronized @Nullable Sample oldest(long now) {
    Sample first = samples.peekFirst();
    return first == null || now - first.nanos() < MIN_NANOS ? null : first;
  }

  @Override
  public String path() {
    return PATH;
  }

  @Override
  public @Nullable ObjectNode answer(Map<String, List<String>> parameters) {
    return json();
  }

  ObjectNode json() {
    Progress at = progress.get();
    ObjectNode json =
        Json.object()
            .put("revision", at.revision())
            .put("behind", Math.max(0, at.newest() - at.revision()))
            .put("draining", at.isDraining())
            .put("pendingPurges", at.pending());
    if (!Double.isNaN(at.proofAgeSeconds())) {
      json.put("proofAgeMillis", Math.round(at.proofAgeSeconds() * 1e3));
    }
    NodeLoad now = load.get();
    if (now == null) {
      return json;
    }
    json.put("connections", now.connections());
    ArrayNode codes = json.putArray("notReady");
    now.notReady().forEach(codes::add);
    long nanos = System.nanoTime();
    Sample before = oldest(nanos);
    if (before != null) {
      double seconds = (nanos - before.nanos()) / 1e9;
      RATES.forEach((name, count) ->
          json.put(
              name, round((count.applyAsLong(now) - count.applyAsLong(before.load())) / seconds)));
      long lookups = now.lookups() - before.load().lookups();
      if (lookups > 0) {
        json.put("hitRatio", round((double) (now.hits() - before.load().hits()) / lookups));
      }
    }
    return json;
  }

  private static double round(double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
