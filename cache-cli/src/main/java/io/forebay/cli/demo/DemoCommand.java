package io.forebay.cli.demo;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ScratchDirectory;
import io.forebay.cli.serve.Signals;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Demonstrates a cache on this machine: an origin, an edge, and the traffic between them. */
@Command(
    name = "demo",
    header = "Demonstrate Forebay on this machine: origin, edge, crash, warm restart.",
    sortOptions = false,
    subcommands = DemoOriginCommand.class,
    description = {
      "",
      "Starts an origin with a small video ladder and an edge in front of it, demonstrates miss,"
          + " hit, range, concurrent viewers, purge, kill and warm restart, checks every byte, and"
          + " keeps running.",
      "",
      "With --cluster, starts three members of etcd, five edges in two groups, a shield and an"
          + " origin, demonstrates a purge with its receipt, a kill and a return, and a"
          + " configuration that rolls itself back, with readers on all edges that look for purged"
          + " content. It needs the program etcd.",
      ""
    })
public final class DemoCommand implements Callable<Integer> {
  private static final long MEMORY_MIB = 256;
  private static final long EDGE_CHECK_MILLIS = 500;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--once",
      description = "Exit after the last step: 0 if every step succeeded, else 1.")
  private boolean isOnce;

  @Option(names = "--cluster", description = "Demonstrate a cluster of five edges.")
  private boolean isCluster;

  // Read by the shutdown hook; set once.
  private volatile @Nullable AutoCloseable running;

  public DemoCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Output output = common.output();
    return isCluster ? cluster(output) : edge(output);
  }

  private int cluster(Output output) throws IOException, InterruptedException {
    ScratchDirectory scratch = ScratchDirectory.make("forebay-demo-", ClusterScenario.MEMORY_MIB);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> tidyUp(scratch), "tidy-up"));
    output.line(
        output.strong("Forebay demo")
            + ": five edges and a shield on this machine that share purges");
    try (ClusterScenario scenario = new ClusterScenario(output)) {
      running = scenario;
      boolean isKept = scenario.run(scratch);
      List<Path> logs = scenario.nodes().stream().map(DemoNode::log).toList();
      conclude(output, isKept, scenario.nodes().getFirst().url(), logs);
      if (isOnce) {
        return isKept ? ExitCode.OK : ExitCode.FAILURE;
      }
      Signals signals = Signals.taken();
      URI adminUrl = scenario.nodes().getFirst().adminUrl();
      output.line("");
      output.line("  The edges stay up until Ctrl-C. Try:");
      output.line("    curl -si " + scenario.nodes().getFirst().url() + ArticleOrigin.path(7));
      output.line("    ./forebay purge --admin-url " + adminUrl + " --tag article-7");
      output.line("    ./forebay cluster top --admin-url " + adminUrl);
      while (signals.next(EDGE_CHECK_MILLIS) == null) {
        if (!scenario.areNodesAlive()) {
          throw new CommandException(ExitCode.FAILURE, "an edge stopped unexpectedly");
        }
      }
      return ExitCode.OK;
    }
  }

  /** Says how it went; the logs follow where a step has failed. */
  private static void conclude(Output output, boolean isKept, String url, List<Path> logs)
      throws IOException {
    output.line("");
    output.line(
        isKept
            ? "  " + output.good("Every step succeeded.")
            : "  " + output.bad("Not every step succeeded.") + " The log follows.");
    output.json(Map.of("step", "end", "ok", isKept, "edge", url));
    if (!isKept) {
      for (Path log : logs) {
        Files.readAllLines(log).forEach(output::note);
      }
    }
  }

  private int edge(Output output) throws IOException, InterruptedException {
    ScratchDirectory scratch = ScratchDirectory.make("forebay-demo-", MEMORY_MIB);
    Path data = scratch.data();
    // Also on Ctrl-C: the edge is told to stop, and nothing of the demo stays on the machine.
    Thread tidyUp = new Thread(() -> tidyUp(scratch), "tidy-up");
    Runtime.getRuntime().addShutdownHook(tidyUp);
    int port = ScratchDirectory.freePort();
    int adminPort = ScratchDirectory.freePort();
    URI adminUrl = URI.create("http://127.0.0.1:" + adminPort);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--listen",
                "127.0.0.1:" + port,
                "--admin",
                "127.0.0.1:" + adminPort,
                "--memory",
                MEMORY_MIB + "MiB",
                "--data",
                data.resolve("edge").toString(),
                "--memory-dir",
                scratch.memory().toString(),
                "--access-log",
                "off"));
    output.line(output.strong("Forebay demo") + ": a live channel behind one edge on this machine");
    try (AdminClient client = new AdminClient(adminUrl, null);
        DemoScenario walk =
            new DemoScenario(
                output,
                url ->
                    client
                        .post("/v1/purge", Map.of("urls", List.of(url)))
                        .path("tookMillis")
                        .asDouble(0),
                arguments,
                port,
                data.resolve("edge.log"))) {
      running = walk;
      boolean isKept = walk.walk();
      conclude(output, isKept, walk.edgeUrl(), List.of(data.resolve("edge.log")));
      if (isOnce) {
        return isKept ? ExitCode.OK : ExitCode.FAILURE;
      }
      Signals signals = Signals.taken();
      invite(output, walk, adminUrl);
      // Whatever signal it is, a closed terminal's too, the demo is over.
      while (signals.next(EDGE_CHECK_MILLIS) == null) {
        if (!walk.isEdgeAlive()) {
          throw new CommandException(ExitCode.FAILURE, "the edge stopped unexpectedly");
        }
      }
      return ExitCode.OK;
    }
  }

  private static void invite(Output output, DemoScenario walk, URI adminUrl) {
    output.line("");
    output.line("  The edge stays up at " + output.strong(walk.edgeUrl()) + " until Ctrl-C. Try:");
    output.line("    curl -si " + walk.masterUrl());
    output.line("    ./forebay warm --admin-url " + adminUrl + " " + walk.masterUrl());
    output.line("    ./forebay stats --watch --admin-url " + adminUrl);
    output.line("    ./forebay purge --admin-url " + adminUrl + " --tag news-2160p");
  }

  private void tidyUp(ScratchDirectory scratch) {
    AutoCloseable scenario = running;
    if (scenario != null) {
      try {
        scenario.close();
      } catch (Exception left) {
        System.err.println("forebay: " + left);
      }
    }
    scratch.close();
  }
}
