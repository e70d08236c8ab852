package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.RawClient;
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

/**
 * CORS, security headers, and fields that depend on the response, over real connections: by each
 * protocol, for each way an answer comes about.
 */
@Timeout(120)
@Tag("slow")
final class ServerRoutePresetsTest {
  private static final String OWN =
      "access-control-allow-origin: https://own.example\r\naccess-control-allow-methods: PUT\r\n"
          + "x-frame-options: ALLOWALL\r\nvary: Origin\r\n";
  private static final String LISTED = "https://a.example";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private AnswerKinds kinds;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    kinds = new AnswerKinds(origin, OWN);
    origin.on(
        "/r/stored",
        TestOrigin.ok(
            "cache-control: max-age=60\r\netag: \"1\"\r\ncontent-type: Text/HTML; charset=x\r\n"
                + OWN,
            AnswerKinds.BODY));
    origin.on("/r/passed", AnswerKinds.passed("x-html: own\r\n", "x-html: own\r\n" + OWN));
    edge = Edge.start(directory, "32MiB", config(), clock::get);
  }

  private String config() {
    return "http3: {listeners: [secure]}\n"
        + Edge.origins(origin.url())
        + """
        protection: {closed: {access: {allow: [192.0.2.0/24]}}}
        routes:
          - name: shared
            match: {path: /r/}
            stale-while-revalidate: 0s
            cors:
              origins: [https://a.example, "https://*.b.example", "null"]
              methods: [GET, PUT]
              request-headers: [X-Token]
              expose-headers: [ETag, X-Html]
              max-age: 10m
            security-headers: on
            rules:
              - response: {content-type: text/html}
                response-headers: {set: {x-html: "yes"}}
              - response: {status: [404, 5xx, 4xx]}
                response-headers: {set: {x-failed: "yes"}, default: {x-frame-options: DENY, x-more: m}}
              - response: {status: 200, header: {etag: '"1"'}}
                response-headers: {set: {x-whole: "yes"}}
          - name: open
            match: {path: /open}
            cors: {origins: "*"}
            hsts: {max-age: 1d}
            security-headers: {preset: strict, overwrite: true}
          - name: closed
            match: {path: /closed}
            protection: closed
            cors: {origins: https://a.example, credentials: true}
            security-headers: strict
        """;
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static void expect(
      int status, boolean isHit, String allowed, Answer answer, String what) {
    String text = what + " " + answer;
    assertEquals(status, answer.status(), text);
    assertEquals(isHit, answer.isHit(), text);
    assertEquals(
        allowed.isEmpty() ? List.of() : List.of(allowed),
        answer.all("access-control-allow-origin"),
        text);
    assertEquals(List.of(), answer.all("access-control-allow-methods"), text);
    assertEquals(
        allowed.isEmpty() ? List.of() : List.of("ETag, X-Html"),
        answer.all("access-control-expose-headers"),
        text);
    assertTrue(answer.all("vary").contains("Origin"), text);
    assertEquals(List.of("nosniff"), answer.all("x-content-type-options"), text);
    assertEquals(1, answer.all("x-frame-options").size(), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void fieldsFollowTheOriginHoweverTheAnswerComesAbout(String protocol) throws Exception {
    String b = "https://x.y.b.example";
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      expect(200, false, LISTED, client.ask("GET", "/r/stored", "origin", LISTED), "fetched");
      edge.awaitIdle();
      long fast = edge.sum(c -> c.fastHits);
      expect(200, true, LISTED, client.ask("GET", "/r/stored", "origin", LISTED), "hit");
      Answer hit = client.ask("GET", "/r/stored");
      expect(200, true, "", hit, "no origin");
      assertEquals(List.of("ALLOWALL"), hit.all("x-frame-options"), "the origin has its own");
      assertEquals(List.of("yes"), hit.all("x-html"), hit::toString);
      expect(200, true, "null", client.ask("GET", "/r/stored", "origin", "null"), "null");
      String evil = "https://a.example.evil.example";
      expect(200, true, "", client.ask("GET", "/r/stored", "origin", evil), "another");
      expect(
          200,
          true,
          "",
          client.ask("GET", "/r/stored", "origin", "https://b.example"),
          "not below");
      if (protocol.equals("plain") || protocol.equals("TLS")) {
        assertTrue(edge.sum(c -> c.fastHits) >= fast + 4, "in the fast lane");
      }
      expect(200, true, b, client.ask("GET", "/r/stored", "origin", b), "by a pattern");
      assertEquals(1, origin.count("/r/stored"), "one object for all origins");
      assertEquals("", origin.requests("/r/stored").getFirst().field("origin"));

      for (Answer part :
          List.of(
              client.ask("GET", "/r/stored", "origin", b, "if-none-match", "\"1\""),
              client.ask("GET", "/r/stored", "origin", b, "range", "bytes=0-1"),
              client.ask("GET", "/r/stored", "origin", b, "range", "bytes=0-0,5-5"))) {
        expect(part.status(), true, b, part, "a part");
        assertEquals(List.of("yes"), part.all("x-html"), part::toString);
        assertEquals(List.of("yes"), part.all("x-whole"), part::toString);
        assertEquals(List.of(), part.all("x-failed"), part::toString);
      }
      Answer noRange = client.ask("GET", "/r/stored", "origin", b, "range", "bytes=99-");
      assertEquals(416, noRange.status());
      assertEquals(List.of("yes"), noRange.all("x-failed"), noRange::toString);
      assertEquals(List.of(), noRange.all("x-whole"), noRange::toString);

      expect(200, false, b, client.ask("GET", "/r/checked", "origin", b), "fetched to be checked");
      edge.awaitIdle();
      Answer checked = client.ask("GET", "/r/checked", "origin", LISTED);
      expect(200, false, LISTED, checked, "revalidated");
      assertEquals(List.of("yes"), checked.all("x-whole"), checked::toString);
      expect(200, false, "", client.ask("GET", "/r/stale"), "fetched to be stale");
      edge.awaitIdle();
      kinds.goDown();
      clock.addAndGet(60_000);
      Answer stale = client.ask("GET", "/r/stale", "origin", LISTED);
      expect(200, true, LISTED, stale, "stale");
      assertEquals(List.of(), stale.all("x-failed"), stale::toString);

      Answer passed = client.ask("GET", "/r/passed", "origin", LISTED);
      expect(200, false, LISTED, passed, "passed");
      assertEquals(List.of("own"), passed.all("x-html"), "not HTML");
      expect(200, false, LISTED, client.ask("POST", "/r/passed", "origin", LISTED), "POST");
      assertEquals(LISTED, origin.requests("/r/passed").getLast().field("origin"));
      Answer broken = client.ask("GET", "/r/broken", "origin", LISTED);
      expect(502, false, LISTED, broken, "the origin failed");
      assertEquals(List.of("yes"), broken.all("x-failed"), broken::toString);
      Answer unknown = client.ask("GET", "/r/unknown", "origin", LISTED);
      expect(404, false, LISTED, unknown, "an error of the origin");
      assertEquals(List.of("m"), unknown.all("x-more"), unknown::toString);
      assertEquals(List.of("SAMEORIGIN"), unknown.all("x-frame-options"), "the first default");

      boolean isTls = !protocol.equals("plain");
      assertEquals(
          isTls ? List.of("max-age=31536000") : List.of(),
          unknown.all("strict-transport-security"),
          unknown::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void preflightsAreAnsweredHere(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer allowed =
          client.ask(
              "OPTIONS",
              "/r/stored",
              "origin",
              LISTED,
              "access-control-request-method",
              "PUT",
              "access-control-request-private-network",
              "true");
      assertEquals(204, allowed.status());
      assertEquals(List.of(LISTED), allowed.all("access-control-allow-origin"));
      assertEquals(List.of("GET, PUT"), allowed.all("access-control-allow-methods"));
      assertEquals(List.of("X-Token"), allowed.all("access-control-allow-headers"));
      assertEquals(List.of("600"), allowed.all("access-control-max-age"));
      assertEquals(List.of(), allowed.all("access-control-allow-credentials"));
      assertEquals(List.of(), allowed.all("access-control-allow-private-network"));
      assertEquals(List.of("Origin"), allowed.all("vary"));
      assertTrue(allowed.all("cache-status").toString().contains("detail=cors-preflight"));
      Answer refused =
          client.ask(
              "OPTIONS",
              "/r/stored",
              "origin",
              "https://evil.example",
              "access-control-request-method",
              "PUT");
      assertEquals(204, refused.status());
      assertEquals(List.of(), refused.all("access-control-allow-origin"));
      assertEquals(List.of(), refused.all("access-control-allow-methods"));
      assertEquals(List.of("Origin"), refused.all("vary"));

      Answer protectedRoute =
          client.ask(
              "OPTIONS", "/closed", "origin", LISTED, "access-control-request-method", "PUT");
      assertEquals(403, protectedRoute.status(), "not for this network");
      assertEquals(List.of("true"), protectedRoute.all("access-control-allow-credentials"));
      Answer closed = client.ask("GET", "/closed", "origin", LISTED);
      assertEquals(403, closed.status());
      assertEquals(List.of(LISTED), closed.all("access-control-allow-origin"));
      assertEquals(List.of("DENY"), closed.all("x-frame-options"), "on refusals, too");

      Answer open =
          client.ask(
              "OPTIONS", "/open", "origin", "null", "access-control-request-method", "DELETE");
      assertEquals(List.of("*"), open.all("access-control-allow-origin"));
      assertEquals(List.of("GET, HEAD, POST"), open.all("access-control-allow-methods"));
      assertEquals(List.of(), open.all("vary"));
      assertEquals(0, origin.count("/r/stored") + origin.count("/closed") + origin.count("/open"));
      assertEquals(
          404, client.ask("OPTIONS", "/open").status(), "no preflight: the origin is asked");
      assertEquals(1, origin.count("/open"));
    }
  }

  @Test
  void aPresetThatOverwritesReplacesWhatTheOriginSent() throws Exception {
    origin.on("/open", TestOrigin.ok("cache-control: max-age=60\r\n" + OWN, AnswerKinds.BODY));
    try (ProtocolClient client = ProtocolClient.connect(edge, "TLS")) {
      for (int i = 0; i < 4; i++) {
        Answer answer = client.ask("GET", "/open", "origin", "https://whoever.example");
        edge.awaitIdle();
        assertEquals(i > 0, answer.isHit());
        assertEquals(List.of("DENY"), answer.all("x-frame-options"));
        assertEquals(List.of("no-referrer"), answer.all("referrer-policy"));
        assertEquals(List.of("max-age=86400"), answer.all("strict-transport-security"), "hsts");
        assertEquals(List.of("*"), answer.all("access-control-allow-origin"));
      }
      assertTrue(edge.sum(c -> c.fastHits) >= 2, "in the fast lane");
    }
  }

  /** Which response it will be is not known yet. */
  @Test
  void anInterimResponseIsLeftAloneByRulesOnResponses() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("GET", "/r/passed", "Host: a");
      RawClient.Response hint = client.head();
      assertEquals(103, hint.status());
      assertEquals("own", hint.field("x-html"));
      assertFalse(hint.has("x-failed"), hint::toString);
      assertEquals(200, client.reply().status());
    }
  }

  @Test
  void aConditionWithAnExpressionLeavesTheFastLane() throws Exception {
    edge.configure(
        Edge.origins(origin.url())
            + """
            routes:
              - rules:
                  - name: slow
                    response: {content-type: {regex: "^text/(html|plain)$"}}
                    response-headers: {set: {x-text: "yes"}}
            """);
    edge.server().reload();
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      for (int i = 0; i < 3; i++) {
        assertEquals(List.of("yes"), client.ask("GET", "/r/stored").all("x-text"));
        edge.awaitIdle();
      }
    }
    assertEquals(0, edge.sum(c -> c.fastHits));
    String explained = edge.explain(200, "{\"url\": \"http://a.example/r/stored\"}").toString();
    assertTrue(explained.contains("leaves the fast lane because of rule slow"), explained);
    assertTrue(explained.contains("changes response fields, by the response"), explained);
  }

  @Test
  void explainSaysWhatTheRouteSaysOfAllResponses() throws Exception {
    String explained = edge.explain(200, "{\"url\": \"http://a.example/r/stored\"}").toString();
    assertTrue(explained.contains("rule security-headers"), explained);
    assertTrue(explained.contains("https://*.b.example"), explained);
    assertFalse(explained.contains("fast lane"), explained);
  }
}
