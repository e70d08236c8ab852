package io.forebay.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.Output;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

final class RegionMapScreenTest {
  private static final long REGION = 4 << 20;

  private static ObjectNode region(
      String state, @Nullable String segment, long age, double live, double hot) {
    ObjectNode node = Output.mapper().createObjectNode();
    node.put("state", state);
    node.put("segment", segment);
    node.put("age", age);
    node.put("usedBytes", (long) (REGION * live));
    node.put("liveBytes", (long) (REGION * live));
    node.put("touchedBytes", (long) (REGION * live * hot));
    return node;
  }

  private static JsonNode map(List<ObjectNode> regions) {
    ObjectNode map = Output.mapper().createObjectNode();
    ObjectNode tier = map.putArray("tiers").addObject();
    tier.put("tier", "memory");
    tier.put("regionBytes", REGION);
    ArrayNode array = tier.putArray("regions");
    regions.forEach(array::add);
    return map;
  }

  private static final JsonNode SMALL =
      map(
          List.of(
              region("sealed", "probation", 1, 0.5, 0),
              region("sealed", "protected", 2, 1, 1),
              region("open", "probation", 3, 0.01, 0),
              region("free", null, 0, 0, 0),
              region("limbo", null, 0, 0, 0)));

  @Test
  void whatWasGivenBackHasALineOfItsOwn() {
    JsonNode map =
        map(
            List.of(
                region("sealed", "probation", 1, 0.5, 0),
                region("withdrawn", null, 0, 0, 0),
                region("withdrawn", null, 0, 0, 0)));
    List<String> lines = new RegionMapScreen(80, false, true).lines(map);
    assertTrue(lines.contains("  withdrawn   2 --"), lines::toString);
  }

  @Test
  void theYoungestIsOnTheLeftAndSegmentsAreToldApart() {
    List<String> lines = new RegionMapScreen(80, false, true).lines(SMALL);

    assertTrue(lines.getFirst().startsWith("memory: 20 MiB, 5 regions of 4.0 MiB, 30 % used"));
    assertTrue(lines.contains("  probation   2 ▁▄"), lines::toString);
    assertTrue(lines.contains("  protected   1 █"), lines::toString);
    assertTrue(lines.contains("  requested     9"), lines::toString);
    assertTrue(lines.contains("  free        1 ·"), lines::toString);
    assertTrue(lines.contains("  limbo       1 ~"), lines::toString);
  }

  @Test
  void heatIsAColourWhereThereAreColoursAndNoneIsWrittenElsewhere() {
    String coloured = String.join("\n", new RegionMapScreen(80, true, true).lines(SMALL));
    assertTrue(coloured.contains("\u001b[34m▁▄\u001b[0m"), "cold");
    assertTrue(coloured.contains("\u001b[31m█\u001b[0m"), "hot");
    assertFalse(coloured.contains("digits"));

    String plain = String.join("\n", new RegionMapScreen(80, false, false).lines(SMALL));
    assertFalse(plain.contains("\u001b"));
    assertTrue(plain.chars().allMatch(c -> c < 0x80), "only what every terminal can show");
  }

  @Test
  void manyRegionsShareCellsAndNoLineIsWiderThanTheTerminal() {
    List<ObjectNode> many =
        IntStream.range(0, 5_000)
            .mapToObj(n -> region("sealed", "probation", n, 0.7, n % 3 / 3.0))
            .toList();
    for (int width : new int[] {40, 80, 200}) {
      List<String> lines = new RegionMapScreen(width, false, true).lines(map(many));
      int cells = Math.ceilDiv(5_000, (width - 16) * 6);
      assertTrue(lines.contains("  a cell is " + cells + " regions"), lines::toString);
      long drawn =
          lines.stream()
              .filter(line -> line.contains("▅"))
              .mapToInt(String::length)
              .max()
              .orElse(0);
      assertTrue(drawn <= width, width + " columns, drawn " + drawn);
      assertEquals(
          Math.ceilDiv(5_000, cells),
          lines.stream().flatMapToInt(String::chars).filter(c -> c == '▅').count());
    }
  }

  @Test
  void listedObjectsFitTheTerminalAndSayWhatClientsAskFor() {
    JsonNode object =
        Output.mapper()
            .readTree(
                """
                {"key":"https://www.example.com:443/a?b accept-encoding=\\"gzip\\"","state":"fresh",
                 "ageSeconds":7200,"bytes":1048576,"slicesMissing":1,"tiers":["memory","nvme0"]}
                """);
    Output plain =
        new Output(
            new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()), false, false);

    assertEquals(
        "fresh*      1.0 MiB     2h  mem+nvme0   https://www.example.com/a?b"
            + " accept-encoding=\"gzip\"",
        StoreScreen.line(plain, object, 200));
    assertEquals(60, StoreScreen.line(plain, object, 60).length());
  }

  @Test
  void statHasALineForWhatWasGivenBackOnlyIfThereIsAny() {
    String part =
        """
        {"parts":[{"tier":"memory","segment":null,"regions":2,"capacityBytes":8388608,
         "withdrawnRegions":%d,"withdrawnBytes":%d}]}
        """;
    Output plain =
        new Output(
            new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()), false, false);
    List<String> some =
        StoreScreen.stat(plain, Output.mapper().readTree(part.formatted(3, 3 * REGION)));
    assertEquals(
        "memory withdrawn         3    12 MiB given back to the kernel",
        some.getLast(),
        some::toString);
    List<String> none = StoreScreen.stat(plain, Output.mapper().readTree(part.formatted(0, 0)));
    assertTrue(none.getLast().startsWith("memory free"), none::toString);
  }

  @Test
  void sizesAreReadAsTheyAreWritten() {
    assertEquals(100 << 20, ByteSizes.parse("100MiB"));
    assertEquals(1_000_000_000L, ByteSizes.parse("1GB"));
    assertEquals(0, ByteSizes.parse("0"));
    assertEquals(512 << 10, ByteSizes.parse("512Ki"));
  }
}
