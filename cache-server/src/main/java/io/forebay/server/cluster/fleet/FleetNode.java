package io.forebay.server.cluster.fleet;

import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the fleet's configuration needs of a node. Any thread that may block. */
public interface FleetNode {

  /**
   * Puts a document in force, with the node's own file.
   *
   * @param document null for none
   * @return why it was refused; empty when it is in force
   */
  List<String> apply(ConfigText.@Nullable Fleet document, String author);

  /** Checks a document without putting it in force. */
  Check check(ConfigText.Fleet document);

  /**
   * The outcome of a check.
   *
   * @param changed keys that differ from those in force
   * @param errors why it would be refused; empty when it would not
   */
  record Check(List<String> changed, List<String> errors) {}

  /**
   * The difference between two documents; null for none.
   *
   * @throws IllegalStateException when one of them is not valid here
   */
  List<ConfigView.Change> changes(
      ConfigText.@Nullable Fleet before, ConfigText.@Nullable Fleet after);

  /** Whether the node is ready for traffic, or would be if no operator drained it. */
  boolean isReady();

  /** Counts of what the node has served since its start. */
  TrafficCounts traffic();
}
