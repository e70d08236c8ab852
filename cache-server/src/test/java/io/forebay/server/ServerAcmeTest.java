package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.node.NodeControl.Reload;
import io.forebay.testing.Await;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.Pebble;
import io.forebay.testing.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

/** Certificates from Pebble, an ACME server that rejects every fifth nonce. */
@Timeout(180)
@Tag("full")
final class ServerAcmeTest {
  @TempDir Path directory;
  @TempDir Path home;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;
  private Pebble pebble;

  @BeforeEach
  void start() throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    origin.on("/s", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("stored")));
    edge = Edge.start(directory, "32MiB", Edge.origins(origin.url()));
    pebble = Pebble.start(home.resolve("pebble"), edge.port(), edge.tlsPort(), 20, "");
    Files.writeString(home.resolve("root.pem"), pebble.root());
  }

  @AfterEach
  void stop() throws Exception {
    if (edge != null) {
      edge.close();
    }
    if (pebble != null) {
      pebble.close();
    }
    origin.close();
  }

  private String yaml(String more) {
    return Edge.origins(origin.url())
        + """
        tls:
          acme:
            agree-to-terms: true
            directory: DIRECTORY
            ca-file: ROOT
            MORE
        """
            .replace("DIRECTORY", pebble.directory())
            .replace("ROOT", pebble.tlsRoot().toString())
            .replace("MORE", String.join("\n    ", more.split("; ", -1)));
  }

  private void acme(String more) throws Exception {
    edge.configure(yaml(more));
    Reload reload = edge.server().reload();
    assertEquals(List.of(), reload.errors());
  }

  private String handshake(String name) throws Exception {
    return OpensslClient.run(
        edge.tlsPort(),
        "-servername",
        name,
        "-verify_hostname",
        name,
        "-CAfile",
        home.resolve("root.pem").toString());
  }

  private boolean isVerified(String name) throws Exception {
    return handshake(name).contains("Verify return code: 0 (ok)");
  }

  private void awaitCertificate(String name) {
    Await.until("a certificate for " + name, () -> isVerified(name));
  }

  @ParameterizedTest
  @CsvSource({
    "http-01, ecdsa-p256",
    "tls-alpn-01, ecdsa-p256",
    "http-01, ecdsa-p384",
    "tls-alpn-01, rsa-2048"
  })
  void eachNameGetsItsCertificateByEitherChallenge(String challenge, String keyType)
      throws Exception {
    acme(
        "hosts: [www.shop.example, api.shop.example]; challenges: %s; key-type: %s"
            .formatted(challenge, keyType));
    awaitCertificate("www.shop.example");
    awaitCertificate("api.shop.example");
    assertTrue(handshake("www.shop.example").contains("stored"));
    assertTrue(handshake("other.example").contains("subject=CN = 127.0.0.1"));
    assertEquals(2, pebble.orders());
    assertEquals(2, edge.server().acme().issued());
  }

  @Test
  void aRestartUsesTheStoredCertificateAndOrdersNone() throws Exception {
    acme("hosts: [www.shop.example]");
    awaitCertificate("www.shop.example");
    edge.stop();
    edge.start();
    assertTrue(isVerified("www.shop.example"));
    assertEquals(1, edge.server().acme().summary().withCertificate());
    Await.until("the manager has looked", () -> edge.server().acme().summary().names() == 1);
    assertEquals(1, pebble.orders());
  }

  @Test
  void aReloadAddsAndRemovesNamesAndKeepsConnections() throws Exception {
    acme("hosts: [www.shop.example]");
    awaitCertificate("www.shop.example");
    try (RawClient before = new RawClient(edge.port())) {
      assertEquals("stored", before.get("/s").text());
      acme("hosts: [api.shop.example]");
      awaitCertificate("api.shop.example");
      assertTrue(handshake("www.shop.example").contains("subject=CN = 127.0.0.1"));
      assertEquals("stored", before.get("/s").text());
    }
    acme("hosts: [api.shop.example, www.shop.example]");
    awaitCertificate("www.shop.example");
    assertEquals(2, pebble.orders());
  }

  @Test
  void aHandshakeBringsAListedNameItsCertificate() throws Exception {
    acme("on-demand: [\"*.shop.example\"]; on-demand-per-hour: 2");
    assertTrue(handshake("other.example").contains("subject=CN = 127.0.0.1"));
    awaitCertificate("a.shop.example");
    awaitCertificate("b.shop.example");
    assertTrue(handshake("c.shop.example").contains("subject=CN = 127.0.0.1"));
    assertEquals(2, pebble.orders());
    assertTrue(edge.server().acme().refusedNames() > 0);
    edge.stop();
    edge.start();
    assertTrue(isVerified("a.shop.example"));
    assertEquals(2, pebble.orders());
  }

  @Test
  void pathsOfChallengesAreTheRoutesWhileNoneIsExpected() throws Exception {
    origin.on(
        "/.well-known/acme-challenge/abc",
        TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("the origin's")));
    acme("hosts: [www.shop.example]; challenges: http-01");
    awaitCertificate("www.shop.example");
    try (RawClient client = new RawClient(edge.port())) {
      assertEquals("the origin's", client.get("/.well-known/acme-challenge/abc").text());
    }
  }
}
