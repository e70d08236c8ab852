package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
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

/** Rules of routes over real connections: by each protocol, for each way an answer comes about. */
@Timeout(120)
@Tag("slow")
final class ServerRouteRulesTest {
  private static final String FIELDS = "x-old: 1\r\nx-kept: 2\r\nX-Old: 3\r\nx-replaced: 4\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private AnswerKinds kinds;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    kinds = new AnswerKinds(origin, FIELDS);
    origin.on("/plain", TestOrigin.ok("cache-control: max-age=60\r\n" + FIELDS, AnswerKinds.BODY));
    edge = Edge.start(directory, "32MiB", config(RULES), clock::get);
  }

  private static final String RULES =
      """
      - name: all
        response-headers:
          set: {x-replaced: new, x-set: "s"}
          add: {x-added: [a, b]}
          remove: [x-old]
      - name: over
        when: {path: /r/, not: {header: {x-plain: "*"}}}
        response-headers: {set: {x-set: t}}
      - when: {protocol: [HTTP/1.1, HTTP/2, HTTP/3], path: /r/}
        response-headers: {set: {x-protocol: known}}
      - name: refuse
        when: {path: {is: /r/denied}}
        deny: {status: 451, text: "not here"}
      - name: move
        when: {path: {regex: "^/r/moved/(.*)$"}}
        redirect: {to: "https://$host/n/$1?$query", status: 308}
      - name: say
        when: {path: {is: /r/said}}
        respond: {status: 418, type: text/x-tea, text: "tea", headers: {x-tea: green}}
      """;

  private String config(String rules) {
    return "http3: {listeners: [secure]}\n"
        + Edge.origins(origin.url())
        + "routes:\n  - {name: bare, match: {path: /plain}}\n  - name: ruled\n"
        + "    match: {path: /r/}\n"
        + "    stale-while-revalidate: 0s\n"
        + "    rules:\n"
        + rules.indent(6);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private void expect(int status, boolean isHit, Answer answer, String what) {
    String text = what + " " + answer;
    assertEquals(status, answer.status(), text);
    assertEquals(isHit, answer.isHit(), text);
    assertEquals(List.of(), answer.all("x-old"), text);
    assertEquals(List.of("new"), answer.all("x-replaced"), text);
    assertEquals(List.of("t"), answer.all("x-set"), text);
    assertEquals(List.of("a", "b"), answer.all("x-added"), text);
    assertEquals(List.of("known"), answer.all("x-protocol"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void fieldsAreTheSameHoweverTheAnswerComesAbout(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      expect(200, false, client.ask("GET", "/r/stored"), "fetched");
      edge.awaitIdle();
      long fast = edge.sum(c -> c.fastHits);
      expect(200, true, client.ask("GET", "/r/stored"), "hit");
      Answer hit = client.ask("GET", "/r/stored");
      expect(200, true, hit, "hit again");
      assertEquals(List.of("2"), hit.all("x-kept"));
      assertEquals(List.of("10"), hit.all("content-length"));
      expect(200, true, client.ask("HEAD", "/r/stored"), "HEAD");
      if (protocol.equals("plain") || protocol.equals("TLS")) {
        assertTrue(edge.sum(c -> c.fastHits) >= fast + 2, "in the fast lane");
      }
      expect(304, true, client.ask("GET", "/r/stored", "if-none-match", "\"1\""), "not modified");
      expect(206, true, client.ask("GET", "/r/stored", "range", "bytes=0-1"), "a range");
      expect(206, true, client.ask("GET", "/r/stored", "range", "bytes=0-0,5-5"), "ranges");
      expect(416, true, client.ask("GET", "/r/stored", "range", "bytes=99-"), "no range");

      expect(200, false, client.ask("GET", "/r/checked"), "fetched to be checked");
      edge.awaitIdle();
      expect(200, false, client.ask("GET", "/r/checked"), "revalidated");

      expect(200, false, client.ask("GET", "/r/stale"), "fetched to be stale");
      edge.awaitIdle();
      kinds.goDown();
      clock.addAndGet(60_000);
      Answer stale = client.ask("GET", "/r/stale");
      expect(200, true, stale, "stale");
      assertTrue(stale.all("cache-status").toString().contains("stale-if-error"));

      expect(200, false, client.ask("GET", "/r/passed"), "passed");
      expect(200, false, client.ask("POST", "/r/passed"), "POST");
      expect(502, false, client.ask("GET", "/r/broken"), "the origin failed");
      expect(204, false, client.ask("OPTIONS", "/r/passed", "max-forwards", "0"), "OPTIONS");
      expect(404, false, client.ask("GET", "/r/unknown"), "an error of the origin");

      Answer denied = client.ask("GET", "/r/denied");
      expect(451, false, denied, "denied");
      assertTrue(denied.all("cache-status").toString().contains("detail=rule-deny"));
      Answer moved = client.ask("GET", "/r/moved/x?y=z");
      expect(308, false, moved, "redirected");
      assertTrue(moved.all("location").getFirst().endsWith("/n/x?y=z"), moved::toString);
      Answer said = client.ask("GET", "/r/said");
      expect(418, false, said, "responded");
      assertEquals(List.of("text/x-tea"), said.all("content-type"));
      assertEquals(List.of("3"), said.all("content-length"));
      assertEquals(List.of("green"), said.all("x-tea"));
      expect(418, false, client.ask("HEAD", "/r/said"), "responded to HEAD");
      expect(418, false, client.ask("POST", "/r/said"), "responded to POST");
      assertEquals(0, origin.count("/r/said"));

      Answer bare = client.ask("GET", "/plain");
      assertEquals(List.of("1", "3"), bare.all("x-old"), "a route without rules");
    }
  }

  @Test
  void anInterimResponseLosesWhatRulesRemoveAndGetsNothing() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("GET", "/r/passed", "Host: a");
      Response hint = client.head();
      assertEquals(103, hint.status());
      assertEquals("</a>", hint.field("link"));
      assertEquals("2", hint.field("x-kept"));
      assertFalse(hint.has("x-old"), hint::toString);
      assertFalse(hint.has("x-replaced"), hint::toString);
      assertFalse(hint.has("x-added"), hint::toString);
      assertEquals("new", client.reply().field("x-replaced"));
    }
  }

  @Test
  void whatIsStoredFollowsTheRulesAsTheyAreNow() throws Exception {
    try (RawClient client = edge.connect()) {
      assertEquals("t", client.get("/r/stored", "Host: a").field("x-set"));
      edge.awaitIdle();
      edge.configure(config("- response-headers: {set: {x-set: u}}\n"));
      edge.server().reload();
      Response hit = client.get("/r/stored", "Host: a");
      assertTrue(hit.isHit());
      assertEquals("u", hit.field("x-set"));
      assertEquals(List.of("1", "3"), hit.all("x-old"));
      edge.configure(config("- {when: {path: /}, deny: 403}\n"));
      edge.server().reload();
      assertEquals(403, client.get("/r/stored", "Host: a").status());
    }
    assertEquals(1, origin.count("/r/stored"));
  }

  /** A hit is only ever denied if the fast lane asks the rules too. */
  @Test
  void aRuleOnTheRequestDecidesHitByHit() throws Exception {
    edge.configure(
        config(
            """
            - when: {cookie: {bad: "*"}}
              deny: 403
            - when: {header: {user-agent: {regex: "(?i)evil"}}}
              deny: 403
            - when: {client: 127.0.0.1, query: {who: "*"}}
              response-headers: {set: {x-local: "$path"}}
            """));
    edge.server().reload();
    try (RawClient client = edge.connect()) {
      client.get("/r/stored", "Host: a");
      edge.awaitIdle();
      assertTrue(client.get("/r/stored", "Host: a").isHit());
      long fast = edge.sum(c -> c.fastHits);
      assertTrue(client.get("/r/stored", "Host: a").isHit());
      assertEquals(fast + 1, edge.sum(c -> c.fastHits), "nothing of the rules concerns it");
      assertEquals(403, client.get("/r/stored", "Host: a", "Cookie: a=b; bad=1").status());
      assertEquals(403, client.get("/r/stored", "Host: a", "User-Agent: Evil/1").status());
      assertTrue(client.get("/r/stored", "Host: a", "User-Agent: Good/1").isHit());
      client.get("/r/stored?who", "Host: a");
      edge.awaitIdle();
      Response local = client.get("/r/stored?who", "Host: a");
      assertTrue(local.isHit());
      assertEquals("/r/stored", local.field("x-local"));
    }
  }

  /** Who is behind a proxy that is trusted is denied by the address that it names. */
  @Test
  void aTrustedProxyNamesTheClient() throws Exception {
    String rules = "- {when: {client: 192.0.2.0/24}, deny: 403}\n";
    edge.configure(config(rules));
    edge.server().reload();
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/r/stored", "Host: a", "X-Forwarded-For: 192.0.2.1").status());
      edge.awaitIdle();
      edge.configure("forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n" + config(rules));
      edge.server().reload();
      for (int i = 0; i < 3; i++) {
        assertEquals(
            403, client.get("/r/stored", "Host: a", "X-Forwarded-For: 192.0.2.1").status());
        assertEquals(
            200, client.get("/r/stored", "Host: a", "X-Forwarded-For: 198.51.100.1").status());
      }
    }
  }

  /** A manifest beside its segments has a lifetime of its own, and an error page is not kept. */
  @Test
  void rulesOnResponsesDecideHowLongTheyAreStored() throws Exception {
    edge.configure(
        config(
            """
            - response: {content-type: "*/vnd.apple.mpegurl"}
              ttl: 2s
              grace: 0s
            - when: {path: {extension: ts}}
              ttl: 1h
            - response: {status: 404}
              ttl: 30s
            - response: {header: {x-private: "*"}}
              cache: false
            - when: {path: /r/kept}
              stale-if-error: 1h
            """));
    edge.server().reload();
    String stored = "cache-control: max-age=10, stale-while-revalidate=600\r\n";
    origin.on(
        "/r/live/index",
        TestOrigin.ok(
            stored + "content-type: application/vnd.apple.mpegurl; v=1\r\n", AnswerKinds.BODY));
    origin.on("/r/live/1.ts", TestOrigin.ok(stored, AnswerKinds.BODY));
    origin.on("/r/private", TestOrigin.ok(stored + "x-private: 1\r\n", AnswerKinds.BODY));
    origin.on(
        "/r/kept",
        (request, connection) -> {
          if (kinds.isDown()) {
            connection.close();
          } else {
            TestOrigin.sendOk(connection, "cache-control: max-age=10\r\n", AnswerKinds.BODY);
          }
        });
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/r/live/index", "/r/live/1.ts", "/r/private", "/r/kept")) {
        assertEquals(200, client.get(path, "Host: a").status());
      }
      assertEquals(404, client.get("/r/unknown", "Host: a").status());
      edge.awaitIdle();
      assertEquals(
          "edge; hit; ttl=2", client.get("/r/live/index", "Host: a").field("cache-status"));
      assertEquals(
          "edge; hit; ttl=3600", client.get("/r/live/1.ts", "Host: a").field("cache-status"));
      assertEquals("edge; hit; ttl=30", client.get("/r/unknown", "Host: a").field("cache-status"));
      assertFalse(client.get("/r/private", "Host: a").isHit());
      kinds.goDown();
      clock.addAndGet(60_000);
      assertFalse(client.get("/r/live/index", "Host: a").isHit(), "no grace");
      edge.awaitIdle();
      assertTrue(client.get("/r/live/1.ts", "Host: a").isHit());
      Response kept = client.get("/r/kept", "Host: a");
      assertTrue(kept.field("cache-status").contains("stale-if-error"), kept::toString);
      assertEquals(404, client.get("/r/unknown", "Host: a").status());
    }
    assertEquals(2, origin.count("/r/unknown"));
  }

  /** What is stored has the URL of the client; only the origin sees another one. */
  @Test
  void aRewriteIsBehindTheKey() throws Exception {
    edge.configure(
        config(
            """
            - when: {path: /r/new}
              rewrite: {path: "/r/stored"}
              request-headers: {set: {x-by: "$path"}}
            - when: {header: {x-fresh: "*"}}
              pass: true
            """));
    edge.server().reload();
    try (RawClient client = edge.connect()) {
      assertFalse(client.get("/r/new", "Host: 127.0.0.1:" + edge.port()).isHit());
      edge.awaitIdle();
      Response hit = client.get("/r/new", "Host: 127.0.0.1:" + edge.port());
      assertTrue(hit.isHit());
      assertEquals("0123456789", hit.text());
      assertEquals("/r/new", origin.requests("/r/stored").getFirst().field("x-by"));
      assertFalse(client.get("/r/stored", "Host: 127.0.0.1:" + edge.port()).isHit());
      edge.awaitIdle();

      edge.purgeUrl("/r/new");
      assertFalse(client.get("/r/new", "Host: 127.0.0.1:" + edge.port()).isHit(), "purged");
      edge.awaitIdle();
      assertTrue(client.get("/r/stored", "Host: 127.0.0.1:" + edge.port()).isHit(), "another URL");

      Response passed = client.get("/r/stored", "Host: 127.0.0.1:" + edge.port(), "X-Fresh: 1");
      assertTrue(passed.field("cache-status").contains("fwd=bypass"), passed::toString);
      assertTrue(passed.field("cache-status").contains("detail=rule"), passed::toString);
      String explained =
          edge.explain(200, "{\"url\": \"" + edge.url("/r/new?miss") + "\"}").toString();
      assertTrue(explained.contains("/r/stored"), explained);
      assertTrue(explained.contains("asks for /r/stored, changes request fields"), explained);
    }
  }

  @Test
  void explainNamesTheRulesThatHold() throws Exception {
    JsonNode moved = edge.explain(200, "{\"url\": \"http://a/r/moved/x\"}");
    String text = moved.toString();
    assertTrue(text.contains("rule all"), text);
    assertTrue(text.contains("forebay.yaml:"), text);
    assertTrue(text.contains("redirects with 308 to https://$host/n/$1?$query"), text);
    assertTrue(text.contains("to https://a/n/x"), text);
    assertTrue(text.contains("rule-redirect"), text);
    String stored = edge.explain(200, "{\"url\": \"http://a/r/stored\"}").toString();
    assertTrue(stored.contains("rule over") && !stored.contains("rule-deny"), stored);
  }
}
