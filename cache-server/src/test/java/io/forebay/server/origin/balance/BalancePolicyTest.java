package io.forebay.server.origin.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.key.RendezvousHash;
import io.forebay.server.config.ServerConfig.Balance;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The policies among candidates whose load the test makes up. */
final class BalancePolicyTest {
  private static final long SEED = 20_261;
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong clock = new AtomicLong(1);
  private final AtomicLong key = new AtomicLong();

  private static final class Server extends Candidate {
    Server(int number, int weight) {
      super(RendezvousHash.number("10.0.0." + number + ":80"), weight);
    }

    void scale(int percent) {
      scaleWeight(percent);
    }
  }

  @ParameterizedTest
  @EnumSource(Balance.class)
  void everyPolicyUsesAllOfSeveralEqualEndpoints(Balance balance) {
    List<Server> servers = servers(1, 1, 1, 1);
    int[] counts = counts(policy(balance), servers, 4_000);
    for (int count : counts) {
      assertEquals(1_000, count, 200, "seed " + SEED);
    }
  }

  @ParameterizedTest
  @EnumSource(Balance.class)
  void everyPolicyFollowsAWeightThatGrows(Balance balance) {
    for (int percent : new int[] {10, 50, 100}) {
      List<Server> servers = servers(2, 2);
      servers.get(0).scale(100);
      servers.get(1).scale(percent);
      servers.forEach(server -> server.latency().observe(MILLI, clock.get()));
      BalancePolicy policy = policy(balance);
      for (int i = 0; i < 4_000; i++) {
        servers.get(choose(policy, servers)).addRequest();
      }
      int expected = 4_000 * percent / (100 + percent);
      assertEquals(expected, servers.get(1).requests(), 150, percent + " %, seed " + SEED);
    }
  }

  @Test
  void randomFollowsTheWeights() {
    int[] counts = counts(policy(Balance.RANDOM), servers(1, 3), 8_000);
    assertEquals(2_000, counts[0], 200, "seed " + SEED);
  }

  @Test
  void leastRequestsTakesTheEndpointWithTheFewestInProgressForItsWeight() {
    List<Server> servers = servers(1, 1, 2);
    BalancePolicy policy = policy(Balance.LEAST_REQUESTS);
    for (int i = 0; i < 40; i++) {
      servers.get(choose(policy, servers)).addRequest();
    }
    assertEquals(List.of(10, 10, 20), servers.stream().map(Candidate::requests).toList());
    servers.get(1).removeRequest();
    assertEquals(1, choose(policy, servers));
  }

  @Test
  void peakEwmaAvoidsTheSlowEndpointAndComesBackToIt() {
    List<Server> servers = servers(1, 1, 1);
    BalancePolicy policy = policy(Balance.PEAK_EWMA);
    servers.get(0).latency().observe(MILLI, clock.get());
    servers.get(1).latency().observe(MILLI, clock.get());
    servers.get(2).latency().observe(100 * MILLI, clock.get());
    assertEquals(0, counts(policy, servers, 1_000)[2]);
    // A fast response does not make the peak forgotten.
    clock.addAndGet(MILLI);
    servers.get(2).latency().observe(MILLI, clock.get());
    assertEquals(0, counts(policy, servers, 1_000)[2]);
    for (int i = 0; i < 200; i++) {
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      servers.get(0).latency().observe(MILLI, clock.get());
      servers.get(1).latency().observe(MILLI, clock.get());
    }
    assertTrue(counts(policy, servers, 1_000)[2] > 0, "seed " + SEED);
  }

  @Test
  void peakEwmaTakesARequestWithoutAnswerInFullAndASlowResponseByAnEighth() {
    PeakLatency latency = servers(1).getFirst().latency();
    latency.observe(10 * MILLI, clock.get());
    latency.observe(90 * MILLI, clock.get());
    assertEquals(20.0 * MILLI, latency.nanos(clock.get()), 1);
    latency.observeAtLeast(500 * MILLI, clock.get());
    assertEquals(500.0 * MILLI, latency.nanos(clock.get()), 1);
    latency.observeAtLeast(MILLI, clock.get());
    assertEquals(500.0 * MILLI, latency.nanos(clock.get()), 1);
  }

  @Test
  void peakEwmaSendsANewEndpointOneRequestUntilItHasAnswered() {
    List<Server> servers = servers(1, 1);
    BalancePolicy policy = policy(Balance.PEAK_EWMA);
    servers.get(0).latency().observe(5 * MILLI, clock.get());
    for (int i = 0; i < 100; i++) {
      servers.get(choose(policy, servers)).addRequest();
    }
    assertEquals(1, servers.get(1).requests());
    servers.get(1).latency().observe(MILLI, clock.get());
    assertEquals(1, choose(policy, servers));
  }

  @Test
  void peakEwmaSpreadsABurst() {
    List<Server> servers = servers(1, 1, 1, 1);
    servers.forEach(server -> server.latency().observe(MILLI, clock.get()));
    BalancePolicy policy = policy(Balance.PEAK_EWMA);
    for (int i = 0; i < 400; i++) {
      servers.get(choose(policy, servers)).addRequest();
    }
    for (Server server : servers) {
      assertEquals(100, server.requests(), 4, "seed " + SEED);
    }
  }

  @Test
  void consistentKeepsAUrlAtItsEndpointAndMovesNoOther() {
    List<Server> servers = servers(1, 2, 1, 1);
    List<Server> rest = List.of(servers.get(0), servers.get(1), servers.get(3));
    BalancePolicy policy = policy(Balance.CONSISTENT);
    int moved = 0;
    for (int i = 0; i < 10_000; i++) {
      key.set(RendezvousHash.number("example.com", "/" + i));
      Server before = servers.get(policy.choose(servers, key::get));
      Server after = rest.get(policy.choose(rest, key::get));
      if (before == servers.get(2)) {
        moved++;
      } else {
        assertEquals(before, after);
      }
    }
    assertEquals(2_000, moved, 200);
  }

  private BalancePolicy policy(Balance balance) {
    return BalancePolicies.create(balance, new SplittableRandom(SEED), clock::get);
  }

  private static List<Server> servers(int... weights) {
    List<Server> servers = new ArrayList<>();
    for (int weight : weights) {
      servers.add(new Server(servers.size(), weight));
    }
    return servers;
  }

  private int choose(BalancePolicy policy, List<Server> servers) {
    key.set(RendezvousHash.number("/" + key.get()));
    return policy.choose(servers, key::get);
  }

  private int[] counts(BalancePolicy policy, List<Server> servers, int choices) {
    int[] counts = new int[servers.size()];
    for (int i = 0; i < choices; i++) {
      counts[choose(policy, servers)]++;
    }
    return counts;
  }
}
