package io.forebay.cli.console;

import tools.jackson.databind.JsonNode;

/** Prints the differences between two configurations, as the admin API gives them. */
public final class ConfigDifference {
  private ConfigDifference() {}

  /** Prints a line for each key that differs, or the whole answer if JSON is wanted. */
  public static void print(Output output, JsonNode difference) {
    output.json(difference);
    for (JsonNode change : difference.path("changes")) {
      output.line(
          change.path("key").asString("")
              + ": "
              + value(change.path("before"))
              + " -> "
              + value(change.path("after")));
    }
    if (difference.path("changes").isEmpty()) {
      output.line("no difference");
    }
  }

  private static String value(JsonNode value) {
    return value.isNull() ? "none" : value.asString("");
  }
}
