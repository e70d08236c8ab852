package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
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

/** Access by network, over sockets: hits in the fast lane, HTTP/2, relays, reloads. */
@Timeout(240)
@Tag("slow")
final class ServerProtectionTest {
  private static final String RELAY = "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    origin.on("/open", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("open")));
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private String yaml(String access, String more) {
    return Edge.origins(origin.url())
        + "protection: {p: {access: "
        + access.replace("DIR", directory.toString())
        + "}}\n"
        + "routes: [{match: {path: /}, protection: p}, {match: {path: /open}}]\n"
        + more;
  }

  private void start(String access, String more) throws IOException {
    edge = Edge.start(directory, "32MiB", yaml(access, more));
  }

  private int status(String path, String... fields) throws IOException {
    try (RawClient client = edge().connect()) {
      return client.request("GET", path, fields).reply().status();
    }
  }

  private long refused() {
    return edge().sum(c -> c.refusals(ProtectionRule.ACCESS));
  }

  @Test
  void aClientOfADeniedNetworkGetsNeitherAHitNorAFetch() throws Exception {
    start("{deny: [192.0.2.0/24, 127.0.0.0/8]}", "");
    try (RawClient client = edge().connect()) {
      Response refused = client.get("/a");
      assertEquals(403, refused.status());
      assertTrue(
          refused.text().startsWith("The route's protection does not admit"), refused.text());
      assertTrue(refused.field("cache-status").contains("detail=access"), refused.toString());
      assertEquals("no-store", refused.field("cache-control"));
      assertEquals(200, client.get("/open").status());
    }
    assertEquals(0, origin.count("/a"));
    assertEquals(1, refused());
    try (HttpClient http = edge().tlsClient(HttpClient.Version.HTTP_2)) {
      HttpResponse<String> refused =
          http.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge().tlsPort() + "/a"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(403, refused.statusCode());
      assertEquals(HttpClient.Version.HTTP_2, refused.version());
    }
    assertEquals(2, refused());
  }

  @Test
  void hitsOfAdmittedClientsStayInTheFastLaneAndThoseOfOthersAreRefused() throws Exception {
    start("{allow: 198.51.100.0/24, deny: 198.51.100.7}", RELAY);
    String admitted = "X-Forwarded-For: 198.51.100.1";
    try (RawClient client = edge().connect()) {
      assertEquals(200, client.request("GET", "/a", admitted).reply().status());
      edge().awaitIdle();
      assertEquals(200, client.request("GET", "/a", admitted).reply().status());
      long before = edge().sum(c -> c.fastHits);
      for (int i = 0; i < 10; i++) {
        assertEquals(200, client.request("GET", "/a", admitted).reply().status());
      }
      edge().awaitSum(before + 10, c -> c.fastHits);
      for (String other : List.of("198.51.100.7", "203.0.113.1")) {
        Response refused = client.request("GET", "/a", "X-Forwarded-For: " + other).reply();
        assertEquals(403, refused.status(), other);
      }
      assertEquals(before + 10, edge().sum(c -> c.fastHits));
    }
    assertEquals(1, origin.count("/a"));
    assertEquals(2, refused());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | X-Forwarded-For: 198.51.100.1",
        "200 | X-Forwarded-For: 203.0.113.9, 198.51.100.1",
        "200 | X-Forwarded-For: 203.0.113.9, 198.51.100.1, 127.0.0.9",
        "200 | X-Forwarded-For: [2001:db8::7]:4711",
        "200 | X-Forwarded-For: 198.51.100.1:80",
        "200 | Forwarded: for=203.0.113.9, for=\"[2001:db8::7]\"",
        "403 | X-Forwarded-For: 198.51.100.1, 203.0.113.9",
        "403 | X-Forwarded-For: 198.51.100.1, unknown",
        "403 | X-Forwarded-For: 198.51.100.1,",
        "403 | X-Forwarded-For: 198.51.100.1 198.51.100.1",
        "403 | X-Forwarded-For: 198.51.100.1, 127.0.0.1x",
        "403 | Forwarded: for=203.0.113.9",
        "403 | Forwarded: for=_hidden",
        "403 | X-Real-IP: 198.51.100.1",
        "403 | X-Forwarded-For:"
      })
  void theLastAddressThatNoTrustedRelayHasIsTheClients(int expected, String field)
      throws Exception {
    start("{allow: [198.51.100.0/24, \"2001:db8::/32\"]}", RELAY);
    assertEquals(expected, status("/a", field));
  }

  @Test
  void whatAClientThatIsNoTrustedRelaySaysDoesNotCount() throws Exception {
    start("{allow: 198.51.100.0/24}", "");
    assertEquals(403, status("/a", "X-Forwarded-For: 198.51.100.1"));
    edge().configure(yaml("{deny: 198.51.100.0/24}", ""));
    assertEquals(List.of(), edge().server().reload().errors());
    assertEquals(200, status("/a", "X-Forwarded-For: 198.51.100.1"));
  }

  @Test
  void theAddressOfTheProxyProtocolCounts() throws Exception {
    edge =
        Edge.start(
            directory,
            "32MiB",
            "  - {name: behind, address: \"127.0.0.1:0\", proxy-protocol: true}\n"
                + yaml("{deny: 203.0.113.9}", RELAY));
    for (String peer : List.of("203.0.113.9", "203.0.113.10")) {
      try (RawClient client = new RawClient(edge().port("behind"))) {
        client.send("PROXY TCP4 " + peer + " 192.0.2.1 4711 80\r\n");
        assertEquals(peer.endsWith("9") ? 403 : 200, client.get("/a").status(), peer);
      }
    }
  }

  @Test
  void aReloadReadsTheFilesAgainAndKeepsTheOldOnesIfALineIsWrong() throws Exception {
    Path list = Files.writeString(directory.resolve("list"), "203.0.113.0/24\n");
    start("{deny-file: DIR/list}", "");
    assertEquals(200, status("/a"));
    Files.writeString(list, "203.0.113.0/24\n127.0.0.1\n");
    Reload reload = edge().server().reload();
    assertEquals(List.of("protection.p.access.deny-file"), reload.changed());
    assertEquals(403, status("/a"));
    Files.writeString(list, "203.0.113.0/24\n127.0.0.1.1\n");
    Reload bad = edge().server().reload();
    assertTrue(
        bad.errors().toString().contains("line 2: \"127.0.0.1.1\" is not an IP address"),
        bad.errors().toString());
    assertEquals(403, status("/a"));
  }

  @Test
  void explainNamesWhatTheRouteAsksOfClients() throws Exception {
    start("{allow: 198.51.100.0/24, deny: 198.51.100.7}", "");
    String explained = edge().explain(200, "{\"url\": \"" + edge().url("/a") + "\"}").toString();
    assertTrue(
        explained.contains("access: 1 network denied; 1 network allowed, all others denied: 403"),
        explained);
    assertTrue(explained.contains("protection p decides by the client as well"), explained);
  }
}
