package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forward authentication over sockets: verdicts, what is remembered of them, and faults. */
@Timeout(240)
@Tag("slow")
final class ServerForwardAuthTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String GOOD = "Authorization: Bearer good";

  @TempDir Path directory;
  private final TestOrigin site = new TestOrigin();
  private final TestOrigin auth = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable Edge edge;

  @BeforeEach
  void serve() {
    site.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    site.on(
        "/who",
        (request, connection) ->
            TestOrigin.sendOk(
                connection, FRESH, TestOrigin.ascii("for " + request.field("x-user"))));
    auth.on("/verify", ServerForwardAuthTest::decide);
  }

  /** Admits {@code good} and {@code good-NAME}, whose user is {@code NAME}. */
  private static void decide(TestOrigin.Request request, Connection connection) throws IOException {
    String word = request.field("authorization").replace("Bearer ", "");
    if (word.startsWith("good")) {
      String user = word.contains("-") ? "X-User: " + word.substring(5) + "\r\n" : "";
      connection.send("HTTP/1.1 204 No Content\r\n" + user + "\r\n");
    } else {
      connection.send(
          "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Custom a=b\r\nset-cookie: s=1\r\n"
              + "x-why: no\r\ncache-control: max-age=60\r\nconnection: x-hop\r\nx-hop: 1\r\n"
              + "content-type: text/html\r\ncontent-length: 6\r\n\r\n<html>");
    }
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge().close();
    site.close();
    auth.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String more) throws IOException {
    startWith(more, "");
  }

  private void startWith(String more, String rest) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            "origins: {main: {url: \""
                + site.url()
                + "\", keep-alive: 5s}, auth: {url: \""
                + auth.url()
                + "\", keep-alive: 5s}}\n"
                + "protection: {p: {forward-auth: {origin: auth, path: /verify"
                + more
                + "}}}\nroutes: [{origin: main, protection: p}]\n"
                + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n"
                + rest);
  }

  private static Response get(RawClient client, String path, String... fields) throws IOException {
    return client.request("GET", path, fields).reply();
  }

  private Response once(String path, String... fields) throws IOException {
    try (RawClient client = edge().connect()) {
      return get(client, path, fields);
    }
  }

  private long refused() {
    return edge().sum(c -> c.refusals(ProtectionRule.FORWARD_AUTH));
  }

  @Test
  void whoIsAdmittedSharesResponsesAndNobodyElseGetsThem() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      Response refused = get(client, "/a?x=1", "Authorization: Bearer bad");
      assertEquals(401, refused.status());
      assertEquals("Custom a=b", refused.field("www-authenticate"));
      assertEquals("s=1", refused.field("set-cookie"));
      assertEquals("no", refused.field("x-why"));
      assertEquals("no-store", refused.field("cache-control"));
      assertFalse(refused.has("x-hop"), refused.toString());
      assertTrue(refused.field("cache-status").contains("detail=forward-auth"));
      assertFalse(refused.text().contains("<html>"), refused.text());
      assertEquals(200, get(client, "/a", GOOD).status());
      edge().awaitIdle();
      assertTrue(get(client, "/a", "Authorization: Bearer good2").isHit());
      assertEquals(401, get(client, "/a").status());
    }
    assertEquals(1, site.count("/a"));
    assertEquals("", site.requests("/a").getFirst().field("authorization"));
    assertEquals(4, auth.count("/verify"), "nothing is remembered without cache-by");
    assertEquals(2, refused());
  }

  @Test
  void theQuestionNamesTheRequest() throws Exception {
    start(", request-headers: [x-key, cookie], method: HEAD");
    auth.on(
        "/verify",
        (request, connection) -> connection.send("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n"));
    site.on(
        "/form", (request, connection) -> TestOrigin.sendOk(connection, "", connection.bytes(7)));
    try (RawClient client = edge().connect()) {
      client.request(
          "POST",
          "/form?a=b&c",
          TestOrigin.ascii("content"),
          "Content-Length: 7",
          "X-Key: 1",
          "X-Key: 2",
          "Cookie: s=t",
          "Range: bytes=0-1",
          "X-Forwarded-Uri: /other",
          "X-Forwarded-For: 198.51.100.1");
      assertEquals("content", client.reply().text());
    }
    TestOrigin.Request asked = auth.requests("/verify").getFirst();
    assertEquals("HEAD", asked.method());
    assertEquals(List.of("1", "2"), asked.fields("x-key"));
    assertEquals("s=t", asked.field("cookie"));
    assertEquals("", asked.field("range"));
    assertEquals("", asked.field("content-length"));
    assertEquals(List.of("/form?a=b&c"), asked.fields("x-forwarded-uri"));
    assertEquals("POST", asked.field("x-forwarded-method"));
    assertEquals("http", asked.field("x-forwarded-proto"));
    assertEquals("198.51.100.1, 127.0.0.1", asked.field("x-forwarded-for"));
    assertEquals("POST", asked.field("x-original-method"));
    assertTrue(asked.field("x-original-url").endsWith("/form?a=b&c"), asked.head());
    assertEquals("edge", asked.field("cdn-loop"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void byEveryProtocol(String protocol) throws Exception {
    startWith(", cache-by: header Authorization", "http3: {listeners: secure}\n");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertEquals(401, client.ask("GET", "/a").status());
      assertEquals(200, client.ask("GET", "/a", "authorization", "Bearer good").status());
      edge().awaitIdle();
      assertTrue(client.ask("GET", "/a", "authorization", "Bearer good").isHit());
    }
    assertEquals(2, auth.count("/verify"));
  }

  @Test
  void aVerdictIsRememberedByItsCredentials() throws Exception {
    start(", cache-by: [header Authorization, cookie s]");
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 3; i++) {
        assertEquals(200, get(client, "/a", GOOD).status());
        assertEquals(200, get(client, "/who", GOOD).status());
      }
      assertEquals(1, auth.count("/verify"));
      assertEquals(200, get(client, "/a", GOOD, "Cookie: s=1").status());
      assertEquals(200, get(client, "/a", GOOD, "Cookie: other=2; s=1").status());
      assertEquals(2, auth.count("/verify"));
      // Refusals are not remembered, and credentials that are only alike are others.
      assertEquals(401, get(client, "/a", "Authorization: Bearer bad").status());
      assertEquals(401, get(client, "/a", "Authorization: Bearer bad").status());
      assertEquals(401, get(client, "/a", "Authorization: Bearer ", "Cookie: s=good").status());
      assertEquals(5, auth.count("/verify"));
    }
    assertTrue(site.requests("/a").stream().noneMatch(asked -> asked.head().contains("s=1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-store", "no-cache", "max-age=0"})
  void aVerdictMayForbidToRememberIt(String control) throws Exception {
    auth.on(
        "/verify",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 200 OK\r\ncache-control: " + control + "\r\ncontent-length: 0\r\n\r\n"));
    start(", cache-by: header Authorization");
    assertEquals(200, once("/a", GOOD).status());
    assertEquals(200, once("/a", GOOD).status());
    assertEquals(2, auth.count("/verify"));
  }

  @Test
  void fieldsOfTheVerdictArePartOfTheKeyAndClientsCannotSendThem() throws Exception {
    start(", cache-by: header Authorization, response-headers: X-User");
    try (RawClient client = edge().connect()) {
      String alice = "Authorization: Bearer good-alice";
      assertEquals("for alice", get(client, "/who", alice).text());
      edge().awaitIdle();
      assertTrue(get(client, "/who", alice, "X-User: bob").isHit());
      assertEquals("for bob", get(client, "/who", "Authorization: Bearer good-bob").text());
      edge().awaitIdle();
      assertEquals("for ", get(client, "/who", GOOD, "X-User: alice").text());
    }
    assertEquals(3, site.count("/who"));
    assertEquals(3, auth.count("/verify"));
  }

  @Test
  void credentialsThatAreForwardedMakeTheAnswerPrivate() throws Exception {
    start(", cache-by: header Authorization, forward: true");
    assertEquals(200, once("/a", GOOD).status());
    edge().awaitIdle();
    assertFalse(once("/a", GOOD).isHit());
    assertEquals("Bearer good", site.requests("/a").getFirst().field("authorization"));
  }

  @Test
  void simultaneousRequestsWithTheSameCredentialsAskOnce() throws Exception {
    auth.on(
        "/verify",
        (request, connection) -> {
          TestOrigin.await(gate);
          decide(request, connection);
        });
    start(", cache-by: header Authorization, timeout: 1m");
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        RawClient client = edge().connect();
        clients.add(client);
        client.request("GET", "/a", GOOD);
      }
      // One that leaves takes nothing from the others.
      clients.removeFirst().close();
      Await.until("it is asked", () -> auth.count("/verify") == 1);
      gate.countDown();
      for (RawClient client : clients) {
        assertEquals(200, client.reply().status());
      }
    } finally {
      clients.forEach(RawClient::close);
    }
    assertEquals(1, auth.count("/verify"));
  }

  @Test
  void redirectsAreGivenToTheClientWhereThatIsSet() throws Exception {
    auth.on(
        "/verify",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 302 Found\r\nlocation: https://login.example/?to=x\r\n"
                    + "set-cookie: state=1\r\ncontent-length: 0\r\n\r\n"));
    start(", pass-redirects: true");
    Response redirect = once("/a");
    assertEquals(302, redirect.status());
    assertEquals("https://login.example/?to=x", redirect.field("location"));
    assertEquals("state=1", redirect.field("set-cookie"));
    edge().close();
    start("");
    assertEquals(503, once("/a").status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"500", "404", "302", "hang", "reset", "closed", "garbage", "slow head", "long"})
  void withoutAVerdictARequestIsRefused(String fault) throws Exception {
    auth.on("/verify", (request, connection) -> fail(fault, connection));
    start(", timeout: 300ms, response-headers: X-User");
    Response refused = once("/a", GOOD);
    assertEquals(503, refused.status());
    assertTrue(refused.has("retry-after"), refused.toString());
    assertTrue(refused.field("cache-status").contains("detail=unverified"), refused.toString());
    assertFalse(refused.text().contains("auth"), refused.text());
    assertEquals(0, site.count("/a"));
    assertEquals(1, refused());
    gate.countDown();
  }

  @Test
  void withoutAVerdictARequestIsAdmittedWhereThatIsSet() throws Exception {
    auth.on("/verify", (request, connection) -> fail("500", connection));
    start(", on-error: admit, cache-by: header Authorization, response-headers: X-User");
    assertEquals("for ", once("/who", GOOD, "X-User: alice").text());
    // A refusal is a verdict.
    auth.on("/verify", ServerForwardAuthTest::decide);
    assertEquals(401, once("/who").status());
    assertEquals("for alice", once("/who", "Authorization: Bearer good-alice").text());
  }

  private void fail(String fault, Connection connection) throws IOException {
    switch (fault) {
      case "500" -> connection.send("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
      case "404" -> connection.send("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n");
      case "302" ->
          connection.send("HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n");
      case "hang" -> TestOrigin.await(gate);
      case "slow head" -> {
        connection.send("HTTP/1.1 204 No");
        TestOrigin.await(gate);
      }
      case "reset" -> {
        connection.reset();
        throw new IOException("reset for the test");
      }
      case "closed" -> connection.cut();
      case "long" ->
          connection.send("HTTP/1.1 204 No Content\r\nx-user: " + "u".repeat(1025) + "\r\n\r\n");
      default -> connection.send("no HTTP at all\r\n\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"huge", "huge chunked", "endless", "cut off"})
  void theBodyOfAVerdictDoesNotMatter(String body) throws Exception {
    auth.on(
        "/verify",
        (request, connection) -> {
          String head = request.field("authorization").contains("good") ? "200 OK" : "403 No";
          switch (body) {
            case "huge" ->
                connection
                    .send("HTTP/1.1 " + head + "\r\ncontent-length: 100000000\r\n\r\n")
                    .send(new byte[1 << 20]);
            case "huge chunked" -> {
              connection.send("HTTP/1.1 " + head + "\r\ntransfer-encoding: chunked\r\n\r\n");
              for (int i = 0; i < 1000; i++) {
                connection.send("1000\r\n").send(new byte[4096]).send("\r\n");
              }
            }
            case "endless" -> {
              connection.send(
                  "HTTP/1.1 " + head + "\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n");
              TestOrigin.await(gate);
            }
            default -> {
              connection.send("HTTP/1.1 " + head + "\r\ncontent-length: 100\r\n\r\nx");
              throw new IOException("cut off for the test");
            }
          }
        });
    start(", timeout: 2s");
    assertEquals(200, once("/a", GOOD).status());
    Response refused = once("/a", "Authorization: Bearer bad");
    assertEquals(403, refused.status());
    assertTrue(refused.text().startsWith("The server that decides"), refused.text());
    gate.countDown();
  }

  @Test
  void explainNamesWhoDecides() throws Exception {
    start(", cache-by: cookie s, response-headers: X-User");
    String explained = edge().explain(200, "{\"url\": \"" + edge().url("/a") + "\"}").toString();
    assertTrue(
        explained.contains("forward-auth: a 2xx of origin auth for /verify; otherwise its 401"),
        explained);
    assertTrue(explained.contains("Remembered for 60 s by [cookie s]"), explained);
    assertTrue(explained.contains("Responses are shared by all who are admitted"), explained);
    assertEquals(0, auth.count("/verify"), "a dry run asks nobody");
  }
}
