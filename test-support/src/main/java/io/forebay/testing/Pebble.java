package io.forebay.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The ACME server Pebble on loopback, with its DNS server that knows every name as 127.0.0.1; both
 * are built by {@code .ci/run}. It rejects nonces at random, as the environment variable of the
 * name says.
 */
public final class Pebble implements AutoCloseable {
  /** A test runs in its module's folder. */
  private static final Path TOOLS = Path.of("..", ".tools");

  private static final Path PROGRAM = TOOLS.resolve("pebble");
  private static final Path DNS_PROGRAM = TOOLS.resolve("pebble-challtestsrv");

  private final Path home;
  private final Certificates own;
  private final List<Process> processes = new ArrayList<>();
  private final int port;
  private final int managementPort;
  private final int dnsPort;
  private final List<String> command = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final HttpClient http;

  private Pebble(Path home) throws Exception {
    this.home = Files.createDirectories(home);
    this.own = Certificates.in(home);
    own.issue("pebble", builder -> builder.ecp256().subject("CN=pebble"), "127.0.0.1");
    this.http = HttpClient.newBuilder().sslContext(own.clientContext()).build();
    this.port = Ports.free();
    this.managementPort = Ports.free();
    this.dnsPort = Ports.free();
  }

  public static boolean isInstalled() {
    return Files.isExecutable(PROGRAM) && Files.isExecutable(DNS_PROGRAM);
  }

  /**
   * Starts one.
   *
   * @param home for its files and its output
   * @param httpPort where names are validated by http-01
   * @param tlsPort where names are validated by tls-alpn-01
   * @param noncePercent share of requests that are refused for their nonce
   * @param more further fields of its configuration, each with a comma before it
   */
  public static Pebble start(Path home, int httpPort, int tlsPort, int noncePercent, String more)
      throws Exception {
    Pebble pebble = new Pebble(home);
    try {
      pebble.startDns();
      pebble.startServer(httpPort, tlsPort, noncePercent, more);
      return pebble;
    } catch (Exception | Error e) {
      pebble.close();
      throw e;
    }
  }

  private void startDns() throws IOException {
    run(
        "dns.log",
        Map.of(),
        DNS_PROGRAM.toAbsolutePath().toString(),
        "-dnsserver",
        "127.0.0.1:" + dnsPort,
        "-management",
        "127.0.0.1:" + Ports.free(),
        "-defaultIPv6",
        "",
        "-http01",
        "",
        "-https01",
        "",
        "-tlsalpn01",
        "",
        "-doh",
        "");
    awaitPort(dnsPort, "dns.log");
  }

  private void startServer(int httpPort, int tlsPort, int noncePercent, String more)
      throws IOException {
    Path config = home.resolve("pebble.json");
    Files.writeString(
        config,
        """
        {"pebble": {
          "listenAddress": "127.0.0.1:%d",
          "managementListenAddress": "127.0.0.1:%d",
          "certificate": "%s",
          "privateKey": "%s",
          "httpPort": %d,
          "tlsPort": %d,
          "ocspResponderURL": ""
          %s
        }}
        """
            .formatted(
                port,
                managementPort,
                own.pem("pebble"),
                own.key("pebble"),
                httpPort,
                tlsPort,
                more));
    environment.put("PEBBLE_WFE_NONCEREJECT", String.valueOf(noncePercent));
    environment.put("PEBBLE_VA_NOSLEEP", "1");
    environment.put("PEBBLE_AUTHZREUSE", "0");
    command.addAll(
        List.of(
            PROGRAM.toAbsolutePath().toString(),
            "-config",
            config.toString(),
            "-dnsserver",
            "127.0.0.1:" + dnsPort));
    resume();
  }

  /** Ends the server; its DNS server goes on. What it knew of accounts and orders is lost. */
  public void suspend() {
    end(processes.removeLast());
  }

  /** Starts it again on its ports. */
  public void resume() throws IOException {
    run("pebble.log", environment, command.toArray(new String[0]));
    awaitPort(port, "pebble.log");
    awaitPort(managementPort, "pebble.log");
  }

  private void run(String log, Map<String, String> variables, String... program)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program);
    builder.environment().putAll(variables);
    processes.add(
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve(log).toFile()))
            .start());
  }

  private void awaitPort(int awaited, String log) {
    Process process = processes.getLast();
    Await.until(
        "a server listens, see " + log,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError("it ended: " + Files.readString(home.resolve(log)));
          }
          try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), awaited), 1000);
            return true;
          } catch (IOException e) {
            return false;
          }
        });
  }

  /** URL of the directory. */
  public String directory() {
    return "https://127.0.0.1:" + port + "/dir";
  }

  /** The root that its own TLS certificate leads to. */
  public Path tlsRoot() {
    return own.authorityPem();
  }

  /** The root of the certificates that it issues, in PEM. */
  public String root() throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + managementPort + "/roots/0"))
                .build(),
            BodyHandlers.ofString())
        .body();
  }

  /** How many orders have been made, by its log. */
  public long orders() throws IOException {
    return lines("Added order ");
  }

  /** How many certificates have been issued, by its log. */
  public long issued() throws IOException {
    return lines("Issued certificate serial ");
  }

  private long lines(String text) throws IOException {
    try (var lines = Files.lines(home.resolve("pebble.log"))) {
      return lines.filter(line -> line.contains(text)).count();
    }
  }

  /** What it has said. */
  public String log() throws IOException {
    return Files.readString(home.resolve("pebble.log"));
  }

  @Override
  public void close() {
    http.close();
    processes.forEach(Pebble::end);
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
