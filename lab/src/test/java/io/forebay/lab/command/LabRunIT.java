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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /**
   * Over TLS on an address that is not loopback's first, by an ssh that runs all here: the client
   * needs the authority's certificate, which no other host has as a file.
   */
  @Test
  void clientsOnOtherHostsReachTheServerByItsAddress() throws Exception {
    Path programs = Files.createDirectories(directory.resolve("bin"));
    Path ssh =
        Files.writeString(
            programs.resolve("ssh"),
            "#!/bin/sh\necho \"$4\" >> '"
                + directory.resolve("logins")
                + "'\nshift 4\nexec sh -c \"$*\"\n");
    Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwx------"));
    Path hosts =
        Files.writeString(
            directory.resolve("hosts.yaml"),
            """
            sut: {address: 127.0.0.2}
            clients:
              - {ssh: load@one, java: %1$s/bin/java, directory: %2$s/one}
              - {ssh: load@two, java: %1$s/bin/java, directory: %2$s/two}
            """
                .formatted(System.getProperty("java.home"), directory));
    Path scenario =
        Files.writeString(
            directory.resolve("tls.yaml"),
            SCENARIO
                .replace("name: small", "name: tls\ntls: true")
                .replace("rate: 50}", "rate: 50, verify: true}"));
    Path out = directory.resolve("out");
    List<String> command =
        new ArrayList<>(List.of("env", "PATH=" + programs + ":" + System.getenv("PATH")));
    command.addAll(
        lab(
            "run",
            scenario.toString(),
            "--hosts",
            hosts.toString(),
            "--profile",
            "smoke",
            "--out",
            out.toString(),
            "--work",
            work().toString()));

    Commands.Finished ended = Commands.run(LIMIT, command);

    assertTrue(ended.exit() == 0 || ended.exit() == LabExit.NO_FIGURE, ended.toString());
    RunResult run = ResultFiles.read(out).getFirst();
    for (StepResult step : run.steps()) {
      assertEquals(Map.of(), step.load().errors(), step.toString());
      assertTrue(step.load().requests() > 0, step.toString());
      assertEquals(4, step.load().connections(), step.toString());
    }
    assertEquals(
        Set.of("load@one", "load@two"),
        Set.copyOf(Files.readAllLines(directory.resolve("logins"))));
    assertTrue(Files.size(directory.resolve("two/forebay-lab.jar")) > 0);
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void aStopByASignalLeavesNoProcessAndNoFile(String signal, int exit) throws Exception {
    Process lab = startLongRun();
    List<ProcessHandle> children;
    try {
      children = childrenUnderLoad(lab);
      Commands.run(LIMIT, List.of("kill", "-" + signal, Long.toString(lab.pid())));
      Await.until("the lab has ended", () -> !lab.isAlive());
    } finally {
      lab.destroy();
    }

    assertTrue(
        children.stream().noneMatch(ProcessHandle::isAlive),
        () -> "still running: " + children.stream().filter(ProcessHandle::isAlive).toList());
    assertEquals(exit, lab.exitValue(), () -> read("said"));
    try (Stream<Path> left = Files.list(work())) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aLabThatIsKilledLeavesNoProcessAndNothingInMemory() throws Exception {
    Process lab = startLongRun();
    List<ProcessHandle> children;
    Path memory;
    try {
      children = childrenUnderLoad(lab);
      memory = memoryDirectory();
      assertTrue(Files.isDirectory(memory), memory::toString);
    } finally {
      lab.destroyForcibly();
    }

    Await.until(
        "nothing is left",
        () -> children.stream().noneMatch(ProcessHandle::isAlive) && !Files.exists(memory));
  }

  private Process startLongRun() throws Exception {
    // Tests that run in the background inherit that ^C is ignored.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(
        lab(
            "run",
            scenario().toString(),
            "--repetitions",
            "100",
            "--out",
            directory.resolve("out").toString(),
            "--work",
            work().toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("said").toFile())
        .start();
  }

  private static List<ProcessHandle> childrenUnderLoad(Process lab) {
    Await.until(
        "origin, edge with its shell, and client run", () -> lab.descendants().count() >= 4);
    return lab.descendants().toList();
  }

  /** Of the edge, as its configuration has it. */
  private Path memoryDirectory() throws Exception {
    try (Stream<Path> files = Files.walk(work())) {
      Path file = files.filter(one -> one.endsWith("forebay.yaml")).findFirst().orElseThrow();
      Matcher memory =
          Pattern.compile("memory-directory: \"(.+)\"").matcher(Files.readString(file));
      assertTrue(memory.find(), file::toString);
      return Path.of(memory.group(1));
    }
  }

  /** One way 20 ms, and every response takes both. */
  @Test
  void packetsBetweenClientsAndServerAreDelayedWhereTheKernelCan() throws Exception {
    Path out = directory.resolve("out");
    Path file =
        Files.writeString(
            directory.resolve("far.yaml"),
            """
            name: far
            title: Packets that are late
            server: {memory: 128MiB, loops: 1}
            objects: [{name: page, size: 10KB, count: 5}]
            network: {delay: 20ms}
            load: {client: own, connections: 1}
            time: {warm-up: 1s, measured: 1s}
            steps: [{name: hits}]
            """);

    Commands.run(
        LIMIT, lab("run", file.toString(), "--out", out.toString(), "--work", work().toString()));

    RunResult run = ResultFiles.read(out).getFirst();
    double median = run.steps().getFirst().load().firstByte().p50();
    if ("netem".equals(run.facts().get("packetDelay"))) {
      assertTrue(median >= 40, () -> "first byte after ms: " + median);
    } else {
      System.out.println("no netem here: " + run.facts().get("packetDelay"));
      assertTrue(median > 0, () -> "first byte after ms: " + median);
    }
  }

  @Test
  void stepsBesideABusyProgramAreVoid() throws Exception {
    Path out = directory.resolve("out");
    List<Process> spinners = new ArrayList<>();
    try {
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
        spinners.add(
            new ProcessBuilder("timeout", "120", "sh", "-c", "while :; do :; done").start());
      }
      Commands.Finished ended =
          Commands.run(
              LIMIT,
              lab(
                  "run",
                  scenario().toString(),
                  "--out",
                  out.toString(),
                  "--work",
                  work().toString()));

      assertEquals(LabExit.NO_FIGURE, ended.exit(), ended.toString());
    } finally {
      for (Process spinner : spinners) {
        spinner.descendants().forEach(ProcessHandle::destroyForcibly);
        spinner.destroyForcibly();
      }
    }
    for (StepResult step : ResultFiles.read(out).getFirst().steps()) {
      assertTrue(
          step.voids().stream().anyMatch(reason -> reason.startsWith("other programs used ")),
          step.voids()::toString);
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
