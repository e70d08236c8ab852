package io.forebay.server.listen.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.KnownField;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.listen.ListenFixture;
import io.forebay.server.listen.ScriptedExchanges;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("slow")
class Http1ConnectionTest {

  private ListenFixture server;

  @BeforeEach
  void start() throws ListenException {
    server = new ListenFixture();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void answersAndKeepsTheConnection() throws IOException {
    try (RawClient client = server.connect()) {
      for (int i = 0; i < 3; i++) {
        RawClient.Response response = client.get("/hello");
        assertEquals(200, response.status());
        assertEquals("hello", response.text());
        assertEquals("5", response.field("content-length"));
        assertEquals("yes", response.field("x-test"));
        assertEquals("", response.field("connection"));
      }
    }
    assertEquals(1, server.counters().connectionsAccepted);
  }

  @Test
  void showsTheRequestAsItIs() throws IOException {
    try (RawClient client = server.connect()) {
      String shown =
          client
              .send(
                  "GET /show?q=%3f HTTP/1.1\r\nHoSt: A.Example:80\r\nRange: bytes=0-1\r\n"
                      + "X: 1\r\nx:  2 \r\nCookie: a=b\r\n\r\n")
              .reply()
              .text();
      int known = KnownField.RANGE.bit() | KnownField.COOKIE.bit();
      assertTrue(
          shown.startsWith(
              "GET http a.example /show q=%3f HTTP/1.1 127.0.0.1 known=" + known + " body=false 0"),
          shown);
      assertTrue(
          shown.contains("HoSt=A.Example:80\nRange=bytes=0-1\nX=1\nx=2\nCookie=a=b\n"), shown);
      assertTrue(shown.contains("host=A.Example:80\n"), shown);
      assertTrue(shown.contains("all-x=[1, 2]"), shown);
    }
  }

  @Test
  void targetsAuthorityWinsOverHost() throws IOException {
    try (RawClient client = server.connect()) {
      String shown =
          client
              .send("GET http://B.example:8080/show HTTP/1.1\r\nHost: a.example\r\n\r\n")
              .reply()
              .text();
      assertTrue(shown.startsWith("GET http b.example:8080 /show null"), shown);
      assertTrue(shown.contains("host=b.example:8080\n"), shown);
      assertFalse(shown.contains("a.example"), shown);
    }
  }

  @Test
  void pathComesInNormalForm() throws IOException {
    try (RawClient client = server.connect()) {
      client.get("/a/%2e%2e/%73how");
      client.get("/a/..%2fb//c");
    }
    assertEquals(List.of("GET /show", "GET /a/..%2Fb//c"), server.exchanges.started);
  }

  @Test
  void unknownMethodsGoToTheExchange() throws IOException {
    try (RawClient client = server.connect()) {
      assertEquals(200, client.send("FROB /x HTTP/1.1\r\nHost: a\r\n\r\n").reply().status());
    }
    assertEquals(List.of("FROB /x"), server.exchanges.started);
  }

  @Test
  void answersOptionsAsteriskItself() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response response = client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").reply();
      assertEquals(204, response.status());
      assertTrue(response.has("allow"));
      assertEquals("hello", client.get("/hello").text());
    }
    assertEquals(List.of("GET /hello"), server.exchanges.started);
  }

  @Test
  void answersPipelinedRequestsInOrder() throws IOException, InterruptedException {
    try (RawClient client = server.connect()) {
      for (String target : List.of("/slow?1", "/first", "/slow?2", "/second")) {
        client.request("GET", target);
      }
      server.release();
      assertEquals("slow 1", client.reply().text());
      assertEquals("first", client.reply().text());
      server.release();
      assertEquals("slow 2", client.reply().text());
      assertEquals("second", client.reply().text());
    }
  }

  @Test
  void startsTheNextOnlyWhenTheResponseBeforeHasEnded() throws IOException, InterruptedException {
    try (RawClient client = server.connect()) {
      client.send(
          "GET /slow?1 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50)
              + "GET /last HTTP/1.1\r\nHost: a\r\n\r\n");
      for (int i = 0; i < 50; i++) {
        Runnable step = server.exchanges.held.take();
        assertEquals(i + 1, server.exchanges.started.size());
        assertTrue(server.exchanges.held.isEmpty());
        server.transport.loops().getFirst().eventLoop().execute(step);
        assertEquals("slow 1", client.reply().text());
      }
      assertEquals("last", client.reply().text());
    }
  }

  @Test
  void aPipelineLargerThanAnyBufferIsHeldBackAndAnswered()
      throws IOException, InterruptedException {
    int count = 20_000;
    try (RawClient client = server.connect()) {
      client.request("GET", "/slow?1");
      Thread sender =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < count; i++) {
                  client.request("GET", "/n" + i + "?" + "x".repeat(400));
                }
              });
      server.release();
      assertEquals("slow 1", client.reply().text());
      for (int i = 0; i < 900; i++) {
        assertEquals("n" + i, client.reply().text());
      }
      client.close();
      sender.join();
    } catch (UncheckedIOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Responses that are gathered while the transport reads, ones that do not fit with those before,
   * and what the socket takes in part only: a client with next to no receive buffer gets them all.
   */
  @Test
  void responsesOfAnySizeGoOutWholeAndInOrder() throws Exception {
    long seed = System.nanoTime();
    System.out.println("responsesOfAnySizeGoOutWholeAndInOrder: seed " + seed);
    Random random = new Random(seed);
    Random cuts = new Random(~seed);
    int count = 450;
    int[] lengths = random.ints(count, 0, 18).map(bits -> random.nextInt(1 << bits)).toArray();
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < count; i++) {
      for (String target : List.of("/n" + i, "/big?" + lengths[i])) {
        requests.append("GET ").append(target).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
      }
    }
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    try (RawClient client = new RawClient(socket)) {
      Thread sender =
          Thread.ofPlatform()
              .start(() -> {
                for (int from = 0; from < requests.length(); ) {
                  int to = Math.min(requests.length(), from + 1 + cuts.nextInt(3000));
                  client.send(requests.substring(from, to));
                  from = to;
                }
              });
      for (int i = 0; i < count; i++) {
        assertEquals("n" + i, client.reply().text());
        assertEquals(lengths[i], client.reply().text().length());
      }
      sender.join();
    }
  }

  @Test
  void acceptsARequestByteByByte() throws IOException {
    try (RawClient client = server.connect()) {
      String post =
          "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "3\r\nabc\r\n2;x=\"y\"\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n";
      client.sendByteByByte("\r\n" + post);
      assertEquals("abcde", client.reply().text());
      client.sendByteByByte("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
      assertEquals("hello", client.reply().text());
    }
  }

  @Test
  void echoesABodyOfDeclaredLength() throws IOException {
    String body = "0123456789".repeat(30_000);
    try (RawClient client = server.connect()) {
      Thread.ofPlatform()
          .start(() ->
              client.send(
                  "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body));
      RawClient.Response response = client.reply();
      assertEquals(body, response.text());
      assertEquals("" + body.length(), response.field("content-length"));
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void writesChunksOfEverySize() throws IOException {
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      expected.append(ScriptedExchanges.pattern(i));
    }
    try (RawClient client = server.connect()) {
      for (int i = 0; i < 2; i++) {
        RawClient.Response response = client.get("/chunks?40");
        assertEquals("chunked", response.field("transfer-encoding"));
        assertEquals("", response.field("content-length"));
        assertEquals(expected.toString(), response.text());
      }
    }
  }

  @Test
  void sendsTrailersOfAChunkedResponse() throws IOException {
    try (RawClient client = server.connect()) {
      assertEquals(200, client.get("/trailers").status());
      assertEquals(List.of("x-sum: 1"), client.trailers());
    }
  }

  @Test
  void http10GetsNoChunksAndAClosedConnection() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response response = client.send("GET /chunks?5 HTTP/1.0\r\n\r\n").reply();
      assertEquals("", response.field("transfer-encoding"));
      assertEquals("close", response.field("connection"));
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 5; i++) {
        expected.append(ScriptedExchanges.pattern(i));
      }
      assertEquals(expected.toString(), response.text());
    }
    try (RawClient client = server.connect()) {
      String shown = client.send("GET /show HTTP/1.0\r\n\r\n").reply().text();
      assertTrue(
          shown.startsWith("GET http 127.0.0.1:" + server.port() + " /show null HTTP/1.0"), shown);
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void http10KeepsTheConnectionWhenAsked() throws IOException {
    try (RawClient client = server.connect()) {
      for (int i = 0; i < 2; i++) {
        RawClient.Response response =
            client.send("GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").reply();
        assertEquals("keep-alive", response.field("connection"));
        assertEquals("hello", response.text());
      }
    }
  }

  @Test
  void closesWhenAsked() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response response =
          client.send("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n").reply();
      assertEquals("close", response.field("connection"));
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void closesAfterTheLastRequestAllowed() throws IOException, ListenException {
    server.close();
    var few =
        new io.forebay.server.config.ServerConfig.LimitsConfig(
            16 * 1024,
            100,
            4096,
            1 << 20,
            1000,
            2,
            100,
            100,
            100,
            100,
            0,
            1 << 20,
            ListenFixture.LIMITS.client());
    server = new ListenFixture(few, ListenFixture.TIMEOUTS);
    try (RawClient client = server.connect()) {
      assertEquals("", client.get("/a").field("connection"));
      assertEquals("close", client.get("/b").field("connection"));
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void headAndBodylessStatusesNeverGetABody() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response head = client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n").reply(true);
      assertEquals("5", head.field("content-length"));
      client.send("HEAD /chunks?9 HTTP/1.1\r\nHost: a\r\n\r\n").reply(true);
      RawClient.Response noContent = client.get("/status?204");
      assertEquals(204, noContent.status());
      assertEquals("", noContent.field("content-length"));
      assertEquals("", noContent.field("transfer-encoding"));
      assertEquals("\"x\"", client.get("/status?304").field("etag"));
      assertEquals("0", client.get("/status?500").field("content-length"));
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void sendsInformationalResponsesToHttp11Only() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response early = client.request("GET", "/early").head();
      assertEquals(103, early.status());
      assertEquals("</a.css>; rel=preload", early.field("link"));
      assertEquals("after", client.reply().text());
    }
    try (RawClient client = server.connect()) {
      assertEquals(200, client.send("GET /early HTTP/1.0\r\n\r\n").reply().status());
    }
  }

  @Test
  void asksForTheBodyAtTheFirstDemandOnly() throws IOException, InterruptedException {
    try (RawClient client = server.connect()) {
      client.send(
          "POST /slow-body HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n");
      Runnable demand = server.exchanges.held.take();
      client.timeoutMillis(200);
      assertThrows(SocketTimeoutException.class, client::head);
      client.timeoutMillis(20_000);
      server.transport.loops().getFirst().eventLoop().execute(demand);
      assertEquals(100, client.head().status());
      assertEquals("took 4", client.send("body").reply().text());
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void closesWhenTheAnswerCameBeforeTheClientWasToldToSend() throws IOException {
    try (RawClient client = server.connect()) {
      RawClient.Response response =
          client
              .send(
                  "POST /answer-then-drop HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                      + "Content-Length: 4\r\n\r\n")
              .reply();
      assertEquals("close", response.field("connection"));
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void dropsASmallUnreadBodyAndGoesOn() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("POST /answer-then-drop HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n");
      assertEquals("no need", client.reply().text());
      client.send("x".repeat(2000));
      assertEquals("hello", client.get("/hello").text());
      client.send(
          "POST /answer-then-drop HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "5\r\nabcde\r\n0\r\n\r\n");
      assertEquals("no need", client.reply().text());
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void closesRatherThanReadALargeUnreadBody() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("POST /answer-then-drop HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n");
      client.sendLeniently("x".repeat(100_000));
      assertEquals("close", client.reply().field("connection"));
      client.sendLeniently("x".repeat(400_000));
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void readsNoBodyBeforeItIsWanted() throws IOException, InterruptedException {
    int length = 1 << 20;
    try (RawClient client = server.connect()) {
      client.send("POST /slow-body HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n");
      Thread sender = Thread.ofPlatform().start(() -> client.send("y".repeat(length)));
      Runnable demand = server.exchanges.held.take();
      assertEquals(0, server.exchanges.bodyBytes.get());
      server.transport.loops().getFirst().eventLoop().execute(demand);
      assertEquals("took " + length, client.reply().text());
      sender.join();
    }
  }

  @Test
  void anAbortedResponseIsSeenAsBroken() {
    try (RawClient client = server.connect()) {
      client.request("GET", "/abort");
      assertThrows(IOException.class, client::reply);
    }
    try (RawClient client = server.connect()) {
      client.request("GET", "/abort-unknown");
      assertThrows(IOException.class, client::reply);
    }
    // Delimited by the end of the connection alone: only a reset says that it is not all.
    try (RawClient client = server.connect()) {
      client.send("GET /abort-unknown HTTP/1.0\r\n\r\n");
      assertThrows(SocketException.class, client::reply);
    }
  }

  @Test
  void aResponseOfTheWrongLengthIsBrokenOff() throws IOException {
    for (String path : List.of("/short", "/long", "/throw")) {
      try (RawClient client = server.connect()) {
        client.request("GET", path);
        assertThrows(IOException.class, client::reply, path);
      }
    }
  }

  @Test
  void tellsTheExchangeWhenTheClientGoes() throws InterruptedException {
    try (RawClient client = server.connect()) {
      client.request("GET", "/never");
      while (server.exchanges.started.isEmpty()) {
        Thread.onSpinWait();
      }
    }
    assertEquals("/never", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void tellsTheReceiverWhenTheBodyBreaksOff() throws IOException, InterruptedException {
    try (RawClient client = server.connect()) {
      client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
      while (server.exchanges.bodyBytes.get() == 0) {
        Thread.onSpinWait();
      }
      client.finish();
      client.awaitEnd();
    }
    assertEquals("/echo", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
    assertEquals(
        "the client closed the connection",
        server.exchanges.bodyFailures.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void aReaderThatStallsHoldsNoMoreThanTheWaterMark() throws IOException {
    long length = 32L << 20;
    try (RawClient client = server.connect()) {
      client.request("GET", "/big?" + length);
      // The kernel's buffers fill, then ours; from there on nothing more is offered.
      long offered = settled();
      assertTrue(offered < length / 2, "offered " + offered);
      RawClient.Response response = client.reply();
      assertEquals(length, response.text().length());
      assertEquals("hello", client.get("/hello").text());
    }
    assertTrue(server.exchanges.waits.get() > 0);
  }

  private long settled() {
    long last = -1;
    long sinceNanos = System.nanoTime();
    while (true) {
      long now = server.exchanges.bytesOffered.get();
      if (now != last) {
        last = now;
        sinceNanos = System.nanoTime();
      } else if (now > 0 && System.nanoTime() - sinceNanos > 300_000_000L) {
        return now;
      }
      Thread.onSpinWait();
    }
  }

  @Tag("full")
  @Test
  void closesAClientThatTakesNothingButNotASlowOne() throws Exception {
    server.close();
    TimeoutsConfig t = ListenFixture.TIMEOUTS;
    server =
        new ListenFixture(
            ListenFixture.LIMITS,
            new TimeoutsConfig(
                t.tlsHandshake(),
                t.requestHeader(),
                t.requestBodyIdle(),
                t.keepAlive(),
                Duration.ofMillis(1200),
                t.drain(),
                t.requestTotal()));
    try (RawClient stalled = server.connect();
        RawClient slow = server.connect()) {
      stalled.request("GET", "/big?60000000");
      slow.request("GET", "/big?60000000");
      long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
      // 4 KiB at a time is far below what makes the server's socket writable again within the
      // bound; only the kernel's queue shows that this client lives.
      int some = 4096;
      while (server.exchanges.closed.isEmpty() && System.nanoTime() < endNanos) {
        assertEquals(some, slow.bytes(some).length);
        java.util.concurrent.locks.LockSupport.parkNanos(20_000_000L);
      }
      assertEquals(1, server.exchanges.closed.size());
      assertEquals(1, server.counters().stalledClosed);
      for (int i = 0; i < 100; i++) {
        assertEquals(some, slow.bytes(some).length);
        java.util.concurrent.locks.LockSupport.parkNanos(20_000_000L);
      }
      assertEquals(1, server.counters().stalledClosed);
    }
  }

  @Test
  void aRequestHeadHasToArriveInTime() throws Exception {
    shortTimeouts();
    try (RawClient silent = server.connect();
        RawClient partial = server.connect();
        RawClient second = server.connect()) {
      partial.send("GET / HTTP/1.1\r\nHo");
      assertEquals("hello", second.get("/hello").text());
      second.send("GET / HT");
      assertEquals(408, partial.reply().status());
      assertTrue(partial.isClosedByPeer());
      assertEquals(408, second.reply().status());
      assertTrue(silent.isClosedByPeer());
    }
  }

  @Test
  void anIdleConnectionIsClosed() throws Exception {
    shortTimeouts();
    try (RawClient client = server.connect()) {
      assertEquals("hello", client.get("/hello").text());
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void aBodyThatStopsComingIsGivenUp() throws Exception {
    shortTimeouts();
    try (RawClient client = server.connect()) {
      client.send("POST /slow-body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
      server.release();
      assertEquals(408, client.reply().status());
      assertTrue(client.isClosedByPeer());
    }
    assertEquals("/slow-body", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
  }

  private void shortTimeouts() throws ListenException {
    server.close();
    Duration brief = Duration.ofMillis(400);
    server =
        new ListenFixture(
            ListenFixture.LIMITS,
            new TimeoutsConfig(
                brief, brief, brief, brief, Duration.ofSeconds(30), brief, Duration.ofDays(1)));
  }

  @Test
  void countsBytes() throws IOException {
    String request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
    try (RawClient client = server.connect()) {
      client.send(request).reply();
    }
    assertEquals(request.length(), server.counters().bytesFromClients);
    assertTrue(server.counters().bytesToClients > 5);
  }
}
