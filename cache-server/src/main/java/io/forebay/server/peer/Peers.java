package io.forebay.server.peer;

import io.forebay.core.peer.PeerRanking;
import io.forebay.server.origin.group.Origins;
import java.util.List;

/**
 * The nodes that share objects with this one, by the latest read; immutable.
 *
 * @param group those of this node's group, itself included, in the same order everywhere
 * @param shield nodes of the group that this node asks in place of the origin; empty for none
 * @param origins one for each other node, by {@link #originName}
 */
public record Peers(List<Node> group, List<Node> shield, Origins origins) {
  /** No nodes. */
  public static final Peers NONE = new Peers(List.of(), List.of(), Origins.NONE);

  /** The name of the origin that stands for a node. */
  public static String originName(String node) {
    return "node " + node;
  }

  /**
   * A node.
   *
   * @param isPresent whether it may be asked: it is alive and not about to leave. Its rank does not
   *     depend on that
   */
  public record Node(String name, long number, int weight, boolean isPresent)
      implements PeerRanking.Ranked {}
}
