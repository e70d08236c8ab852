package io.forebay.cli.serve;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.VersionInfo;
import io.forebay.cli.serve.Signals.Asked;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.systemd.ServiceManager;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a node until it is stopped; the calling thread handles signals. */
@Command(
    name = "serve",
    header = "Run an edge.",
    sortOptions = false,
    description = {
      "",
      "Options take precedence over the environment (FOREBAY_...), the environment over the file,"
          + " the file over the defaults; 'forebay config dump' shows the result.",
      ""
    },
    footer = {
      "",
      "Signals: TERM and INT finish requests in progress and exit 0, a second one exits",
      "at once, or first ends timeouts.lame-duck; HUP reloads the configuration; USR1",
      "reopens the access log.",
      "",
      "Example:",
      "  forebay serve --origin http://127.0.0.1:9000 --listen :8080 --memory 4GiB"
    })
public final class ServeCommand implements Callable<Integer> {
  /** After the requests: files are closed, which takes the disks some time. */
  private static final Duration CLOSING = Duration.ofSeconds(60);

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final ConfigOptions config = new ConfigOptions();

  @Option(
      names = "--take-over",
      description =
          "Take sockets and store over from the process that serves from the same data directory,"
              + " which then ends; an ordinary start where there is none.")
  private boolean isTakeOver;

  public ServeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Output output = common.output();
    if (ModuleLayer.boot().findModule("jdk.compiler").isEmpty()) {
      throw new CommandException(
          ExitCode.NO_RESOURCE,
          "this Java has no module jdk.compiler, which the index requires: use a full JDK 25");
    }
    try (ServiceManager manager = ServiceManager.ofThisProcess();
        Edge edge = Edge.start(config, isTakeOver)) {
      // Not before it runs: until then Ctrl-C is to end the process as it ends any other.
      Signals signals = Signals.taken(() -> !edge.lameDuck().isZero());
      edge.listenForSuccessors(signals::handOver);
      output.line(output.strong("forebay " + VersionInfo.forebayVersion()));
      edge.banner().forEach(output::line);
      output.json(
          Map.of(
              "event",
              "started",
              "version",
              VersionInfo.forebayVersion(),
              "pid",
              ProcessHandle.current().pid(),
              "listening",
              edge.listening(),
              "admin",
              edge.admin()));
      manager.ready(edge.status(), edge.loops());
      for (Asked asked = signals.next(); asked != Asked.STOP; asked = signals.next()) {
        if (asked != Asked.HAND_OVER) {
          obey(asked, edge, manager, output);
        } else if (edge.handOver(manager)) {
          output.json(Map.of("event", "handed-over"));
          return ExitCode.OK;
        }
      }
      manager.stopping(edge.lameDuck().plus(edge.drainTime()).plus(CLOSING));
      lameDuck(signals, edge, manager, output);
      signals.draining();
      output.note(
          "forebay: stopping; requests in progress are finished, another signal aborts them");
      edge.drain();
      output.json(Map.of("event", "stopped"));
      return ExitCode.OK;
    }
  }

  /** Whatever is asked, except to stop. */
  private static void obey(Asked asked, Edge edge, ServiceManager manager, Output output) {
    switch (asked) {
      case RELOAD -> reload(edge, manager, output);
      case REOPEN_LOG -> edge.reopenLog();
      case HAND_OVER -> edge.refuseHandOver();
      case STOP -> throw new IllegalArgumentException("the caller stops");
    }
  }

  private static void reload(Edge edge, ServiceManager manager, Output output) {
    manager.reloading();
    Reload reload = edge.reload();
    manager.reloaded(
        reload.errors().isEmpty()
            ? edge.status()
            : "reload refused, nothing changed: " + reload.errors().getFirst());
    report(output, reload);
  }

  /** Returns after the time of the lame duck, or at a second signal to stop. */
  private static void lameDuck(Signals signals, Edge edge, ServiceManager manager, Output output)
      throws InterruptedException {
    Duration time = edge.lameDuck();
    if (time.isZero()) {
      return;
    }
    edge.beginLameDuck();
    output.note(
        "forebay: not ready, but accepting for "
            + time.toMillis()
            + " ms before the stop; a second signal begins the stop at once");
    long deadline = System.nanoTime() + time.toNanos();
    Asked asked = signals.next(time.toMillis());
    while (asked != null && asked != Asked.STOP) {
      obey(asked, edge, manager, output);
      asked = signals.next(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }
  }

  private static void report(Output output, Reload reload) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("event", "reload");
    event.put("id", reload.id());
    event.put("changed", reload.changed());
    event.put("needsRestart", reload.needsRestart());
    event.put("errors", reload.errors());
    output.json(event);
    if (!reload.errors().isEmpty()) {
      reload
          .errors()
          .forEach(error -> output.note("forebay: reload refused, nothing changed: " + error));
      return;
    }
    output.note(
        "forebay: reload "
            + reload.id()
            + " in force"
            + listed("; changed ", reload.changed())
            + listed("; needs a restart ", reload.needsRestart()));
  }

  private static String listed(String label, List<String> keys) {
    return keys.isEmpty() ? "" : label + String.join(", ", keys);
  }
}
