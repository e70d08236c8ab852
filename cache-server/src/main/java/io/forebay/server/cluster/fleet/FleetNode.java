package io.forebay.server.cluster.fleet;

import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The node as the fleet's configuration sees it. Any thread that may block. */
public interface FleetNode {

  /**
   * Puts a document in force, with the node's own file.
   *
   * @param document null for none
   * @return why it was refused; empty when it is in force
   */
  List<String> apply(ConfigText.@Nullable Fleet document, String author);

  /** What would come of it; nothing changes. */
  Check check(ConfigText.Fleet document);

  /**
   * What comes of a document that is not put in force.
   *
   * @param changed keys that differ from those in force
   * @param errors why it would be refused; empty when it would not
   */
  record Check(List<String> changed, List<String> errors) {}

  /**
   * What differs between two documents; null for none.
   *
   * @throws IllegalStateException when one of them is not valid here
   */
  List<ConfigView.Change> changes(
      ConfigText.@Nullable Fleet before, ConfigText.@Nullable Fleet after);

  /** Whether it should get traffic. */
  boolean isReady();

  /** What it has served since its start. */
  TrafficCounts traffic();
}
