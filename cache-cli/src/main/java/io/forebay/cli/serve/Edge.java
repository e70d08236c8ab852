package io.forebay.cli.serve;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.VersionInfo;
import io.forebay.server.Server;
import io.forebay.server.StartException;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.handover.HandoverException;
import io.forebay.server.handover.HandoverListener;
import io.forebay.server.handover.Inheritance;
import io.forebay.server.handover.Predecessor;
import io.forebay.server.handover.Released;
import io.forebay.server.handover.SocketActivation;
import io.forebay.server.handover.Successor;
import io.forebay.server.listen.InheritedSockets;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeStatus.Listening;
import io.forebay.server.systemd.ServiceManager;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The node that serve runs. A hand-over that fails half-way replaces it by another one with the
 * same sockets. Used by the serving thread alone.
 */
final class Edge implements AutoCloseable {

  /** What a new connection may wait for its first request once nothing is accepted any more. */
  private static final Duration FIRST_REQUEST = Duration.ofMillis(200);

  /** How long responses in progress may keep new clients waiting in a hand-over. */
  private static final Duration LAST_RESPONSES = Duration.ofSeconds(2);

  /** Beside the time that connections have to end: for a store to be closed. */
  private static final Duration RELEASE = Duration.ofMinutes(10);

  private final ConfigSource source;
  private final Queue<Predecessor> askedToTakeOver = new ConcurrentLinkedQueue<>();
  private Server server;
  private @Nullable HandoverListener successors;

  private Edge(ConfigSource source, Server server) {
    this.source = source;
    this.server = server;
  }

  /** Starts a node; what keeps it from starting comes as lines and the exit code that fits. */
  static Edge start(ConfigOptions options, boolean isTakeOver) throws InterruptedException {
    ConfigLoader loader = new ConfigLoader(options.environment());
    ConfigSource source = ConfigSource.of(loader, options.file, options.given());
    try {
      Inheritance given = Inheritance.ofSockets(SocketActivation.sockets(System.getenv()));
      Edge edge = isTakeOver ? takeOver(options, source, given) : null;
      if (edge == null) {
        edge = new Edge(source, Server.start(source, VersionInfo.forebayVersion(), given));
      }
      return edge;
    } catch (StartException e) {
      throw new CommandException(e.exitCode(), String.join("\n", e.lines()));
    } catch (HandoverException e) {
      throw new CommandException(
          ExitCode.FAILURE, "the running process does not hand over: " + e.getMessage());
    } catch (IOException e) {
      throw new CommandException(ExitCode.NO_RESOURCE, String.valueOf(e.getMessage()));
    }
  }

  /** Null where there is no process to take over from. */
  private static @Nullable Edge takeOver(
      ConfigOptions options, ConfigSource source, Inheritance given)
      throws IOException, InterruptedException, StartException {
    // Whatever is wrong shows before the running process is asked for anything.
    ServerConfig config = TrialStart.of(options, source);
    try (Successor successor =
        Successor.connect(config.store().data(), VersionInfo.forebayVersion())) {
      if (successor == null) {
        return null;
      }
      new InheritedSockets(given.sockets()).close();
      successor.begin(config.timeouts().drain().plus(RELEASE));
      Edge edge =
          new Edge(
              source, Server.start(source, VersionInfo.forebayVersion(), successor.inheritance()));
      successor.serving();
      return edge;
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

  // --- hand-over --------------------------------------------------------------------------------

  /**
   * Lets other processes ask to take over.
   *
   * @param onAsked called by another thread when one has; the serving thread then calls {@link
   *     #handOver}
   */
  void listenForSuccessors(Runnable onAsked) {
    if (server.canBeReplaced()) {
      successors =
          HandoverListener.open(
              server.config().store().data(),
              VersionInfo.forebayVersion(),
              asked -> {
                askedToTakeOver.add(asked);
                onAsked.run();
              });
    }
  }

  /** Hands over to the process that has asked; true where that one serves now. */
  boolean handOver(ServiceManager manager) {
    Predecessor asked = askedToTakeOver.remove();
    manager.handingOver();
    try {
      boolean isReplaced = asked.handOver(new Node(manager));
      if (!isReplaced) {
        manager.ready(status(), loops());
      }
      return isReplaced;
    } catch (StartException e) {
      throw new CommandException(e.exitCode(), String.join("\n", e.lines()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILURE, "interrupted while handing over");
    } catch (Exception e) {
      throw new CommandException(ExitCode.FAILURE, "the hand-over failed: " + e);
    }
  }

  /** The node is stopping. */
  void refuseHandOver() {
    askedToTakeOver.remove().refuse("the node is stopping");
  }

  private final class Node implements Predecessor.Node {
    private final ServiceManager manager;

    Node(ServiceManager manager) {
      this.manager = manager;
    }

    @Override
    public Inheritance inheritance() {
      return server.inheritance();
    }

    @Override
    public Released release() throws InterruptedException {
      return server.release(server.config().timeouts().drain(), FIRST_REQUEST, LAST_RESPONSES);
    }

    @Override
    public void replaced(int pid) {
      manager.replaced(pid);
    }

    @Override
    public void takeBack(Inheritance left) throws StartException {
      server = Server.start(source, VersionInfo.forebayVersion(), left);
    }
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
    stopListening();
    server.drain(drainTime());
  }

  private void stopListening() {
    HandoverListener listening = successors;
    successors = null;
    if (listening != null) {
      listening.close();
    }
  }

  @Override
  public void close() {
    stopListening();
    server.close();
  }
}
