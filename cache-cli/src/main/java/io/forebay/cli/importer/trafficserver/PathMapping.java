package io.forebay.cli.importer.trafficserver;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a rule changes paths: what it matches is replaced by the path of its target, as text; one
 * slash goes where two would meet, and one comes where a target's path has none before the rest of
 * a whole path.
 */
final class PathMapping {
  private static final Pattern SPECIAL = Pattern.compile("[.\\[\\](){}*+?|^$\\\\]");

  private PathMapping() {}

  /**
   * What a path becomes.
   *
   * @param condition which paths, or null for all
   * @param template of rules
   */
  record Step(@Nullable Map<String, Object> condition, String template) {}

  /** What paths become; none where they stay as they are. */
  static List<Step> of(String fromPath, String toPath) {
    String from = fromPath.substring(1);
    String to = toPath.substring(1);
    String target = "/" + to.replace("$", "$$");
    if (from.equals(to)) {
      return List.of();
    }
    if (from.isEmpty() && !to.endsWith("/")) {
      return List.of(
          step("^/(.+)$", target + "/$1"), new Step(Map.of("path", Map.of("is", "/")), target));
    }
    boolean isSlashCut =
        !from.isEmpty() && !from.endsWith("/") && (to.isEmpty() || to.endsWith("/"));
    String rest = isSlashCut ? "/?(.*)$" : "(.*)$";
    return List.of(step(beginning(fromPath) + rest, target + "$1"));
  }

  /** An expression for what begins with a path. */
  static String beginning(String path) {
    return "^" + SPECIAL.matcher(path).replaceAll("\\\\$0");
  }

  private static Step step(String regex, String template) {
    return new Step(Map.of("path", Map.of("regex", regex)), template);
  }
}
