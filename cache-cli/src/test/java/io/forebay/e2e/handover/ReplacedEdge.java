package io.forebay.e2e.handover;

import io.forebay.cli.console.Output;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** An edge whose process changes. Closing ends the one that serves. */
final class ReplacedEdge implements AutoCloseable {
  private static final Pattern STARTED = Pattern.compile("upgrade: process ([0-9]+) started");

  private final EdgeProcess first;
  private final Path directory;
  private final String origin;
  private ProcessHandle serving;

  ReplacedEdge(EdgeProcess first, Path directory, String origin) {
    this.first = first;
    this.directory = directory;
    this.origin = origin;
    this.serving = handle(first.pid());
  }

  static ProcessHandle handle(long pid) {
    return ProcessHandle.of(pid).orElseThrow(() -> new AssertionError("no process " + pid));
  }

  ProcessHandle serving() {
    return serving;
  }

  void serves(ProcessHandle process) {
    serving = process;
  }

  /** Runs {@code forebay upgrade}. */
  Commands.Finished upgrade() throws Exception {
    return Jar.quick()
        .run("upgrade", "--json", "--origin=" + origin, "--data=" + directory.resolve("data"));
  }

  Commands.Finished tryUpgrade() {
    try {
      return upgrade();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** What all processes have logged. */
  String log() {
    try {
      return first.errText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Upgrades, and returns what it reports. */
  JsonNode upgraded() throws Exception {
    Commands.Finished done = upgrade();
    if (done.exit() != 0) {
      throw new AssertionError(done.exit() + ": " + done.err() + first.errText());
    }
    JsonNode report = Output.mapper().readTree(done.out());
    ProcessHandle before = serving;
    serving = handle(report.path("pid").asLong(0));
    Await.until("the old process has ended", () -> !before.isAlive());
    return report;
  }

  /** The process that the latest upgrade has started; waits for it. */
  ProcessHandle latestStarted(int number) {
    String[] pid = new String[1];
    Await.until(
        "upgrade " + number + " has started a process",
        () -> {
          Matcher matcher = STARTED.matcher(first.errText());
          int seen = 0;
          while (matcher.find()) {
            if (++seen == number) {
              pid[0] = matcher.group(1);
              return true;
            }
          }
          return false;
        });
    return handle(Long.parseLong(pid[0]));
  }

  @Override
  public void close() throws Exception {
    ProcessHandle last = serving;
    if (last.isAlive() && last.pid() != first.pid()) {
      boolean ignored = last.destroy();
      Await.until("the last process has ended", () -> !last.isAlive());
    }
    first.close();
  }
}
