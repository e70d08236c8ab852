package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TlsTest {

  @TempDir static Path directory;
  private static TlsFiles tls;

  @BeforeAll
  static void makeCertificate() throws Exception {
    tls = TlsFiles.make(directory);
  }

  private static ListenerConfig listener(Path certificate, @Nullable Path key) {
    return new ListenerConfig("tls", new Address("127.0.0.1", 0), certificate, key, false);
  }

  private static ServerConfig config(TimeoutsConfig timeouts) {
    return ListenFixture.config(
        ListenFixture.LIMITS, timeouts, "auto", 1, listener(tls.certificate(), tls.key()));
  }

  private static RawClient connect(ListenFixture server, String... protocols) throws Exception {
    SSLSocket socket =
        (SSLSocket) tls.clientContext().getSocketFactory().createSocket("127.0.0.1", server.port());
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    socket.startHandshake();
    return new RawClient(socket);
  }

  @Test
  void isBoringSsl() throws Exception {
    assertTrue(OpenSsl.isAvailable(), () -> String.valueOf(OpenSsl.unavailabilityCause()));
    assertTrue(OpenSsl.versionString().contains("BoringSSL"), OpenSsl.versionString());
    assertInstanceOf(
        ReferenceCountedOpenSslContext.class,
        TlsContexts.of(listener(tls.certificate(), tls.key())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void servesHttp11WithoutAlpn(String version) throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server, version)) {
      assertEquals(version, ((SSLSocket) client.socket).getSession().getProtocol());
      String shown = client.get("/show").read().text();
      assertTrue(shown.startsWith("GET https a.example /show null HTTP/1.1"), shown);
      assertEquals(3_000_000, client.get("/big?3000000").read().text().length());
      assertEquals("hello", client.get("/hello").read().text());
    }
  }

  @Test
  void theDefaultPortIsThatOfTheScheme() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      String request = "GET /show HTTP/1.1\r\nHost: a.example:443\r\n\r\n";
      String shown = client.send(request).read().text();
      assertTrue(shown.startsWith("GET https a.example /show"), shown);
    }
  }

  @Test
  void refusalsReachTheClient() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      assertEquals(400, client.send("GET / HTTP/1.1\r\n\r\n").read().status());
      assertTrue(client.isEnded());
    }
  }

  @Test
  void aBrokenOffBodyIsNoOrderlyEnd() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      client.send("GET /abort-unknown HTTP/1.0\r\n\r\n");
      // Without close_notify the JDK reports the truncation.
      assertThrows(java.io.IOException.class, () -> client.socket.getInputStream().readAllBytes());
    }
  }

  @Test
  void aHandshakeHasToComeInTime() throws Exception {
    TimeoutsConfig t = ListenFixture.TIMEOUTS;
    TimeoutsConfig brief =
        new TimeoutsConfig(
            Duration.ofMillis(300),
            t.requestHeader(),
            t.requestBodyIdle(),
            t.keepAlive(),
            t.noProgress(),
            t.drain(),
            t.requestTotal());
    try (ListenFixture server = new ListenFixture(config(brief));
        RawClient client = server.connect()) {
      client.readToEnd();
      assertEquals(1, server.counters().connectionsAccepted);
    }
  }

  @Test
  void plainTextIsTurnedAway() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = server.connect()) {
      client.get("/hello");
      assertTrue(!client.readToEnd().contains("HTTP/"));
    }
  }

  @Test
  void badFilesAreOneClearLine() throws Exception {
    Path none = directory.resolve("none.pem");
    Path garbage = Files.writeString(directory.resolve("garbage.pem"), "not a certificate\n");
    assertMessage(
        listener(none, tls.key()),
        "listener tls: certificate " + none + " cannot be read: no such file");
    assertMessage(
        listener(tls.certificate(), none),
        "listener tls: key " + none + " cannot be read: no such file");
    assertMessage(
        listener(garbage, tls.key()),
        "listener tls: certificate " + garbage + " and key " + tls.key() + " cannot be used: ");
    assertMessage(
        listener(tls.certificate(), garbage),
        "listener tls: certificate "
            + tls.certificate()
            + " and key "
            + garbage
            + " cannot be used: ");
    assertMessage(
        listener(tls.certificate(), null), "listener tls: TLS needs both a certificate and a key");
    TlsFiles other = TlsFiles.make(Files.createDirectory(directory.resolve("other")));
    assertMessage(
        listener(tls.certificate(), other.key()),
        "listener tls: certificate "
            + tls.certificate()
            + " and key "
            + other.key()
            + " cannot be used: ");
  }

  private static void assertMessage(ListenerConfig listener, String expected) {
    ListenException e = assertThrows(ListenException.class, () -> TlsContexts.of(listener));
    String message = String.valueOf(e.getMessage());
    assertTrue(message.startsWith(expected), message);
    assertEquals(1, message.lines().count(), message);
  }
}
