package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ConfigView;
import io.forebay.server.config.history.AcceptedConfig;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeControl.ReloadOrder;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** New requests use the new configuration; requests in progress keep the old one. */
@Tag("slow")
final class ServerReloadTest {

  @TempDir Path directory;
  private final TestOrigin before = new TestOrigin();
  private final TestOrigin after = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(before, directory);
    after.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("after")));
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    before.close();
    after.close();
  }

  private String next() {
    return "origins: {other: {url: \"" + after.url() + "\", keep-alive: 5s}}\n";
  }

  @Test
  void newRequestsGoTheNewWayWhileOldOnesFinish() throws Exception {
    byte[] body = Edge.bytes(1, 500_000);
    before.on(
        "/a",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: no-store\r\n", body.length)
              .send(Arrays.copyOf(body, 1000));
          asked.countDown();
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, 1000, body.length));
        });
    try (RawClient old = edge.connect();
        RawClient fresh = edge.connect()) {
      old.request("GET", "/a");
      TestOrigin.await(asked);
      edge.configure(next());
      Reload reload = edge.server().reload();
      assertEquals(List.of(), reload.errors());
      assertFalse(reload.changed().isEmpty());
      assertEquals("after", fresh.get("/a").text());
      gate.countDown();
      Bytes.assertEquals(body, old.reply().body());
      assertEquals("after", old.get("/a").text());
    }
    assertEquals(1, before.count("/a"));
  }

  @Test
  void whoBeganWithTheOldRoutesMayStillAskTheirOrigin() throws Exception {
    before.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            asked.countDown();
            TestOrigin.await(gate);
          }
          TestOrigin.sendOk(
              connection,
              "cache-control: private\r\n",
              TestOrigin.ascii("before " + request.number()));
        });
    try (RawClient first = edge.connect();
        RawClient second = edge.connect()) {
      first.request("GET", "/a");
      TestOrigin.await(asked);
      second.request("GET", "/a");
      Await.until("it has joined", () -> edge.sum(c -> c.joined) == 1);
      edge.configure(next());
      assertEquals(List.of(), edge.server().reload().errors());
      gate.countDown();
      assertEquals("before 1", first.reply().text());
      // It waited for a response that it cannot use, and now asks the origin itself.
      assertEquals("before 2", second.reply().text());
    }
  }

  @Test
  void aBadConfigurationChangesNothing() throws Exception {
    before.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("before")));
    try (RawClient client = edge.connect()) {
      assertEquals("before", client.get("/a").text());
      for (String bad :
          List.of(
              "origins: {other: {url: \"ftp://x\"}}\n",
              "origins: {}\n",
              next() + "no-such-key: 1\n",
              next() + "routes: [{origin: missing}]\n")) {
        edge.configure(bad);
        Reload reload = edge.server().reload();
        assertFalse(reload.errors().isEmpty(), bad);
        assertEquals(List.of(), reload.changed());
        assertEquals("before", client.get("/a").text());
      }
      edge.configure(next());
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("after", client.get("/a").text());
    }
    assertTrue(after.count("/a") > 0);
  }

  // --- history -----------------------------------------------------------------------------------

  private List<String> authors() {
    return edge.server().acceptedConfigs().stream().map(AcceptedConfig::author).toList();
  }

  @Test
  void aRollbackPutsAnEarlierConfigurationInForce() throws Exception {
    before.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("before")));
    try (RawClient client = edge.connect()) {
      edge.configure(next() + "limits: {fills: 300}\n");
      assertEquals(List.of(), edge.server().reload(ReloadOrder.by("ann")).errors());
      assertEquals("after", client.get("/a").text());
      assertEquals(List.of("start", "ann"), authors());
      assertTrue(
          edge.server().configChanges(1, 2).stream()
              .anyMatch(change ->
                  change.key().equals("limits.fills")
                      && "300".equals(change.after())
                      && !"300".equals(change.before())));

      Reload tried = edge.server().reload(new ReloadOrder("bob", true, 1));
      assertEquals(List.of(), tried.errors());
      assertTrue(tried.changed().contains("limits.fills"), tried.toString());
      assertEquals("after", client.get("/a").text(), "it was only tried");
      assertEquals(List.of("start", "ann"), authors());

      assertEquals(List.of(), edge.server().reload(new ReloadOrder("bob", false, 1)).errors());
      assertEquals("before", client.get("/a").text());
      assertEquals(List.of("start", "ann", "bob"), authors());
      assertEquals(List.of(), edge.server().configChanges(1, 3));

      Reload unknown = edge.server().reload(new ReloadOrder("bob", false, 7));
      assertEquals(1, unknown.errors().size());
      assertEquals("before", client.get("/a").text());
    }
    edge.stop();
    edge.start();
    assertEquals(List.of("start", "ann", "bob", "start"), authors());
  }

  /** What was accepted is in force again, whatever the included files have become. */
  @Test
  void aRollbackPutsIncludedFilesInForceToo() throws Exception {
    Path included = Files.createDirectories(directory.resolve("conf.d"));
    String rule = "routes: [{name: r, origin: main, rules: [{respond: {text: TEXT}}]}]\n";
    Files.writeString(included.resolve("a.yaml"), rule.replace("TEXT", "one"));
    String main = Edge.origins(before.url()) + "include: conf.d/*.yaml\n";
    edge.configure(main);
    assertEquals(List.of(), edge.server().reload(ReloadOrder.by("ann")).errors());
    try (RawClient client = edge.connect()) {
      assertEquals("one", client.get("/a").text());
      Files.delete(included.resolve("a.yaml"));
      Files.writeString(included.resolve("b.yaml"), rule.replace("TEXT", "two"));
      Reload tried = edge.server().reload(new ReloadOrder("bob", true, 0));
      assertEquals(List.of("routes.r.rules"), tried.changed());
      assertEquals("one", client.get("/a").text(), "it was only tried");
      assertEquals(List.of(), edge.server().reload(ReloadOrder.by("bob")).errors());
      assertEquals("two", client.get("/a").text());
      assertEquals(List.of("start", "ann", "bob"), authors());
      assertEquals(
          List.of("routes.r.rules"),
          edge.server().configChanges(2, 3).stream().map(ConfigView.Change::key).toList());

      Files.writeString(included.resolve("b.yaml"), "nonsense: 1\n");
      Reload refused = edge.server().reload();
      assertEquals(1, refused.errors().size());
      assertTrue(
          refused.errors().getFirst().contains("conf.d/b.yaml:1:1: nonsense: unknown key"),
          refused::toString);
      assertEquals(List.of(), edge.server().reload(new ReloadOrder("cid", false, 2)).errors());
      assertEquals("one", client.get("/a").text());
      assertEquals(List.of("start", "ann", "bob", "cid"), authors());
      assertEquals(List.of(), edge.server().configChanges(2, 4));
      String explained = edge.explain(200, "{\"url\": \"http://a/a\"}").toString();
      assertTrue(explained.contains("conf.d/a.yaml:1: responds with 200"), explained);
    }
  }

  @Test
  void aTriedReloadFindsProblemsAndChangesNothing() throws Exception {
    before.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("before")));
    ReloadOrder trial = new ReloadOrder("ann", true, 0);
    for (String bad :
        List.of(
            next() + "no-such-key: 1\n",
            next() + "routes: [{origin: missing}]\n",
            "origins: {o: {url: \"https://127.0.0.1:1\", trust: /no/such/file}}\n")) {
      edge.configure(bad);
      assertFalse(edge.server().reload(trial).errors().isEmpty(), bad);
    }
    edge.configure(next());
    Reload tried = edge.server().reload(trial);
    assertEquals(List.of(), tried.errors());
    assertEquals(0, tried.id());
    assertFalse(tried.changed().isEmpty());
    try (RawClient client = edge.connect()) {
      assertEquals("before", client.get("/a").text());
    }
    assertEquals(List.of("start"), authors());
  }

  @Test
  void aReloadNamesTheKeysThatMakeOtherCacheKeys() throws Exception {
    edge.configure(
        Edge.origins(before.url())
            + "routes: [{name: r, origin: main, key: {query: sort}, default-ttl: 5s}]\n");
    assertEquals(List.of(), edge.server().reload().errors());
    edge.configure(
        Edge.origins(before.url())
            + "routes: [{name: r, origin: main, key: {port: false}, default-ttl: 6s}]\n");
    Reload reload = edge.server().reload(new ReloadOrder("ann", true, 0));
    assertTrue(reload.changed().contains("routes.r.default-ttl"), reload.toString());
    assertTrue(reload.changesKeys().contains("routes.r.key.port"), reload.toString());
    assertFalse(reload.changesKeys().contains("routes.r.default-ttl"), reload.toString());
  }

  // --- limits and timeouts: for connections that begin after the reload --------------------------

  private static final String FRESH = "cache-control: max-age=600\r\n";

  private void reload(String more) throws IOException {
    edge.configure(Edge.origins(before.url()) + more);
    Reload reload = edge.server().reload();
    assertEquals(List.of(), reload.errors());
    assertEquals(List.of(), reload.needsRestart());
  }

  private static String[] fields(int count) {
    String[] fields = new String[count];
    Arrays.setAll(fields, i -> "X-" + i + ": 1");
    return fields;
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        Arguments.of("header-count: 8", "GET", "/a", fields(9), 431),
        Arguments.of(
            "header-bytes: 1KiB", "GET", "/a", new String[] {"X: " + "x".repeat(1100)}, 431),
        Arguments.of("target-bytes: 256", "GET", "/a?" + "x".repeat(300), new String[0], 414),
        Arguments.of("request-body: 10", "POST", "/a", new String[] {"Content-Length: 11"}, 413));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aNewConnectionObeysTheNewLimitAndAnOldOneTheOld(
      String limit, String method, String target, String[] fields, int status) throws Exception {
    before.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("before")));
    try (RawClient old = edge.connect()) {
      assertEquals(200, old.get("/a").status());
      reload("limits: {" + limit + "}\n");
      try (RawClient fresh = edge.connect()) {
        assertEquals(status, fresh.request(method, target, fields).reply().status());
      }
      old.request(method, target, fields);
      if (method.equals("POST")) {
        old.send("01234567890");
      }
      assertEquals(200, old.reply().status());
    }
  }

  @Test
  void aNewConnectionOfHttp2ObeysTheNewLimit() throws Exception {
    before.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("before")));
    URI uri = URI.create("https://127.0.0.1:" + edge.tlsPort() + "/a");
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    for (int i = 0; i < 20; i++) {
      request.header("x-" + i, "1");
    }
    HttpRequest wide = request.build();
    try (HttpClient old = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      assertEquals(200, old.send(wide, HttpResponse.BodyHandlers.ofString()).statusCode());
      reload("limits: {header-count: 8}\n");
      try (HttpClient fresh = edge.tlsClient(HttpClient.Version.HTTP_2)) {
        assertEquals(431, fresh.send(wide, HttpResponse.BodyHandlers.ofString()).statusCode());
      }
      assertEquals(200, old.send(wide, HttpResponse.BodyHandlers.ofString()).statusCode());
    }
  }

  @Test
  void aNewConnectionToTheOriginObeysTheNewLimit() throws Exception {
    before.on(
        "/wide",
        TestOrigin.ok(
            "cache-control: no-store\r\n" + "x: y\r\n".repeat(20), TestOrigin.ascii("wide")));
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/wide").status());
      // An origin that has changed gets new connections.
      edge.configure(
          "origins: {main: {url: \""
              + before.url()
              + "\", keep-alive: 6s}}\n"
              + "limits: {header-count: 8}\n");
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals(502, client.get("/wide").status());
    }
  }

  @Test
  void theNumberOfConnectionsIsThatOfTheReload() throws Exception {
    try (RawClient old = edge.connect()) {
      assertEquals(404, old.get("/b").status());
      reload("limits: {connections: 1}\n");
      try (RawClient refused = edge.connect()) {
        refused.awaitEnd();
      }
      assertEquals(404, old.get("/b").status());
      reload("limits: {connections: 2}\n");
      try (RawClient taken = edge.connect()) {
        assertEquals(404, taken.get("/b").status());
      }
    }
  }

  @Test
  void theNumberOfRequestsOfANewConnectionIsThatOfTheReload() throws Exception {
    reload("limits: {requests-per-connection: 1}\n");
    try (RawClient fresh = edge.connect()) {
      assertEquals("close", fresh.get("/b").field("connection"));
      fresh.awaitEnd();
    }
  }

  @Test
  void fillsBeyondTheNewBoundPassThrough() throws Exception {
    before.on(
        "/slow",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("slow"));
        });
    before.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("before")));
    reload("limits: {fills: 1}\n");
    try (RawClient slow = edge.connect();
        RawClient other = edge.connect()) {
      slow.request("GET", "/slow");
      TestOrigin.await(asked);
      assertEquals("before", other.get("/a").text());
      assertFalse(other.get("/a").isHit());
      reload("limits: {fills: 2}\n");
      assertEquals("before", other.get("/a").text());
      assertTrue(other.get("/a").isHit());
      gate.countDown();
      assertEquals("slow", slow.reply().text());
    }
  }

  @Test
  void theBoundOnPrivateCopiesIsThatOfTheReload() throws Exception {
    byte[] body = Edge.bytes(8, 12 << 20);
    // With a tag: without one, so much of memory would not be kept for clients that stall.
    before.on("/stalled", TestOrigin.ok(FRESH + "etag: \"1\"\r\n", body));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get("/stalled").body());
    }
    reload("limits: {private-copies: 1MiB}\n");
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      stalled.add(new RawClient(edge.port(), 4096).request("GET", "/stalled"));
    }
    // A copy is a chunk of 128 KiB at most: eight find room, of forty not all do.
    Await.until("those who find no room are broken off", () -> edge.sum(c -> c.stalledClosed) > 0);
    assertTrue(edge.server().privateCopyBytes() <= 1 << 20);
    stalled.forEach(RawClient::close);
  }

  @Test
  void largeChunksBeyondTheNewBoundAreTakenBack() throws Exception {
    byte[] body = Edge.bytes(9, 2 << 20);
    before.on("/large", TestOrigin.ok(FRESH, body));
    List<RawClient> quick = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        RawClient client = edge.connect();
        quick.add(client);
        Bytes.assertEquals(body, client.get("/large").body());
        Bytes.assertEquals(body, client.get("/large").body());
      }
      assertEquals(8, edge.sum(c -> c.largeWrites));
      reload("limits: {private-copies: 1MiB}\n");
      // One for each of two loops is the least.
      assertTrue(edge.sum(c -> c.largeWrites) <= 2);
      for (RawClient client : quick) {
        Bytes.assertEquals(body, client.get("/large").body());
      }
      assertTrue(edge.sum(c -> c.largeWrites) <= 2);
    } finally {
      quick.forEach(RawClient::close);
    }
    edge.awaitSum(0, c -> c.largeWrites);
  }

  @Test
  void aNewConnectionObeysTheNewTimeouts() throws Exception {
    reload("timeouts: {request-header: 300ms, keep-alive: 0s, tls-handshake: 100ms}\n");
    try (RawClient slow = edge.connect()) {
      assertEquals(408, slow.send("GET /a HTTP/1.1\r\n").reply().status());
    }
    // By default the next two would stay for a minute and for five seconds.
    try (RawClient idle = edge.connect()) {
      assertEquals(404, idle.get("/b").status());
      idle.awaitEnd();
    }
    try (RawClient mute = new RawClient(edge.tlsPort())) {
      mute.awaitEnd();
    }
  }

  @Test
  void aNewConnectionObeysTheNewBodyTimeout() throws Exception {
    before.on("/a", (request, connection) -> TestOrigin.await(gate));
    reload("timeouts: {request-body-idle: 100ms}\n");
    try (RawClient slow = edge.connect()) {
      slow.request("POST", "/a", "Content-Length: 10").send("01234");
      assertEquals(408, slow.reply().status());
    }
    gate.countDown();
  }

  @Test
  void aListenerThatIsToBecomeTlsStaysPlainTextAndThatIsSaid() throws Exception {
    String more = "  - {name: more, address: \"127.0.0.1:0\"";
    String rest = "}\n" + Edge.origins(before.url());
    edge.stop();
    edge.configure(more + rest);
    edge.start();
    edge.configure(
        more
            + ", tls: {certificate: \""
            + directory.resolve("chain.pem")
            + "\", key: \""
            + directory.resolve("chain.key")
            + "\"}"
            + rest);
    Reload reload = edge.server().reload();
    assertEquals(List.of(), reload.errors());
    assertEquals(List.of("listen.more.tls (plain text until then)"), reload.needsRestart());
    before.on("/plain", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("as ever")));
    try (RawClient client = new RawClient(edge.port("more"))) {
      assertEquals("as ever", client.get("/plain").text());
    }
    edge.configure(more + rest);
    assertEquals(List.of(), edge.server().reload().needsRestart());
  }

  @Test
  void whatWaitsForARestartIsSaidUntilItIsTakenBack() throws Exception {
    edge.configure("MEMORY=48MiB\n" + Edge.origins(before.url()));
    assertEquals(List.of("store.memory"), edge.server().reload().needsRestart());
    edge.configure("MEMORY=48MiB\n" + Edge.origins(before.url()) + "limits: {fills: 9}\n");
    Reload second = edge.server().reload();
    assertEquals(List.of("limits.fills"), second.changed());
    assertEquals(List.of("store.memory"), second.needsRestart());
    reload("");
  }
}
