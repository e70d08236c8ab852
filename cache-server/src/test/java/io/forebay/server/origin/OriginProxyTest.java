package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.ProxyConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Origins behind an HTTP proxy; the test plays the proxy and the origin behind it. */
@Timeout(60)
@Tag("slow")
class OriginProxyTest {
  @TempDir Path directory;
  private ScriptedOrigin proxy;

  @BeforeEach
  void start() {
    proxy = ScriptedOrigin.start();
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
  }

  private OriginConfig through(String origin, @Nullable String user) {
    return through(origin, proxy.url(), user);
  }

  private static OriginConfig through(String origin, String proxyUrl, @Nullable String user) {
    ProxyConfig config = new ProxyConfig(proxyUrl, user, "open sesame", null);
    return Lab.withEgress(Lab.origin(origin), new EgressConfig(false, List.of(), config));
  }

  @ParameterizedTest
  @CsvSource({
    "http://origin.test,         origin.test:80",
    "http://origin.test:8080/b/, origin.test:8080",
    "http://192.0.2.1,           192.0.2.1:80",
    "'http://[2001:db8::1]:81',  '[2001:db8:0:0:0:0:0:1]:81'",
  })
  void theProxyIsAskedForTheOriginByName(String url, String target) throws Exception {
    // The name is not resolved here: the script knows no name.
    try (Lab lab = Lab.of(through(url, null))) {
      Recorder first = lab.send(Lab.get("/x"));
      Connection connection = proxy.accept();
      assertEquals(
          "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n", connection.head());
      connection.send("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
      String base = url.endsWith("/b/") ? "/b" : "";
      assertTrue(connection.head().startsWith("GET " + base + "/x HTTP/1.1\r\nhost: example.com"));
      connection.respond("one");
      assertEquals("one", first.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder second = lab.send(Lab.get("/y"));
      assertTrue(connection.head().startsWith("GET " + base + "/y "));
      connection.respond("two");
      assertEquals("two", second.body());
      assertEquals(target, lab.status().servers().getFirst().endpoints().getFirst().address());
    }
  }

  @Test
  void userAndPasswordGoToTheProxyAlone() throws Exception {
    try (Lab lab = Lab.of(through("http://origin.test", "Aladdin"))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      // The example of RFC 7617 §2.
      assertEquals(
          List.of("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
          Connection.fields(connection.head(), "proxy-authorization"));
      connection.send("HTTP/1.0 200 ok\r\n\r\n");
      assertFalse(connection.head().toLowerCase(java.util.Locale.ROOT).contains("authorization"));
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void tlsIsWithTheOriginBehindTheProxy() throws Exception {
    Certificates certificates = Certificates.in(directory);
    X509Bundle bundle = certificates.ecdsa("origin.test", "origin.test");
    try (ScriptedOrigin tls = ScriptedOrigin.startTls(Certificates.serverContext(bundle));
        Lab lab =
            Lab.of(
                Lab.withTrust(through("https://origin.test", null), certificates.authorityPem()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection plain = proxy.accept();
      assertTrue(plain.head().startsWith("CONNECT origin.test:443 "));
      plain.send("HTTP/1.1 200 OK\r\n\r\n");
      Connection secured = tls.secured(plain);
      assertTrue(secured.head().startsWith("GET / "));
      secured.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP/1.1 407 Proxy Authentication Required | 407 Proxy Authentication Required
          HTTP/1.1 502 Bad Gateway                   | refused the connection
          SSH-2.0-OpenSSH                            | not HTTP/1.1
          HTTP/2 200                                 | not HTTP/1.1
          """)
  void anythingButSuccessFailsTheConnection(String line, String word) throws Exception {
    try (Lab lab = Lab.of(through("http://origin.test", null))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      connection.send(line + "\r\ncontent-length: 3\r\n\r\nno!");
      String detail = response.failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains(word), detail);
      connection.awaitClose();
      lab.awaitOnLoop(0, "no permit taken", () -> lab.connections.open("main") == 0);
    }
  }

  @Test
  void aProxyThatClosesFailsTheConnection() throws Exception {
    try (Lab lab = Lab.of(through("http://origin.test", null))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      connection.close();
      String detail = response.failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("the proxy closed the connection"), detail);
    }
  }

  @Test
  void aHeadWithoutEndIsBounded() throws Exception {
    try (Lab lab = Lab.of(through("http://origin.test", null))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nx: " + "x".repeat(20_000));
      String detail = response.failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("bytes of header fields"), detail);
    }
  }

  @Test
  void bytesAfterTheHeadAreNotTheResponse() throws Exception {
    try (Lab lab = Lab.of(through("http://origin.test", null))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison");
      response.failure(Kind.CONNECT_FAILED);
    }
  }

  @Test
  void aProxyThatDoesNotAnswerIsAConnectTimeout() throws Exception {
    try (Lab lab =
        Lab.of(Lab.withTimes(through("http://origin.test", null), 100, 5000, 5000, 0, 5000))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      response.failure(Kind.CONNECT_TIMEOUT);
      connection.awaitClose();
    }
  }

  @Test
  void theNameOfTheProxyIsResolvedHere() throws Exception {
    String named = "http://proxy.test:" + proxy.port();
    try (Lab lab = Lab.of(through("http://origin.test", named, null))) {
      lab.names.fail("proxy.test", "no such name");
      String detail = lab.send(Lab.get("/")).failure(Kind.NAME_NOT_RESOLVED);
      assertTrue(detail.contains("proxy.test"), detail);
      lab.names.set("proxy.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = proxy.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\n");
      connection.head();
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }
}
