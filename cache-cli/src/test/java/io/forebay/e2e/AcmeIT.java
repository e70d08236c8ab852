package io.forebay.e2e;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Pebble;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packaged jar gets its certificates from Pebble, and curl verifies them. */
@Timeout(300)
@Tag("full")
final class AcmeIT {
  private static final String HOST = "www.shop.example";

  @TempDir Path directory;
  private @Nullable Pebble pebble;
  private PathOrigin origin;
  private @Nullable EdgeProcess edge;
  private int tlsPort;

  @BeforeEach
  void start() throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    origin = PathOrigin.start();
    tlsPort = Ports.free();
  }

  @AfterEach
  void stop() throws Exception {
    Tools.close(edge, pebble, origin);
  }

  private void start(String challenges, String keyType) throws Exception {
    EdgeProcess.Settings settings =
        EdgeProcess.in(directory.resolve("edge")).memory("64MiB").listeningByFile();
    Pebble authority = Pebble.start(directory.resolve("pebble"), settings.port(), tlsPort, 20, "");
    pebble = authority;
    Path ignored = Files.writeString(root(), authority.root());
    edge =
        settings
            .config(
                """
                origins: {main: %s}
                overload: {delay: 0s}
                listen:
                  - {address: "127.0.0.1:%d", https-redirect: %d}
                tls:
                  listen: "127.0.0.1:%d"
                  acme:
                    hosts: [%s]
                    directory: %s
                    ca-file: %s
                    agree-to-terms: true
                    challenges: %s
                    key-type: %s
                """
                    .formatted(
                        origin.url(),
                        settings.port(),
                        tlsPort,
                        tlsPort,
                        HOST,
                        authority.directory(),
                        authority.tlsRoot(),
                        challenges,
                        keyType))
            .start();
  }

  private Path root() {
    return directory.resolve("root.pem");
  }

  private EdgeProcess running() {
    return requireNonNull(edge);
  }

  private boolean isVerified() throws Exception {
    Curl.Result result =
        Curl.get(
            "https://" + HOST + ":" + tlsPort + "/",
            "--cacert",
            root().toString(),
            "--resolve",
            HOST + ":" + tlsPort + ":127.0.0.1");
    return result.exit() == 0;
  }

  private boolean hasOrderFile() throws IOException {
    Path acme = directory.resolve("edge").resolve("data").resolve("acme");
    if (!Files.isDirectory(acme)) {
      return false;
    }
    try (var files = Files.walk(acme)) {
      return files.anyMatch(file -> file.toString().endsWith(HOST + ".order"));
    }
  }

  @ParameterizedTest
  @CsvSource({"http-01, ecdsa-p256", "tls-alpn-01, rsa-2048"})
  void curlVerifiesTheChainAndARestartOrdersNothing(String challenge, String keyType)
      throws Exception {
    start(challenge, keyType);
    Await.until("a certificate", this::isVerified);
    assertEquals(1, requireNonNull(pebble).orders());
    // Redirects do not stand in the way of validations.
    assertEquals(308, Curl.get("http://127.0.0.1:" + running().port() + "/100").status());
    assertEquals(1, running().metrics().sum("forebay_acme_certificates_total"));
    int ignored = running().terminate();
    edge = running().restart();
    assertTrue(isVerified());
    assertEquals(1, requireNonNull(pebble).orders());
  }

  @Test
  void aKillBetweenOrderAndCertificateLeadsToNoSecondOrder() throws Exception {
    start("http-01, tls-alpn-01", "ecdsa-p256");
    Await.until("an order", this::hasOrderFile);
    running().kill();
    assertTrue(hasOrderFile());
    edge = running().restart();
    Await.until("a certificate", this::isVerified);
    assertEquals(1, requireNonNull(pebble).orders());
  }
}
