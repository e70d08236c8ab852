package io.forebay.cli.fleet;

import tools.jackson.databind.JsonNode;

/** The JSON of a roll-out, as the admin API gives it, in a line for people. */
final class RolloutJson {
  private RolloutJson() {}

  static String summary(JsonNode rollout) {
    long candidate = rollout.path("candidate").asLong(0);
    long version = rollout.path("version").asLong(0);
    String inForce =
        version == 0 ? "no document is in force" : "version " + version + " is in force";
    return candidate == 0
        ? inForce + ": " + rollout.path("reason").asString("")
        : inForce
            + ", version "
            + candidate
            + " is being rolled out, in stage "
            + (rollout.path("stage").asInt(0) + 1)
            + " of "
            + rollout.path("stages").size();
  }
}
