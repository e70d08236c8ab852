package io.forebay.cli.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class StatsTest {

  @Test
  void ratesAreTheDifferenceOverTheTime() {
    StatsRates rates =
        StatsRates.between(stats(1000, 800, 1_000_000), stats(3000, 2700, 501_000_000), 2);

    assertEquals(1000, rates.requests());
    assertEquals(0.95, rates.hitShare(), 1e-9);
    assertEquals(2e9, rates.toClientsBits());
    assertEquals(0.5, rates.busiest());
    assertEquals(7, rates.connections());
    assertEquals(StatsRates.HEADING.length(), rates.line().length());
  }

  @Test
  void aRestartedNodeCountsFromNothing() {
    StatsRates rates = StatsRates.between(stats(1000, 800, 0), stats(10, 10, 0), 1);

    assertEquals(10, rates.requests());
  }

  @Test
  void noRequestsHaveNoHitRatio() {
    StatsRates rates = StatsRates.between(stats(5, 5, 0), stats(5, 5, 0), 1);

    assertEquals(-1, rates.hitShare());
    assertTrue(rates.line().contains(" - "), rates.line());
  }

  @Test
  void theScreenShowsWhatItDoesNotKnowToo() {
    JsonNode stats =
        Output.mapper()
            .readTree(
                """
                {"version":"1.2.3","node":"edge-1","uptimeSeconds":93784,"ready":true,
                 "requests":{"total":1234567,"byResult":{"hit":9,"miss":1},"hitRatio":0.9},
                 "bytes":{"toClients":5368709120},
                 "novelty":{"things":3},
                 "loops":[{"busy":0.25},{"busy":0.5}]}
                """);

    List<String> lines = StatsScreen.lines(stats);

    assertEquals("forebay 1.2.3, node edge-1, up 1 d 2 h, ready", lines.getFirst());
    String all = String.join("\n", lines);
    assertTrue(all.contains("1,234,567"), all);
    assertTrue(all.contains("90.0 %"), all);
    assertTrue(all.contains("5.0 GiB"), all);
    assertTrue(all.matches("(?s).*novelty +things +3.*"), all);
    assertTrue(all.contains("25 % 50 %"), all);
    lines.forEach(line -> assertTrue(line.length() <= 100, line));
  }

  private static JsonNode stats(long total, long hits, long bytes) {
    return Output.mapper()
        .readTree(
            """
            {"requests":{"total":%d,"byResult":{"hit":%d,"miss":%d}},"bytes":{"toClients":%d},
             "connections":{"open":7},"loops":[{"busy":0.1},{"busy":0.5}]}
            """
                .formatted(total, hits, total - hits, bytes));
  }
}
