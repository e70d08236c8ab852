package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Deltas to a browser: headless Chromium fetches one version of a script, keeps it as a dictionary,
 * and decodes the next one from what the node sends of it.
 */
@Tag("full")
final class BrowserDictionaryIT {
  private static final String HOST = "edge.test";
  private static final int LENGTH = 60_000;

  @TempDir Path directory;

  private PathOrigin pages;
  private EdgeProcess edge;
  private Path certificate;
  private Path log;
  private int port;

  @BeforeEach
  void start() throws Exception {
    certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, HOST, "DNS:" + HOST);
    pages = PathOrigin.start();
    pages.on("/report", exchange -> exchange.respond(204, "Cache-Control: no-store\r\n", ""));
    for (int version = 1; version <= 2; version++) {
      String script = script(version);
      pages.on(
          "/app/" + version + ".js",
          exchange ->
              exchange.respond(
                  200,
                  "Content-Type: text/javascript\r\nCache-Control: public, max-age=3600\r\n",
                  script));
    }
    pages.on(
        "/start",
        exchange ->
            exchange.respond(
                200,
                "Content-Type: text/html\r\nCache-Control: no-store\r\n",
                """
                <!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
                <script type="module">
                const report = line => fetch("/report", {method: "POST", body: line});
                const get = async (path, options) => {
                  const response = await fetch(path, options);
                  const text = await response.text();
                  return [response.headers.get("content-encoding"), text.length, text.slice(-12)];
                };
                await report("1 " + (await get("/app/1.js")).slice(1).join(" "));
                // The browser takes a moment to keep the dictionary, and the node to make the delta.
                for (let i = 0; i < 400; i++) {
                  const [coding, ...rest] = await get("/app/2.js", {cache: "no-store"});
                  if (coding == "dcb" || coding == "dcz") {
                    await report("2 " + coding + " " + rest.join(" "));
                    break;
                  }
                  await new Promise(done => setTimeout(done, 100));
                }
                await report("end");
                </script>
                """));
    port = Ports.free();
    log = directory.resolve("access.log");
    edge =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("64MiB")
            .config(
                """
                listen:
                  - name: secure
                    address: "127.0.0.1:%d"
                    tls: {certificate: %s, key: %s}
                access-log: %s
                origins: {pages: %s}
                routes:
                  - match: {path: /}
                  - match: {path: /app/}
                    dictionary: {match: "/app/*"}
                """
                    .formatted(port, certificate, key, log, pages.url()))
            .listeningByFile()
            .start();
  }

  @AfterEach
  void stop() {
    Tools.close(edge, pages);
  }

  /** Text that compresses by about a third, and ends with its version. */
  private static String script(int version) {
    SplittableRandom random = new SplittableRandom(3);
    StringBuilder text = new StringBuilder(LENGTH);
    text.append("//");
    while (text.length() < LENGTH - 12) {
      text.append((char) ('a' + random.nextInt(16)));
    }
    return text.append("//version ").append(version).append('\n').toString();
  }

  private List<String> reports() {
    return pages.requests("/report").stream()
        .map(request -> new String(request.body(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void chromiumDecodesTheNextVersionFromTheOneThatItHas() throws Exception {
    X509Certificate trusted;
    try (InputStream in = Files.newInputStream(certificate)) {
      trusted = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    try (Chromium browser =
        Chromium.open(
            directory.resolve("chromium"),
            "https://" + HOST + ":" + port + "/start",
            HOST,
            trusted,
            List.of(
                "--disable-quic",
                // The certificate is of no authority that Chromium knows from the start.
                "--disable-features=CompressionDictionaryTransportRequireKnownRootCert"))) {
      Await.until(
          "the page has reported",
          () -> {
            browser.assertRunning();
            return reports().contains("end");
          });
    }
    List<String> reports = reports();
    assertEquals("1 " + LENGTH + " //version 1\n", reports.get(0));
    assertTrue(reports.get(1).matches("2 dc[bz] " + LENGTH + " //version 2\n"), reports::toString);
    Await.until(
        "the delta is logged",
        () ->
            Files.readAllLines(log).stream()
                .map(JsonMapper.shared()::readTree)
                .anyMatch(BrowserDictionaryIT::isSmallDelta));
  }

  private static boolean isSmallDelta(JsonNode line) {
    return line.path("coding").asString("").startsWith("dc")
        && line.path("bytes").asLong(LENGTH) < 1_000;
  }
}
