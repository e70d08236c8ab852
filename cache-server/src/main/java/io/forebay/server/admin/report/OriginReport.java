package io.forebay.server.admin.report;

import io.forebay.server.json.Json;
import io.forebay.server.origin.OriginStatus;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.limit.LimitStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Origins with their servers and endpoints, as JSON. */
public final class OriginReport {
  private OriginReport() {}

  /** All origins of a node. */
  public static ObjectNode of(List<OriginStatus> origins) {
    ObjectNode report = Json.object();
    ArrayNode list = report.putArray("origins");
    for (OriginStatus origin : origins) {
      ObjectNode node = list.addObject();
      node.put("name", origin.name());
      node.put("balance", origin.balance());
      node.put("connections", origin.connections());
      node.put("maxConnections", origin.maxConnections());
      add(node, origin.adaptive());
      ArrayNode servers = node.putArray("servers");
      origin.servers().forEach(server -> add(servers.addObject(), server));
    }
    return report;
  }

  private static void add(ObjectNode node, @Nullable LimitStatus adaptive) {
    if (adaptive == null) {
      node.putNull("adaptiveLimit");
      return;
    }
    ObjectNode found = node.putObject("adaptiveLimit");
    found.put("limit", adaptive.limit());
    found.put("inProgress", adaptive.inProgress());
    found.put("measuring", adaptive.isMeasuring());
    found.put("baseMillis", Math.round(adaptive.baseMillis() * 1e3) / 1e3);
    found.put("latencyMillis", Math.round(adaptive.latencyMillis() * 1e3) / 1e3);
  }

  private static void add(ObjectNode node, OriginStatus.Server server) {
    node.put("url", server.url());
    node.put("weight", server.weight());
    node.put("backup", server.isBackup());
    node.put("connections", server.connections());
    if (server.maxConnections() == 0) {
      node.putNull("maxConnections");
    } else {
      node.put("maxConnections", server.maxConnections());
    }
    node.put("problem", server.problem());
    ArrayNode endpoints = node.putArray("endpoints");
    server.endpoints().forEach(endpoint -> add(endpoints.addObject(), endpoint));
  }

  private static void add(ObjectNode one, OriginStatus.Endpoint endpoint) {
    one.put("address", endpoint.address());
    one.put("state", endpoint.state());
    one.put("why", endpoint.why());
    if (endpoint.sinceMillis() == 0) {
      one.putNull("since");
    } else {
      one.put("since", Instant.ofEpochMilli(endpoint.sinceMillis()).toString());
    }
    one.put("connections", endpoint.connections());
    one.put("requests", endpoint.requests());
    if (endpoint.latencyMillis() < 0) {
      one.putNull("latencyMillis");
    } else {
      one.put("latencyMillis", Math.round(endpoint.latencyMillis() * 1e3) / 1e3);
    }
    one.put("failuresInARow", endpoint.failuresInARow());
    one.put("ejections", endpoint.ejections());
    one.put("weightShare", endpoint.weightShare() / 100.0);
    ProbeStatus probe = endpoint.probe();
    if (probe == null) {
      one.putNull("probe");
      return;
    }
    ObjectNode found = one.putObject("probe");
    found.put("verdict", probe.verdict().word());
    found.put("since", Instant.ofEpochMilli(probe.sinceMillis()).toString());
    found.put("lastFailure", probe.lastFailure());
    if (probe.lastFailureMillis() == 0) {
      found.putNull("lastFailureAt");
    } else {
      found.put("lastFailureAt", Instant.ofEpochMilli(probe.lastFailureMillis()).toString());
    }
  }

  /**
   * The outcome of a drain, with the endpoints that it concerns.
   *
   * @param origins all of the node
   */
  public static ObjectNode of(DrainOutcome outcome, List<OriginStatus> origins) {
    ObjectNode report = Json.object();
    report.put("origin", outcome.origin());
    report.put("server", outcome.target());
    report.put("changed", outcome.isChanged());
    ArrayNode endpoints = report.putArray("endpoints");
    for (OriginStatus origin : origins) {
      if (origin.name().equals(outcome.origin())) {
        for (OriginStatus.Server server : origin.servers()) {
          for (OriginStatus.Endpoint endpoint : server.endpoints()) {
            if (outcome.target().equals(server.url())
                || outcome.target().equals(endpoint.address())) {
              add(endpoints.addObject(), endpoint);
            }
          }
        }
      }
    }
    return report;
  }
}
