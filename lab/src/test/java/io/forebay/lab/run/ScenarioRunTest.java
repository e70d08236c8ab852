package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of a run, with fakes for all that it starts and measures. */
final class ScenarioRunTest {
  @TempDir private Path directory;

  private @Nullable FakeLab lab;

  private FakeLab lab() {
    FakeLab there = lab;
    if (there == null) {
      there = new FakeLab(directory);
      lab = there;
    }
    return there;
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    assertEquals(0, lab().running(), "still running");
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(), files.toList());
    }
  }

  private List<RunResult> run(Scenario scenario, String... targets) throws InterruptedException {
    return new ScenarioRun(lab().instruments(), "./forebay lab run own", Progress.NONE)
        .run(scenario, Stream.of(targets).map(lab()::target).toList());
  }

  private static List<String> names(RunResult run) {
    return run.steps().stream().map(step -> step.name() + "#" + step.repetition()).toList();
  }

  @Test
  void aStepIsMeasuredFromStartToStop() throws Exception {
    RunResult run = run(Examples.scenario("steps: [{name: only}]\n"), "forebay").getFirst();

    assertEquals(
        List.of(
            "origin starts",
            "forebay starts",
            "warm 7 files of forebay",
            "meter starts",
            "count forebay",
            "load of 1 connections",
            "mark",
            "count forebay",
            "meter stops",
            "count forebay",
            "forebay stops",
            "origin stops"),
        lab().events());
    StepResult step = run.steps().getFirst();
    assertEquals(List.of(), step.voids());
    // The counters of the warm-up are not in the figures.
    assertEquals(1000, step.server().requests());
    assertEquals(1000, step.server().hits());
    assertEquals(2, step.samples().size());
    assertEquals(1.5, step.samples().getFirst().cores());
    assertEquals("forebay", run.target());
    assertEquals("1.0", run.targetVersion());
    assertEquals("full", run.profile());
    assertEquals("2026-11-26T00:00:00Z", run.startedAt());
    assertEquals("./forebay lab run own", run.command());
    assertEquals("a machine", run.facts().get("machine"));
  }

  @Test
  void stepsOfOneSetUpShareAServerAndOthersGetTheirOwn() throws Exception {
    run(
        Examples.scenario(
            """
            load: {connections: [1, 2]}
            steps: [{name: a}, {name: b, server: {memory: 2GB}}]
            """),
        "forebay");

    assertEquals(2, lab().count("forebay starts"));
    assertEquals(2, lab().count("origin starts"));
    assertEquals(4, lab().count("load of"));
    assertTrue(
        lab().events().indexOf("forebay stops") < lab().events().lastIndexOf("forebay starts"));
  }

  @Test
  void programsAlternateWithRepetitions() throws Exception {
    List<RunResult> runs =
        run(Examples.scenario("repetitions: 2\nsteps: [{name: only}]\n"), "forebay", "nginx");

    assertEquals(
        List.of("forebay starts", "nginx starts", "forebay starts", "nginx starts"),
        lab().events().stream()
            .filter(event -> event.endsWith("x starts") || event.endsWith("y starts"))
            .toList());
    assertEquals(List.of("only#1", "only#2"), names(runs.get(0)));
    assertEquals(List.of("only#1", "only#2"), names(runs.get(1)));
    assertEquals(2, lab().seeds().size(), "all programs get the same requests");
  }

  @Test
  void instancesShareTheMemoryAndTheLoad() throws Exception {
    run(
        Examples.scenario("server: {instances: 2, memory: 2GB}\nsteps: [{name: only}]\n"),
        "forebay");

    assertEquals(2, lab().count("forebay starts"));
    assertEquals(List.of(1_000_000_000L, 1_000_000_000L), lab().memories());
    assertEquals(1, lab().count("warm 7 files of forebay forebay"));
  }

  @Test
  void whatAProgramCannotDoIsSkippedWithTheReason() throws Exception {
    lab().refuse("HTTP/3 is not built in");

    RunResult run =
        run(Examples.scenario("steps: [{name: a}, {name: b, server: {memory: 2GB}}]\n"), "nginx")
            .getFirst();

    assertEquals(List.of("a#1", "b#1"), names(run));
    for (StepResult step : run.steps()) {
      assertEquals(List.of("skipped: HTTP/3 is not built in"), step.voids());
      assertEquals(true, step.dials().get("skipped"));
    }
  }

  @Test
  void aProgramThatIsNotInstalledIsSkippedAndNeverStarted() throws Exception {
    lab().missing("nginx is not installed: apt-get install nginx");

    RunResult run = run(Examples.scenario("steps: [{name: a}]\n"), "nginx").getFirst();

    assertEquals(
        List.of("skipped: nginx is not installed: apt-get install nginx"),
        run.steps().getFirst().voids());
    assertEquals("not installed", run.targetVersion());
    assertEquals(List.of(), lab().events());
  }

  @Test
  void whatDoesNotFitTheMachineIsSkipped() throws Exception {
    RunResult run =
        run(Examples.scenario("server: {memory: 400GB}\nsteps: [{name: a}]\n"), "forebay")
            .getFirst();

    assertEquals(
        List.of(
            "skipped: needs 400.0 GB of memory and 1 GB beside it, 20.0 GB are available; take"
                + " --profile here or smoke"),
        run.steps().getFirst().voids());
  }

  @Test
  void aLoadThatFailsIsAResultAndTheRunGoesOn() throws Exception {
    lab().failLoads(1);

    RunResult run =
        run(Examples.scenario("load: {connections: [1, 2]}\nsteps: [{name: a}]\n"), "forebay")
            .getFirst();

    assertEquals(List.of("the step failed: the client died"), run.steps().get(0).voids());
    assertEquals(List.of(), run.steps().get(1).voids());
    assertEquals(2, lab().count("forebay starts"), "a failed step gets a new server");
  }

  @Test
  void missesAreComparedWithTheRequestsThatTheOriginAnswered() throws Exception {
    lab().hideFetches(12);

    RunResult run = run(Examples.scenario("steps: [{name: a}]\n"), "forebay").getFirst();

    assertEquals(
        List.of(
            "the program counted 0 misses, the origin 12 to 12 requests: its hit ratio is not"
                + " known"),
        run.steps().getFirst().voids());
  }

  @Test
  void anInterruptStopsAllThatWasStarted() {
    lab().interruptLoad();

    assertThrows(
        InterruptedException.class,
        () -> run(Examples.scenario("steps: [{name: a}]\n"), "forebay"));

    assertEquals(1, lab().count("forebay stops"));
    assertEquals(1, lab().count("origin stops"));
    assertEquals(1, lab().count("meter stops"));
  }

  @Test
  void aServerThatDoesNotStartLeavesNoOrigin() throws Exception {
    lab().failStarts();

    RunResult run = run(Examples.scenario("steps: [{name: a}]\n"), "forebay").getFirst();

    assertEquals(
        List.of("skipped: forebay could not be started: no port"), run.steps().getFirst().voids());
    assertEquals(1, lab().count("origin stops"));
  }

  /** The fake's hit ratio is its memory over the footprint of 700 MB. */
  @Test
  void theStoreIsSizedUntilTheHitRatioIsRight() throws Exception {
    RunResult run =
        run(
                Examples.file(
                    """
                    objects: [{name: film, size: 7MB, count: 100}]
                    hit-ratio: {wanted: 60%, by: store-size}
                    server: {memory: 650MB}
                    load: {connections: [1, 2]}
                    steps: [{name: a}]
                    """),
                "forebay")
            .getFirst();

    assertEquals(0.6, run.steps().getFirst().server().hitRatio(), 0.005);
    assertEquals(List.of(), run.steps().getFirst().voids());
    int sizings = lab().memories().size() - 1;
    assertTrue(sizings >= 1 && sizings < 8, "servers to find the size: " + sizings);
    assertEquals(2, run.steps().size());
  }

  @Test
  void anEstimateThatIsWrongIsWhereTheSearchBegins() throws Exception {
    lab().estimate(600_000_000);

    RunResult run =
        run(
                Examples.file(
                    """
                    objects: [{name: film, size: 7MB, count: 100}]
                    hit-ratio: {wanted: 60%, by: estimated}
                    server: {memory: 650MB}
                    steps: [{name: a}]
                    """),
                "forebay")
            .getFirst();

    assertEquals(List.of(650_000_000L, 600_000_000L), lab().memories().subList(0, 2));
    assertEquals(List.of(), run.steps().getFirst().voids());
  }

  @Test
  void theProgramsOwnEstimateIsTriedFirst() throws Exception {
    lab().estimate(420_000_000);

    RunResult run =
        run(
                Examples.file(
                    """
                    objects: [{name: film, size: 7MB, count: 100}]
                    hit-ratio: {wanted: 60%, by: estimated}
                    server: {memory: 650MB}
                    steps: [{name: a}]
                    """),
                "forebay")
            .getFirst();

    // One to estimate, one to see whether that is right, one for the step.
    assertEquals(List.of(650_000_000L, 420_000_000L, 420_000_000L), lab().memories());
    assertEquals(List.of(), run.steps().getFirst().voids());
    assertFalse(run.steps().getFirst().dials().containsKey("skipped"));
    assertEquals(420_000_000L, run.steps().getFirst().dials().get("memoryBytes"));
  }
}
