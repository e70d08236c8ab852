package io.forebay.cli.stats;

import io.forebay.cli.console.ByteSizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Formats the statistics of a node as a table: one line per group, in the order of the response.
 */
final class StatsScreen {
  private static final Set<String> IN_HEADING =
      Set.of("version", "node", "uptimeSeconds", "ready", "loops");

  private static final int LABEL_WIDTH = 14;
  private static final int WIDTH = 96;

  /** Hosts of a certificate that are shown. */
  private static final int MAX_HOSTS = 3;

  private StatsScreen() {}

  static List<String> lines(JsonNode stats) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "forebay %s, node %s, up %s, %s"
            .formatted(
                stats.path("version").asString("?"),
                stats.path("node").asString("?"),
                uptime(stats.path("uptimeSeconds").asLong(0)),
                stats.path("ready").asBoolean(false) ? "ready" : "not ready"));
    for (Map.Entry<String, JsonNode> group : stats.properties()) {
      if (!IN_HEADING.contains(group.getKey())) {
        group(lines, group.getKey(), group.getValue());
      }
    }
    JsonNode loops = stats.path("loops");
    if (!loops.isEmpty()) {
      StringBuilder busy = new StringBuilder();
      loops.forEach(loop ->
          busy.append(String.format(Locale.ROOT, " %.0f %%", loop.path("busy").asDouble(0) * 100)));
      lines.add(row("loops", "busy" + busy));
    }
    return lines;
  }

  /** A name the node adds one day is shown without this code knowing it. */
  private static void group(List<String> lines, String name, JsonNode value) {
    if (!value.isObject()) {
      lines.add(row(name, text(name, "", value)));
      return;
    }
    row(lines, name, name, value);
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      if (entry.getValue().isObject()) {
        row(lines, "  " + entry.getKey(), entry.getKey(), entry.getValue());
      } else if (entry.getKey().equals("certificates")) {
        entry.getValue().forEach(one -> lines.add(row("  certificate", certificate(one))));
      }
    }
  }

  /** The plain values of an object after its label, in as many lines as they need. */
  private static void row(List<String> lines, String label, String name, JsonNode object) {
    StringBuilder line = new StringBuilder();
    String left = label;
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (entry.getValue().isContainer()) {
        continue;
      }
      String item = entry.getKey() + " " + text(entry.getKey(), name, entry.getValue());
      if (!line.isEmpty() && LABEL_WIDTH + line.length() + 3 + item.length() > WIDTH) {
        lines.add(row(left, line.toString()));
        left = "";
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : "   ").append(item);
    }
    lines.add(row(left, line.toString()));
  }

  /** One certificate in a line: name, kind of key, hosts, and the ends of it and of its staple. */
  private static String certificate(JsonNode certificate) {
    List<String> hosts = new ArrayList<>();
    certificate.path("hosts").forEach(host -> hosts.add(host.asString("")));
    String shown =
        hosts.isEmpty()
            ? "all other names"
            : String.join(", ", hosts.subList(0, Math.min(hosts.size(), MAX_HOSTS)))
                + (hosts.size() > MAX_HOSTS ? " and " + (hosts.size() - MAX_HOSTS) + " more" : "");
    JsonNode stapled = certificate.path("stapledUntil");
    return "%s (%s), expires %s%s, for %s"
        .formatted(
            certificate.path("name").asString("?"),
            certificate.path("kind").asString("?"),
            certificate.path("expires").asString("?"),
            stapled.isString() ? ", OCSP until " + stapled.asString("") : "",
            shown);
  }

  private static String row(String label, String values) {
    return ("%-" + LABEL_WIDTH + "s%s").formatted(label, values);
  }

  private static String text(String name, String group, JsonNode value) {
    if (name.endsWith("Ratio") && value.isNumber()) {
      return String.format(Locale.ROOT, "%.1f %%", value.asDouble() * 100);
    }
    if (value.isIntegralNumber()) {
      return name.endsWith("Bytes") || group.equals("bytes")
          ? ByteSizes.text(value.asLong())
          : String.format(Locale.ROOT, "%,d", value.asLong());
    }
    return value.isNull() ? "-" : value.asString("");
  }

  private static String uptime(long seconds) {
    Duration up = Duration.ofSeconds(seconds);
    if (up.toDays() > 0) {
      return "%d d %d h".formatted(up.toDays(), up.toHoursPart());
    }
    return up.toHours() > 0
        ? "%d h %d min".formatted(up.toHours(), up.toMinutesPart())
        : "%d min %d s".formatted(up.toMinutes(), up.toSecondsPart());
  }
}
