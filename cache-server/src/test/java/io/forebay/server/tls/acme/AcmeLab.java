package io.forebay.server.tls.acme;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpServer;
import io.forebay.server.config.AcmeConfig;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.ClientTls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A manager by a clock that the test moves, with a listener that answers http-01. */
final class AcmeLab implements AutoCloseable {
  final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  final List<String> log = new CopyOnWriteArrayList<>();
  private final Path data;
  private final Path file;
  private final ChallengeTokens tokens = new ChallengeTokens();
  private final HttpServer listener;
  private @Nullable ClientTls tls;
  private @Nullable CertificateManager manager;

  AcmeLab(Path directory) throws Exception {
    data = directory.resolve("data");
    file = directory.resolve("forebay.yaml");
    listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    listener.createContext(
        "/",
        exchange -> {
          String answer = tokens.answer("http", exchange.getRequestURI().getPath());
          byte[] body = (answer == null ? "no" : answer).getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    listener.start();
  }

  int httpPort() {
    return listener.getAddress().getPort();
  }

  /** The tokens that validations are expected to ask for. */
  Set<String> tokens() {
    return tokens.own().keySet();
  }

  Path files() throws Exception {
    try (var folders = Files.list(data.resolve("acme"))) {
      return folders.findFirst().orElseThrow();
    }
  }

  /** Starts a manager, as a start of the node does. */
  void start(String acme) throws Exception {
    AcmeConfig config = config(acme);
    ClientTls opened = ClientTls.open(loaded(), clock::get);
    tls = opened;
    CertificateManager begun =
        new CertificateManager(
            data, opened, tokens, clock::get, new SecureRandom(), Duration.ofSeconds(3), log::add);
    begun.begin(config);
    manager = begun;
  }

  AcmeConfig config(String acme) throws Exception {
    Files.writeString(
        file,
        "origins: {main: {url: \"http://127.0.0.1:1\"}}\ntls:\n  listen: 127.0.0.1:0\n  acme: {"
            + "agree-to-terms: true, "
            + (acme.contains("challenges") ? "" : "challenges: http-01, ")
            + acme
            + "}\n");
    return loaded().tls().acme();
  }

  private ServerConfig loaded() {
    return switch (new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of())) {
      case ConfigOutcome.Loaded loaded -> loaded.config();
      case ConfigOutcome.Refused refused -> throw new AssertionError(refused.problems());
    };
  }

  CertificateManager manager() {
    return requireNonNull(manager);
  }

  /** One step at the time of the clock. */
  long step() {
    return manager().step(clock.get());
  }

  /** The process ends where it is. */
  void stop() {
    if (manager != null) {
      manager.close();
    }
    if (tls != null) {
      tls.close();
    }
  }

  List<String> served() {
    return requireNonNull(tls).statuses().stream()
        .flatMap(status -> status.hosts().stream())
        .sorted()
        .toList();
  }

  @Override
  public void close() {
    stop();
    listener.stop(0);
  }
}
