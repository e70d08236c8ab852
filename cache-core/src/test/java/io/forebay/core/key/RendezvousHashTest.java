package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How many keys move when nodes join and leave. */
final class RendezvousHashTest {
  private static final int KEYS = 20_000;

  private record Node(long number, int weight) {}

  @Test
  void aKeyMovesOnlyFromTheNodeThatLeaves() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Node> all = nodes(random, 2 + random.nextInt(9));
      Node leaving = all.get(random.nextInt(all.size()));
      List<Node> rest = all.stream().filter(node -> !node.equals(leaving)).toList();
      int moved = 0;
      for (int i = 0; i < KEYS; i++) {
        long key = RendezvousHash.number("/key/" + seed + "/" + i);
        Node before = owner(all, key);
        Node after = owner(rest, key);
        if (before.equals(leaving)) {
          moved++;
        } else {
          assertEquals(before, after, "seed " + seed);
        }
      }
      assertShare(seed, all, leaving, moved);
    }
  }

  @Test
  void aKeyMovesOnlyToTheNodeThatJoins() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Node> all = nodes(random, 2 + random.nextInt(9));
      Node joining = all.getLast();
      List<Node> before = all.subList(0, all.size() - 1);
      int moved = 0;
      for (int i = 0; i < KEYS; i++) {
        long key = RendezvousHash.number("/key/" + seed + "/" + i);
        Node now = owner(all, key);
        if (now.equals(joining)) {
          moved++;
        } else {
          assertEquals(owner(before, key), now, "seed " + seed);
        }
      }
      assertShare(seed, all, joining, moved);
    }
  }

  @Test
  void aHigherWeightTakesKeysAndLosesNone() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Node> before = nodes(random, 5);
      Node light = before.getFirst();
      Node heavy = new Node(light.number(), light.weight() + 1 + random.nextInt(5));
      List<Node> after = new ArrayList<>(before);
      after.set(0, heavy);
      for (int i = 0; i < KEYS; i++) {
        long key = RendezvousHash.number("/key/" + seed + "/" + i);
        Node old = owner(before, key);
        Node now = owner(after, key);
        assertTrue(now.equals(heavy) || old.equals(now), "seed " + seed);
      }
    }
  }

  @Test
  void nodesOfEqualWeightHaveTheSameOrderWithoutTheLogarithm() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 1_000; i++) {
        long key = random.nextLong();
        long one = random.nextLong();
        long other = random.nextLong();
        assertEquals(
            Double.compare(RendezvousHash.score(key, one, 3), RendezvousHash.score(key, other, 3)),
            Long.compareUnsigned(RendezvousHash.draw(key, one), RendezvousHash.draw(key, other)),
            "seed " + seed);
      }
    }
  }

  /** What other versions and the nodes of a cluster have to agree on. */
  @Test
  void theNumbersNeverChange() {
    assertEquals(0xefd01f60ba992926L, RendezvousHash.number(""));
    assertEquals(0x3b50127431545604L, RendezvousHash.number("/a"));
    assertEquals(RendezvousHash.number("a"), RendezvousHash.number(CharBuffer.wrap("a")));
    assertNotEquals(RendezvousHash.number("ab", "c"), RendezvousHash.number("a", "bc"));
  }

  /** Within four standard deviations of the node's share of the weight. */
  private static void assertShare(long seed, List<Node> all, Node node, int keys) {
    double share = (double) node.weight() / all.stream().mapToInt(Node::weight).sum();
    double deviation = Math.sqrt(KEYS * share * (1 - share));
    assertEquals(KEYS * share, keys, 4 * deviation, "seed " + seed);
  }

  private static List<Node> nodes(SplittableRandom random, int count) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(
          new Node(
              RendezvousHash.number("10.0.0." + i + ":" + random.nextInt()),
              1 + random.nextInt(4)));
    }
    return nodes;
  }

  private static Node owner(List<Node> nodes, long key) {
    Node owner = nodes.getFirst();
    for (Node node : nodes) {
      if (RendezvousHash.score(key, node.number(), node.weight())
          > RendezvousHash.score(key, owner.number(), owner.weight())) {
        owner = node;
      }
    }
    return owner;
  }
}
