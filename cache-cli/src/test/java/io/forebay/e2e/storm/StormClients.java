package io.forebay.e2e.storm;

import io.forebay.testing.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients that read objects through all nodes, and clients that change and purge them. */
final class StormClients implements AutoCloseable {
  /** How many objects there are. */
  static final int OBJECTS = StormClients.PURGERS * StormClients.OBJECTS_OF_ONE;

  private static final int PURGERS = 18;
  private static final int OBJECTS_OF_ONE = 16;
  private static final int READERS_PER_NODE = 2;
  private static final int READS_PER_CONNECTION = 200;
  private static final int WAIT_MILLIS = 8_000;

  /** Between reads of one client, so that two cores have time for the nodes. */
  private static final long PACE_NANOS = 1_000_000;

  private static final String HOST = "storm.test";

  private final StormCluster cluster;
  private final History history;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean isOver;

  StormClients(StormCluster cluster, History history, SplittableRandom random) {
    this.cluster = cluster;
    this.history = history;
    for (int i = 0; i < PURGERS; i++) {
      int purger = i;
      SplittableRandom its = random.split();
      threads.execute(() -> purge(purger, its));
    }
    for (int i = 0; i < StormCluster.NODES * READERS_PER_NODE; i++) {
      int node = i % StormCluster.NODES;
      SplittableRandom its = random.split();
      threads.execute(() -> read(node, its));
    }
  }

  static String path(int object) {
    return "/k" + object;
  }

  static String tag(int object) {
    return "k" + object;
  }

  private void read(int node, SplittableRandom random) {
    while (!isOver) {
      try (RawClient client = cluster.client(node).timeoutMillis(25_000)) {
        for (int i = 0; i < READS_PER_CONNECTION && !isOver; i++) {
          read(client, node, random.nextInt(OBJECTS));
          LockSupport.parkNanos(PACE_NANOS);
        }
      } catch (IOException | RuntimeException e) {
        // The node is dead, or was killed under the request.
        LockSupport.parkNanos(10 * PACE_NANOS);
      }
    }
  }

  private void read(RawClient client, int node, int object) throws IOException {
    long least = history.least(object);
    RawClient.Response response = client.get(path(object), "Host: " + HOST);
    if (response.status() == 200) {
      history.read(
          object,
          least,
          Long.parseLong(response.text()),
          response.isHit(),
          StormCluster.node(node) + " " + response.lines());
    }
  }

  /** Reads every object through every node once. */
  void readAll() throws IOException {
    for (int node = 0; node < StormCluster.NODES; node++) {
      try (RawClient client = cluster.client(node).timeoutMillis(25_000)) {
        for (int object = 0; object < OBJECTS; object++) {
          read(client, node, object);
        }
      }
    }
  }

  private void purge(int purger, SplittableRandom random) {
    int node = purger % StormCluster.NODES;
    while (!isOver) {
      List<Integer> objects = new ArrayList<>();
      int first = random.nextInt(OBJECTS_OF_ONE);
      int count = 1 + random.nextInt(OBJECTS_OF_ONE);
      for (int i = 0; i < count; i++) {
        objects.add(purger * OBJECTS_OF_ONE + (first + i) % OBJECTS_OF_ONE);
      }
      objects.forEach(history::change);
      try {
        if (!purge(node, objects, random.nextInt(3) == 0)) {
          node = random.nextInt(StormCluster.NODES);
        }
      } catch (IOException | JacksonException e) {
        history.refused();
        node = random.nextInt(StormCluster.NODES);
        LockSupport.parkNanos(50 * PACE_NANOS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Whether it was acknowledged. */
  private boolean purge(int node, List<Integer> objects, boolean isByUrl)
      throws IOException, InterruptedException {
    List<String> names =
        objects.stream()
            .map(one -> '"' + (isByUrl ? "http://" + HOST + path(one) : tag(one)) + '"')
            .toList();
    JsonNode receipt =
        JsonMapper.shared()
            .readTree(
                cluster
                    .edge(node)
                    .adminPost(
                        "/v1/purge",
                        "{\"%s\":%s,\"wait\":\"all\",\"waitMillis\":%d}"
                            .formatted(isByUrl ? "urls" : "tags", names, WAIT_MILLIS))
                    .body())
            .path("cluster");
    if (!receipt.isObject()) {
      history.refused();
      LockSupport.parkNanos(50 * PACE_NANOS);
      return false;
    }
    boolean isAcknowledged = receipt.path("acknowledged").asBoolean(false);
    if (isAcknowledged) {
      history.acknowledged(objects, !receipt.path("fenced").isEmpty());
    } else {
      history.pending();
    }
    return isAcknowledged;
  }

  @Override
  public void close() {
    isOver = true;
    threads.close();
  }
}
