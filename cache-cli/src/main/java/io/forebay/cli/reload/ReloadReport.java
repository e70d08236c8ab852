package io.forebay.cli.reload;

import io.forebay.cli.console.Output;
import tools.jackson.databind.JsonNode;

/** What a node answers to a reload or a rollback, for people and for scripts. */
public final class ReloadReport {
  private ReloadReport() {}

  /**
   * Prints it.
   *
   * @param what it is about, such as {@code reload}
   */
  public static void print(Output output, String what, JsonNode reload) {
    output.json(reload);
    output.line(
        reload.path("dryRun").asBoolean(false)
            ? what + " would be accepted; nothing was changed"
            : what + " " + reload.path("id").asString("?") + " in force");
    lines(output, "changed", reload.path("changed"));
    lines(output, "changes keys", reload.path("changesKeys"));
    lines(output, "needs restart", reload.path("needsRestart"));
    if (!reload.path("changesKeys").isEmpty()) {
      output.line("  Objects stored under keys of before are not found any more.");
    }
  }

  private static void lines(Output output, String title, JsonNode keys) {
    keys.forEach(key -> output.line(String.format("  %-13s  %s", title, key.asString(""))));
  }
}
