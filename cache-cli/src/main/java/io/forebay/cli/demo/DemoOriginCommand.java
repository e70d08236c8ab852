package io.forebay.cli.demo;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.serve.Signals;
import java.io.IOException;
import java.net.BindException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs only the origin of the demo, for an edge that is started separately. */
@Command(
    name = "origin",
    header = "Serve the demo's live channel alone, for an edge of your own.",
    sortOptions = false,
    description = {
      "",
      "Listens on 127.0.0.1 until SIGTERM or Ctrl-C and answers with the demo's playlists and"
          + " segments.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  forebay demo origin --port 9000 &",
      "  forebay serve --origin http://127.0.0.1:9000"
    })
final class DemoOriginCommand implements Callable<Integer> {
  private static final int PORTS = 1 << 16;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "9000",
      description = "Port on 127.0.0.1; 0 for a free one. Default: 9000.")
  private int port;

  DemoOriginCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port >= PORTS) {
      throw new CommandException(ExitCode.USAGE, "--port " + port + " is not between 0 and 65535");
    }
    Output output = common.output();
    Signals signals = Signals.taken();
    try (LadderOrigin origin = new LadderOrigin(new Ladder(), port)) {
      output.line("origin     " + origin.url() + Ladder.masterPath());
      output.json(Map.of("event", "started", "origin", origin.url(), "path", Ladder.masterPath()));
      signals.awaitAny();
    } catch (BindException taken) {
      throw new CommandException(
          ExitCode.NO_RESOURCE, "127.0.0.1:" + port + " is in use: name another --port, or 0");
    }
    return ExitCode.OK;
  }
}
