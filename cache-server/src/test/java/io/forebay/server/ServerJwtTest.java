package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.Await;
import io.forebay.testing.JwtSigner;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens over sockets: who is admitted, what is shared, and where keys come from. */
@Timeout(240)
@Tag("slow")
final class ServerJwtTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final JwtSigner SIGNER = JwtSigner.of("k1", "ES256");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong now = new AtomicLong(System.currentTimeMillis());
  private @Nullable Edge edge;

  @BeforeEach
  void serve() throws IOException {
    origin.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    origin.on(
        "/who",
        (request, connection) ->
            TestOrigin.sendOk(
                connection, FRESH, TestOrigin.ascii("for " + request.field("x-user"))));
    keys(JwtSigner.set(SIGNER));
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void keys(String set) throws IOException {
    Path ignored = Files.writeString(directory.resolve("jwks.json"), set);
  }

  private String yaml(String jwt) {
    return Edge.origins(origin.url())
        + "protection: {p: {jwt: {"
        + jwt.replace("DIR", directory.toString()).replace("ORIGIN", origin.url())
        + "}}}\nroutes: [{protection: p}]\n"
        + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n"
        + "access-log: {output: "
        + directory.resolve("access.log")
        + "}\n";
  }

  private void start(String more) throws IOException {
    startWith("algorithms: ES256, keys-file: DIR/jwks.json" + more);
  }

  private void startWith(String jwt) throws IOException {
    edge = Edge.start(directory, "32MiB", yaml(jwt), now::get);
  }

  private String claims(String more) {
    return "{\"exp\":" + (now.get() / 1000 + 600) + (more.isEmpty() ? "" : ",") + more + "}";
  }

  private String token(String more) {
    return SIGNER.token(claims(more));
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token;
  }

  private static Response get(RawClient client, String path, String... fields) throws IOException {
    return client.request("GET", path, fields).reply();
  }

  private long refused() {
    return edge().sum(c -> c.refusals(ProtectionRule.JWT));
  }

  private static String challenge(Response response) {
    return response.field("www-authenticate");
  }

  @Test
  void whoHasATokenGetsHitsAndNobodyBehindTheCheckSeesIt() throws Exception {
    start(", realm: API");
    String alice = token("\"sub\":\"alice\"");
    try (RawClient client = edge().connect()) {
      Response asked = get(client, "/a");
      assertEquals(401, asked.status());
      assertEquals("Bearer realm=\"API\"", challenge(asked));
      assertEquals("no-store", asked.field("cache-control"));
      assertTrue(asked.field("cache-status").contains("detail=token"), asked.toString());
      assertEquals(200, get(client, "/a", bearer(alice)).status());
      edge().awaitIdle();
      assertTrue(get(client, "/a", bearer(alice)).isHit());
      assertTrue(get(client, "/a", bearer(token("\"sub\":\"bob\""))).isHit(), "shared");
      // The stored response is no way past the check, not even in the fast lane.
      assertEquals(401, get(client, "/a").status());
      Response wrong =
          get(client, "/a", bearer(alice.substring(0, alice.length() - 8) + "AAAAAAAA"));
      assertEquals(401, wrong.status());
      assertEquals(
          "Bearer realm=\"API\", error=\"invalid_token\","
              + " error_description=\"the signature is wrong\"",
          challenge(wrong));
    }
    assertEquals(1, origin.count("/a"));
    assertEquals("", origin.requests("/a").getFirst().field("authorization"));
    assertEquals(3, refused());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void byEveryProtocol(String protocol) throws Exception {
    edge =
        Edge.start(
            directory,
            "32MiB",
            yaml("algorithms: ES256, keys-file: DIR/jwks.json") + "http3: {listeners: secure}\n",
            now::get);
    String token = token("");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertEquals(401, client.ask("GET", "/a").status());
      assertEquals(200, client.ask("GET", "/a", "authorization", "Bearer " + token).status());
      edge().awaitIdle();
      assertTrue(client.ask("GET", "/a", "authorization", "Bearer " + token).isHit());
      assertEquals(200, client.ask("HEAD", "/a", "authorization", "Bearer " + token).status());
      assertEquals(401, client.ask("GET", "/a", "authorization", "Bearer x.y.z").status());
    }
  }

  @Test
  void cookiesAndParametersWithTokensEndHere() throws Exception {
    start(", from: [bearer, cookie session, query jwt]");
    String token = token("");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a?jwt=" + token + "&x=1").status());
      edge().awaitIdle();
      assertTrue(get(client, "/a?x=1&jwt=" + token("\"sub\":\"b\"")).isHit());
      assertTrue(get(client, "/a?x=1", "Cookie: session=" + token).isHit());
      assertTrue(get(client, "/a?x=1", bearer(token)).isHit());
      // The first place that has one counts, and two are none.
      assertEquals(401, get(client, "/a?x=1&jwt=" + token, bearer("x.y.z")).status());
      assertEquals(401, get(client, "/a?jwt=" + token + "&jwt=" + token).status());
      assertEquals(401, get(client, "/a", bearer(token), bearer(token)).status());
      assertEquals(401, get(client, "/a?x=1", "Cookie: mysession=" + token).status());
      assertEquals(
          200,
          get(client, "/a?x=1", "Authorization: Basic YTpi", "Cookie: session=" + token).status());
    }
    assertEquals("/a?x=1", origin.requests("/a").getFirst().target());
    for (TestOrigin.Request request : origin.requests("/a")) {
      assertFalse(request.head().contains(token), request.head());
      assertEquals("", request.field("authorization"));
      assertEquals("", request.field("cookie"));
    }
    edge().stop();
    String log = Files.readString(directory.resolve("access.log"));
    assertTrue(log.contains("/a"), log);
    assertFalse(log.contains("eyJ"), log);
    edge().start();
  }

  @Test
  void aTokenThatIsForwardedMakesTheAnswerPrivate() throws Exception {
    start(", forward: true");
    String token = token("");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a", bearer(token)).status());
      edge().awaitIdle();
      assertFalse(get(client, "/a", bearer(token)).isHit());
    }
    assertEquals(2, origin.count("/a"));
    assertEquals("Bearer " + token, origin.requests("/a").getFirst().field("authorization"));
  }

  @Test
  void claimsAreFieldsAndPartOfTheKey() throws Exception {
    start(", claims-to-headers: [sub=X-User, roles=X-Roles]");
    String alice = token("\"sub\":\"alice\",\"roles\":[\"a\",\"b\"]");
    String bob = token("\"sub\":\"bob\"");
    try (RawClient client = edge().connect()) {
      assertEquals("for alice", get(client, "/who", bearer(alice)).text());
      edge().awaitIdle();
      Response hit = get(client, "/who", bearer(alice));
      assertTrue(hit.isHit(), hit.toString());
      assertEquals("for bob", get(client, "/who", bearer(bob), "X-User: alice").text());
      edge().awaitIdle();
      assertEquals(
          "for ", get(client, "/who", bearer(token("")), "x-user: alice", "X-USER: bob").text());
      edge().awaitIdle();
      assertEquals("for alice", get(client, "/who", bearer(alice), "X-User: root").text());
    }
    assertEquals(3, origin.count("/who"));
    assertEquals("a,b", origin.requests("/who").getFirst().field("x-roles"));
  }

  @Test
  void aTokenWithoutARequiredClaimGets403() throws Exception {
    start(", required-claims: scope=write");
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 2; i++) {
        Response refused = get(client, "/a", bearer(token("\"scope\":\"read\"")));
        assertEquals(403, refused.status());
        assertEquals(
            "Bearer realm=\"Restricted\", error=\"insufficient_scope\"", challenge(refused));
        assertTrue(refused.field("cache-status").contains("detail=claims"), refused.toString());
      }
      assertEquals(200, get(client, "/a", bearer(token("\"scope\":\"read write\""))).status());
    }
    assertEquals(2, refused());
  }

  @Test
  void aTokenThatWasValidExpiresNevertheless() throws Exception {
    start(", clock-skew: 0, issuer: i, audiences: a");
    String token = token("\"iss\":\"i\",\"aud\":\"a\"");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a", bearer(token)).status());
      assertEquals(200, get(client, "/a", bearer(token)).status());
      now.addAndGet(600_000);
      Response expired = get(client, "/a", bearer(token));
      assertEquals(401, expired.status());
      assertTrue(challenge(expired).contains("the token has expired"), challenge(expired));
      assertEquals(401, get(client, "/a", bearer(token("\"iss\":\"j\",\"aud\":\"a\""))).status());
      assertEquals(401, get(client, "/a", bearer(token("\"iss\":\"i\""))).status());
      assertEquals(200, get(client, "/a", bearer(token("\"iss\":\"i\",\"aud\":[\"a\"]"))).status());
    }
  }

  @Test
  void aReloadTakesAKeyAwayAtOnce() throws Exception {
    start("");
    String token = token("");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a", bearer(token)).status());
      JwtSigner next = JwtSigner.of("k2", "ES256");
      keys(JwtSigner.set(next));
      assertEquals(List.of("protection.p.jwt.keys-file"), edge().server().reload().changed());
      Response refused = get(client, "/a", bearer(token));
      assertEquals(401, refused.status());
      assertTrue(challenge(refused).contains("the key of the token is not known"));
      assertEquals(200, get(client, "/a", bearer(next.token(claims("")))).status());
      keys("{\"keys\":[]}");
      String errors = edge().server().reload().errors().toString();
      assertTrue(errors.contains("jwks.json has no keys"), errors);
      assertEquals(200, get(client, "/a", bearer(next.token(claims("")))).status());
    }
  }

  @Test
  void aSecretIsOnlyForHmac() throws Exception {
    String secret = "0123456789abcdef0123456789abcdef";
    Path ignored = Files.writeString(directory.resolve("secret"), secret + "\n");
    startWith("algorithms: HS256, secret-file: DIR/secret");
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    try (RawClient client = edge().connect()) {
      assertEquals(
          200,
          get(client, "/a", bearer(JwtSigner.ofSecret("HS256", bytes).token(claims("")))).status());
      assertEquals(401, get(client, "/a", bearer(token(""))).status());
      assertEquals(
          401,
          get(client, "/a", bearer(JwtSigner.ofSecret("HS512", bytes).token(claims("")))).status());
    }
  }

  @Test
  void whatLooksLikeATokenIsBoundedByNetwork() throws Exception {
    start("");
    String guesser = "X-Forwarded-For: 198.51.100.1";
    String good = token("");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a", guesser, bearer(good)).status());
      String bad = good.substring(0, good.length() - 8) + "AAAAAAAA";
      int refused = 0;
      // More on a slow machine: places come back meanwhile.
      while (refused < 1000 && get(client, "/a", guesser, bearer(bad)).status() == 401) {
        refused++;
      }
      assertTrue(refused >= 100 && refused < 1000, "" + refused);
      // What was verified lately is no guess, and other networks are not affected.
      assertEquals(200, get(client, "/a", guesser, bearer(good)).status());
      assertEquals(401, get(client, "/a", "X-Forwarded-For: 198.51.100.2", bearer(bad)).status());
      // Larger than tokens may be, and refused without a signature.
      assertEquals(401, get(client, "/a", bearer("a".repeat(8193))).status());
    }
  }

  // --- keys behind a URL ------------------------------------------------------------------------

  private void startRemote() throws IOException {
    startWith("algorithms: ES256, keys-url: \"ORIGIN/jwks\"");
  }

  private void publish(JwtSigner... signers) {
    origin.on("/jwks", TestOrigin.ok("", TestOrigin.ascii(JwtSigner.set(signers))));
  }

  private int status(String token) throws IOException {
    try (RawClient client = edge().connect()) {
      return get(client, "/a", bearer(token)).status();
    }
  }

  @Test
  void aKeyThatIsNewIsFetchedOnceForAllWhoNameIt() throws Exception {
    publish(SIGNER);
    startRemote();
    assertEquals(200, status(token("")));
    Await.until("the first fetch", () -> origin.count("/jwks") == 1);
    JwtSigner next = JwtSigner.of("k2", "ES256");
    publish(SIGNER, next);
    assertEquals(200, status(next.token(claims(""))), "fetched for it");
    assertEquals(200, status(token("")));
    assertEquals(2, origin.count("/jwks"));
    // Within the next 30 s nobody has keys fetched.
    JwtSigner strange = JwtSigner.of("../../k1", "ES256");
    for (int i = 0; i < 20; i++) {
      assertEquals(401, status(strange.token(claims("\"i\":" + i))));
    }
    assertEquals(2, origin.count("/jwks"));
  }

  @Test
  void theLastGoodKeysCountWhileTheUrlFailsAndOverARestart() throws Exception {
    publish(SIGNER);
    startRemote();
    assertEquals(200, status(token("")));
    origin.on(
        "/jwks",
        (request, connection) -> connection.send("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"));
    assertEquals(401, status(JwtSigner.of("k2", "ES256").token(claims(""))));
    assertEquals(200, status(token("\"jti\":\"1\"")));
    edge().stop();
    edge().start();
    assertEquals(200, status(token("\"jti\":\"2\"")), "from the data directory");
    try (Stream<Path> files = Files.list(directory.resolve("data"))) {
      assertEquals(
          1, files.filter(file -> file.getFileName().toString().startsWith("jwks-")).count());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"500", "closed", "no JSON", "no keys", "endless", "redirect"})
  void withoutKeysNobodyIsAdmittedAndToldToComeBack(String fault) throws Exception {
    origin.on(
        "/jwks",
        (request, connection) -> {
          String body =
              switch (fault) {
                case "no JSON" -> "<html>";
                case "no keys" -> "{\"keys\":[]}";
                default -> "";
              };
          switch (fault) {
            case "closed" -> connection.cut();
            case "500" -> connection.send("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
            case "redirect" ->
                connection.send(
                    "HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n");
            case "endless" ->
                connection
                    .send("HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n")
                    .send(new byte[300_000]);
            default -> TestOrigin.sendOk(connection, "", TestOrigin.ascii(body));
          }
        });
    startRemote();
    try (RawClient client = edge().connect()) {
      Response refused = get(client, "/a", bearer(token("")));
      assertEquals(503, refused.status());
      assertTrue(refused.has("retry-after"), refused.toString());
      assertTrue(refused.field("cache-status").contains("detail=unverified"), refused.toString());
    }
    assertEquals(0, origin.count("/a"));
    assertEquals(0, origin.count("/other"));
  }

  @Test
  void explainNamesWhatTheRouteAsksFor() throws Exception {
    start(", issuer: i, audiences: a, required-claims: role=x, claims-to-headers: sub=X-User");
    String explained = edge().explain(200, "{\"url\": \"" + edge().url("/a") + "\"}").toString();
    assertTrue(
        explained.contains("jwt: a token (bearer) of i for a; otherwise 401. Without the claims"),
        explained);
    assertTrue(explained.contains("[role=x]"), explained);
    assertTrue(explained.contains("[sub=x-user]"), explained);
  }
}
