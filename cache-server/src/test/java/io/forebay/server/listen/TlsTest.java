package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.testing.Certificates;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class TlsTest {

  @TempDir static Path directory;
  private static Certificates tls;

  @BeforeAll
  static void makeCertificate() throws Exception {
    tls = Certificates.in(directory);
    tls.ecdsa("server", "localhost", "127.0.0.1");
  }

  private static ListenerConfig listener() {
    return new ListenerConfig(
        "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server"));
  }

  private static ServerConfig config(TimeoutsConfig timeouts) {
    return ListenFixture.config(ListenFixture.LIMITS, timeouts, "auto", 1, listener());
  }

  private static RawClient connect(ListenFixture server, String... protocols) throws Exception {
    SSLSocket socket =
        (SSLSocket) tls.clientContext().getSocketFactory().createSocket("127.0.0.1", server.port());
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    socket.startHandshake();
    if (protocols.length > 0) {
      assertEquals(List.of(protocols), List.of(socket.getSession().getProtocol()));
    }
    return new RawClient(socket);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void servesHttp11WithoutAlpn(String version) throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server, version)) {
      String shown = client.get("/show", "Host: a.example").text();
      assertTrue(shown.startsWith("GET https a.example /show null HTTP/1.1"), shown);
      assertEquals(3_000_000, client.get("/big?3000000").text().length());
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void theDefaultPortIsThatOfTheScheme() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      String request = "GET /show HTTP/1.1\r\nHost: a.example:443\r\n\r\n";
      String shown = client.send(request).reply().text();
      assertTrue(shown.startsWith("GET https a.example /show"), shown);
    }
  }

  @Test
  void refusalsReachTheClient() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      assertEquals(400, client.send("GET / HTTP/1.1\r\n\r\n").reply().status());
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void aBrokenOffBodyIsNoOrderlyEnd() throws Exception {
    try (ListenFixture server = new ListenFixture(config(ListenFixture.TIMEOUTS));
        RawClient client = connect(server)) {
      client.send("GET /abort-unknown HTTP/1.0\r\n\r\n");
      // Without close_notify the JDK reports the truncation.
      assertThrows(IOException.class, client::reply);
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
      client.request("GET", "/hello");
      String answer = new String(client.readToEnd(), StandardCharsets.ISO_8859_1);
      assertFalse(answer.contains("HTTP/"), answer);
    }
  }
}
