package io.forebay.server.origin.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RoundRobinTest {

  @Test
  void spreadsTheTurnsOfAHeavyEndpoint() {
    assertEquals("aabacaa", turns(new RoundRobin(() -> 0), 7, 5, 1, 1));
  }

  @Test
  void takesEqualEndpointsInTurn() {
    assertEquals("abcabc", turns(new RoundRobin(() -> 0), 6, 1, 1, 1));
  }

  @Test
  void beginsAnywhere() {
    assertEquals("bcabca", turns(new RoundRobin(() -> 1L << 63), 6, 1, 1, 1));
  }

  private static String turns(RoundRobin policy, int count, int... weights) {
    List<Candidate> candidates =
        IntStream.of(weights).mapToObj(weight -> (Candidate) new Candidate(0, weight) {}).toList();
    return IntStream.range(0, count)
        .mapToObj(i -> String.valueOf((char) ('a' + policy.choose(candidates, () -> 0))))
        .collect(Collectors.joining());
  }
}
