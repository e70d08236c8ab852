package io.forebay.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.RunResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTableTest {

  private static final List<RunResult> RUNS =
      List.of(
          ResultFixture.run(
              "xeon6-live",
              List.of(
                  ResultFixture.step("live-48", 1, Map.of(), 2.4),
                  ResultFixture.step("live-48", 2, Map.of(), 2.6),
                  ResultFixture.step("live-100", 1, Map.of(), 9.9, "The client was 91 % busy."))));

  @Test
  void repetitionsAreOneRowAndVoidOnesSayWhy() {
    String table = TerminalTable.of(RUNS, 200);

    assertEquals(1, table.lines().filter(line -> line.contains("live-48")).count(), table);
    assertTrue(table.contains("2.50"), table);
    assertTrue(table.contains("VOID live-100: The client was 91 % busy."), table);
    assertTrue(table.contains("hits %"), table);
  }

  @Test
  void aNarrowTerminalGetsFewerColumns() {
    for (int width = 200; width >= 40; width -= 10) {
      String table = TerminalTable.of(RUNS, width);
      int bound = width;
      table.lines().forEach(line -> assertTrue(line.length() <= bound, line + " at " + bound));
      assertTrue(table.contains("live-100"), table);
    }
    assertFalse(TerminalTable.of(RUNS, 60).contains("TTLB p50"));
  }

  @Test
  void theWidthIsThatOfTheTerminalWithinBounds() {
    assertEquals(100, TerminalTable.width(null));
    assertEquals(100, TerminalTable.width("wide"));
    assertEquals(132, TerminalTable.width("132"));
    assertEquals(40, TerminalTable.width("0"));
  }

  @Test
  void withoutStepsThereIsASentence() {
    assertEquals("No step has run.\n", TerminalTable.of(List.of(), 80));
  }
}
