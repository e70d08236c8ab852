package io.forebay.cli.serve;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.VersionInfo;
import io.forebay.server.Server;
import io.forebay.server.StartException;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeStatus.Listening;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/** The node that serve runs. */
final class Edge implements AutoCloseable {

  private final Server server;

  private Edge(Server server) {
    this.server = server;
  }

  /** Starts a node; what keeps it from starting comes as lines and the exit code that fits. */
  static Edge start(ConfigOptions options) {
    ConfigLoader loader = new ConfigLoader(options.environment());
    try {
      return new Edge(
          Server.start(
              ConfigSource.of(loader, options.file, options.given()),
              VersionInfo.forebayVersion()));
    } catch (StartException e) {
      throw new CommandException(e.exitCode(), String.join("\n", e.lines()));
    }
  }

  List<String> banner() {
    return server.banner();
  }

  List<Listening> listening() {
    return server.listening();
  }

  String admin() {
    return server.adminUrl();
  }

  /** One line on what it does. */
  String status() {
    return "serving on "
        + listening().stream()
            .map(own ->
                own.port() == 0 ? own.host() : own.scheme() + " " + own.host() + ":" + own.port())
            .collect(Collectors.joining(", "));
  }

  List<? extends Executor> loops() {
    return server.executors();
  }

  Reload reload() {
    return server.reload();
  }

  void reopenLog() {
    server.reopenLog();
  }

  /** How long the node goes on accepting after it was told to stop. */
  Duration lameDuck() {
    return server.config().timeouts().lameDuck();
  }

  /** How long requests in progress may go on. */
  Duration drainTime() {
    return server.config().timeouts().drain();
  }

  void beginLameDuck() {
    server.beginLameDuck();
  }

  void drain() {
    server.drain(drainTime());
  }

  @Override
  public void close() {
    server.close();
  }
}
