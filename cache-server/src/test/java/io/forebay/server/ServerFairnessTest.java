package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits on the share of one client. */
@Tag("slow")
final class ServerFairnessTest {

  private static final String[] OFFER = {
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
  };
  private static final String ACCEPTED =
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
          + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    gate.countDown();
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    origin.close();
  }

  private Edge edge(String more) throws IOException {
    Edge edge = Edge.before(origin, directory, "32MiB", more);
    open.add(edge);
    return edge;
  }

  /** Answers when the gate opens. */
  private Answer slow() {
    return (request, connection) -> {
      TestOrigin.await(gate);
      TestOrigin.ok("cache-control: max-age=9\r\n", TestOrigin.ascii("slow"))
          .to(request, connection);
    };
  }

  /** A client at another address of this machine. */
  private RawClient from(String address, Edge edge) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), edge.port()));
    RawClient client = new RawClient(socket);
    open.add(client);
    return client;
  }

  @Test
  void twentyFourConnectionsWithSlowRequestsLeaveOthersTheirMisses() throws Exception {
    Edge edge = edge("");
    origin.on("/hit", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("hit")));
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    try (RawClient client = edge.connect()) {
      assertEquals("hit", client.get("/hit").text());
    }
    int connections = 24;
    int streams = 100;
    for (int i = 0; i < connections * streams; i++) {
      origin.on("/slow/" + i, slow());
    }
    List<Http2Client.Answer> answers = new ArrayList<>();
    List<Http2Client> clients = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 65_535);
      open.add(client);
      clients.add(client);
      for (int k = 0; k < streams; k++) {
        answers.add(client.open(Http2Client.get("/slow/" + answers.size()), true));
      }
    }
    int refused = connections * streams - 128;
    edge.awaitSum(refused, c -> c.hits(LimitKey.FETCHES_PER_CLIENT));
    RawClient bystander = from("127.0.0.2", edge);
    for (int i = 0; i < 20; i++) {
      Response miss = bystander.get("/miss");
      assertEquals(200, miss.status(), miss.text());
      assertEquals("miss", miss.text());
    }
    try (RawClient same = edge.connect()) {
      assertTrue(same.get("/hit").isHit());
      Response another = same.get("/miss");
      assertEquals(429, another.status());
      assertEquals("edge; detail=client-limit", another.field("cache-status"));
      assertEquals("edge; error=http_request_denied", another.field("proxy-status"));
      assertTrue(Integer.parseInt(another.field("retry-after")) > 0);
    }
    for (Http2Client client : clients) {
      client.close();
    }
    Map<String, Integer> statuses = new TreeMap<>();
    for (Http2Client.Answer answer : answers) {
      var head = answer.heads.poll();
      statuses.merge(head == null ? "none" : head.status().toString(), 1, Integer::sum);
    }
    assertEquals(Map.of("429", refused, "none", 128), statuses);
    gate.countDown();
    edge.awaitIdle();
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"), "what was taken is given back");
  }

  @Test
  void oneClientDoesNotHoldAllTunnels() throws Exception {
    Edge edge =
        edge(
            "tunnels: {limit: 6, per-client: 4}\n"
                + "routes: [{name: all, origin: main, upgrade: websocket}]\n");
    origin.on(
        "/tunnel",
        (request, connection) -> {
          connection.send(ACCEPTED);
          connection.awaitClose();
        });
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    List<RawClient> hoard = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      RawClient client = from("127.0.0.1", edge);
      assertEquals(101, client.request("GET", "/tunnel", OFFER).head().status());
      hoard.add(client);
    }
    RawClient fifth = from("127.0.0.1", edge);
    assertEquals(429, fifth.request("GET", "/tunnel", OFFER).reply().status());
    assertEquals(200, from("127.0.0.1", edge).get("/miss").status());
    RawClient other = from("127.0.0.2", edge);
    assertEquals(101, other.request("GET", "/tunnel", OFFER).head().status());
    hoard.getFirst().close();
    assertEquals(101, statusOnceFree(edge, "GET", "/tunnel", OFFER));
  }

  @Test
  void clientsBehindATrustedProxyAreToldApart() throws Exception {
    Edge edge =
        edge(
            "limits: {fetches-per-client: 1}\n"
                + "forwarding: {node-id: edge, trusted: [127.0.0.1/32]}\n");
    CountDownLatch asked = new CountDownLatch(4);
    for (String path : List.of("/a", "/b", "/c", "/d")) {
      origin.on(
          path,
          (request, connection) -> {
            asked.countDown();
            slow().to(request, connection);
          });
    }
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    from("127.0.0.1", edge).request("GET", "/a", "X-Forwarded-For: 192.0.2.1");
    from("127.0.0.1", edge).request("GET", "/b", "X-Forwarded-For: 192.0.2.2");
    // The proxy's own, and as many as it likes.
    from("127.0.0.1", edge).request("GET", "/c");
    from("127.0.0.1", edge).request("GET", "/d");
    TestOrigin.await(asked);
    RawClient proxy = from("127.0.0.1", edge);
    for (String busy : List.of("192.0.2.1", "192.0.2.2", "8.8.8.8, 192.0.2.1")) {
      proxy.request("GET", "/miss", "X-Forwarded-For: " + busy);
      assertEquals(429, proxy.reply().status(), busy);
    }
    proxy.request("GET", "/miss", "X-Forwarded-For: 192.0.2.3");
    assertEquals(200, proxy.reply().status());
    assertEquals(200, proxy.get("/miss").status());
    // Who is not trusted cannot hide behind another.
    RawClient stranger = from("127.0.0.2", edge);
    stranger.request("GET", "/miss", "X-Forwarded-For: 192.0.2.1");
    assertEquals(200, stranger.reply().status());
  }

  @Test
  void thoseWhoFollowAFetchAreBoundedByThemselves() throws Exception {
    Edge edge = edge("limits: {fetches-per-client: 1, waiting-per-client: 3}\n");
    origin.on("/slow", slow());
    List<RawClient> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RawClient client = from("127.0.0.1", edge);
      client.request("GET", "/slow");
      Await.until("there is a fetch to follow", () -> edge.sum(c -> c.fillsStarted) == 1);
      waiting.add(client);
    }
    Await.until("two follow", () -> edge.sum(c -> c.joined) == 2);
    assertEquals(429, from("127.0.0.1", edge).get("/slow").status());
    RawClient other = from("127.0.0.2", edge);
    other.request("GET", "/slow");
    Await.until("three follow", () -> edge.sum(c -> c.joined) == 3);
    gate.countDown();
    for (RawClient client : waiting) {
      assertEquals("slow", client.reply().text());
    }
    assertEquals("slow", other.reply().text());
    assertTrue(from("127.0.0.1", edge).get("/slow").isHit());
  }

  @Test
  void aPlaceIsGivenBackHoweverARequestEnds() throws Exception {
    Edge edge =
        Edge.start(
            directory,
            "32MiB",
            """
            limits: {fetches-per-client: 1, waiting-per-client: 1}
            origins: {main: {url: "URL"}, hasty: {url: "URL", timeouts: {first-byte: 200ms}}}
            routes: [{match: {path: /late}, origin: hasty}, {match: {path: /}, origin: main}]
            """
                .replace("URL", origin.url()));
    open.add(edge);
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    origin.on("/late", (request, connection) -> connection.awaitClose());
    origin.on("/gone", (request, connection) -> connection.close());
    origin.on(
        "/cut",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: no-store\r\n", 1000).send(new byte[100]);
          connection.close();
        });
    origin.on("/left", slow());
    assertEquals(504, statusOnceFree(edge, "GET", "/late"));
    assertEquals(502, statusOnceFree(edge, "GET", "/gone"));
    assertEquals(200, statusOnceFree(edge, "GET", "/cut"));
    assertEquals(200, statusOnceFree(edge, "HEAD", "/miss"));
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
    RawClient left = fetchOnceFree(edge, "/left");
    assertEquals(429, from("127.0.0.1", edge).get("/miss").status());
    left.close();
    gate.countDown();
    edge.awaitIdle();
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
  }

  /** As many slow requests as there are connections to the origin, and more, may come. */
  private Edge smallEdge(String more) throws IOException {
    Edge edge =
        Edge.start(
            directory,
            "32MiB",
            "limits: {fetches-per-client: 3}\n"
                + "origins: {main: {url: \"URL\", max-connections: 6}}\n"
                    .replace("URL", origin.url())
                + more);
    open.add(edge);
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    for (int i = 0; i < 9; i++) {
      origin.on("/slow/" + i, slow());
    }
    return edge;
  }

  @Test
  void fetchesOfClientsThatHaveGoneStillCount() throws Exception {
    Edge edge = smallEdge("");
    for (int i = 0; i < 9; i++) {
      long ended = edge.sum(c -> c.clientAborts + c.hits(LimitKey.FETCHES_PER_CLIENT));
      long begun = edge.sum(c -> c.fillsStarted + c.hits(LimitKey.FETCHES_PER_CLIENT));
      RawClient hitAndRun = from("127.0.0.1", edge);
      hitAndRun.request("GET", "/slow/" + i);
      Await.until(
          "it is asked for or refused",
          () -> edge.sum(c -> c.fillsStarted + c.hits(LimitKey.FETCHES_PER_CLIENT)) > begun);
      hitAndRun.close();
      Await.until(
          "nobody waits for it",
          () -> edge.sum(c -> c.clientAborts + c.hits(LimitKey.FETCHES_PER_CLIENT)) > ended);
    }
    assertEquals(200, from("127.0.0.2", edge).get("/miss").status(), "another client's miss");
    assertEquals(429, from("127.0.0.1", edge).get("/miss").status(), "its fetches go on");
    gate.countDown();
    edge.awaitIdle();
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
  }

  @Test
  void refreshesOfWhatIsStaleCountForWhoAskedForIt() throws Exception {
    AtomicLong now = new AtomicLong(1_000_000_000_000L);
    Edge edge =
        Edge.start(
            directory,
            "32MiB",
            "limits: {fetches-per-client: 2}\n" + Edge.origins(origin.url()),
            now::get);
    open.add(edge);
    String stale = "cache-control: max-age=10, stale-while-revalidate=1000\r\n";
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    for (int i = 0; i < 5; i++) {
      origin.on("/swr/" + i, TestOrigin.ok(stale, TestOrigin.ascii("old")));
      assertEquals("old", from("127.0.0.1", edge).get("/swr/" + i).text());
      edge.awaitIdle();
      origin.on("/swr/" + i, slow());
    }
    now.addAndGet(20_000);
    for (int i = 0; i < 5; i++) {
      assertEquals("old", from("127.0.0.1", edge).get("/swr/" + i).text());
    }
    assertEquals(3, edge.sum(c -> c.hits(LimitKey.FETCHES_PER_CLIENT)), "refreshes not begun");
    assertEquals(429, from("127.0.0.1", edge).get("/miss").status(), "two refreshes are under way");
    assertEquals(200, from("127.0.0.2", edge).get("/miss").status(), "another client's miss");
    gate.countDown();
    edge.awaitIdle();
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
  }

  @Test
  void offersOfAnotherProtocolAreFetchesUntilTheyAreTunnels() throws Exception {
    Edge edge = smallEdge("routes: [{name: all, origin: main, upgrade: websocket}]\n");
    origin.on(
        "/tunnel",
        (request, connection) -> {
          connection.send(ACCEPTED);
          connection.awaitClose();
        });
    for (int i = 0; i < 4; i++) {
      assertEquals(101, from("127.0.0.1", edge).request("GET", "/tunnel", OFFER).head().status());
    }
    for (int i = 0; i < 9; i++) {
      long begun = edge.sum(c -> c.originFetches + c.hits(LimitKey.FETCHES_PER_CLIENT));
      from("127.0.0.1", edge).request("GET", "/slow/" + i, OFFER);
      Await.until(
          "it is asked for or refused",
          () -> edge.sum(c -> c.originFetches + c.hits(LimitKey.FETCHES_PER_CLIENT)) > begun);
    }
    assertEquals(200, from("127.0.0.2", edge).get("/miss").status(), "another client's miss");
    assertEquals(429, from("127.0.0.1", edge).get("/miss").status(), "three offers are open");
    gate.countDown();
    assertEquals(200, statusOnceFree(edge, "GET", "/miss"));
  }

  @Test
  void aSlash64ThatTheProxyProtocolNamesIsOneClient() throws Exception {
    Edge edge =
        Edge.start(
            directory,
            "32MiB",
            """
              - {name: behind, address: "127.0.0.1:0", proxy-protocol: true}
            forwarding: {node-id: edge, trusted: "127.0.0.1"}
            limits: {fetches-per-client: 1}
            """
                + Edge.origins(origin.url()));
    open.add(edge);
    origin.on("/slow", slow());
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    RawClient first = behind(edge, "2001:db8:1:2::1");
    first.request("GET", "/slow");
    Await.until("it is asked for", () -> edge.sum(c -> c.fillsStarted) == 1);
    assertEquals(429, behind(edge, "2001:db8:1:2:ffff::9").get("/miss").status());
    assertEquals(200, behind(edge, "2001:db8:1:3::1").get("/miss").status());
    gate.countDown();
    assertEquals("slow", first.reply().text());
    Await.until(
        "the place is given back",
        () -> {
          try {
            return behind(edge, "2001:db8:1:2:ffff::9").get("/miss").status() == 200;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private RawClient behind(Edge edge, String address) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.port("behind"));
    RawClient client = new RawClient(socket);
    open.add(client);
    return client.send(TestOrigin.ascii("PROXY TCP6 " + address + " 2001:db8::ffff 4711 443\r\n"));
  }

  @Test
  void tunnelsGiveTheirPlacesBackHoweverTheyEnd() throws Exception {
    Edge edge =
        edge(
            "tunnels: {per-client: 1, idle-timeout: 200ms}\n"
                + "routes: [{name: all, origin: main, upgrade: websocket}]\n");
    origin.on(
        "/stays",
        (request, connection) -> {
          connection.send(ACCEPTED);
          connection.awaitClose();
        });
    origin.on(
        "/ends",
        (request, connection) -> {
          connection.send(ACCEPTED);
          connection.close();
        });
    origin.on("/broken", (request, connection) -> connection.close());
    origin.on("/refused", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("no")));
    origin.on(
        "/wrong",
        (request, connection) ->
            connection.send("HTTP/1.1 101 No\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n"));
    Map<String, Integer> offers = new LinkedHashMap<>();
    offers.put("/ends", 101);
    offers.put("/broken", 502);
    offers.put("/refused", 200);
    offers.put("/wrong", 502);
    // By its idle timeout.
    offers.put("/stays", 101);
    for (Map.Entry<String, Integer> offer : offers.entrySet()) {
      assertEquals(
          offer.getValue(), statusOnceFree(edge, "GET", offer.getKey(), OFFER), offer.getKey());
    }
    Await.until("a tunnel is reset", () -> isResetAfterOffer(edge));
    assertEquals(101, statusOnceFree(edge, "GET", "/stays", OFFER));
  }

  private static boolean isResetAfterOffer(Edge edge) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.port());
      try (RawClient client = new RawClient(socket)) {
        socket.setSoLinger(true, 0);
        return client.request("GET", "/stays", OFFER).head().status() == 101;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client at 127.0.0.1 whose request, once it has a place, is on its way to the origin. */
  private RawClient fetchOnceFree(Edge edge, String path) {
    List<RawClient> clients = new ArrayList<>();
    Await.until(
        "there is a place for " + path,
        () -> {
          long fetches = edge.sum(c -> c.originFetches);
          long refusals = edge.sum(ServerFairnessTest::refusals);
          try {
            RawClient client = from("127.0.0.1", edge);
            client.request("GET", path);
            clients.add(client);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          Await.until(
              "it is fetched or refused",
              () ->
                  edge.sum(c -> c.originFetches) > fetches
                      || edge.sum(ServerFairnessTest::refusals) > refusals);
          return edge.sum(c -> c.originFetches) > fetches;
        });
    return clients.getLast();
  }

  private static long refusals(LoopCounters counters) {
    return counters.hits(LimitKey.FETCHES_PER_CLIENT) + counters.hits(LimitKey.WAITING_PER_CLIENT);
  }

  /**
   * The answer to 127.0.0.1 once it has a place: one connection may see its answer before another
   * can have the place that it took.
   */
  private int statusOnceFree(Edge edge, String method, String path, String... fields) {
    AtomicInteger status = new AtomicInteger();
    Await.until(
        "there is a place for " + path,
        () -> {
          try {
            RawClient client = from("127.0.0.1", edge);
            status.set(client.request(method, path, fields).head().status());
            if (path.equals("/cut") && status.get() == 200) {
              client.awaitEnd();
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return status.get() != 429;
        });
    return status.get();
  }
}
