package io.forebay.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The stats of a node as a table: a line a group, in the order the node gives them. */
final class StatsScreen {
  private static final Set<String> IN_HEADING =
      Set.of("version", "node", "uptimeSeconds", "ready", "loops");

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
      lines.add(row("loops", "busy", busy.toString().strip()));
    }
    return lines;
  }

  /** A name the node adds one day is shown without this code knowing it. */
  private static void group(List<String> lines, String name, JsonNode value) {
    if (!value.isObject()) {
      lines.add(row(name, "", text(name, value)));
      return;
    }
    String label = name;
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      if (entry.getValue().isObject()) {
        StringBuilder inner = new StringBuilder();
        for (Map.Entry<String, JsonNode> one : entry.getValue().properties()) {
          inner
              .append(inner.isEmpty() ? "" : "  ")
              .append(one.getKey())
              .append(' ')
              .append(text(one.getKey(), one.getValue()));
        }
        lines.add(row(label, entry.getKey(), inner.toString()));
      } else {
        lines.add(row(label, entry.getKey(), text(entry.getKey(), entry.getValue())));
      }
      label = "";
    }
  }

  private static String row(String group, String name, String value) {
    return "%-12s %-20s %s".formatted(group, name, value);
  }

  private static String text(String name, JsonNode value) {
    if (name.endsWith("Ratio") && value.isNumber()) {
      return String.format(Locale.ROOT, "%.1f %%", value.asDouble() * 100);
    }
    if (value.isIntegralNumber()) {
      boolean isBytes =
          name.endsWith("Bytes") || name.endsWith("Clients") || name.endsWith("Origins");
      return isBytes
          ? Sizes.text(value.asLong())
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
