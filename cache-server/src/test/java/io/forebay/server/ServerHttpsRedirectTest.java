package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.forebay.testing.RawClient;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plain text requests are redirected to https where the listener says so, and nowhere else. */
@Timeout(120)
final class ServerHttpsRedirectTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    origin.on("/s", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("stored")));
    edge = Edge.start(directory, "32MiB", yaml("https-redirect: 8443", ""));
  }

  @AfterEach
  void stop() throws Exception {
    edge.close();
    origin.close();
  }

  private String yaml(String setting, String more) {
    return "  - {name: moved, address: \"127.0.0.1:0\", "
        + setting
        + "}\n"
        + Edge.origins(origin.url())
        + more;
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /s, shop.example, https://shop.example:8443/s",
    "GET, /s?a=b%20c&d, shop.example:80, https://shop.example:8443/s?a=b%20c&d",
    "HEAD, /, Shop.Example:8080, https://shop.example:8443/",
    "DELETE, /x, '[::1]:81', https://[::1]:8443/x"
  })
  void aPlainTextRequestIsRedirectedToItsHostAndPath(
      String method, String target, String host, String location) throws Exception {
    try (RawClient client = new RawClient(edge.port("moved"))) {
      client.send(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      RawClient.Response reply = client.reply(method.equals("HEAD"));
      assertEquals(308, reply.status());
      assertEquals(location, reply.field("location"));
      assertEquals("0", reply.field("content-length"));
      assertFalse(reply.has("strict-transport-security"));
    }
  }

  @Test
  void storedObjectsAreServedByTheOtherListenersOnly() throws Exception {
    try (RawClient plain = new RawClient(edge.port());
        RawClient moved = new RawClient(edge.port("moved"))) {
      for (int i = 0; i < 3; i++) {
        assertEquals("stored", plain.get("/s").text());
        assertEquals(308, moved.get("/s").status());
      }
    }
  }

  @Test
  void aReloadTurnsItOffAndOn() throws Exception {
    try (RawClient moved = new RawClient(edge.port("moved"))) {
      assertEquals(308, moved.get("/s").status());
      edge.configure(yaml("h2c: false", ""));
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("stored", moved.get("/s").text());
      edge.configure(yaml("https-redirect: 443", ""));
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("https://127.0.0.1/s", moved.get("/s").field("location"));
    }
  }

  @Test
  void aTrustedProxyIsServed() throws Exception {
    edge.configure(
        yaml("https-redirect: 8443", "forwarding: {trusted: [127.0.0.1], node-id: edge}\n"));
    assertEquals(List.of(), edge.server().reload().errors());
    try (RawClient moved = new RawClient(edge.port("moved"))) {
      assertEquals("stored", moved.get("/s").text());
    }
  }
}
