package io.forebay.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Sums over nodes, their order, and the table of {@code cluster top}. */
final class TopTest {
  private static final Output PLAIN =
      new Output(
          new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()), false, false);

  private final ObjectNode answer =
      Output.mapper().createObjectNode().put("cluster", "eu").put("newest", 100);
  private final ArrayNode nodes = answer.putArray("nodes");

  private ObjectNode node(String name, boolean isAlive) {
    return nodes.addObject().put("node", name).put("group", "fra").put("alive", isAlive);
  }

  /** One that answers; bytes are a thousand a request. */
  private ObjectNode node(
      String name, int requests, int nodeRequests, int hits, int lookups, int origin) {
    ObjectNode node = node(name, true);
    node.put("revision", 100).put("pendingPurges", 0).putArray("notReady");
    return node.put("requestsPerSecond", requests)
        .put("nodeRequestsPerSecond", nodeRequests)
        .put("hitsPerSecond", hits)
        .put("lookupsPerSecond", lookups)
        .put("errorsPerSecond", 0)
        .put("originRequestsPerSecond", origin)
        .put("sentBytesPerSecond", requests * 1000)
        .put("bodyBytesPerSecond", requests * 1000)
        .put("storedBytesPerSecond", hits * 1000)
        .put("nodeBytesPerSecond", nodeRequests * 1000);
  }

  private TopReport report(TopOrder order) {
    return TopReport.of(answer, order);
  }

  private List<String> lines(int width, int height) {
    return new TopScreen(PLAIN, width, height).lines(report(TopOrder.NAME));
  }

  /** 100 clients of each; of the 20 misses of edge-1, edge-2 has 15 and fetches 5. */
  private void twoNodesThatShare() {
    node("edge-1", 100, 0, 80, 100, 0);
    node("edge-2", 120, 20, 15 + 90, 120, 5 + 10);
  }

  @Test
  void whatNodesAskEachOtherIsOneRequestOfTheCluster() {
    twoNodesThatShare();

    NodeRates sum = report(TopOrder.NAME).rates();

    assertEquals(200, sum.clientRequests());
    assertEquals(185.0 / 200, sum.hitRatio(), 1e-9, "15 of 200 went to the origin");
    assertEquals(185.0 / 200, sum.byteHitRatio(), 1e-9);
    assertEquals(200_000, sum.clientBytes());
    assertEquals(15, sum.originRequests());
    JsonNode json = report(TopOrder.NAME).json();
    assertEquals(0.8, json.at("/nodes/0/hitRatio").asDouble(), 1e-9);
    assertEquals(105.0 / 120, json.at("/nodes/1/hitRatio").asDouble(), 1e-9);
    assertEquals(100, json.at("/nodes/1/requestsPerSecond").asInt());
    assertEquals(1_600_000, json.at("/total/bitsPerSecond").asInt());
    assertEquals(0.925, json.at("/total/hitRatio").asDouble(), 1e-9);
    assertEquals("[]", json.at("/total/missing").toString());
  }

  @Test
  void nodesThatSayNothingAreNamedAndNotCountedAsIdle() {
    twoNodesThatShare();
    node("edge-3", false).put("problem", "cannot be asked: Connection refused");
    node("edge-4", true).put("problem", "does not answer");
    node("edge-5", true).put("revision", 90).put("pendingPurges", 0).putArray("notReady");

    TopReport report = report(TopOrder.NAME);

    assertEquals(200, report.rates().clientRequests());
    assertEquals(
        List.of("edge-3 (gone)", "edge-4 (no answer)", "edge-5 (no figures)"), report.missing());
    JsonNode json = report.json();
    assertEquals("[\"edge-3\",\"edge-4\",\"edge-5\"]", json.at("/total/missing").toString());
    assertTrue(json.at("/nodes/3/requestsPerSecond").isNull(), json.toString());
    assertTrue(json.at("/nodes/3/behind").isNull(), json.toString());
    assertEquals(10, json.at("/total/behind").asInt());
    assertEquals(
        """
        cluster eu, newest purge at revision 100
        NODE   GROUP STATE       REQ/S  HIT % BYTE %  GBIT/S  ORIG/S  ERR/S PEND BEHIND
        all          3 of 5        200   92.5   92.5   0.002    15.0    0.0    0     10
        edge-1 fra   ready         100   80.0   80.0   0.001     0.0    0.0    0      0
        edge-2 fra   ready         100   87.5   87.5   0.001    15.0    0.0    0      0
        edge-3 fra   gone            ?      ?      ?       ?       ?      ?    ?      ?
          cannot be asked: Connection refused
        edge-4 fra   no answer       ?      ?      ?       ?       ?      ?    ?      ?
          does not answer
        edge-5 fra   ready           ?      ?      ?       ?       ?      ?    0     10
        sums are without edge-3 (gone), edge-4 (no answer), edge-5 (no figures)
        """
            .strip(),
        String.join("\n", lines(80, 100)));
  }

  @Test
  void withoutAnyFiguresThereAreNoSums() {
    node("edge-1", true).put("problem", "does not answer");

    assertTrue(report(TopOrder.NAME).json().at("/total/requestsPerSecond").isNull());
    assertTrue(lines(80, 100).get(2).matches("all .*0 of 1 +\\? .*"), lines(80, 100).toString());
  }

  @Test
  void aNodeOfAnEarlierVersionHasNoFiguresRatherThanWrongOnes() {
    node("edge-1", true).put("revision", 100).put("requestsPerSecond", 7).put("hitRatio", 0.5);

    assertEquals(List.of("edge-1 (no figures)"), report(TopOrder.NAME).missing());
  }

  @Test
  void statesSayWhetherANodeServes() {
    node("a", 1, 0, 1, 1, 0);
    node("b", 1, 0, 1, 1, 0).put("draining", true).putArray("notReady").add("cluster-draining");
    node("c", 1, 0, 1, 1, 0).putArray("notReady").add("catching-up");
    node("d", 1, 0, 1, 1, 0).put("alive", false);

    assertEquals(
        List.of("ready", "drains", "not ready", "cut off"),
        report(TopOrder.NAME).nodes().stream().map(TopReport.Node::state).toList());
    assertEquals(1, report(TopOrder.NAME).ready());
    assertTrue(lines(80, 100).contains("  not ready: catching-up"), lines(80, 100).toString());
    assertEquals(4, report(TopOrder.NAME).rates().requests(), "all of them serve");
  }

  @ParameterizedTest
  @CsvSource({
    "NAME,abcx",
    "REQUESTS,cbax",
    "HITS,bcax",
    "BYTES,bcax",
    "OUT,cbax",
    "ORIGIN,acbx",
    "ERRORS,bacx",
    "PENDING,cabx",
    "BEHIND,abcx"
  })
  void nodesAreOrderedByAFigureAndThoseWithoutComeLast(TopOrder order, String expected) {
    node("x", true).put("problem", "does not answer");
    node("c", 30, 0, 20, 30, 5).put("pendingPurges", 3);
    node("a", 10, 0, 10, 10, 9);
    node("b", 20, 0, 2, 20, 1).put("errorsPerSecond", 4);

    assertEquals(
        expected,
        String.join("", report(order).nodes().stream().map(TopReport.Node::name).toList()));
  }

  @Test
  void theTableFitsTheTerminal() {
    for (int i = 0; i < 50; i++) {
      node("edge-of-a-long-name-" + i, 1, 0, 1, 1, 0);
    }
    node("edge-x", true).put("problem", "does not answer");
    answer.put("problem", "etcd does not answer");

    List<String> lines = lines(60, 20);

    assertEquals(20, lines.size(), lines.toString());
    assertTrue(lines.stream().allMatch(line -> line.length() <= 60), lines.toString());
    assertEquals("37 more", lines.get(17));
    assertEquals("this node: etcd does not answer", lines.getLast());
    assertEquals(57, lines(60, 1000).size());
    assertFalse(String.join("", lines(60, 1000)).contains(" more"));
  }

  @Test
  void anIdleClusterHasNoRatio() {
    node("edge-1", 0, 0, 0, 0, 0);

    assertTrue(lines(80, 100).get(2).contains(" 0.0      -      - "), lines(80, 100).toString());
    assertTrue(report(TopOrder.NAME).json().at("/total/hitRatio").isNull());
  }
}
