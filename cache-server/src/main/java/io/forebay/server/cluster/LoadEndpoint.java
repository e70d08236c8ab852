package io.forebay.server.cluster;

import io.forebay.server.cluster.peer.NodeEndpoint;
import io.forebay.server.json.Json;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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

  private record Sample(long nanos, NodeLoad load) {}

  /** The node's position in the log, and whether it drains. */
  record Progress(long revision, long newest, double proofAgeSeconds, boolean isDraining) {}

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
            .put("draining", at.isDraining());
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
      NodeLoad then = before.load();
      double seconds = (nanos - before.nanos()) / 1e9;
      json.put("requestsPerSecond", round((now.requests() - then.requests()) / seconds));
      long lookups = now.lookups() - then.lookups();
      if (lookups > 0) {
        json.put("hitRatio", round((double) (now.hits() - then.hits()) / lookups));
      }
    }
    return json;
  }

  private static double round(double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
