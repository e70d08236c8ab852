package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.OriginTlsConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.group.Origins;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names, pins, certificates of the node, and sessions of TLS towards origins. */
@Timeout(60)
@Tag("slow")
class OriginTlsSettingsTest {
  @TempDir static Path directory = Path.of("");
  private static Certificates certificates;
  private static X509Bundle server;

  @BeforeAll
  static void issue() throws Exception {
    certificates = Certificates.in(directory);
    server = certificates.ecdsa("origin.test", "origin.test");
    X509Bundle ignored = certificates.client("client");
  }

  private static OriginConfig config(
      ScriptedOrigin origin, @Nullable String name, @Nullable PairConfig client, String... pins) {
    return Lab.withTls(
        Lab.withTrust(Lab.origin(origin.url()), certificates.authorityPem()),
        new OriginTlsConfig(name, client, List.of(pins)));
  }

  private static PairConfig pair(String file) {
    return new PairConfig(certificates.pem(file), certificates.key(file));
  }

  // Names.

  @Test
  void theServerNameIsAskedForAndVerifiedInPlaceOfTheHost() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab = Lab.of(config(origin, "origin.test", null))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      assertTrue(connection.head().contains("\r\nhost: example.com\r\n"));
      ExtendedSSLSession session = (ExtendedSSLSession) connection.tlsSession();
      assertEquals(List.of(new SNIHostName("origin.test")), session.getRequestedServerNames());
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void aCertificateForAnotherThanTheServerNameIsRefused() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab = Lab.of(config(origin, "other.test", null))) {
      assertRefused(origin, lab, "other.test");
    }
  }

  // Pins.

  @Test
  void aPinnedKeyIsAccepted() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab =
            Lab.of(
                config(
                    origin, "origin.test", null, "sha256/" + "A".repeat(43) + "=", pin(server)))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void aKeyThatIsNotPinnedIsRefusedAndNamed() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab = Lab.of(config(origin, "origin.test", null, "sha256/" + "A".repeat(43) + "="))) {
      assertRefused(origin, lab, pin(server));
    }
  }

  @Test
  void aPinDoesNotReplaceNameTimeAndTrust() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab = Lab.of(config(origin, "other.test", null, pin(server)))) {
      assertRefused(origin, lab, "other.test");
    }
    Instant now = Instant.now();
    X509Bundle expired =
        certificates.issue(
            "expired",
            builder ->
                builder
                    .ecp256()
                    .notBefore(now.minus(Duration.ofDays(3)))
                    .notAfter(now.minus(Duration.ofDays(1))),
            "origin.test");
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(expired));
        Lab lab = Lab.of(config(origin, "origin.test", null, pin(expired)))) {
      assertRefused(origin, lab, "expired");
    }
    Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
    X509Bundle foreign = Certificates.in(elsewhere).ecdsa("origin.test", "origin.test");
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(foreign));
        Lab lab = Lab.of(config(origin, "origin.test", null, pin(foreign)))) {
      assertRefused(origin, lab, "not trusted");
    }
  }

  // Certificates of the node.

  @Test
  void aServerThatAsksGetsTheCertificate() throws Exception {
    try (ScriptedOrigin origin = asking();
        Lab lab = Lab.of(config(origin, "origin.test", pair("client")))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      assertEquals("CN=client", connection.tlsSession().getPeerPrincipal().getName());
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void aServerThatAsksRefusesANodeWithoutOne() throws Exception {
    try (ScriptedOrigin origin = asking();
        Lab lab = Lab.of(config(origin, "origin.test", null))) {
      origin.serve(OriginTlsSettingsTest::noRequest);
      OriginFailure failure = lab.send(Lab.get("/")).awaitOver().failure;
      assertEquals(Kind.CLOSED_BEFORE_RESPONSE, failure == null ? null : failure.kind());
      assertTrue(
          String.valueOf(failure).toLowerCase(Locale.ROOT).contains("certificate"),
          () -> "" + failure);
    }
  }

  @Test
  void aServerRefusesACertificateOfAnAuthorityThatItDoesNotKnow() throws Exception {
    Path elsewhere = Files.createDirectories(directory.resolve("stranger"));
    Certificates other = Certificates.in(elsewhere);
    X509Bundle ignored = other.client("stranger");
    PairConfig stranger = new PairConfig(other.pem("stranger"), other.key("stranger"));
    try (ScriptedOrigin origin = asking();
        Lab lab = Lab.of(config(origin, "origin.test", stranger))) {
      origin.serve(OriginTlsSettingsTest::noRequest);
      lab.send(Lab.get("/")).failure(Kind.CLOSED_BEFORE_RESPONSE);
    }
  }

  @Test
  void aReloadReadsAChangedCertificate() throws Exception {
    for (String end : List.of(".pem", ".key")) {
      Files.copy(directory.resolve("client" + end), directory.resolve("live" + end));
    }
    try (ScriptedOrigin origin = asking()) {
      OriginConfig config = config(origin, "origin.test", pair("live"));
      Origins first = Origins.load(List.of(config), Origins.NONE, address -> false);
      assertSame(
          first.find("main"), Origins.load(List.of(config), first, address -> false).find("main"));
      try (Lab lab = Lab.of(config)) {
        Recorder response = lab.send(Lab.get("/"));
        Connection connection = origin.accept();
        connection.head();
        connection.respond("old");
        assertEquals("old", response.body());
        X509Bundle ignored = certificates.client("renewed");
        for (String end : List.of(".pem", ".key")) {
          Files.copy(
              directory.resolve("renewed" + end),
              directory.resolve("live" + end),
              StandardCopyOption.REPLACE_EXISTING);
        }
        assertNotSame(
            first.find("main"),
            Origins.load(List.of(config), first, address -> false).find("main"));
        lab.reconfigure(config);
        Recorder second = lab.send(Lab.get("/"));
        Connection fresh = origin.accept();
        fresh.head();
        assertEquals("CN=renewed", fresh.tlsSession().getPeerPrincipal().getName());
        fresh.respond("new");
        assertEquals("new", second.body());
      }
    }
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    X509Bundle ignored = certificates.client("second");
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing");
    assertLoadFails(
        new PairConfig(certificates.pem("client"), certificates.key("second")), "do not match");
    assertLoadFails(new PairConfig(empty, certificates.key("client")), empty.toString());
    assertLoadFails(new PairConfig(certificates.pem("client"), empty), empty.toString());
    Path missing = directory.resolve("missing.key");
    assertLoadFails(new PairConfig(certificates.pem("client"), missing), missing.toString());
  }

  private static void assertLoadFails(PairConfig pair, String word) {
    OriginConfig config =
        Lab.withTls(Lab.origin("https://origin.test"), new OriginTlsConfig(null, pair, List.of()));
    IOException failure =
        assertThrows(
            IOException.class, () -> Origins.load(List.of(config), Origins.NONE, address -> false));
    assertTrue(String.valueOf(failure.getMessage()).contains(word), failure::toString);
  }

  // Sessions.

  @Test
  void aSecondConnectionResumesTheSession() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(server));
        Lab lab = Lab.of(config(origin, "origin.test", null, pin(server)))) {
      long created = sessionOfOneRequest(origin, lab);
      for (int i = 0; i < 3; i++) {
        // A session that is not resumed is made now.
        Await.until("the clock goes on", () -> System.currentTimeMillis() > created);
        assertEquals(created, sessionOfOneRequest(origin, lab));
      }
      lab.reconfigure(
          config(origin, "origin.test", null, pin(server), "sha256/" + "A".repeat(43) + "="));
      assertNotEquals(created, sessionOfOneRequest(origin, lab), "under other pins");
    }
  }

  /** When the session was made by which a connection of its own brings a response. */
  private static long sessionOfOneRequest(ScriptedOrigin origin, Lab lab) throws Exception {
    Recorder response = lab.send(Lab.get("/"));
    Connection connection = origin.accept();
    connection.head();
    connection.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
    assertEquals("ok", response.body());
    assertEquals("TLSv1.3", connection.tlsSession().getProtocol());
    lab.awaitOnLoop(0, "closed", () -> lab.connections.open("main") == 0);
    return connection.tlsSession().getCreationTime();
  }

  /** An origin that takes only clients with a certificate of the authority. */
  private static ScriptedOrigin asking() throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("authority", certificates.authority().getCertificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(server.toKeyManagerFactory().getKeyManagers(), trust.getTrustManagers(), null);
    return ScriptedOrigin.startTls(context).needingClientCertificate();
  }

  private static void noRequest(Connection connection) throws IOException {
    connection.head();
    throw new AssertionError("a request was read");
  }

  private static void assertRefused(ScriptedOrigin origin, Lab lab, String word) throws Exception {
    origin.serve(OriginTlsSettingsTest::noRequest);
    String detail = lab.send(Lab.get("/")).failure(Kind.TLS_CERTIFICATE);
    assertTrue(detail.contains(word), detail);
    lab.awaitOnLoop(0, "no permit taken", () -> lab.connections.open("main") == 0);
  }

  private static String pin(X509Bundle bundle) throws Exception {
    byte[] key = bundle.getCertificate().getPublicKey().getEncoded();
    return "sha256/"
        + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
  }
}
