package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.storage.disk.DiskStats;
import io.forebay.testing.Await;
import io.forebay.testing.JwtSigner;
import io.forebay.testing.RawClient;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Features of routes that act on the same request, two or three together. */
@Timeout(240)
@Tag("slow")
final class ServerCombinationTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String SCRIPT = "https://app.example";

  // htpasswd -nbB -C 5 alice "open sesame"
  private static final String ALICE =
      "alice:$2y$05$Kx6wE4xNpXt7GuwDcVVD3eLESf/iuSrl3tsBKB0IcbrNWoi717ihq";
  private static final String PASSWORD =
      "Basic "
          + Base64.getEncoder()
              .encodeToString("alice:open sesame".getBytes(StandardCharsets.US_ASCII));

  @TempDir Path directory;
  private final TestOrigin main = new TestOrigin();
  private final TestOrigin other = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge().close();
    main.close();
    other.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  /** {@code main} and {@code other} are origins; DIR is the directory. */
  private String yaml(String more) {
    return """
    http3: {listeners: [secure]}
    origins:
      main: {url: "MAIN", keep-alive: 5s}
      other: {url: "OTHER", keep-alive: 5s}
    """
            .replace("MAIN", main.url())
            .replace("OTHER", other.url())
        + more.replace("DIR", directory.toString());
  }

  private void start(String more) throws IOException {
    edge = Edge.start(directory, "32MiB", yaml(more));
  }

  private static Answer preflight(ProtocolClient client, String path) throws Exception {
    return client.ask(
        "OPTIONS",
        path,
        "origin",
        SCRIPT,
        "access-control-request-method",
        "PUT",
        "access-control-request-headers",
        "authorization");
  }

  private static void assertReadable(int status, Answer answer) {
    assertEquals(status, answer.status(), answer::toString);
    assertEquals(List.of(SCRIPT), answer.all("access-control-allow-origin"), answer::toString);
  }

  // --- forward authentication and splits --------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aSplitByAVerifiedUserIsNotForTheClientToChoose(String protocol) throws Exception {
    for (String path : List.of("/page", "/verify")) {
      main.on(path, TestOrigin.ok(FRESH, TestOrigin.ascii("current")));
      other.on(path, TestOrigin.ok(FRESH, TestOrigin.ascii("beta")));
    }
    // The user is the token.
    other.on(
        "/verify",
        (request, connection) -> {
          String user = request.field("authorization").replace("Bearer ", "");
          connection.send(
              user.isEmpty()
                  ? "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n"
                  : "HTTP/1.1 204 No Content\r\nx-user: " + user + "\r\n\r\n");
        });
    start(
        """
        protection:
          p: {forward-auth: {origin: other, path: /verify, response-headers: X-User,
              cache-by: [header Authorization]}}
        splits: {checkout: {by: header X-User, groups: {beta: 10%, current: 90%}}}
        routes:
          - origin: main
            protection: p
            rules:
              - when: {split: {checkout: beta}}
                origin: other
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 2; i++) {
        Answer stranger = client.ask("GET", "/page", "x-user", "bob");
        assertEquals(401, stranger.status(), "whatever is stored");
        for (String claimed : List.of("alice", "bob")) {
          Answer bob = client.ask("GET", "/page", "authorization", "Bearer bob", "x-user", claimed);
          assertEquals("beta", bob.body(), bob::toString);
          edge().awaitIdle();
          Answer alice =
              client.ask("GET", "/page", "authorization", "Bearer alice", "x-user", claimed);
          assertEquals("current", alice.body(), alice::toString);
          edge().awaitIdle();
          boolean isFirst = i == 0 && claimed.equals("alice");
          assertEquals(!isFirst, bob.isHit(), bob::toString);
          assertEquals(!isFirst, alice.isHit(), alice::toString);
        }
      }
    }
    assertEquals(1, main.count("/page"));
    assertEquals(1, other.count("/page"));
    assertEquals("bob", other.requests("/page").getFirst().field("x-user"));
    assertEquals("", other.requests("/page").getFirst().field("authorization"));
  }

  // --- pages of ESI, passwords, error pages and rules -------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aPageIsForThoseWhoMayHaveItAndSoIsEachOfItsFragments(String protocol) throws Exception {
    Files.writeString(directory.resolve("users"), ALICE + "\n");
    String html = FRESH + "content-type: text/html\r\n";
    main.on(
        "/page",
        TestOrigin.ok(
            html,
            TestOrigin.ascii(
                "a<esi:include src='/closed/part' onerror='continue'/>"
                    + "<esi:include src='/missing' alt='/open'/>")));
    main.on("/closed/part", TestOrigin.ok(FRESH, TestOrigin.ascii("[closed]")));
    main.on("/open", TestOrigin.ok(FRESH, TestOrigin.ascii("[open]")));
    start(
        """
        protection: {basic: {basic-auth: {file: DIR/users}}}
        routes:
          - origin: main
            esi: on
            rules:
              - when: {path: /page}
                response-headers: {set: {X-Rule: applied}}
            error-pages: {404: {text: "<esi:include src='/open'/>", type: text/html, from: [edge, origin]}}
          - {match: {path: /closed/}, origin: main, protection: basic}
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 2; i++) {
        Answer stranger = client.ask("GET", "/page");
        assertEquals("a[open]", stranger.body(), stranger::toString);
        assertEquals(List.of("applied"), stranger.all("x-rule"));
        Answer alice = client.ask("GET", "/page", "authorization", PASSWORD);
        assertEquals("a[closed][open]", alice.body(), alice::toString);
        // The text of an error page is nobody's page.
        Answer missing = client.ask("GET", "/missing");
        assertEquals(404, missing.status());
        assertEquals("<esi:include src='/open'/>", missing.body());
        edge().awaitIdle();
      }
    }
  }

  // --- copies and held bodies -------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aHeldBodyGoesToTheOriginAndNotToTheMirror(String protocol) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (String path : List.of("/all", "/sent")) {
      main.on(
          path,
          (request, connection) -> {
            String length = request.field("content-length");
            byte[] body = connection.bytes(length.isEmpty() ? 0 : Integer.parseInt(length));
            synchronized (bodies) {
              bodies.add(new String(body, StandardCharsets.US_ASCII));
            }
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", body);
          });
      other.on(path, TestOrigin.ok("", TestOrigin.ascii("shadow")));
    }
    start(
        """
        routes:
          - origin: main
            rules:
              - when: {path: /all}
                mirror: {origin: other, requests: all}
                hold-body: 64KiB
              - when: {path: /sent}
                mirror: other
                hold-body: 64KiB
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (String path : List.of("/all", "/sent")) {
        Answer put = client.send("PUT", path, "a held body");
        assertEquals(200, put.status(), put::toString);
        assertEquals("a held body", put.body());
        assertEquals("11", main.requests(path).getFirst().field("content-length"));
        // A request without a body, which is copied: what came before it would be, too.
        Answer get = client.ask("GET", path);
        assertEquals("", get.body(), get::toString);
        Await.until("a copy of the GET", () -> other.count(path) == 1);
        assertEquals("GET", other.requests(path).getFirst().method());
        Answer delete = client.ask("DELETE", path);
        assertEquals(200, delete.status(), delete::toString);
        Await.until("a copy of the DELETE", () -> other.count(path) == 2);
        assertEquals("DELETE", other.requests(path).getLast().method());
      }
    }
    assertEquals(List.of("a held body", "", "", "a held body", "", ""), bodies);
    edge().awaitSum(4, counters -> counters.mirrorsSent);
    edge().awaitSum(2, counters -> counters.bodiesHeld);
  }

  // --- preflights and protection ----------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aPreflightNeedsNoCredentialsAndIsNotLimitedButItsNetworkCounts(String protocol)
      throws Exception {
    main.on("/jwt", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    main.on("/rated", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    JwtSigner signer = JwtSigner.of("k1", "ES256");
    Files.writeString(directory.resolve("jwks.json"), JwtSigner.set(signer));
    Files.writeString(directory.resolve("users"), ALICE + "\n");
    Files.writeString(directory.resolve("key"), "0123456789abcdef0123456789abcdef");
    start(
        """
        protection:
          jwt: {jwt: {algorithms: ES256, keys-file: DIR/jwks.json}}
          basic: {basic-auth: {file: DIR/users}}
          forward: {forward-auth: {origin: other, path: /verify}}
          signed: {signed-urls: {type: hmac}, url-keys: [{id: k, secret-file: DIR/key}]}
          rated: {rate-limits: [{name: one, requests: 1, per: 1h, burst: 1, penalty: 1h}]}
          slots: {rate-limits: [{name: none, key: header X-Key, in-flight: 1}]}
          closed: {access: {deny: [127.0.0.0/8]}}
          both: {access: {allow: [192.0.2.0/24]}, basic-auth: {file: DIR/users}}
        routes:
        ROUTES
        """
            .replace(
                "ROUTES\n",
                String.join(
                    "",
                    List.of("jwt", "basic", "forward", "signed", "rated", "slots", "closed", "both")
                        .stream()
                        .map(name ->
                            ("  - {origin: main, match: {path: /NAME}, protection: NAME,"
                                    + " cors: {origins: [https://app.example], methods: [GET, PUT],"
                                    + " request-headers: Authorization, credentials: true}}\n")
                                .replace("NAME", name))
                        .toList())));
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      Map<String, Integer> statuses = new TreeMap<>();
      for (String name : List.of("jwt", "basic", "forward", "signed", "slots")) {
        Answer allowed = preflight(client, "/" + name);
        assertReadable(204, allowed);
        assertEquals(List.of("GET, PUT"), allowed.all("access-control-allow-methods"));
        if (!name.equals("slots") && !name.equals("forward")) {
          Answer refused = client.ask("GET", "/" + name, "origin", SCRIPT);
          assertReadable(refused.status(), refused);
          statuses.put(name, refused.status());
        }
      }
      assertEquals(Map.of("jwt", 401, "basic", 401, "signed", 403), statuses);
      assertEquals(0, other.count("/verify"));
      String token = signer.token("{\"exp\":" + (System.currentTimeMillis() / 1000 + 600) + "}");
      assertReadable(
          200, client.ask("GET", "/jwt", "origin", SCRIPT, "authorization", "Bearer " + token));

      for (int i = 0; i < 5; i++) {
        assertReadable(204, preflight(client, "/rated"));
      }
      assertReadable(200, client.ask("GET", "/rated", "origin", SCRIPT));
      Answer limited = client.ask("GET", "/rated", "origin", SCRIPT);
      assertReadable(429, limited);
      assertReadable(204, preflight(client, "/rated"));

      for (String path : List.of("/closed", "/both")) {
        Answer refused = preflight(client, path);
        assertReadable(403, refused);
        assertTrue(refused.all("cache-status").toString().contains("detail=access"), path);
        assertEquals(List.of(), refused.all("access-control-allow-methods"), path);
      }
    }
    String explained =
        edge()
            .explain(
                200,
                "{\"url\": \"http://a.example/jwt\", \"method\": \"OPTIONS\", \"fields\":"
                    + " [[\"Origin\", \"https://app.example\"],"
                    + " [\"Access-Control-Request-Method\", \"PUT\"]]}")
            .toString();
    assertTrue(explained.contains("of protection jwt, access by network alone"), explained);
  }

  // --- redirect maps and error pages ------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2"})
  void aMapRedirectsBeforeAnErrorPageAndLeavesAllElseToIt(String protocol) throws Exception {
    Files.writeString(directory.resolve("moved.txt"), "/old /new 301\n/gone/* /new/:splat\n");
    main.on(
        "/old",
        (request, connection) ->
            connection.send("HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\nown"));
    start(
        """
        error-pages: {404: {text: "nothing for all"}}
        routes:
          - origin: main
            error-pages:
              404: {text: "no $uri here", from: [edge, origin]}
              403: {text: "closed: $status"}
            security-headers: on
            rules:
              - redirect: {map: DIR/moved.txt, status: 308}
              - response: {status: 4xx}
                response-headers: {set: {x-failed: "yes"}}
              - when: {path: /closed}
                deny: 403
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      Answer moved = client.ask("GET", "/old?a=b");
      assertEquals(301, moved.status(), moved::toString);
      assertEquals(List.of("/new?a=b"), moved.all("location"));
      assertEquals(List.of(), moved.all("x-failed"));
      Answer below = client.ask("POST", "/gone/a/b");
      assertEquals(308, below.status());
      assertEquals(List.of("/new/a/b"), below.all("location"));
      for (int i = 0; i < 2; i++) {
        Answer missing = client.ask("GET", "/new/a/b");
        assertEquals(404, missing.status());
        assertEquals("no /new/a/b here", missing.body());
        assertEquals(List.of("yes"), missing.all("x-failed"));
      }
      Answer closed = client.ask("GET", "/closed");
      assertEquals("closed: 403", closed.body(), closed::toString);
      assertEquals(List.of("yes"), closed.all("x-failed"));
      for (Answer one : List.of(moved, below, closed)) {
        assertEquals(List.of("nosniff"), one.all("x-content-type-options"), one::toString);
      }
    }
    assertEquals(0, main.count("/old"));
  }

  // --- security headers -------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void securityHeadersAreOnAnswersOfTheNodeToo(String protocol) throws Exception {
    Files.writeString(directory.resolve("users"), ALICE + "\n");
    Files.writeString(directory.resolve("moved.txt"), "/s/map /new\n");
    main.on("/s/stored", TestOrigin.ok(FRESH + "etag: \"1\"\r\n", TestOrigin.ascii("0123456789")));
    main.on("/s/broken", (request, connection) -> connection.close());
    main.on(
        "/s/page",
        (request, connection) ->
            connection.send("HTTP/1.1 500 Oh\r\ncontent-length: 3\r\n\r\nown"));
    edge =
        Edge.start(
            directory,
            "32MiB",
            "  - {name: upward, address: \"127.0.0.1:0\", https-redirect: 8443}\n"
                + yaml(
                    """
                    protection:
                      basic: {basic-auth: {file: DIR/users}}
                      rated: {rate-limits: [{name: one, requests: 1, per: 1h, burst: 1}]}
                      closed: {access: {deny: [127.0.0.0/8]}}
                    limits: {request-body: 1KiB}
                    routes:
                      - origin: main
                        match: {path: /s/}
                        security-headers: strict
                        cors: {origins: [https://app.example]}
                        error-pages: {500: {text: page, from: origin}}
                        rules:
                          - {when: {path: {is: /s/denied}}, deny: 451}
                          - {when: {path: {is: /s/moved}}, redirect: /new}
                          - {redirect: {map: DIR/moved.txt}}
                          - {when: {path: {is: /s/said}}, respond: {text: said}}
                          - {when: {path: {is: /s/empty}}, respond: 204}
                      - {origin: main, match: {path: /basic}, protection: basic, security-headers: strict}
                      - {origin: main, match: {path: /rated}, protection: rated, security-headers: strict}
                      - {origin: main, match: {path: /closed}, protection: closed, security-headers: strict}
                    """));
    Map<String, Integer> statuses = new TreeMap<>();
    boolean isTls = !protocol.equals("plain");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertHardened(statuses, isTls, "fetched", client.ask("GET", "/s/stored"));
      edge().awaitIdle();
      assertHardened(statuses, isTls, "hit", client.ask("GET", "/s/stored"));
      assertHardened(
          statuses, isTls, "same", client.ask("GET", "/s/stored", "if-none-match", "\"1\""));
      assertHardened(statuses, isTls, "part", client.ask("GET", "/s/stored", "range", "bytes=0-1"));
      assertHardened(
          statuses, isTls, "no part", client.ask("GET", "/s/stored", "range", "bytes=99-"));
      assertHardened(
          statuses, isTls, "failed", client.ask("GET", "/s/stored", "if-match", "\"2\""));
      for (String name :
          List.of("denied", "moved", "map", "said", "empty", "broken", "page", "unknown")) {
        assertHardened(statuses, isTls, name, client.ask("GET", "/s/" + name));
      }
      Answer preflight = preflight(client, "/s/stored");
      assertEquals(204, preflight.status());
      assertEquals(List.of(), preflight.all("x-frame-options"), "browsers read CORS fields alone");
      assertHardened(
          statuses, isTls, "options", client.ask("OPTIONS", "/s/stored", "max-forwards", "0"));
      assertHardened(statuses, isTls, "basic", client.ask("GET", "/basic"));
      client.ask("GET", "/rated");
      assertHardened(statuses, isTls, "rated", client.ask("GET", "/rated"));
      assertHardened(statuses, isTls, "closed", client.ask("GET", "/closed"));
    }
    assertEquals(
        "{basic=401, broken=502, closed=403, denied=451, empty=204, failed=412, fetched=200,"
            + " hit=200, map=302, moved=302, no part=416, options=204, page=500,"
            + " part=206, rated=429, said=200, same=304, unknown=404}",
        statuses.toString());
    if (!isTls) {
      try (RawClient client = new RawClient(edge().port("upward"))) {
        RawClient.Response upward = client.get("/s/stored", "Host: a.example");
        assertEquals(308, upward.status());
        assertEquals(List.of("DENY"), upward.all("x-frame-options"), upward::toString);
      }
    }
  }

  private static void assertHardened(
      Map<String, Integer> statuses, boolean isTls, String what, Answer answer) {
    statuses.put(what, answer.status());
    String text = what + " " + answer;
    assertEquals(List.of("nosniff"), answer.all("x-content-type-options"), text);
    assertEquals(List.of("no-referrer"), answer.all("referrer-policy"), text);
    assertEquals(List.of("DENY"), answer.all("x-frame-options"), text);
    assertEquals(List.of("frame-ancestors 'none'"), answer.all("content-security-policy"), text);
    assertEquals(List.of("same-origin"), answer.all("cross-origin-opener-policy"), text);
    assertEquals(1, answer.all("permissions-policy").size(), text);
    assertEquals(
        isTls ? List.of("max-age=31536000") : List.of(),
        answer.all("strict-transport-security"),
        text);
  }

  // --- signatures and passwords -----------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aSignedUrlAndAPasswordAreBothNeeded(String protocol) throws Exception {
    main.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    Files.writeString(directory.resolve("users"), ALICE + "\n");
    CloudFrontSigner signer = CloudFrontSigner.ecdsa("KEC", "SHA256");
    start(
        "protection: {p: {signed-urls: {type: cloudfront}, basic-auth: {file: DIR/users},"
            + " url-keys: ["
            + signer.configured(directory)
            + "]}}\nroutes: [{origin: main, protection: p}]\n");
    String scheme = protocol.equals("plain") ? "http" : "https";
    long until = System.currentTimeMillis() / 1000 + 600;
    String signed = "/a?" + signer.canned(scheme + "://a.example/a", until);
    String cookies =
        CloudFrontSigner.cookies(
                signer.custom(
                    CloudFrontSigner.policy(
                        scheme + "://a.example/*", CloudFrontSigner.until(until))))
            .replace("Cookie: ", "");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 2; i++) {
        assertEquals(401, client.ask("GET", signed).status());
        assertEquals(403, client.ask("GET", "/a", "authorization", PASSWORD).status());
        assertEquals(403, client.ask("GET", signed + "x", "authorization", PASSWORD).status());
        assertEquals(401, client.ask("GET", signed, "authorization", "Basic eA==").status());
        Answer byUrl = client.ask("GET", signed, "authorization", PASSWORD);
        assertEquals(200, byUrl.status(), byUrl::toString);
        assertEquals(i > 0, byUrl.isHit());
        edge().awaitIdle();
        Answer byCookie = client.ask("GET", "/a", "authorization", PASSWORD, "cookie", cookies);
        assertEquals(200, byCookie.status(), byCookie::toString);
        assertTrue(byCookie.isHit(), "one object for all who may have it");
      }
    }
    assertEquals(1, main.count("/a"));
    TestOrigin.Request seen = main.requests("/a").getFirst();
    assertEquals("/a", seen.target());
    assertEquals("", seen.field("authorization"));
    assertEquals("", seen.field("cookie"));
  }

  // --- rules on responses and parts of them -----------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aRuleByStatusTellsWhatIsStoredFromWhatTheOriginAnswered(String protocol) throws Exception {
    for (String path : List.of("/stored", "/passed")) {
      main.on(path, ServerCombinationTest::answerParts);
    }
    start(
        """
        routes:
          - origin: main
            rules:
              - {when: {path: /passed}, pass: true}
              - {response: {status: 200}, response-headers: {set: {x-whole: "1"}}}
              - {response: {status: 206}, response-headers: {set: {x-part: "1"}}}
              - {response: {status: 304}, response-headers: {set: {x-same: "1"}}}
              - {response: {status: 416}, response-headers: {set: {x-none: "1"}}}
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertEquals("200 x-whole", rules(client.ask("GET", "/stored")));
      edge().awaitIdle();
      // What is made of a stored 200 stands for it.
      assertEquals("200 x-whole", rules(client.ask("GET", "/stored")));
      assertEquals("206 x-whole", rules(client.ask("GET", "/stored", "range", "bytes=0-1")));
      assertEquals("206 x-whole", rules(client.ask("GET", "/stored", "range", "bytes=0-0,5-5")));
      assertEquals("304 x-whole", rules(client.ask("GET", "/stored", "if-none-match", "\"1\"")));
      assertEquals("416 x-none", rules(client.ask("GET", "/stored", "range", "bytes=99-")));
      // What the origin answered is what it is.
      assertEquals("200 x-whole", rules(client.ask("GET", "/passed")));
      assertEquals("206 x-part", rules(client.ask("GET", "/passed", "range", "bytes=0-1")));
      assertEquals("304 x-same", rules(client.ask("GET", "/passed", "if-none-match", "\"1\"")));
      assertEquals("416 x-none", rules(client.ask("GET", "/passed", "range", "bytes=99-")));
    }
    assertEquals(1, main.count("/stored"));
    assertEquals(4, main.count("/passed"));
  }

  private static void answerParts(TestOrigin.Request request, Connection connection)
      throws IOException {
    String range = request.field("range");
    if (!request.field("if-none-match").isEmpty()) {
      TestOrigin.notModified(connection, "etag: \"1\"\r\n");
    } else if (range.equals("bytes=99-")) {
      connection.send("HTTP/1.1 416 No\r\ncontent-range: bytes */10\r\ncontent-length: 0\r\n\r\n");
    } else if (!range.isEmpty()) {
      connection.send(
          "HTTP/1.1 206 Part\r\netag: \"1\"\r\ncontent-range: bytes 0-1/10\r\n"
              + "content-length: 2\r\n\r\n01");
    } else {
      TestOrigin.sendOk(connection, FRESH + "etag: \"1\"\r\n", TestOrigin.ascii("0123456789"));
    }
  }

  /** The status, and the rules that spoke. */
  private static String rules(Answer answer) {
    StringBuilder text = new StringBuilder().append(answer.status());
    for (String name : List.of("x-whole", "x-part", "x-same", "x-none")) {
      if (!answer.all(name).isEmpty()) {
        text.append(' ').append(name);
      }
    }
    return text.toString();
  }

  // --- limits of bytes and hits from disk -------------------------------------------------------

  private static final int OBJECTS = 400;
  private static final int LENGTH = 60_000;

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2"})
  void bytesFromADiskAreChargedLikeOthers(String protocol) throws Exception {
    for (int n = 0; n < OBJECTS; n++) {
      main.on("/" + n, TestOrigin.ok(FRESH, Edge.bytes(n, LENGTH)));
    }
    edge =
        Edge.start(
            directory,
            "16MiB",
            yaml(
                """
                stores: {one: {path: "DIR/one", size: 64MiB, slow: 10m}}
                protection:
                  p: {rate-limits: [{name: egress, key: header X-Tenant, bytes: 1MiB, per: 1h, burst-bytes: 25MiB}]}
                routes: [{origin: main, protection: p}]
                """));
    Await.until("the disk", () -> edge().server().notReady().isEmpty());
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int n = 0; n < OBJECTS; n++) {
        assertEquals(200, client.ask("GET", "/" + n, "x-tenant", "first").status());
      }
      edge().awaitIdle();
      Await.until(
          "records on the disk",
          () -> edge().server().disks().stream().allMatch(disk -> disk.writtenBytes() > 4 << 20));
      int admitted = 0;
      int hits = 0;
      Answer answer = client.ask("GET", "/0", "x-tenant", "second");
      while (answer.status() == 200 && admitted < 2 * OBJECTS) {
        assertEquals(LENGTH, answer.body().length());
        admitted++;
        hits += answer.isHit() ? 1 : 0;
        answer = client.ask("GET", "/" + admitted % OBJECTS, "x-tenant", "second");
      }
      assertEquals(429, answer.status(), answer::toString);
      // Owing begins with the body that takes more than is left.
      assertEquals((25 << 20) / LENGTH + 1, admitted);
      assertTrue(hits > OBJECTS / 2, hits + " hits");
      assertTrue(
          edge().server().disks().stream().mapToLong(DiskStats::reads).sum() > 50, "from the disk");
      assertEquals(200, client.ask("GET", "/0", "x-tenant", "third").status());
    }
  }

  // --- splits and reloads -----------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aClientInFlightStaysInItsGroupOverAReload(String protocol) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    main.on("/page", TestOrigin.ok(FRESH, TestOrigin.ascii("current")));
    other.on(
        "/page",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("beta"));
        });
    String split =
        """
        splits: {checkout: {by: cookie visitor, groups: {beta: 10%, current: 90%}}}
        routes:
          - origin: main
            rules:
              - when: {split: {checkout: beta}}
                origin: other
                response-headers: {set: {x-group: beta}}
        """;
    start(split);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol);
        ProtocolClient second = ProtocolClient.connect(edge(), protocol)) {
      FutureTask<Answer> waiting =
          new FutureTask<>(() -> client.ask("GET", "/page", "cookie", "visitor=bob"));
      Thread ignored = Thread.ofVirtual().start(waiting);
      TestOrigin.await(asked);
      edge().configure(yaml("routes: [{origin: main}]\n"));
      assertEquals(List.of(), edge().server().reload().errors());
      // Not one of the fetch in flight: that is another group's.
      Answer without = second.ask("GET", "/page", "cookie", "visitor=bob");
      assertEquals("current", without.body());
      gate.countDown();
      Answer bob = waiting.get(60, TimeUnit.SECONDS);
      assertEquals("beta", bob.body());
      assertEquals(List.of("beta"), bob.all("x-group"), "as it began");
      edge().awaitIdle();
      assertEquals("current", client.ask("GET", "/page", "cookie", "visitor=bob").body());

      edge().configure(yaml(split));
      assertEquals(List.of(), edge().server().reload().errors());
      Answer again = client.ask("GET", "/page", "cookie", "visitor=bob");
      assertEquals("beta", again.body());
      assertTrue(again.isHit(), "what was stored for its group is still there");
      Answer alice = second.ask("GET", "/page", "cookie", "visitor=alice");
      assertEquals("current", alice.body());
      assertTrue(alice.isHit(), "what is stored without a split is the last group's");
    }
    assertEquals(1, main.count("/page"));
    assertEquals(1, other.count("/page"));
  }

  // --- what players tell, keys and coded copies -------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void whatPlayersTellIsInNoKeyBesideSortedQueriesCopiesAndRules(String protocol) throws Exception {
    main.on(
        "/list.m3u8",
        TestOrigin.ok(
            FRESH + "content-type: text/plain\r\n", TestOrigin.ascii("#EXTM3U\n".repeat(200))));
    start(
        """
        routes:
          - origin: main
            cmcd: {enabled: on, cmsd: on}
            key: {query: sort, strip: ["utm_*"], no-vary-search: on}
            rules:
              - when: {query: {CMCD: "*"}}
                response-headers: {set: {x-told: yes}}
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      client.ask("GET", "/list.m3u8?b=2&CMCD=bl%3D1&a=1&utm_x=1", "accept-encoding", "gzip");
      edge().awaitIdle();
      client.ask("GET", "/list.m3u8?a=1&b=2&CMCD=bl%3D2", "accept-encoding", "gzip");
      edge().awaitIdle();
      Answer hit = client.ask("GET", "/list.m3u8?CMCD=bl%3D3&b=2&a=1", "accept-encoding", "gzip");
      assertTrue(hit.isHit(), hit::toString);
      assertEquals(List.of("gzip"), hit.all("content-encoding"), hit::toString);
      assertEquals(List.of("yes"), hit.all("x-told"), "rules see what the client sent");
      assertEquals(1, hit.all("cmsd-dynamic").size(), hit::toString);
    }
    assertEquals(1, main.count("/list.m3u8"));
    assertEquals("/list.m3u8?a=1&b=2", main.requests("/list.m3u8").getFirst().target());
  }
}
