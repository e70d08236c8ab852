package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rate limits over sockets; the times are so long that no token returns during a test. */
@Timeout(240)
@Tag("slow")
final class ServerRateLimitTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() {
    for (String path : List.of("/a", "/b/x", "/open")) {
      origin.on(path, TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    }
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private String yaml(String limits) {
    return Edge.origins(origin.url())
        + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n"
        + "protection: {p: {rate-limits: ["
        + limits
        + "]}}\n"
        + "routes:\n"
        + "  - {name: root, match: {path: /}, protection: p}\n"
        + "  - {name: b, match: {path: /b/}, protection: p}\n"
        + "  - {match: {path: /open}}\n";
  }

  private void start(String limits) throws IOException {
    edge = Edge.start(directory, "32MiB", yaml(limits));
  }

  private int status(RawClient client, String path, String... fields) throws IOException {
    return client.request("GET", path, fields).reply().status();
  }

  private long refused() {
    return edge().sum(c -> c.refusals(ProtectionRule.RATE_LIMIT));
  }

  @Test
  void hitsOfTheFastLaneCountAndTheAnswerBeyondTheLimitSaysWhenToComeBack() throws Exception {
    start("{name: per-client, requests: 10, per: 1h}");
    try (RawClient client = edge().connect()) {
      assertEquals(200, status(client, "/a"));
      edge().awaitIdle();
      for (int i = 0; i < 9; i++) {
        assertEquals(200, status(client, "/a"));
      }
      assertTrue(edge().sum(c -> c.fastHits) >= 8, "hits stay in the fast lane");
      Response refused = client.get("/a");
      assertEquals(429, refused.status());
      assertEquals("\"per-client\";q=10;w=3600", refused.field("ratelimit-policy"));
      assertTrue(refused.field("ratelimit").matches("\"per-client\";r=0;t=3[56]\\d"));
      assertTrue(refused.field("retry-after").matches("3[56]\\d"), refused.toString());
      assertTrue(refused.field("cache-status").contains("detail=rate-limit"), refused.toString());
      assertEquals(200, status(client, "/open"));
    }
    assertEquals(1, origin.count("/a"));
    assertEquals(1, refused());
  }

  @Test
  void connectionsLoopsAndProtocolsOfOneClientShareItsLimit() throws Exception {
    start("{name: per-client, requests: 12, per: 1h}");
    int admitted = 0;
    for (int i = 0; i < 8; i++) {
      try (RawClient client = edge().connect()) {
        admitted += status(client, "/a") == 200 ? 1 : 0;
      }
    }
    try (HttpClient http = edge().tlsClient(HttpClient.Version.HTTP_2)) {
      for (int i = 0; i < 8; i++) {
        HttpResponse<String> response =
            http.send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge().tlsPort() + "/a"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        admitted += response.statusCode() == 200 ? 1 : 0;
      }
    }
    assertEquals(12, admitted);
    assertEquals(4, refused());
  }

  @Test
  void clientsBehindATrustedRelayHaveLimitsOfTheirOwn() throws Exception {
    start("{name: per-client, requests: 2, per: 1h}");
    try (RawClient client = edge().connect()) {
      for (String peer : List.of("198.51.100.1", "198.51.100.2", "2001:db8::1")) {
        String field = "X-Forwarded-For: " + peer;
        assertEquals(200, status(client, "/a", field), peer);
        assertEquals(200, status(client, "/a", field), peer);
        assertEquals(429, status(client, "/a", field), peer);
      }
      // Of the same /64 as the last.
      assertEquals(429, status(client, "/a", "X-Forwarded-For: 2001:db8::2"));
    }
  }

  @Test
  void aRefusedRequestCountsWithNoLaterLimitAndAnAdmittedOneWithAll() throws Exception {
    start(
        "{name: first, key: cookie id, requests: 2, per: 1h},"
            + " {name: second, key: host, requests: 3, per: 1h}");
    try (RawClient client = edge().connect()) {
      assertEquals(200, status(client, "/a", "Cookie: id=1"));
      assertEquals(200, status(client, "/a", "Cookie: id=1"));
      assertEquals(429, status(client, "/a", "Cookie: id=1"));
      assertEquals(429, status(client, "/a", "Cookie: id=1"));
      assertEquals(200, status(client, "/a", "Cookie: id=2"));
      Response refused = client.request("GET", "/a", "Cookie: id=3").reply();
      assertEquals(
          "\"first\";q=2;w=3600, \"second\";q=3;w=3600", refused.field("ratelimit-policy"));
      assertTrue(refused.field("ratelimit").startsWith("\"second\";r=0;t="), refused.toString());
    }
  }

  @Test
  void routesOfOneProfileCountTogetherUnlessTheRouteIsTheKey() throws Exception {
    start("{name: all, key: client, requests: 1, per: 1h}");
    try (RawClient client = edge().connect()) {
      assertEquals(200, status(client, "/a"));
      assertEquals(429, status(client, "/b/x"));
      edge().configure(yaml("{name: each, key: route, requests: 1, per: 1h}"));
      assertEquals(List.of(), edge().server().reload().errors());
      assertEquals(200, status(client, "/a"));
      assertEquals(200, status(client, "/b/x"));
      assertEquals(429, status(client, "/a"));
    }
  }

  @Test
  void aLimitThatKeepsItsNameKeepsItsCountsOverAReload() throws Exception {
    start("{name: all, requests: 1, per: 1h}");
    try (RawClient client = edge().connect()) {
      assertEquals(200, status(client, "/a"));
      edge().configure(yaml("{name: all, requests: 1, per: 1h, penalty: 2h}"));
      assertEquals(
          List.of("protection.p.rate-limits.0.penalty"), edge().server().reload().changed());
      Response refused = client.get("/a");
      assertEquals(429, refused.status());
      assertTrue(Integer.parseInt(refused.field("retry-after")) > 3600, refused.toString());
    }
  }

  @Test
  void explainNamesTheLimits() throws Exception {
    start("{name: per-client, requests: 10, per: 1m, burst: 20, penalty: 5m}");
    String explained = edge().explain(200, "{\"url\": \"" + edge().url("/a") + "\"}").toString();
    assertTrue(
        explained.contains(
            "per-client: 10 requests in 60 s by client-network, 20 at once; beyond that 429 for"
                + " 300 s."),
        explained);
  }
}
