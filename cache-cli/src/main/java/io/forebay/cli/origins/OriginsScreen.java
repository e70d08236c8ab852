package io.forebay.cli.origins;

import io.forebay.cli.console.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Formats the node's origins for people. */
final class OriginsScreen {
  private OriginsScreen() {}

  /** A heading for each origin, and a line for each address of its servers. */
  static List<String> lines(Output output, JsonNode report) {
    List<String> lines = new ArrayList<>();
    for (JsonNode origin : report.path("origins")) {
      lines.add(
          origin.path("name").asString("?")
              + "  "
              + origin.path("balance").asString("?")
              + ", "
              + origin.path("connections").asInt(0)
              + " of "
              + origin.path("maxConnections").asInt(0)
              + " connections"
              + adaptive(origin.path("adaptiveLimit")));
      lines.add(
          output.faint(
              row("ADDRESS", "STATE", "WEIGHT", "CONNECTIONS", "REQUESTS", "LATENCY", "SERVER")));
      for (JsonNode server : origin.path("servers")) {
        server(lines, output, server);
      }
    }
    return lines;
  }

  private static void server(List<String> lines, Output output, JsonNode server) {
    String weight = Integer.toString(server.path("weight").asInt(0));
    String label =
        server.path("url").asString("?")
            + (server.path("backup").asBoolean(false) ? " (backup)" : "")
            + limit(server);
    for (JsonNode endpoint : server.path("endpoints")) {
      String state = endpoint.path("state").asString("?");
      JsonNode latency = endpoint.path("latencyMillis");
      String line =
          row(
              endpoint.path("address").asString("?"),
              state,
              weight + part(endpoint.path("weightShare").asDouble(1)),
              Integer.toString(endpoint.path("connections").asInt(0)),
              Integer.toString(endpoint.path("requests").asInt(0)),
              latency.isNumber() ? String.format(Locale.ROOT, "%.1f ms", latency.asDouble()) : "-",
              label);
      lines.add(state.equals("usable") ? line : output.bad(line));
      if (endpoint.path("why").isString()) {
        lines.add(
            "    "
                + state
                + " since "
                + endpoint.path("since").asString("?")
                + ": "
                + endpoint.path("why").asString(""));
      }
      JsonNode probe = endpoint.path("probe");
      // A failing address has told it.
      if (probe.path("lastFailure").isString()
          && !probe.path("verdict").asString("").equals(state)) {
        lines.add(
            output.faint(
                "    probes: "
                    + probe.path("verdict").asString("?")
                    + " since "
                    + probe.path("since").asString("?")
                    + "; the latest that failed, at "
                    + probe.path("lastFailureAt").asString("?")
                    + ": "
                    + probe.path("lastFailure").asString("")));
      }
    }
    if (server.path("problem").isString()) {
      if (server.path("endpoints").isEmpty()) {
        lines.add(output.bad(row("-", "unusable", weight, "-", "-", "-", label)));
      }
      lines.add("    " + server.path("problem").asString(""));
    }
  }

  /** How far an origin is from its adaptive limit, if it has one. */
  private static String adaptive(JsonNode limit) {
    return limit.path("limit").isNumber()
        ? ", "
            + limit.path("inProgress").asInt(0)
            + " of "
            + limit.path("limit").asInt()
            + " requests"
            + (limit.path("measuring").asBoolean(false) ? " (measuring)" : "")
        : "";
  }

  /** How far a server is from its limit of connections, if it has one. */
  private static String limit(JsonNode server) {
    JsonNode most = server.path("maxConnections");
    return most.isNumber()
        ? " (" + server.path("connections").asInt(0) + " of " + most.asInt() + " connections)"
        : "";
  }

  /** How much of a weight an address has, if it is not all. */
  private static String part(double share) {
    return share < 1 ? String.format(Locale.ROOT, "*%.0f%%", 100 * share) : "";
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "  %-28s %-9s %6s %11s %8s %10s  %s", cells);
  }
}
