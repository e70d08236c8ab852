package io.forebay.server.admin.report;

import io.forebay.server.json.Json;
import io.forebay.server.origin.OriginStatus;
import java.time.Instant;
import java.util.List;
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
      ArrayNode servers = node.putArray("servers");
      origin.servers().forEach(server -> add(servers.addObject(), server));
    }
    return report;
  }

  private static void add(ObjectNode node, OriginStatus.Server server) {
    node.put("url", server.url());
    node.put("weight", server.weight());
    node.put("backup", server.isBackup());
    node.put("problem", server.problem());
    ArrayNode endpoints = node.putArray("endpoints");
    for (OriginStatus.Endpoint endpoint : server.endpoints()) {
      ObjectNode one = endpoints.addObject();
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
    }
  }
}
