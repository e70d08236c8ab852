package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import io.forebay.testing.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is planted into one of two real runs is found by comparing their results. */
@Tag("full")
final class RegressionIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Most requests are misses, so that the median is that of a miss. */
  private static final String SCENARIO =
      """
      name: planted
      title: Half of the requests are misses
      server: {memory: 128MiB, loops: 1}
      origin: {latency: LATENCY}
      objects: [{name: page, size: 10KB, count: 50}]
      load: {client: own, connections: 4, rate: 50, fresh: FRESH}
      time: {warm-up: 1s, measured: 3s}
      repetitions: 5
      steps: [{name: misses}]
      """;

  @TempDir private Path directory;

  private static Commands.Finished lab(List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-jar", System.getProperty("lab.jar")));
    command.addAll(arguments);
    return Commands.run(LIMIT, command);
  }

  /** The results of a run, all of which count: the machine may be busy with other tests. */
  private Path run(String name, String latency, String fresh) throws Exception {
    Path out = Files.createDirectory(directory.resolve(name));
    Path file =
        Files.writeString(
            directory.resolve(name + ".yaml"),
            SCENARIO.replace("LATENCY", latency).replace("FRESH", fresh));
    Commands.Finished ended =
        lab(
            List.of(
                "run", file.toString(), "--out", out.toString(), "--work", directory.toString()));
    assertTrue(ended.exit() == LabExit.OK || ended.exit() == LabExit.NO_FIGURE, ended.toString());
    RunResult run = ResultFiles.read(out).getFirst();
    List<StepResult> steps = new ArrayList<>();
    for (StepResult step : run.steps()) {
      assertTrue(step.load().requests() > 0, step.voids()::toString);
      steps.add(
          new StepResult(
              step.name(),
              step.repetition(),
              step.dials(),
              step.load(),
              step.server(),
              step.samples(),
              List.of()));
    }
    ResultFiles.write(
        out,
        List.of(
            new RunResult(
                run.version(),
                run.scenario(),
                run.profile(),
                run.factor(),
                run.target(),
                run.targetVersion(),
                run.startedAt(),
                run.command(),
                run.facts(),
                run.settings(),
                steps)));
    return out;
  }

  private Map<String, String> verdicts() throws Exception {
    Path before = run("before", "0s", "52%");
    Path after = run("after", "10ms", "54.4%");
    Commands.Finished compared =
        lab(List.of("compare", before.toString(), after.toString(), "--json"));
    System.out.println(compared.out());
    assertEquals(LabExit.WORSE, compared.exit(), compared.toString());
    Map<String, String> verdicts = new HashMap<>();
    for (JsonNode difference : new JsonMapper().readTree(compared.out()).path("differences")) {
      verdicts.put(difference.path("figure").asString(), difference.path("verdict").asString());
    }
    return verdicts;
  }

  /** Hits do not depend on how busy the machine is. */
  @Test
  void oneHitInTwentyLessIsFound() throws Exception {
    assertEquals("worse", verdicts().get(Figure.HIT_RATIO.label()));
  }

  /** On a machine that runs nothing else: where others take the CPU, 10 ms are noise. */
  @Test
  @Tag("campaign")
  void tenMillisecondsAtTheOriginAreFound() throws Exception {
    Map<String, String> verdicts = verdicts();

    assertEquals("worse", verdicts.get(Figure.LAST_BYTE_P50.label()));
    assertEquals("same", verdicts.get(Figure.REQUESTS.label()));
  }
}
