package io.forebay.server.peer;

import io.forebay.core.peer.PeerRanking;
import io.forebay.server.origin.group.Origins;
import java.util.List;

/**
 * The nodes that share objects with this one, as they are known now; immutable.
 *
 * @param group those of this node's group, itself included, in the same order everywhere
 * @param shield those of the group that is asked in place of the origin; empty for none
 * @param origins how each other node is reached, by {@link #originName}
 */
public record Peers(List<Node> group, List<Node> shield, Origins origins) {
  /** Nobody. */
  public static final Peers NONE = new Peers(List.of(), List.of(), Origins.NONE);

  /** The name by which a node is an origin. */
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
