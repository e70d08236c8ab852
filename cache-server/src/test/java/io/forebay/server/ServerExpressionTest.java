package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Rules with expressions in CEL over real connections, and what becomes of them that go wrong. */
@Timeout(120)
@Tag("slow")
final class ServerExpressionTest {
  private static final byte[] BODY = TestOrigin.ascii("0123456789");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final TestOrigin beta = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/a", "/b", "/c", "/private")) {
      String more = path.equals("/private") ? "x-audience: staff\r\n" : "";
      origin.on(path, TestOrigin.ok("cache-control: max-age=60\r\nx-of: main\r\n" + more, BODY));
      beta.on(path, TestOrigin.ok("cache-control: max-age=60\r\nx-of: beta\r\n" + more, BODY));
    }
    edge =
        Edge.start(
            directory, "32MiB", config("- response-headers: {set: {x-ruled: 1}}\n"), clock::get);
  }

  private String config(String rules) {
    return config("", rules);
  }

  private String config(String setting, String rules) {
    return "http3: {listeners: [secure]}\n"
        + "origins:\n  main: {url: \"MAIN\"}\n  beta: {url: \"BETA\"}\n"
            .replace("MAIN", origin.url())
            .replace("BETA", beta.url())
        + "routes:\n  - name: ruled\n    origin: main\n"
        + setting.indent(4)
        + "    rules:\n"
        + rules.indent(6);
  }

  private void configure(String setting, String rules) throws IOException {
    edge.configure(config(setting, rules));
    assertEquals(List.of(), edge.server().reload().errors());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
    beta.close();
  }

  private String metrics() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private long noValue() {
    return edge.sum(c -> c.ruleErrors.errors());
  }

  private long limits() {
    return edge.sum(c -> c.ruleErrors.limits());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void anExpressionSeesTheRequestOfEachProtocol(String protocol) throws Exception {
    configure(
        "",
        """
        - name: odd
          when:
            expression: |
              request.method == "GET" && request.protocol == "PROTOCOL" && request.path == "/a"
              && request.query["x"] == "a b" && request.query_string == "x=a%20b&y"
              && request.headers["x-a"] == "1"
              && request.headers.exists(n, n == "x-a" && request.headers[n] == "1")
              && !request.headers.exists(n, n == "host")
              && request.cookies["c"] == "7" && client.ip == "127.0.0.1"
              && request.time > timestamp("2020-01-01T00:00:00Z") && request.listener != ""
              && (request.scheme == "https") == (tls.version == "TLSv1.3") && request.host != ""
          response-headers: {set: {x-odd: "1"}}
        """
            .replace("PROTOCOL", protocol.startsWith("HTTP/") ? protocol : "HTTP/1.1"));
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer answer = client.ask("GET", "/a?x=a%20b&y", "x-a", "1", "cookie", "b=1; c=7");
      assertEquals(200, answer.status());
      assertEquals(List.of("1"), answer.all("x-odd"), answer::toString);
      assertEquals(List.of(), client.ask("GET", "/a?x=b", "x-a", "1").all("x-odd"));
    }
    assertEquals(0, limits());
  }

  /** Shown thing: a rule that goes wrong fails closed if it denies, and else does not apply. */
  @Test
  void aRuleThatGoesWrongDeniesOrDoesNotApplyUnlessItSaysOtherwise() throws Exception {
    configure(
        "",
        """
        - {name: closed, when: {path: /a, expression: 'request.headers["x-ok"] != "1"'}, deny: 403}
        - {name: open, when: {path: /b, expression: 'request.headers["x-ok"] != "1"'}, on-error: skip, deny: 403}
        - {when: {expression: 'request.headers["x-ok"] == "1"'}, response-headers: {set: {x-s: "1"}}}
        - {when: {expression: 'request.headers["x-ok"] == "1"'}, on-error: apply, response-headers: {set: {x-t: "1"}}}
        """);
    try (RawClient client = edge.connect()) {
      assertEquals(403, client.get("/a").status());
      assertEquals(1, noValue());
      Response open = client.get("/b");
      assertEquals(200, open.status());
      assertFalse(open.has("x-s"), open::toString);
      assertEquals("1", open.field("x-t"));
      assertEquals(4, noValue());
      Response fine = client.get("/a", "X-Ok: 1");
      assertEquals(200, fine.status());
      assertEquals("1", fine.field("x-s"));
      assertEquals(403, client.get("/b", "X-Ok: 2").status());
      assertEquals(4, noValue());
    }
    assertTrue(
        metrics().contains("forebay_rule_errors_total{cause=\"no-value\"} 4"), "in the metrics");
    JsonNode told = edge.explain(200, "{\"url\": \"" + edge.url("/a") + "\"}");
    assertTrue(
        told.path("rules")
            .toString()
            .contains(
                "its expression has no value: there is no request.headers named x-ok; it applies"),
        told::toString);
    assertTrue(
        told.path("notes")
            .toString()
            .contains(
                "rule closed has an expression: hits that it is asked about are not answered in the fast lane"),
        told::toString);
    assertEquals(4, noValue(), "explain counts nothing");
  }

  /** Cost exceeded: a request that is made to be expensive does not get past a rule that denies. */
  @Test
  void anEvaluationThatTakesTooLongIsEndedAndTheRuleDenies() throws Exception {
    configure(
        "",
        """
        - when: {expression: 'request.headers.get("x-text").contains(request.headers.get("x-part"))'}
          deny: 403
        """);
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/a", "X-Text: aaa", "X-Part: b").status());
      assertEquals(0, limits());
      String text = "X-Text: " + "a".repeat(3000);
      assertEquals(403, client.get("/a", text, "X-Part: " + "a".repeat(1500) + "b").status());
      assertEquals(1, limits());
      assertEquals(200, client.get("/a", "X-Text: aaa", "X-Part: b").status());
    }
  }

  @Test
  void tooManyCookiesAreNoWayPastARule() throws Exception {
    configure("", "- {when: {expression: '\"blocked\" in request.cookies'}, deny: 403}\n");
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/a", "Cookie: a=1").status());
      assertEquals(403, client.get("/a", "Cookie: a=1; blocked=1").status());
      assertEquals(403, client.get("/a", "Cookie: " + "a=1; ".repeat(300) + "b=1").status());
      assertEquals(1, limits());
    }
  }

  /** Nobody gets what the origin answered to a request whose rule could not be told. */
  @Test
  void whereABoundHidesTheChoiceOfTheOriginTheResponseIsNotStored() throws Exception {
    configure(
        "key: {strip: [\"utm_*\"]}",
        "- {when: {expression: 'request.query.get(\"v\") == \"beta\"'}, origin: beta}\n");
    String padding = "&utm_x=1".repeat(300);
    try (RawClient client = edge.connect()) {
      Response hidden = client.get("/a?v=beta" + padding);
      assertEquals("main", hidden.field("x-of"));
      assertTrue(hidden.field("cache-status").contains("fwd=bypass"), hidden::toString);
      assertEquals(1, limits());
      edge.awaitIdle();
      Response told = client.get("/a?v=beta");
      assertEquals("beta", told.field("x-of"));
      assertFalse(told.isHit());
      edge.awaitIdle();
      assertTrue(client.get("/a?v=beta&utm_x=1").isHit());
    }
  }

  @Test
  void hitsStayInTheFastLaneWhereAMatcherDecidesFirst() throws Exception {
    configure(
        "",
        """
        - when: {path: /b, expression: 'request.headers.get("x-a") == "1"'}
          deny: 403
        """);
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/a", "/b")) {
        client.get(path);
        edge.awaitIdle();
        client.get(path);
      }
      long fast = edge.sum(c -> c.fastHits);
      assertTrue(client.get("/a").isHit());
      assertEquals(fast + 1, edge.sum(c -> c.fastHits));
      assertTrue(client.get("/b").isHit());
      assertEquals(fast + 1, edge.sum(c -> c.fastHits), "the expression takes an exchange");
      assertEquals(403, client.get("/b", "X-A: 1").status());
    }
  }

  @Test
  void anExpressionOnTheResponseDecidesAboutStoring() throws Exception {
    configure(
        "",
        """
        - response:
            status: 200
            expression: 'response.headers["x-audience"] == "staff"'
          on-error: skip
          cache: false
        - response: {expression: 'response.headers["x-of"] == "main" && response.status == 200'}
          ttl: 5m
        - {when: {path: /c}, response: {expression: 'response.headers["x-none"] == "1"'}, cache: false}
        """);
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/a", "/private", "/c")) {
        assertEquals(200, client.get(path).status());
        edge.awaitIdle();
      }
      assertEquals("edge; hit; ttl=300", client.get("/a").field("cache-status"));
      assertFalse(client.get("/private").isHit());
      assertFalse(client.get("/c").isHit(), "not stored, because that cannot be told");
    }
    assertTrue(noValue() >= 3, "each is counted");
  }
}
