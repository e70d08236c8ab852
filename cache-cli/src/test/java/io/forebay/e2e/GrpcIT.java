package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A client and a server of grpcio, with an edge of examples/grpc.yaml between them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class GrpcIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private static final List<String> CASES =
      List.of(
          "both_streams_at_once",
          "client_cancels",
          "client_stream",
          "deadline_passes",
          "deadline_reaches_the_server",
          "empty_and_large_messages",
          "failure_within_a_stream",
          "many_calls_at_a_time",
          "ping_pong",
          "server_stream",
          "trailers_only",
          "unary",
          "unknown_method");

  @TempDir static Path directory;

  private int port;
  private int tlsPort;
  private String python;
  private Path script;
  private Path authority;
  private Process server;

  @BeforeAll
  void start() throws Exception {
    port = Ports.free();
    tlsPort = Ports.free();
    python = Tools.requireGrpc().toString();
    script = Tools.resource("/grpc_peer.py", directory.resolve("grpc_peer.py"));
    Certificates certificates = Certificates.in(directory);
    certificates.issue("chain", builder -> builder.ecp256().subject("CN=127.0.0.1"), "127.0.0.1");
    authority = certificates.authorityPem();
    Path out = directory.resolve("server.out");
    server =
        new ProcessBuilder(
                python,
                script.toString(),
                "serve",
                Integer.toString(port),
                Integer.toString(tlsPort),
                directory.resolve("chain.pem").toString(),
                directory.resolve("chain.key").toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    Await.until(
        "the server listens",
        () -> {
          if (!server.isAlive()) {
            Assertions.fail("the server ended: " + Files.readString(out));
          }
          return Ports.isListening(port) && Ports.isListening(tlsPort);
        });
  }

  @AfterAll
  void stop() throws Exception {
    if (server != null) {
      server.destroyForcibly();
      Assertions.assertTrue(server.waitFor(10, TimeUnit.SECONDS), "the server did not end");
    }
  }

  /** The example with other addresses and files. */
  private EdgeProcess edge(String name, String origin, int listen, int listenTls) throws Exception {
    String example = Files.readString(Path.of("..", "examples", "grpc.yaml"));
    return EdgeProcess.in(directory.resolve(name))
        .config(
            example
                .replace("\":8080\"", "\"127.0.0.1:" + listen + "\"")
                .replace("\":8443\"", "\"127.0.0.1:" + listenTls + "\"")
                .replace("/etc/forebay/fullchain.pem", directory.resolve("chain.pem").toString())
                .replace("/etc/forebay/key.pem", directory.resolve("chain.key").toString())
                .replace("url: http://10.0.0.5:50051", origin))
        .listeningByFile()
        .threads(2)
        .start();
  }

  private void call(String... arguments) throws Exception {
    String[] command = new String[3 + arguments.length];
    command[0] = python;
    command[1] = script.toString();
    command[2] = "call";
    System.arraycopy(arguments, 0, command, 3, arguments.length);
    assertEquals(CASES, Commands.run(LIMIT, List.of(command)).orFail().out().lines().toList());
  }

  @Test
  void everyKindOfCallPassesInClearText() throws Exception {
    int listen = Ports.free();
    try (EdgeProcess edge = edge("plain", "url: http://127.0.0.1:" + port, listen, Ports.free())) {
      call("127.0.0.1:" + listen);
      Assertions.assertTrue(edge.isAlive());
    }
  }

  @Test
  void everyKindOfCallPassesOverTls() throws Exception {
    int listenTls = Ports.free();
    try (EdgeProcess edge =
        edge(
            "tls",
            "url: https://127.0.0.1:" + tlsPort + "\n    trust: " + authority,
            Ports.free(),
            listenTls)) {
      call("127.0.0.1:" + listenTls, authority.toString());
      Assertions.assertTrue(edge.isAlive());
    }
  }
}
