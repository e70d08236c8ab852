package io.forebay.cli.expect;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.Certificate;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ScratchDirectory;
import io.forebay.server.Server;
import io.forebay.server.StartException;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.StandIns;
import io.forebay.server.node.NodeStatus.Listening;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A node with the configuration that is tested, on loopback, in a directory that closing deletes.
 */
final class RehearsedNode implements StandIns, AutoCloseable {
  private static final String PREFIX = "forebay-config-test-" + ProcessHandle.current().pid() + "-";
  private static final long MEMORY_MIB = 32;
  private static final long LIMIT_NANOS = 20_000_000_000L;
  private static final long PAUSE_NANOS = 500_000;

  private final ScratchDirectory scratch;
  private final ScriptedOrigins origins;
  private final Thread tidyUp = new Thread(this::release, "tidy-up");
  private @Nullable Certificate certificate;
  private @Nullable Server server;
  private @Nullable AdminClient admin;
  private long logOffset;
  private boolean isReleased;

  /** A response, and what the access log says of it. */
  record Observed(ScriptClient.Reply reply, JsonNode log) {}

  /** The request cannot be sent as the script has it. */
  static final class UnsendableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnsendableException(String message) {
      super(message);
    }
  }

  private RehearsedNode(ScratchDirectory scratch, ScriptedOrigins origins) {
    this.scratch = scratch;
    this.origins = origins;
  }

  /**
   * Starts a node.
   *
   * @param settings keys of the configuration with other values
   * @throws RefusedException where it cannot start with this configuration
   */
  static RehearsedNode start(
      Path config,
      Map<String, String> settings,
      ConfigEnvironment environment,
      String version,
      ScriptedOrigins origins,
      LongSupplier clockMillis)
      throws IOException, RefusedException {
    RehearsedNode node = new RehearsedNode(ScratchDirectory.make(PREFIX, MEMORY_MIB), origins);
    boolean isStarted = false;
    Runtime.getRuntime().addShutdownHook(node.tidyUp);
    try {
      ConfigOutcome outcome = new ConfigLoader(environment).load(config, settings, node);
      if (outcome instanceof ConfigOutcome.Refused refused) {
        throw new RefusedException(ExitCode.BAD_CONFIGURATION, refused.problems());
      }
      Server server = Server.rehearse(ConfigSource.of(outcome), version, clockMillis);
      node.server = server;
      node.admin = new AdminClient(URI.create(server.adminUrl()), null);
      isStarted = true;
      return node;
    } catch (StartException e) {
      throw RefusedException.of(e.exitCode(), config.toString(), e.lines());
    } finally {
      if (!isStarted) {
        node.close();
      }
    }
  }

  // What stands in.

  @Override
  public Path data() {
    return scratch.data();
  }

  @Override
  public Path memory() {
    return scratch.memory();
  }

  @Override
  public Path accessLog() {
    return scratch.data().resolve("access.json");
  }

  @Override
  public Path certificate() {
    return certificates().chain();
  }

  @Override
  public Path key() {
    return certificates().key();
  }

  private Certificate certificates() {
    Certificate made = certificate;
    if (made == null) {
      try {
        made = Certificate.make(scratch.data());
      } catch (IOException | GeneralSecurityException e) {
        throw new IllegalStateException("no certificate for the TLS listeners", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
      certificate = made;
    }
    return made;
  }

  @Override
  public int port(String origin, int number) {
    return origins.open(origin, number);
  }

  // What a script does.

  /** Sends a request, and waits until it is logged and nothing is fetched any more. */
  Observed send(Step.Request request) throws IOException, UnsendableException {
    Server running = running();
    Listening entrance = entrance(request);
    boolean isProxied =
        running.config().listeners().stream()
            .anyMatch(
                listener -> listener.name().equals(entrance.name()) && listener.proxyProtocol());
    if (!isProxied && request.isClientGiven()) {
      throw new UnsendableException(
          "listener "
              + entrance.name()
              + " redirects to https and takes no client address: remove client");
    }
    boolean isTls = entrance.scheme().equals("https");
    ScriptClient.Reply reply =
        ScriptClient.send(
            request, entrance.port(), isTls ? certificates().context() : null, isProxied);
    JsonNode log = logged();
    awaitIdle();
    return new Observed(reply, log);
  }

  private Listening entrance(Step.Request request) throws UnsendableException {
    List<Listening> all = running().listening();
    String name = request.listener();
    String scheme = request.url().scheme();
    for (Listening one : all) {
      if (one.scheme().equals(scheme) && (name == null || one.name().equals(name))) {
        return one;
      }
    }
    throw new UnsendableException(
        (name == null ? "no listener" : "no listener named " + name)
            + " speaks "
            + scheme
            + "; there are: "
            + String.join(
                ", ", all.stream().map(one -> one.name() + " (" + one.scheme() + ")").toList()));
  }

  void purge(Step.Purge purge) {
    AdminClient client = admin;
    if (client == null) {
      throw new IllegalStateException("not running");
    }
    JsonNode ignored = client.post("/v1/purge", purge.order());
    awaitIdle();
  }

  /**
   * The next line of a client's request in the access log: it comes when the response has ended.
   */
  private JsonNode logged() throws IOException {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (System.nanoTime() < deadline) {
      if (Files.exists(accessLog()) && Files.size(accessLog()) > logOffset) {
        try (RandomAccessFile file = new RandomAccessFile(accessLog().toFile(), "r")) {
          file.seek(logOffset);
          byte[] rest = new byte[(int) Math.min(1 << 20, file.length() - logOffset)];
          file.readFully(rest);
          int end = 0;
          while (end < rest.length && rest[end] != '\n') {
            end++;
          }
          if (end < rest.length) {
            logOffset += end + 1;
            JsonNode line =
                Output.mapper().readTree(new String(rest, 0, end, StandardCharsets.UTF_8));
            if (line.path("esi").asString("").equals("fragment")) {
              // A request of the node itself, for a page that is assembled.
              continue;
            }
            return line;
          }
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    throw new IOException("the node did not log the request");
  }

  /** So that a step begins when nothing of the one before is under way. */
  private void awaitIdle() {
    BooleanSupplier isIdle = running()::isIdle;
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (!isIdle.getAsBoolean() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private Server running() {
    Server running = server;
    if (running == null) {
      throw new IllegalStateException("not running");
    }
    return running;
  }

  @Override
  public void close() {
    try {
      boolean ignored = Runtime.getRuntime().removeShutdownHook(tidyUp);
    } catch (IllegalStateException ending) {
      // The hook runs.
    }
    release();
  }

  private synchronized void release() {
    if (isReleased) {
      return;
    }
    isReleased = true;
    AdminClient client = admin;
    if (client != null) {
      client.close();
    }
    Server running = server;
    if (running != null) {
      running.close();
    }
    scratch.close();
  }
}
