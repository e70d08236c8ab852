package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.StepResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CompareCommandTest {

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void somethingWorseHasAnExitCodeOfItsOwn() throws Exception {
    String fast = results("fast", 2.0);
    String slow = results("slow", 1.0);

    assertEquals(3, run(fast, slow), err.toString());
    assertTrue(out.toString().contains("worse"), out.toString());
    assertEquals(0, run(slow, fast), err.toString());
    assertEquals(0, run(fast, fast), err.toString());
    assertEquals(0, run(fast, slow, "--threshold", "150"), err.toString());
  }

  @Test
  void jsonHasEachFigure() throws Exception {
    String fast = results("fast", 2.0);

    assertEquals(3, run(fast, results("slow", 1.0), "--json"), err.toString());

    JsonNode json = JsonMapper.builder().build().readTree(out.toString());
    assertEquals(8, json.path("differences").size());
    JsonNode first = json.path("differences").path(0);
    assertEquals("requests/s", first.path("figure").asString());
    assertEquals(0.5, first.path("ratio").asDouble(), 0.01);
    assertEquals("worse", first.path("verdict").asString());
    assertEquals(4, first.path("repetitionsAfter").asInt());
  }

  @Test
  void filesThatCannotBeReadAndWrongUsageAreToldApart() throws Exception {
    String fast = results("fast", 2.0);

    assertEquals(1, run(fast, directory.resolve("none").toString()));
    assertTrue(err.toString().contains("no such file"), err.toString());
    assertEquals(2, run(fast));
    assertEquals(2, run(fast, fast, "--threshold", "-1"));
  }

  @Test
  void nothingInCommonIsAnError() throws Exception {
    ResultFiles.write(directory.resolve("other"), List.of(ResultFixture.run("other", List.of())));

    assertEquals(1, run(results("fast", 2.0), directory.resolve("other").toString()));
    assertTrue(err.toString().contains("no step"), err.toString());
  }

  @Test
  void theHelpTellsTheExitCodes() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("something is worse"), out.toString());
  }

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("compare"));
    all.addAll(List.of(arguments));
    out.getBuffer().setLength(0);
    return new CommandLine(LabCommand.class)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private String results(String name, double gigabits) throws Exception {
    List<StepResult> steps = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      steps.add(ResultFixture.step("a", i, Map.of(), gigabits * (1 + 0.002 * i)));
    }
    ResultFiles.write(directory.resolve(name), List.of(ResultFixture.run("s", steps)));
    return directory.resolve(name).toString();
  }
}
