package io.forebay.cli.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The nodes of a cluster with their sums, from one answer to {@code GET /v1/cluster}.
 *
 * @param newest revision of the newest purge
 * @param nodes in the order that was asked for
 * @param problem why the node that was asked cannot prove that it knows all purges; null for none
 */
record TopReport(String cluster, long newest, List<Node> nodes, @Nullable String problem) {

  /**
   * A node.
   *
   * @param told null where it has told no rates
   * @param pending purges that were ordered there and wait; -1 where it has not told them
   * @param behind revisions of the log to the newest purge; -1 where it has not told its position
   * @param notReady why it should get no traffic
   * @param problem why it has not answered; null where it has
   */
  record Node(
      String name,
      String group,
      String state,
      @Nullable NodeRates told,
      long pending,
      long behind,
      List<String> notReady,
      @Nullable String problem) {

    boolean hasRates() {
      return told != null;
    }

    NodeRates rates() {
      return Objects.requireNonNull(told);
    }

    boolean isReady() {
      return state.equals("ready");
    }
  }

  static TopReport of(JsonNode answer, TopOrder order) {
    long newest = answer.path("newest").asLong(0);
    List<Node> nodes = new ArrayList<>();
    answer.path("nodes").forEach(node -> nodes.add(node(node, newest)));
    nodes.sort(order.order());
    return new TopReport(
        answer.path("cluster").asString("?"), newest, List.copyOf(nodes), text(answer, "problem"));
  }

  private static Node node(JsonNode node, long newest) {
    JsonNode revision = node.path("revision");
    List<String> notReady = new ArrayList<>();
    node.path("notReady").forEach(code -> notReady.add(code.asString("?")));
    return new Node(
        node.path("node").asString("?"),
        node.path("group").asString("?"),
        state(node),
        NodeRates.of(node),
        node.path("pendingPurges").asLong(-1),
        revision.isNumber() ? Math.max(0, newest - revision.asLong()) : -1,
        notReady,
        text(node, "problem"));
  }

  /** A node whose lease in etcd has ended may still answer, and serve clients. */
  private static String state(JsonNode node) {
    boolean isAlive = node.path("alive").asBoolean(false);
    if (!node.path("revision").isNumber()) {
      return isAlive ? "no answer" : "gone";
    }
    if (!isAlive) {
      return "cut off";
    }
    if (node.path("draining").asBoolean(false)) {
      return "drains";
    }
    return node.path("notReady").isEmpty() ? "ready" : "not ready";
  }

  private static @Nullable String text(JsonNode of, String name) {
    return of.path(name).isString() ? of.path(name).asString("") : null;
  }

  /** What all nodes do that have told it, as the cluster sees it. */
  NodeRates rates() {
    return nodes.stream()
        .filter(Node::hasRates)
        .map(Node::rates)
        .reduce(NodeRates.NONE, NodeRates::plus)
        .ofClients();
  }

  /** Nodes that the sums lack, each with the reason. */
  List<String> missing() {
    return nodes.stream()
        .filter(node -> !node.hasRates())
        .map(node ->
            node.name()
                + " ("
                + (node.problem() != null || node.state().equals("gone")
                    ? node.state()
                    : "no figures")
                + ")")
        .toList();
  }

  int ready() {
    return Math.toIntExact(nodes.stream().filter(Node::isReady).count());
  }

  /** Of all nodes that have told it. */
  long pending() {
    return nodes.stream().mapToLong(node -> Math.max(0, node.pending())).sum();
  }

  /** Of the node that is furthest behind; -1 where none has told its position. */
  long behind() {
    return nodes.stream().mapToLong(Node::behind).max().orElse(-1);
  }

  /** For programs. What is not known is null. */
  ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("cluster", cluster);
    json.put("newest", newest);
    json.put("problem", problem);
    ObjectNode total = json.putObject("total");
    total.put("nodes", nodes.size());
    total.put("ready", ready());
    ArrayNode missing = total.putArray("missing");
    nodes.stream().filter(node -> !node.hasRates()).map(Node::name).forEach(missing::add);
    put(total, missing.size() == nodes.size() ? null : rates(), pending(), behind());
    ArrayNode list = json.putArray("nodes");
    for (Node node : nodes) {
      ObjectNode one = list.addObject();
      one.put("node", node.name());
      one.put("group", node.group());
      one.put("state", node.state());
      put(one, node.told(), node.pending(), node.behind());
      node.notReady().forEach(one.putArray("notReady")::add);
      one.put("problem", node.problem());
    }
    return json;
  }

  private static void put(ObjectNode json, @Nullable NodeRates rates, long pending, long behind) {
    put(json, "requestsPerSecond", rates == null ? Double.NaN : rates.clientRequests());
    put(json, "hitRatio", rates == null ? Double.NaN : rates.hitRatio());
    put(json, "byteHitRatio", rates == null ? Double.NaN : rates.byteHitRatio());
    put(json, "bitsPerSecond", rates == null ? Double.NaN : rates.clientBytes() * 8);
    put(json, "originRequestsPerSecond", rates == null ? Double.NaN : rates.originRequests());
    put(json, "errorsPerSecond", rates == null ? Double.NaN : rates.errors());
    json.put("pendingPurges", pending < 0 ? null : Long.valueOf(pending));
    json.put("behind", behind < 0 ? null : Long.valueOf(behind));
  }

  private static void put(ObjectNode json, String name, double value) {
    json.put(name, Double.isNaN(value) ? null : Double.valueOf(Math.round(value * 1e4) / 1e4));
  }
}
