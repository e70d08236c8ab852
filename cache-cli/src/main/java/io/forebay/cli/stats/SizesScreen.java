package io.forebay.cli.stats;

import io.forebay.cli.console.ByteSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Shows the miss-ratio curve of a node: the hit ratios that its recent requests would have had with
 * other sizes of the memory tier.
 */
final class SizesScreen {
  private SizesScreen() {}

  /** The part of the node's stats that has the curve. */
  static JsonNode estimates(JsonNode stats) {
    return stats.at("/store/estimates");
  }

  static List<String> lines(JsonNode stats) {
    JsonNode sizes = estimates(stats).path("sizes");
    if (sizes.isEmpty()) {
      return List.of(
          "no estimate yet: the node estimates from its requests, and has had too few of them");
    }
    long capacity = stats.at("/store/capacityBytes").asLong(0);
    List<String> lines = new ArrayList<>();
    lines.add("memory                     hit ratio   byte hit ratio");
    for (JsonNode size : sizes) {
      double scale = size.path("scale").asDouble(0);
      lines.add(
          String.format(
              Locale.ROOT,
              "%-12s %10s %10.1f %% %14.1f %%",
              name(scale),
              ByteSizes.text((long) (capacity * scale)),
              size.path("hitRatio").asDouble(0) * 100,
              size.path("byteHitRatio").asDouble(0) * 100));
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "estimated from the latest requests for %.2g %% of all objects",
            estimates(stats).path("sampledRatio").asDouble(0) * 100));
    return lines;
  }

  private static String name(double scale) {
    if (scale == 0.5) {
      return "half";
    }
    if (scale == 1) {
      return "as it is";
    }
    return String.format(Locale.ROOT, "%.3g times", scale).replaceFirst("\\.0+ ", " ");
  }
}
