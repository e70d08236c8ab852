package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * WebSockets of foreign clients through the node to a foreign origin. The access log says over
 * which protocol each came.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class WebSocketIT {

  private static final String HOST = "edge.test";

  @TempDir static Path directory;

  private WebSocketOrigin origin;
  private PathOrigin pages;
  private EdgeProcess edge;
  private Path certificate;
  private Path log;
  private int port;

  @BeforeAll
  void start() throws Exception {
    certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, HOST, "DNS:" + HOST + ",IP:127.0.0.1");
    origin = WebSocketOrigin.start("/ws");
    pages = PathOrigin.start();
    pages.on("/report", exchange -> exchange.respond(204, "Cache-Control: no-store\r\n", ""));
    pages.on("/page", exchange -> exchange.respond(200, "Content-Type: text/html\r\n", page()));
    port = Ports.free();
    log = directory.resolve("access.log");
    edge =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("64MiB")
            .config(
                """
                listen:
                  - name: front
                    address: "127.0.0.1:%d"
                    tls: {certificate: %s, key: %s}
                http3: {listeners: [front]}
                access-log: %s
                origins:
                  sockets: %s
                  pages: %s
                routes:
                  - match: {path: /ws}
                    origin: sockets
                    upgrade: [websocket]
                  - origin: pages
                """
                    .formatted(port, certificate, key, log, origin.url(), pages.url()))
            .listeningByFile()
            .start();
  }

  @AfterAll
  void stop() {
    Tools.close(edge, pages, origin);
  }

  /** Sends a text and 300,000 bytes, and reports what came back. */
  private static String page() {
    return """
    <!doctype html><meta charset="utf-8"><title>Socket</title><link rel="icon" href="data:,">
    <script>
    const lines = [];
    const report = line => {
      lines.push(line);
      fetch("/report", {method: "POST", body: lines.join("\\n")});
    };
    const sent = new Uint8Array(300000).map((_, at) => at % 251);
    const socket = new WebSocket("wss://" + location.host + "/ws");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send("hello");
    socket.onmessage = ({data}) => {
      if (typeof data === "string") {
        lines.push("text " + data);
        socket.send(sent);
      } else {
        const same = new Uint8Array(data).every((byte, at) => byte === sent[at]);
        lines.push("bytes " + data.byteLength + " " + same);
        socket.close(1000);
      }
    };
    socket.onclose = ({code, wasClean}) => report("closed " + code + " " + wasClean);
    </script>
    """;
  }

  /** The lines of the access log for tunnels; the log is written a moment later. */
  private List<JsonNode> tunnels() throws IOException {
    return Files.readAllLines(log).stream()
        .map(JsonMapper.shared()::readTree)
        .filter(line -> line.get("status").asInt() == 101)
        .toList();
  }

  private JsonNode tunnelAfter(int count) throws IOException {
    Await.until("the tunnel is logged", () -> tunnels().size() > count);
    List<JsonNode> lines = tunnels();
    assertEquals(count + 1, lines.size());
    return lines.getLast();
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.1, --disable-http2 --disable-quic", "HTTP/2, --disable-quic"})
  void chromiumOpensOne(String protocol, String options) throws Exception {
    X509Certificate trusted;
    try (InputStream in = Files.newInputStream(certificate)) {
      trusted = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    int reported = pages.count("/report");
    int tunnels = tunnels().size();
    try (Chromium browser =
        Chromium.open(
            Files.createTempDirectory(directory, "chromium"),
            "https://" + HOST + ":" + port + "/page",
            HOST,
            trusted,
            List.of(options.split(" ")))) {
      Await.until(
          "the page has reported",
          () -> {
            browser.assertRunning();
            return pages.count("/report") > reported;
          });
      assertEquals(
          List.of("text hello", "bytes 300000 true", "closed 1000 true"),
          new String(pages.requests("/report").getLast().body(), StandardCharsets.UTF_8)
              .lines()
              .toList());
      JsonNode line = tunnelAfter(tunnels);
      assertEquals(protocol, line.get("protocol").asString());
      assertTrue(line.get("bytes").asLong() > 300_000, line::toString);
      assertTrue(line.get("received").asLong() > 300_000, line::toString);
    }
  }

  @Test
  void aioquicOpensOne() throws Exception {
    Path python = Tools.requireAioquic();
    Path script = Tools.resource("/h3_websocket.py", directory.resolve("h3_websocket.py"));
    int tunnels = tunnels().size();
    Commands.Finished finished =
        Commands.run(
                Duration.ofSeconds(80),
                List.of(
                    python.toString(),
                    script.toString(),
                    "127.0.0.1",
                    Integer.toString(port),
                    HOST,
                    certificate.toString(),
                    "/ws",
                    "0",
                    "125",
                    "65536",
                    "2000000"))
            .orFail();
    assertEquals(
        List.of("status 200", "echo 0", "echo 125", "echo 65536", "echo 2000000", "closed 1000"),
        finished.out().lines().toList());
    JsonNode line = tunnelAfter(tunnels);
    assertEquals("HTTP/3", line.get("protocol").asString());
    assertTrue(line.get("received").asLong() > 2_000_000, line::toString);
  }
}
