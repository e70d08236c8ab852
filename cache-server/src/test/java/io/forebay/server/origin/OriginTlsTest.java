package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.group.Origins;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@Tag("slow")
class OriginTlsTest {
  @TempDir static Path directory = Path.of("");
  private static Path authority = Path.of("");
  private static Certificates certificates;

  @BeforeAll
  static void writeAuthority() throws Exception {
    certificates = Certificates.in(directory);
    authority = certificates.authorityPem();
  }

  @Test
  void fetchesOverTlsFromAnOriginItTrustsByName() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      assertTrue(connection.head().startsWith("GET / "));
      assertEquals(List.of("origin.test"), serverNames(connection));
      connection.respond("secret");
      assertEquals("secret", response.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder second = lab.send(Lab.get("/2"));
      connection.head();
      connection.respond("again");
      assertEquals("again", second.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void fetchesOverTlsFromAnAddressWithoutNamingIt() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("127.0.0.1", "127.0.0.1"));
        Lab lab = Lab.of(Lab.withTrust(Lab.origin(origin.url()), authority))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      assertEquals(List.of(), serverNames(connection));
      connection.respond("secret");
      assertEquals("secret", response.body());
    }
  }

  @Test
  void refusesACertificateForAnotherName() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("other.test", "other.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      assertRefused(origin, lab, "origin.test");
    }
  }

  @Test
  void refusesACertificateForAnotherAddress() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("127.0.0.9", "127.0.0.9"));
        Lab lab = Lab.of(Lab.withTrust(Lab.origin(origin.url()), authority))) {
      assertRefused(origin, lab, "127.0.0.1");
    }
  }

  @Test
  void refusesAnExpiredCertificate() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(expired("origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      assertRefused(origin, lab, "expired");
    }
  }

  @Test
  void refusesACertificateFromAnAuthorityItDoesNotKnow() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, null))) {
      lab.names.set("origin.test", "127.0.0.1");
      assertRefused(origin, lab, "not trusted");
    }
  }

  @Test
  void plainBytesBeforeTheHandshakeFailTheConnection() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.acceptPlain();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
      response.failure(Kind.TLS_FAILED);
      assertEquals(0, response.status);
      connection.awaitClose();
    }
  }

  @Test
  void bytesOverTlsBeforeTheRequestAreNotItsResponse() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      // The connection is opened for a call that is gone by then: it is idle when the bytes come.
      lab.send(0, Lab.get("/"), new Recorder(), OriginCall::cancel);
      Connection connection = origin.accept();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
      connection.awaitClose();
      Recorder response = lab.send(Lab.get("/"));
      Connection fresh = origin.accept();
      fresh.head();
      fresh.respond("good");
      assertEquals("good", response.body());
    }
  }

  @Test
  void anOriginThatClosesDuringTheHandshakeFailsIt() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.acceptPlain();
      connection.bytes(1);
      connection.shutdownOutput();
      String detail = response.failure(Kind.TLS_FAILED);
      assertTrue(detail.contains("closed"), detail);
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @Test
  void aHandshakeThatDoesNotEndIsAConnectTimeout() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(Lab.withTimes(named(origin, authority), 100, 5000, 5000, 0, 5000))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.acceptPlain();
      String detail = response.failure(Kind.CONNECT_TIMEOUT);
      assertTrue(detail.contains("TLS"), detail);
      connection.awaitClose();
    }
  }

  @Test
  void aCloseDelimitedBodyEndsWithTheCloseNotify() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\nwhole");
      connection.close();
      assertEquals("whole", response.body());
      assertTrue(response.isCloseDelimited);
    }
  }

  @Test
  void aCloseDelimitedBodyWithoutCloseNotifyIsTruncated() throws Exception {
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\nhalf");
      response.awaitBytes(4);
      connection.cut();
      response.failure(Kind.TRUNCATED);
    }
  }

  @Test
  void streamsALargeBodyOverTls() throws Exception {
    int total = 8 * 1024 * 1024;
    try (ScriptedOrigin origin = tlsOrigin(certificates.ecdsa("origin.test", "origin.test"));
        Lab lab = Lab.of(named(origin, authority))) {
      lab.names.set("origin.test", "127.0.0.1");
      origin.serve(connection -> {
        connection.head();
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + total + "\r\n\r\n");
        byte[] piece = new byte[64 * 1024];
        for (int sent = 0; sent < total; sent += piece.length) {
          connection.send(piece);
        }
      });
      Recorder response = new Recorder();
      lab.send(
          0,
          Lab.get("/"),
          response,
          call ->
              response.onDataRun =
                  () -> {
                    call.suspend();
                    lab.loop(0).execute(call::resume);
                  });
      assertEquals(total, response.body().length());
    }
  }

  @Test
  void aTrustFileThatIsNotThereIsNamed() {
    Path missing = directory.resolve("missing.pem");
    IOException failure = loadFailure(missing);
    assertTrue(
        String.valueOf(failure.getMessage()).contains(missing.toString()), failure::toString);
  }

  @Test
  void aTrustFileWithoutCertificatesIsNamed() throws Exception {
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing here\n");
    IOException failure = loadFailure(empty);
    assertTrue(String.valueOf(failure.getMessage()).contains(empty.toString()), failure::toString);
  }

  @Test
  void aChangedTrustFileMakesAnotherOrigin() throws Exception {
    Path file = Files.copy(authority, directory.resolve("changing.pem"));
    OriginConfig config = Lab.withTrust(Lab.origin("https://origin.test"), file);
    Origins first = Origins.load(List.of(config), Origins.NONE, address -> false);
    Origins same = Origins.load(List.of(config), first, address -> false);
    assertEquals(first.find("main"), same.find("main"));
    Path other = Files.createDirectories(directory.resolve("other"));
    Files.copy(Certificates.in(other).authorityPem(), file, StandardCopyOption.REPLACE_EXISTING);
    Origins changed = Origins.load(List.of(config), first, address -> false);
    assertNotEquals(first.find("main"), changed.find("main"));
  }

  private static IOException loadFailure(Path trust) {
    OriginConfig config = Lab.withTrust(Lab.origin("https://origin.test"), trust);
    return assertThrows(
        IOException.class, () -> Origins.load(List.of(config), Origins.NONE, address -> false));
  }

  private static void assertRefused(ScriptedOrigin origin, Lab lab, String word) throws Exception {
    origin.serve(connection -> {
      connection.head();
      throw new AssertionError("a request was sent");
    });
    String detail = lab.send(Lab.get("/")).failure(Kind.TLS_CERTIFICATE);
    assertTrue(detail.contains(word), detail);
    lab.awaitOnLoop(0, "no permit taken", () -> lab.connections.open("main") == 0);
  }

  /** A certificate whose time was over a day ago. */
  private static X509Bundle expired(String name) throws Exception {
    Instant now = Instant.now();
    return certificates.issue(
        "expired",
        builder ->
            builder
                .ecp256()
                .notBefore(now.minus(Duration.ofDays(3)))
                .notAfter(now.minus(Duration.ofDays(1))),
        name);
  }

  private static ScriptedOrigin tlsOrigin(X509Bundle certificate) throws Exception {
    return ScriptedOrigin.startTls(Certificates.serverContext(certificate));
  }

  private static OriginConfig named(ScriptedOrigin origin, @Nullable Path trust) {
    return Lab.withLoopbackNames(
        Lab.withTrust(Lab.origin("https://origin.test:" + origin.port()), trust));
  }

  private static List<String> serverNames(Connection connection) {
    ExtendedSSLSession session = (ExtendedSSLSession) connection.tlsSession();
    return session.getRequestedServerNames().stream().map(OriginTlsTest::text).toList();
  }

  private static String text(SNIServerName name) {
    return name instanceof SNIHostName host ? host.getAsciiName() : name.toString();
  }
}
