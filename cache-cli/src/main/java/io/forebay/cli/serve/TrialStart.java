package io.forebay.cli.serve;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.Certificate;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.ScratchDirectory;
import io.forebay.cli.console.VersionInfo;
import io.forebay.server.Server;
import io.forebay.server.StartException;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.StandIns;
import io.forebay.server.tls.ClientTls;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process does before it asks another one to hand over: it checks the configuration and its
 * certificates, and starts and stops a small node of the same configuration on loopback. What is
 * wrong shows while the other process serves, and the classes of a start are loaded and compiled.
 */
final class TrialStart implements StandIns {
  private static final String PREFIX = "forebay-trial-start-";
  private static final long MEMORY_MIB = 32;

  private final ScratchDirectory scratch;
  private final ServerConfig config;
  private @Nullable Certificate made;

  private TrialStart(ScratchDirectory scratch, ServerConfig config) {
    this.scratch = scratch;
    this.config = config;
  }

  /** The configuration, once all of that has gone well. */
  static ServerConfig of(ConfigOptions options, ConfigSource source)
      throws IOException, StartException {
    ServerConfig config = loaded(source.load()).config();
    List<String> tls = ClientTls.check(config, Instant.now()).errors();
    if (!tls.isEmpty()) {
      throw new CommandException(ExitCode.BAD_CONFIGURATION, String.join("\n", tls));
    }
    ScratchDirectory.removeLeftBehind(PREFIX);
    String prefix = PREFIX + ProcessHandle.current().pid() + "-";
    try (ScratchDirectory scratch = ScratchDirectory.make(prefix, MEMORY_MIB)) {
      ConfigOutcome.Loaded trial =
          loaded(
              new ConfigLoader(options.environment())
                  .load(options.file, options.given(), new TrialStart(scratch, config)));
      Server.start(ConfigSource.of(trial), VersionInfo.forebayVersion()).close();
    }
    return config;
  }

  private static ConfigOutcome.Loaded loaded(ConfigOutcome outcome) {
    return switch (outcome) {
      case ConfigOutcome.Refused refused ->
          throw new CommandException(
              ExitCode.BAD_CONFIGURATION,
              String.join("\n", refused.problems().stream().map(ConfigProblem::toString).toList()));
      case ConfigOutcome.Loaded loaded -> loaded;
    };
  }

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
    ListenerConfig own = withCertificate();
    return own == null || own.certificate() == null ? made().chain() : own.certificate();
  }

  @Override
  public Path key() {
    ListenerConfig own = withCertificate();
    return own == null || own.key() == null ? made().key() : own.key();
  }

  private @Nullable ListenerConfig withCertificate() {
    return config.listeners().stream()
        .filter(listener -> listener.certificate() != null && listener.key() != null)
        .findFirst()
        .orElse(null);
  }

  private Certificate made() {
    Certificate certificate = made;
    if (certificate == null) {
      try {
        certificate = Certificate.make(scratch.data());
      } catch (IOException | GeneralSecurityException e) {
        throw new CommandException(
            ExitCode.NO_RESOURCE, "no certificate for the trial start: " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandException(ExitCode.FAILURE, "interrupted");
      }
      made = certificate;
    }
    return certificate;
  }

  /** Nothing is requested, so nothing has to listen there. */
  @Override
  public int port(String origin, int server) {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new CommandException(ExitCode.NO_RESOURCE, "no free port: " + e.getMessage());
    }
  }
}
