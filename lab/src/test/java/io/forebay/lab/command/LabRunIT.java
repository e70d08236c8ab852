package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lab's jar with the edge's jar: a scenario from its start to its report. */
@Tag("full")
final class LabRunIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** One object, no TLS, open loop far below what any machine can do. */
  private static final String SCENARIO =
      """
      name: small
      title: Few requests
      server: {memory: 128MiB, loops: 1}
      objects: [{name: page, size: 10KB, count: 50}]
      hit-ratio: {wanted: 100%}
      load: {client: own, connections: 4, rate: 50}
      time: {warm-up: 1s, measured: 3s}
      steps: [{name: hits}, {name: misses, hit-ratio: null, load: {fresh: 50%}}]
      """;

  @TempDir private Path directory;

  private List<String> lab(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-jar", System.getProperty("lab.jar")));
    command.addAll(List.of(arguments));
    return command;
  }

  private Path scenario() throws Exception {
    return Files.writeString(directory.resolve("small.yaml"), SCENARIO);
  }

  private Path work() throws Exception {
    return Files.createDirectories(directory.resolve("work"));
  }

  @Test
  void aScenarioIsMeasuredAndReported() throws Exception {
    Path out = directory.resolve("out");

    Commands.Finished ended =
        Commands.run(
            LIMIT,
            lab(
                "run",
                scenario().toString(),
                "--profile",
                "smoke",
                "--out",
                out.toString(),
                "--work",
                work().toString()));

    // On a machine that runs other tests the figures may be void; they are there all the same.
    assertTrue(ended.exit() == 0 || ended.exit() == LabExit.NO_FIGURE, ended.toString());
    assertTrue(ended.out().contains("hits"), ended.out());
    assertTrue(ended.out().endsWith("index.html\n"), ended.out());
    assertTrue(Files.size(out.resolve("index.html")) > 1000);
    RunResult run = ResultFiles.read(out).getFirst();
    assertEquals("forebay", run.target());
    assertTrue(run.facts().containsKey("kernel"), run.facts().toString());
    StepResult hits = run.steps().get(0);
    StepResult misses = run.steps().get(1);
    assertTrue(hits.load().requests() > 0, hits.toString());
    assertEquals(1, hits.server().hitRatio(), 0.005, hits.toString());
    assertEquals(0.5, misses.server().hitRatio(), 0.25, misses.toString());
    assertTrue(hits.server().cores() > 0, hits.toString());
    assertTrue(hits.load().lastByte().p99() > 0, hits.toString());
    try (Stream<Path> left = Files.list(work())) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aStopByASignalLeavesNoProcessAndNoFile() throws Exception {
    Process lab =
        new ProcessBuilder(
                lab(
                    "run",
                    scenario().toString(),
                    "--repetitions",
                    "100",
                    "--work",
                    work().toString()))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile())
            .start();
    List<ProcessHandle> children;
    try {
      Await.until("origin, edge and client run", () -> lab.descendants().count() >= 3);
      children = lab.descendants().toList();
    } finally {
      lab.destroy();
    }

    Await.until("the lab has ended", () -> !lab.isAlive());
    assertTrue(
        children.stream().noneMatch(ProcessHandle::isAlive),
        () -> "still running: " + children.stream().filter(ProcessHandle::isAlive).toList());
    assertEquals(143, lab.exitValue(), () -> read("said"));
    try (Stream<Path> left = Files.list(work())) {
      assertEquals(List.of(), left.toList());
    }
  }

  private String read(String name) {
    try {
      return Files.readString(directory.resolve(name));
    } catch (IOException absent) {
      return absent.toString();
    }
  }
}
