package io.forebay.server.admin;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.NodeState;
import io.forebay.server.cluster.member.Membership.Forgotten;
import io.forebay.server.cluster.purge.Receipt;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.purge.PurgeAudit;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the admin API says of the cluster, and purges in it. */
final class ClusterEndpoint {
  private static final int MAX_TEXT = 64;
  private static final double MAX_WAIT_MILLIS = 50_000;
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Of what a node says of itself. */
  private static final List<String> NUMBERS =
      List.of(
          "revision",
          "behind",
          "proofAgeMillis",
          "connections",
          "pendingPurges",
          "requestsPerSecond",
          "nodeRequestsPerSecond",
          "hitsPerSecond",
          "lookupsPerSecond",
          "hitRatio",
          "errorsPerSecond",
          "originRequestsPerSecond",
          "sentBytesPerSecond",
          "bodyBytesPerSecond",
          "storedBytesPerSecond",
          "nodeBytesPerSecond");

  private final NodeStatus node;
  private final Logger audit;

  ClusterEndpoint(NodeStatus node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  /** Which nodes a purge waits for; null where it does not say. */
  static @Nullable Wait wait(ObjectNode body, List<String> problems) {
    String text = Json.text(body, "wait", MAX_TEXT, problems);
    if (text == null) {
      return null;
    }
    for (Wait wait : Wait.values()) {
      if (wait.name().toLowerCase(Locale.ROOT).equals(text)) {
        return wait;
      }
    }
    problems.add("wait must be self, group or all");
    return null;
  }

  /** For how long it waits; null where it does not say. */
  static @Nullable Duration waitMost(ObjectNode body, List<String> problems) {
    double millis = Json.number(body, "waitMillis", -1, 1, MAX_WAIT_MILLIS, problems);
    return millis < 0 ? null : Duration.ofMillis((long) millis);
  }

  /** All orders of a call at once: they are true together, or their receipt says where not. */
  static void purge(
      Cluster cluster,
      List<PurgeOrder> orders,
      String caller,
      @Nullable Wait wait,
      @Nullable Duration waitMost,
      ObjectNode answer,
      ArrayNode purges)
      throws AdminError {
    Receipt receipt;
    try {
      receipt = cluster.purge(orders, wait, waitMost);
    } catch (PurgeRefusedException e) {
      for (PurgeOrder order : orders) {
        PurgeAudit.failed(caller, order, String.valueOf(e.getMessage()));
      }
      throw new AdminError(503, "the purge was refused: " + e.getMessage());
    }
    for (PurgeOrder order : orders) {
      PurgeAudit.done(
          caller,
          order,
          new PurgeDone(
              receipt.revision(), receipt.revision(), OptionalLong.empty(), receipt.tookNanos()));
      purges
          .addObject()
          .put("id", receipt.isQueued() ? null : id(receipt.revision()))
          .put("kind", order.kind().label())
          .put("text", order.text())
          .put("soft", order.isSoft())
          .put("tookMillis", Json.millis(receipt.tookNanos()));
      PurgeEndpoint.storedBefore((ObjectNode) purges.get(purges.size() - 1), order);
    }
    answer.set("cluster", json(receipt));
  }

  /** {@code POST /v1/purges/c-REVISION/undo}. */
  ObjectNode undo(long revision, ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, Set.of("wait", "waitMillis"), problems);
    Wait wait = wait(body, problems);
    Duration waitMost = waitMost(body, problems);
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the request is malformed, nothing was undone", problems);
    }
    Receipt receipt;
    PurgeOrder order = PurgeOrder.undo(revision);
    try {
      receipt = cluster().undo(revision, wait, waitMost);
    } catch (PurgeRefusedException e) {
      throw PurgeEndpoint.undoRefused(id(revision), order, caller, e);
    }
    PurgeAudit.done(
        caller,
        order,
        new PurgeDone(
            receipt.revision(), receipt.revision(), OptionalLong.empty(), receipt.tookNanos()));
    ObjectNode answer =
        Json.object()
            .put("id", id(receipt.revision()))
            .put("kind", order.kind().label())
            .put("undone", id(revision))
            .put("tookMillis", Json.millis(receipt.tookNanos()));
    answer.set("cluster", json(receipt));
    return answer;
  }

  /** Whether an answer to a purge is 200 or 202. */
  static int status(ObjectNode answer) {
    return answer.path("cluster").path("acknowledged").asBoolean(true) ? 200 : 202;
  }

  private static String id(long revision) {
    return "c-" + revision;
  }

  private static ObjectNode json(Receipt receipt) {
    ObjectNode json =
        Json.object()
            .put("revision", receipt.revision())
            .put("acknowledged", receipt.isAcknowledged())
            .put("queued", receipt.isQueued())
            .put("tookMillis", Json.millis(receipt.tookNanos()));
    receipt.confirmed().forEach(json.putArray("confirmed")::add);
    receipt.fenced().forEach(json.putArray("fenced")::add);
    ArrayNode pending = json.putArray("pending");
    receipt.pending().forEach((name, why) -> pending.addObject().put("node", name).put("why", why));
    return json;
  }

  /** {@code GET /v1/purges/c-REVISION}. */
  ObjectNode receipt(long revision) throws AdminError {
    Receipt receipt;
    try {
      receipt = cluster().receipt(revision, LOOK);
    } catch (PurgeRefusedException e) {
      throw new AdminError(503, String.valueOf(e.getMessage()));
    }
    if (receipt == null) {
      throw new AdminError(404, "the log of purges has not come to " + id(revision));
    }
    ObjectNode answer = Json.object().put("id", id(revision));
    answer.set("cluster", json(receipt));
    return answer;
  }

  /** {@code GET /v1/cluster}. */
  ObjectNode state() throws AdminError {
    Cluster cluster = cluster();
    List<NodeState> nodes;
    try {
      nodes = cluster.nodes().all();
    } catch (PurgeRefusedException e) {
      throw new AdminError(503, "etcd cannot be asked: " + e.getMessage());
    }
    long newest = cluster.newest();
    ObjectNode answer = Json.object().put("cluster", cluster.name()).put("newest", newest);
    String problem = cluster.proofProblem();
    answer.put("problem", problem);
    ArrayNode list = answer.putArray("nodes");
    for (NodeState one : nodes) {
      ObjectNode json = list.addObject();
      ObjectNode ignored =
          json.put("node", one.member().name())
              .put("group", one.member().group())
              .put("address", one.member().address())
              .put("alive", one.member().isAlive())
              .put("cutOff", one.member().cutOff().name().toLowerCase(Locale.ROOT))
              .put("version", one.member().version())
              .put("draining", one.member().isDraining())
              .putNull("revision")
              .put("problem", one.problem());
      copy(one.load(), json);
    }
    return answer;
  }

  /** What another node says is for people and scripts, so nothing else of it is passed on. */
  private static void copy(@Nullable ObjectNode load, ObjectNode to) {
    if (load == null) {
      return;
    }
    for (String name : NUMBERS) {
      if (load.path(name).isNumber()) {
        to.set(name, load.path(name));
      }
    }
    to.put("drainSeen", load.path("draining").asBoolean(false));
    ArrayNode codes = to.putArray("notReady");
    for (JsonNode code : load.path("notReady")) {
      codes.add(Printable.json(code.asString("")));
    }
  }

  private static String node(ObjectNode body) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, Set.of("node"), problems);
    String name = Json.text(body, "node", MAX_TEXT, problems);
    if (name == null || !problems.isEmpty()) {
      if (problems.isEmpty()) {
        problems.add("node is missing");
      }
      throw new AdminError(400, "the request is malformed", problems);
    }
    return name;
  }

  /** {@code POST /v1/cluster/drain} and {@code /v1/cluster/undrain}. */
  ObjectNode drain(ObjectNode body, boolean isDraining, String caller) throws AdminError {
    String name = node(body);
    try {
      if (!cluster().nodes().drain(name, isDraining)) {
        throw new AdminError(404, "the cluster has no node " + Printable.json(name));
      }
    } catch (PurgeRefusedException e) {
      throw new AdminError(503, "etcd cannot be asked: " + e.getMessage());
    }
    audit.info(
        "cluster node {} caller={} node={}", isDraining ? "drained" : "undrained", caller, name);
    return Json.object().put("node", name).put("draining", isDraining);
  }

  /** {@code POST /v1/cluster/forget}. */
  ObjectNode forget(ObjectNode body, String caller) throws AdminError {
    String name = node(body);
    Forgotten forgotten;
    try {
      forgotten = cluster().nodes().forget(name);
    } catch (PurgeRefusedException e) {
      throw new AdminError(503, "etcd cannot be asked: " + e.getMessage());
    }
    switch (forgotten) {
      case UNKNOWN -> throw new AdminError(404, "the cluster has no node " + Printable.json(name));
      case ALIVE ->
          throw new AdminError(
              409, "the node " + name + " is alive: stop it before it is forgotten");
      case DONE -> audit.info("cluster node forgotten caller={} node={}", caller, name);
    }
    return Json.object().put("node", name).put("forgotten", true);
  }

  private Cluster cluster() throws AdminError {
    Cluster cluster = node.cluster();
    if (cluster == null) {
      throw new AdminError(404, "the node is in no cluster: see cluster.name");
    }
    return cluster;
  }
}
