package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a browser makes of a node's answers. Headless Chromium goes from page to page, and each
 * reports what it sees:
 *
 * <pre>
 *   http://edge.test/start ─308─► https://edge.test/start ─► http://edge.test/second (HSTS: https)
 *     ─► https://other.test/app: CORS ─► https://edge.test/private: a password ─► /nowhere: an error page
 * </pre>
 */
@Tag("full")
final class BrowserIT {
  private static final String HOST = "edge.test";
  private static final String OTHER = "other.test";

  /** Of {@code open sesame}. */
  private static final String USER =
      "alice:$2y$05$Kx6wE4xNpXt7GuwDcVVD3eLESf/iuSrl3tsBKB0IcbrNWoi717ihq";

  @TempDir Path directory;

  private PathOrigin pages;
  private EdgeProcess edge;
  private Path certificate;
  private Path log;
  private int plainPort;
  private int tlsPort;

  @BeforeEach
  void start() throws Exception {
    certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, HOST, "DNS:" + HOST + ",DNS:" + OTHER);
    pages = PathOrigin.start();
    pages.on("/report", exchange -> exchange.respond(204, "Cache-Control: no-store\r\n", ""));
    page(
        "/start",
        "await report('start ' + location.protocol); location = 'http://edge.test/second';");
    page(
        "/second",
        "await report('second ' + location.protocol); location = 'https://other.test/app';");
    page(
        "/app",
        """
        const api = options => fetch("https://edge.test/api", options);
        const put = await api({method: "PUT", headers: {"X-Token": "1"}});
        await report("put " + put.status + " " + put.headers.get("x-seen") + " " + put.headers.get("x-unseen"));
        const missing = await fetch("https://edge.test/api/missing");
        await report("missing " + missing.status + " " + await missing.text());
        await api({method: "DELETE"}).then(() => report("deleted"), () => report("not deleted"));
        await fetch("https://edge.test/start").then(() => report("read"), () => report("not read"));
        location = "https://alice:PASSWORD@edge.test/private";
        """
            .replace("PASSWORD", "open%20sesame"));
    page("/private", "await report('private'); location = '/nowhere?a=<b>&c';");
    pages.on(
        "/api",
        exchange ->
            exchange.respond(
                200, "Cache-Control: no-store\r\nX-Seen: yes\r\nX-Unseen: yes\r\n", "done"));
    Files.writeString(directory.resolve("users"), USER + "\n", StandardCharsets.UTF_8);
    Files.writeString(
        directory.resolve("error.html"),
        html(
            "<title>$status</title><p id=uri>$uri</p>",
            "await report('error ' + document.title + ' ' + document.getElementById('uri').textContent"
                + " + ' ' + document.querySelectorAll('b').length);"));
    plainPort = Ports.free();
    tlsPort = Ports.free();
    log = directory.resolve("access.log");
    edge =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("64MiB")
            .config(
                """
                listen:
                  - {name: plain, address: "127.0.0.1:%d", https-redirect: 443}
                  - name: secure
                    address: "127.0.0.1:%d"
                    tls: {certificate: %s, key: %s}
                access-log: %s
                origins: {pages: %s}
                protection: {members: {basic-auth: {file: %s}}}
                routes:
                  - security-headers: on
                    error-pages: {404: {file: %s, from: [edge, origin]}}
                  - match: {path: /api}
                    cors:
                      origins: [https://other.test]
                      methods: [PUT]
                      request-headers: [X-Token]
                      expose-headers: [X-Seen]
                    error-pages: {404: {text: "no api", from: origin}}
                  - match: {path: /private}
                    protection: members
                """
                    .formatted(
                        plainPort,
                        tlsPort,
                        certificate,
                        key,
                        log,
                        pages.url(),
                        directory.resolve("users"),
                        directory.resolve("error.html")))
            .listeningByFile()
            .start();
  }

  @AfterEach
  void stop() {
    Tools.close(edge, pages);
  }

  private void page(String path, String script) {
    pages.on(
        path,
        exchange ->
            exchange.respond(
                200, "Content-Type: text/html\r\nCache-Control: no-store\r\n", html("", script)));
  }

  private static String html(String body, String script) {
    return """
    <!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">BODY
    <script type="module">
    const report = line =>
      fetch("https://edge.test/report", {method: "POST", mode: "no-cors", body: line});
    SCRIPT
    </script>
    """
        .replace("BODY", body)
        .replace("SCRIPT", script);
  }

  private List<String> reports() {
    return pages.requests("/report").stream()
        .map(request -> new String(request.body(), StandardCharsets.UTF_8))
        .toList();
  }

  private List<JsonNode> logged(String scheme) throws IOException {
    return Files.readAllLines(log).stream()
        .map(JsonMapper.shared()::readTree)
        .filter(line -> line.path("scheme").asString("").equals(scheme))
        .filter(line -> line.path("host").asString("").endsWith(".test"))
        .toList();
  }

  @Test
  void chromiumIsRedirectedRemembersHstsSharesAndReadsErrorPages() throws Exception {
    X509Certificate trusted;
    try (InputStream in = Files.newInputStream(certificate)) {
      trusted = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    List<String> expected =
        List.of(
            "start https:",
            "second https:",
            "put 200 yes null",
            "missing 404 no api",
            "not deleted",
            "not read",
            "private",
            "error 404 /nowhere?a=%3Cb%3E&c 0");
    try (Chromium browser =
        Chromium.open(
            directory.resolve("chromium"),
            "http://" + HOST + "/start",
            HOST,
            trusted,
            List.of(
                "--disable-quic",
                // It would ask for https by itself, and prove nothing.
                "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
                // Whatever it wants of others, it does not get.
                ("--host-resolver-rules=MAP edge.test:80 127.0.0.1:%d,MAP edge.test:443 127.0.0.1:%d,"
                        + "MAP other.test:443 127.0.0.1:%d,MAP * ~NOTFOUND,EXCLUDE 127.0.0.1")
                    .formatted(plainPort, tlsPort, tlsPort)))) {
      Await.until(
          "the last page has reported",
          () -> {
            browser.assertRunning();
            return reports().size() >= expected.size();
          });
    }
    assertEquals(expected, reports());
    Await.until("all requests are logged", () -> logged("https").toString().contains("/nowhere"));
    List<JsonNode> plain = logged("http");
    assertEquals(1, plain.size(), "with HSTS no second request in plain text: " + plain);
    assertEquals(308, plain.getFirst().get("status").asInt());
    List<JsonNode> secure = logged("https");
    assertEquals(
        2,
        secure.stream()
            .filter(line -> line.path("reason").asString("").equals("cors-preflight"))
            .count(),
        "one for PUT, one for DELETE: " + secure);
    assertTrue(
        secure.stream().anyMatch(line -> line.get("status").asInt() == 401),
        () -> "no password was asked for: " + secure);
  }
}
