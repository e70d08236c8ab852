package io.forebay.server.drive;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the JSON of {@code smartctl --json --all}: what is missing or no number is NaN. */
final class SmartReport {
  /** Bits of the exit status: the command line is wrong, or the drive cannot be opened. */
  private static final int FATAL = 0b11;

  /** An NVMe data unit: a thousand blocks of 512 bytes. */
  private static final double DATA_UNIT = 512_000;

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private SmartReport() {}

  /** Reads a report; null if there is none of a drive, and {@link #problem} may say why. */
  static @Nullable DriveHealth read(String store, String drive, byte[] json) {
    JsonNode root = tree(json);
    if (root == null || !root.path("device").isObject() || (exitStatus(root) & FATAL) != 0) {
      return null;
    }
    JsonNode nvme = root.path("nvme_smart_health_information_log");
    JsonNode passed = root.path("smart_status").path("passed");
    double used = percent(nvme.path("percentage_used"));
    if (Double.isNaN(used)) {
      used = percent(root.path("endurance_used").path("current_percent"));
    }
    double spare = percent(nvme.path("available_spare"));
    if (Double.isNaN(spare)) {
      spare = percent(root.path("spare_available").path("current_percent"));
    }
    return new DriveHealth(
        store,
        drive,
        passed.isBoolean() ? (passed.asBoolean(false) ? 1 : 0) : Double.NaN,
        number(root.path("temperature").path("current")),
        used,
        spare,
        number(nvme.path("media_errors")),
        number(nvme.path("data_units_written")) * DATA_UNIT);
  }

  /** What smartctl says is wrong, in its words; empty if it says nothing. */
  static String problem(byte[] json) {
    JsonNode root = tree(json);
    return root == null
        ? "its output is no JSON"
        : root.path("smartctl").path("messages").path(0).path("string").asString("");
  }

  private static @Nullable JsonNode tree(byte[] json) {
    try {
      JsonNode root = MAPPER.readTree(json);
      return root != null && root.isObject() ? root : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static int exitStatus(JsonNode root) {
    return root.path("smartctl").path("exit_status").asInt(0);
  }

  private static double percent(JsonNode value) {
    return number(value) / 100;
  }

  private static double number(JsonNode value) {
    return value.isNumber() && value.asDouble(0) >= 0 ? value.asDouble(0) : Double.NaN;
  }
}
