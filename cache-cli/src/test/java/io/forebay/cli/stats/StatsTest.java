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

  @Test
  void theScreenShowsEachCertificate() {
    JsonNode stats =
        Output.mapper()
            .readTree(
                """
                {"tls":{"handshakes":3,"certificates":[
                  {"name":"www","kind":"ecdsa","hosts":["a.example","b.example","c.example","d.example"],
                   "expires":"2027-01-02T03:04:05Z","stapledUntil":"2026-12-01T00:00:00Z"},
                  {"name":"listener secure","kind":"rsa","hosts":[],
                   "expires":"2028-01-02T03:04:05Z","stapledUntil":null}]}}
                """);

    List<String> lines = StatsScreen.lines(stats);

    assertEquals("tls           handshakes 3", lines.get(1));
    assertEquals(
        "  certificate www (ecdsa), expires 2027-01-02T03:04:05Z, OCSP until 2026-12-01T00:00:00Z,"
            + " for a.example, b.example, c.example and 1 more",
        lines.get(2));
    assertEquals(
        "  certificate listener secure (rsa), expires 2028-01-02T03:04:05Z, for all other names",
        lines.get(3));
  }

  @Test
  void theSizesAreATableOfHitRatios() {
    JsonNode stats =
        Output.mapper()
            .readTree(
                """
                {"store":{"capacityBytes":8589934592,"estimates":{"sampledRatio":0.01,"sizes":[
                  {"scale":0.5,"hitRatio":0.71,"byteHitRatio":0.5},
                  {"scale":1.0,"hitRatio":0.8,"byteHitRatio":0.625},
                  {"scale":2.0,"hitRatio":0.9,"byteHitRatio":0.75},
                  {"scale":4.0,"hitRatio":1.0,"byteHitRatio":1.0}]}}}
                """);

    assertEquals(
        List.of(
            "memory                     hit ratio   byte hit ratio",
            "half            4.0 GiB       71.0 %           50.0 %",
            "as it is        8.0 GiB       80.0 %           62.5 %",
            "2 times          16 GiB       90.0 %           75.0 %",
            "4 times          32 GiB      100.0 %          100.0 %",
            "estimated from the latest requests for 1.0 % of all objects"),
        SizesScreen.lines(stats));
  }

  @Test
  void withoutEstimatesTheSizesSayWhy() {
    List<String> lines =
        SizesScreen.lines(Output.mapper().readTree("{\"store\":{\"estimates\":{\"sizes\":[]}}}"));

    assertEquals(1, lines.size());
    assertTrue(lines.getFirst().startsWith("no estimate yet"), lines.getFirst());
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
