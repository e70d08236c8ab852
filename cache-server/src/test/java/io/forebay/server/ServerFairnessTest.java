package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.server.WireClient.Reply;
import io.forebay.server.metric.Limit;
import io.forebay.server.testing.Http2Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one client takes is bounded, so that others get theirs. */
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
  private WireClient from(String address, Edge edge) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), edge.port()));
    WireClient client = new WireClient(socket);
    open.add(client);
    return client;
  }

  @Test
  void twentyFourConnectionsWithSlowRequestsLeaveOthersTheirMisses() throws Exception {
    Edge edge = edge("");
    origin.on("/hit", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("hit")));
    origin.on("/miss", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("miss")));
    try (WireClient client = edge.connect()) {
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
    edge.awaitSum(refused, c -> c.hits(Limit.FETCHES_PER_CLIENT));
    WireClient bystander = from("127.0.0.2", edge);
    for (int i = 0; i < 20; i++) {
      Reply miss = bystander.get("/miss");
      assertEquals(200, miss.status(), miss.text());
      assertEquals("miss", miss.text());
    }
    try (WireClient same = edge.connect()) {
      assertTrue(same.get("/hit").isHit());
      Reply another = same.get("/miss");
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
    try (WireClient same = edge.connect()) {
      assertEquals(200, same.get("/miss").status(), "what was taken is given back");
    }
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
    List<WireClient> hoard = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      WireClient client = from("127.0.0.1", edge);
      assertEquals(101, client.request("GET", "/tunnel", OFFER).head().status());
      hoard.add(client);
    }
    WireClient fifth = from("127.0.0.1", edge);
    assertEquals(429, fifth.request("GET", "/tunnel", OFFER).reply().status());
    assertEquals(200, from("127.0.0.1", edge).get("/miss").status());
    WireClient other = from("127.0.0.2", edge);
    assertEquals(101, other.request("GET", "/tunnel", OFFER).head().status());
    hoard.getFirst().close();
    Edge.await("the tunnel has ended", () -> edge.sum(c -> c.tunnelsOpen) == 4);
    WireClient again = from("127.0.0.1", edge);
    assertEquals(101, again.request("GET", "/tunnel", OFFER).head().status());
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
    WireClient proxy = from("127.0.0.1", edge);
    for (String busy : List.of("192.0.2.1", "192.0.2.2", "8.8.8.8, 192.0.2.1")) {
      proxy.request("GET", "/miss", "X-Forwarded-For: " + busy);
      assertEquals(429, proxy.reply().status(), busy);
    }
    proxy.request("GET", "/miss", "X-Forwarded-For: 192.0.2.3");
    assertEquals(200, proxy.reply().status());
    assertEquals(200, proxy.get("/miss").status());
    // Who is not trusted cannot hide behind another.
    WireClient stranger = from("127.0.0.2", edge);
    stranger.request("GET", "/miss", "X-Forwarded-For: 192.0.2.1");
    assertEquals(200, stranger.reply().status());
  }

  @Test
  void thoseWhoFollowAFetchAreBoundedByThemselves() throws Exception {
    Edge edge = edge("limits: {fetches-per-client: 1, waiting-per-client: 3}\n");
    origin.on("/slow", slow());
    List<WireClient> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      WireClient client = from("127.0.0.1", edge);
      client.request("GET", "/slow");
      waiting.add(client);
    }
    Edge.await("two follow", () -> edge.sum(c -> c.joined) == 2);
    assertEquals(429, from("127.0.0.1", edge).get("/slow").status());
    WireClient other = from("127.0.0.2", edge);
    other.request("GET", "/slow");
    Edge.await("three follow", () -> edge.sum(c -> c.joined) == 3);
    gate.countDown();
    for (WireClient client : waiting) {
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
            "limits: {fetches-per-client: 1, waiting-per-client: 1}\n"
                + "origins: {main: {url: \"URL\", timeouts: {first-byte: 200ms}}}\n"
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
    WireClient client = from("127.0.0.1", edge);
    assertEquals(504, client.get("/late").status());
    assertEquals(200, client.get("/miss").status());
    assertEquals(502, client.get("/gone").status());
    assertEquals(200, client.get("/miss").status());
    WireClient cut = from("127.0.0.1", edge);
    cut.request("GET", "/cut").head();
    cut.awaitEnd();
    assertEquals(200, client.get("/miss").status());
    assertEquals(200, client.request("HEAD", "/miss").head().status());
    assertEquals(200, client.request("GET", "/miss").reply().status());
    long begun = edge.sum(c -> c.originFetches);
    WireClient left = from("127.0.0.1", edge);
    left.request("GET", "/left");
    Edge.await("the origin is asked", () -> edge.sum(c -> c.originFetches) > begun);
    assertEquals(429, client.get("/miss").status());
    left.close();
    gate.countDown();
    edge.awaitIdle();
    assertEquals(200, client.get("/miss").status());
  }
}
