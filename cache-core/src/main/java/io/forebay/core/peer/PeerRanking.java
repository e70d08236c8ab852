package io.forebay.core.peer;

import io.forebay.core.key.RendezvousHash;
import java.util.List;

/**
 * The order in which nodes of a group are asked for a key, by weighted rendezvous hashing. It
 * depends only on names and weights, so all nodes agree on it, and a node that comes back owns the
 * same keys.
 */
public final class PeerRanking {
  private PeerRanking() {}

  /** A node in the ranking. */
  public interface Ranked {
    /** {@link RendezvousHash#number} of its name. */
    long number();

    /** Its share of the keys, relative to the others'; above 0. */
    int weight();
  }

  /** Index of the node that comes first; -1 where there is none. */
  public static int first(long key, List<? extends Ranked> nodes) {
    return best(key, nodes, -1);
  }

  /** Index of the node that comes after the first one; -1 where there is none. */
  public static int second(long key, List<? extends Ranked> nodes, int first) {
    return best(key, nodes, first);
  }

  private static int best(long key, List<? extends Ranked> nodes, int except) {
    int best = -1;
    double highest = 0;
    for (int i = 0; i < nodes.size(); i++) {
      Ranked node = nodes.get(i);
      double score = i == except ? 0 : RendezvousHash.score(key, node.number(), node.weight());
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }
}
