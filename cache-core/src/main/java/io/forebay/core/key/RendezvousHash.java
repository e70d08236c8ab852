package io.forebay.core.key;

/**
 * Weighted rendezvous hashing (Thaler and Ravishankar, 1998; weights after Schindelhauer and
 * Schomaker, 2005): each node has a score for each key, and a key belongs to the node with the
 * highest one.
 *
 * <p>A node that leaves gives up its own keys only, and a node that joins takes keys only for
 * itself; in both cases a share of the keys that is its share of the weight. Scores depend on key
 * and node alone, so all processes agree without talking to each other. There is no secret: a
 * client that chooses keys can also choose their nodes.
 */
public final class RendezvousHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** Distance of two values, small enough for the highest to be below 1. */
  private static final double UNIT = 0x1.0p-52;

  private RendezvousHash() {}

  /** The number of a text, for keys and for nodes. */
  public static long number(CharSequence text) {
    return number(FNV_OFFSET, text);
  }

  /** The number of two texts, which is not that of any other two. */
  public static long number(CharSequence first, CharSequence second) {
    return number((number(FNV_OFFSET, first) ^ 0x100) * FNV_PRIME, second);
  }

  private static long number(long start, CharSequence text) {
    long hash = start;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return mix(hash);
  }

  /**
   * The score of a node for a key.
   *
   * @param weight share of the keys, relative to the other nodes'; above 0
   */
  public static double score(long key, long node, int weight) {
    // The strict logarithm is the same to the last bit on every machine.
    return -weight / StrictMath.log(uniform(key, node));
  }

  /** Above 0 and below 1, each value as likely as any other. */
  private static double uniform(long key, long node) {
    return ((draw(key, node) >>> 12) + 0.5) * UNIT;
  }

  /**
   * A number by which nodes of equal weight have the same order as by their scores, without the
   * logarithm; compared without sign.
   */
  public static long draw(long key, long node) {
    return mix(key ^ mix(node));
  }

  /** The finalizer of MurmurHash3. */
  private static long mix(long value) {
    long mixed = value;
    mixed ^= mixed >>> 33;
    mixed *= 0xff51afd7ed558ccdL;
    mixed ^= mixed >>> 33;
    mixed *= 0xc4ceb9fe1a85ec53L;
    mixed ^= mixed >>> 33;
    return mixed;
  }
}
