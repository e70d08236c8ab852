package io.forebay.server.cluster.fleet;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A step of a roll-out: {@code WHO[@BAKE]}, where WHO is {@code all}, {@code group:NAME} or names
 * of nodes separated by commas, and BAKE a number with {@code s}, {@code m} or {@code h}.
 *
 * @param group empty for a list of nodes, or all
 * @param nodes empty for a group, or all
 * @param bake how long all nodes of the stage have the document before the next stage begins
 */
public record RolloutStage(String group, List<String> nodes, Duration bake) {
  private static final int MAX_LENGTH = 2_000;
  private static final Duration MAX_BAKE = Duration.ofDays(7);
  private static final Pattern TEXT =
      Pattern.compile(
          "(?<who>all|group:[A-Za-z0-9_-]{1,64}|[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64})*)"
              + "(@(?<count>[0-9]{1,6})(?<unit>[smh]))?");

  public RolloutStage {
    nodes = List.copyOf(nodes);
  }

  /** All nodes. */
  static RolloutStage all() {
    return new RolloutStage("", List.of(), Duration.ZERO);
  }

  /** Parses the form in which an operator writes a stage. */
  public static RolloutStage parse(String text) throws FleetException {
    Matcher matcher = TEXT.matcher(text.length() > MAX_LENGTH ? "" : text);
    if (!matcher.matches()) {
      throw FleetException.wrong(
          "a stage must be WHO[@BAKE], such as edge-1@5m, group:fra1@10m or all");
    }
    Duration bake = Duration.ZERO;
    String count = matcher.group("count");
    if (count != null) {
      long number = Long.parseLong(count);
      bake =
          switch (matcher.group("unit")) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
          };
    }
    if (bake.compareTo(MAX_BAKE) > 0) {
      throw FleetException.wrong("a stage bakes for at most 7 days");
    }
    RolloutStage stage = of(matcher.group("who"), bake);
    // What is written from it, with a bake time in seconds, must be read back.
    if (stage.text().length() > MAX_LENGTH) {
      throw FleetException.wrong("a stage has at most " + MAX_LENGTH + " characters: use groups");
    }
    return stage;
  }

  private static RolloutStage of(String who, Duration bake) {
    if (who.equals("all")) {
      return new RolloutStage("", List.of(), bake);
    }
    return who.startsWith("group:")
        ? new RolloutStage(who.substring(6), List.of(), bake)
        : new RolloutStage("", List.of(who.split(",", -1)), bake);
  }

  boolean has(String node, String groupOfNode) {
    if (!group.isEmpty()) {
      return group.equals(groupOfNode);
    }
    return nodes.isEmpty() || nodes.contains(node);
  }

  /** The form that {@link #parse} reads. */
  public String text() {
    String who =
        !group.isEmpty() ? "group:" + group : nodes.isEmpty() ? "all" : String.join(",", nodes);
    return bake.isZero() ? who : who + "@" + bake.toSeconds() + "s";
  }
}
