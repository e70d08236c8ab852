package io.forebay.core.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.key.RendezvousHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PeerRankingTest {
  private static final int KEYS = 20_000;

  private record Node(String name, int weight) implements PeerRanking.Ranked {
    @Override
    public long number() {
      return RendezvousHash.number(name);
    }
  }

  private static List<Node> nodes(int count) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(new Node("edge-" + i, 100));
    }
    return nodes;
  }

  private static long key(int number) {
    return RendezvousHash.number("key " + number);
  }

  @Test
  void theSecondIsFirstWithoutTheFirst() {
    List<Node> nodes = nodes(5);
    for (int i = 0; i < 1_000; i++) {
      int first = PeerRanking.first(key(i), nodes);
      int second = PeerRanking.second(key(i), nodes, first);
      assertNotEquals(first, second);
      List<Node> left = new ArrayList<>(nodes);
      Node gone = left.remove(first);
      assertEquals(nodes.get(second), left.get(PeerRanking.first(key(i), left)), gone.name());
    }
  }

  @Test
  void theOrderOfTheListDoesNotMatter() {
    List<Node> nodes = nodes(7);
    List<Node> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, new Random(1));
    for (int i = 0; i < 1_000; i++) {
      assertEquals(
          nodes.get(PeerRanking.first(key(i), nodes)),
          shuffled.get(PeerRanking.first(key(i), shuffled)));
    }
  }

  @Test
  void sharesAreThoseOfTheWeights() {
    List<Node> nodes = List.of(new Node("a", 100), new Node("b", 100), new Node("c", 200));
    int[] owned = new int[nodes.size()];
    for (int i = 0; i < KEYS; i++) {
      owned[PeerRanking.first(key(i), nodes)]++;
    }
    assertEquals(KEYS / 4.0, owned[0], KEYS * 0.02);
    assertEquals(KEYS / 4.0, owned[1], KEYS * 0.02);
    assertEquals(KEYS / 2.0, owned[2], KEYS * 0.02);
  }

  @Test
  void fewNodesHaveFewRanks() {
    assertEquals(-1, PeerRanking.first(1, List.<Node>of()));
    List<Node> one = nodes(1);
    assertEquals(0, PeerRanking.first(1, one));
    assertEquals(-1, PeerRanking.second(1, one, 0));
    assertTrue(PeerRanking.second(1, nodes(2), 0) == 1);
  }
}
