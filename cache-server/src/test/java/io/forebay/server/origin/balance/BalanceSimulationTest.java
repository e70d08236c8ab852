package io.forebay.server.origin.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.origin.balance.BalanceSimulation.Model;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Peak EWMA before four servers at half of their capacity, one of them 200 ms slower than the
 * others; see {@link BalanceSimulation} for the model. 100,000 requests, ten seeds.
 */
@Tag("slow")
final class BalanceSimulationTest {
  private static final int REQUESTS = 100_000;

  /** For what is asserted of p99; half of them for the rest. */
  private static final int SEEDS = 10;

  private static final int SERVERS = 4;
  private static final int SLOW = 3;
  private static final double LOAD = 0.5;

  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "2, 16, 2, 8",
    "8, 16, 2, 8",
    "2, 8, 9, 1",
    "2, 16, 4, 16",
    "2, 16, 10, 40",
    "8, 16, 10, 40",
  })
  void aSlowServerOfFourHardlyChangesTheSlowestResponses(
      int loops, int workers, double fixedMillis, double randomMillis) {
    Model model = new Model(SERVERS, loops, workers, fixedMillis, randomMillis, LOAD);
    for (long seed = 1; seed <= SEEDS; seed++) {
      double equal = p99(warm(Balance.PEAK_EWMA, model, seed).run(REQUESTS));
      BalanceSimulation slow = new BalanceSimulation(Balance.PEAK_EWMA, model, seed);
      slow.delay(SLOW, 200);
      slow.run(REQUESTS / 5);
      double ratio = p99(slow.run(REQUESTS)) / equal;
      String text = "seed %d, %s: p99 %.1f ms, ratio %.3f".formatted(seed, model, equal, ratio);
      System.out.println("BalanceSimulationTest: " + text);
      assertTrue(ratio <= 1.3, text);
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 16, 2, 8", "8, 16, 2, 8", "2, 8, 9, 1", "8, 16, 9, 1", "2, 16, 10, 40"})
  void aServerThatIsNoLongerSlowGetsItsShareAgain(
      int loops, int workers, double fixedMillis, double randomMillis) {
    Model model = new Model(SERVERS, loops, workers, fixedMillis, randomMillis, LOAD);
    for (long seed = 1; seed <= SEEDS / 2; seed++) {
      BalanceSimulation servers = warm(Balance.PEAK_EWMA, model, seed);
      servers.delay(SLOW, 200);
      servers.run(REQUESTS);
      servers.delay(SLOW, 0);
      double since = servers.seconds();
      int got = 0;
      while (got < 1_000 / SERVERS / 2) {
        int before = servers.requests(SLOW);
        servers.run(1_000);
        got = servers.requests(SLOW) - before;
        double seconds = servers.seconds() - since;
        assertTrue(seconds < 30, "seed %d, %s: %d requests".formatted(seed, model, got));
      }
      System.out.printf(
          "BalanceSimulationTest: seed %d, %s: back after %.1f s%n",
          seed, model, servers.seconds() - since);
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "2, 4", "2, 16", "8, 16"})
  void equalServersAreUsedAsWellAsByTheFewestRequests(int loops, int workers) {
    Model model = new Model(SERVERS, loops, workers, 2, 8, LOAD);
    for (long seed = 1; seed <= SEEDS / 2; seed++) {
      BalanceSimulation servers = warm(Balance.PEAK_EWMA, model, seed);
      int[] before = new int[SERVERS];
      for (int i = 0; i < SERVERS; i++) {
        before[i] = servers.requests(i);
      }
      double p99 = p99(servers.run(REQUESTS));
      double fewest = p99(warm(Balance.LEAST_REQUESTS, model, seed).run(REQUESTS));
      System.out.printf(
          "BalanceSimulationTest: seed %d, %s: p99 %.1f ms, fewest requests %.1f ms%n",
          seed, model, p99, fewest);
      assertTrue(p99 <= fewest * 1.15, "seed " + seed + ": " + p99 + ", " + fewest);
      for (int i = 0; i < SERVERS; i++) {
        int share = servers.requests(i) - before[i];
        assertEquals(REQUESTS / SERVERS, share, REQUESTS * 0.02, "seed " + seed);
      }
    }
  }

  private static BalanceSimulation warm(Balance balance, Model model, long seed) {
    BalanceSimulation servers = new BalanceSimulation(balance, model, seed);
    servers.run(REQUESTS / 5);
    return servers;
  }

  private static double p99(long[] sorted) {
    return sorted[(int) (sorted.length * 0.99)] / 1e6;
  }
}
