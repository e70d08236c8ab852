package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Request bodies that are read whole before the origin is asked. */
@Timeout(120)
@Tag("slow")
final class ServerHeldBodyTest {
  private static final int BOUND = 256 * 1024;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final TestOrigin other = new TestOrigin();
  private final AtomicReference<byte[]> received = new AtomicReference<>(new byte[0]);
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on("/held", this::accept);
    origin.on("/long", this::accept);
    other.on("/held", this::accept);
    String yaml =
        """
        http3: {listeners: [secure]}
        limits: {private-copies: 1MiB}
        origins:
          main: {url: "MAIN", keep-alive: 5s}
          two:
            servers: ["MAIN", {url: "OTHER", backup: true}]
            keep-alive: 5s
            ejection: {failures: 0}
        routes:
          - name: two
            match: {path: /two}
            origin: two
            rules:
              - {rewrite: {path: /held}, hold-body: BOUND}
          - name: held
            match: {path: /held}
            origin: main
            rules:
              - {hold-body: BOUND}
          - {name: long, origin: main, rules: [{hold-body: 1GiB}]}
        """
            .replace("MAIN", origin.url())
            .replace("OTHER", other.url())
            .replace("BOUND", "256KiB");
    edge = Edge.start(directory, "32MiB", yaml);
  }

  @AfterEach
  void stop() throws IOException {
    // It also checks that nothing is held.
    edge.close();
    origin.close();
    other.close();
  }

  private void accept(TestOrigin.Request request, Connection connection) throws IOException {
    read(request, connection);
    TestOrigin.sendOk(connection, "cache-control: no-store\r\n", TestOrigin.ascii("done"));
  }

  private void read(TestOrigin.Request request, Connection connection) throws IOException {
    received.set(connection.bytes(Integer.parseInt(request.field("content-length"))));
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  @Test
  void theOriginIsAskedWhenTheBodyIsWhole() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request(
          "POST", "/held", "Host: a", "Expect: 100-continue", "Transfer-Encoding: chunked");
      // The node wants the body: it says so itself.
      assertEquals(100, client.head().status());
      client.send(chunk("first "));
      assertEquals(0, edge.sum(counters -> counters.originConnectionsOpened));
      client.send(chunk("second") + "0\r\n\r\n");
      assertEquals("done", client.reply().text());
    }
    TestOrigin.Request request = origin.requests("/held").getFirst();
    assertEquals("12", request.field("content-length"));
    assertEquals("", request.field("expect"));
    assertEquals("", request.field("transfer-encoding"));
    Bytes.assertEquals(TestOrigin.ascii("first second"), received.get());
    edge.awaitSum(1, counters -> counters.bodiesHeld);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16 * 1024, 16 * 1024 + 1, 100_000, BOUND})
  void aBodyArrivesAsItWasSent(int length) throws Exception {
    byte[] body = Edge.bytes(3, length);
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/held", body, "Host: a", "Content-Length: " + body.length);
      assertEquals("done", client.reply().text());
      Bytes.assertEquals(body, received.get());
      client.request("PUT", "/held", body, "Host: a", "Content-Length: " + body.length);
      assertEquals("done", client.reply().text());
    }
    edge.awaitSum(2, counters -> counters.bodiesHeld);
  }

  @Test
  void http2AndHttp3Too() throws Exception {
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer = client.open(Http2Client.request("PUT", "/held"), false);
      client.data(answer, "one ", false);
      client.data(answer, "two", true);
      assertEquals("200", answer.head().status().toString());
      assertEquals("end", answer.end());
      Bytes.assertEquals(TestOrigin.ascii("one two"), received.get());
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Client.Answer answer = client.open(Http3Client.request("PUT", "/held"), false);
      client.data(answer, "three ", false);
      client.data(answer, "four", true);
      assertEquals("200", answer.status());
      assertEquals("end", answer.end());
      Bytes.assertEquals(TestOrigin.ascii("three four"), received.get());
    }
    edge.awaitSum(2, counters -> counters.bodiesHeld);
  }

  @Test
  void aBodyBeyondTheBoundIsStreamed() throws Exception {
    byte[] body = Edge.bytes(5, BOUND + 1);
    // Its length says so at once.
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/held", "Host: a", "Content-Length: " + body.length);
      Await.until("the origin is asked", () -> origin.count("/held") == 1);
      client.send(body);
      assertEquals("done", client.reply().text());
      Bytes.assertEquals(body, received.get());
    }
    // Or what has come does.
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/held",
        (request, connection) -> {
          asked.countDown();
          received.set(connection.chunkedBody());
          TestOrigin.sendOk(connection, "cache-control: no-store\r\n", TestOrigin.ascii("done"));
        });
    String text = "x".repeat(BOUND + 1);
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/held", "Host: a", "Transfer-Encoding: chunked");
      client.send(chunk(text));
      TestOrigin.await(asked);
      client.send(chunk("rest") + "0\r\n\r\n");
      assertEquals("done", client.reply().text());
      Bytes.assertEquals(TestOrigin.ascii(text + "rest"), received.get());
    }
    assertEquals(0, edge.sum(counters -> counters.bodiesHeld));
  }

  @Test
  void whatTheNodeHasNoRoomForIsStreamed() throws Exception {
    int length = 3 << 20;
    byte[] body = Edge.bytes(6, length);
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/long", "Host: a", "Content-Length: " + length);
      client.send(Arrays.copyOf(body, 2 << 20));
      Await.until("the origin is asked", () -> origin.count("/long") == 1);
      client.send(Arrays.copyOfRange(body, 2 << 20, length));
      assertEquals("done", client.reply().text());
      Bytes.assertEquals(body, received.get());
    }
    assertEquals(0, edge.sum(counters -> counters.bodiesHeld));
  }

  @Test
  void aClientThatGoesAwayFreesWhatWasHeld() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/held", "Host: a", "Content-Length: 200000");
      client.send(new byte[150_000]);
      Await.until("it is held", () -> edge.server().privateCopyBytes() >= 150_000);
    }
    Await.until("it is freed", () -> edge.server().privateCopyBytes() == 0);
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/held", "Host: a", "Transfer-Encoding: chunked");
      client.send(chunk("part") + "not a chunk\r\n");
      assertEquals(400, client.reply().status());
    }
    assertEquals(0, origin.count("/held"));
  }

  @Test
  void anIdempotentRequestGoesToAnotherServerWithItsBody() throws Exception {
    origin.on(
        "/held",
        (request, connection) -> {
          read(request, connection);
          connection.close();
        });
    byte[] body = Edge.bytes(8, 200_000);
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/two", body, "Host: a", "Content-Length: " + body.length);
      Response response = client.reply();
      assertEquals(200, response.status(), response::toString);
      Bytes.assertEquals(body, received.get());
      assertEquals(1, other.count("/held"));
      // Of one that is not, nobody knows what it has done.
      client.request("POST", "/two", body, "Host: a", "Content-Length: " + body.length);
      assertEquals(502, client.reply().status());
      assertEquals(1, other.count("/held"));
    }
  }

  @Test
  void aConnectionThatIsClosedAsItIsUsedAgainIsReplaced() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    origin.on(
        "/held",
        (request, connection) -> {
          if (request.number() == 2) {
            read(request, connection);
            second.countDown();
            connection.close();
          } else {
            accept(request, connection);
          }
        });
    try (RawClient client = edge.connect()) {
      byte[] body = Edge.bytes(9, 100_000);
      client.request("PUT", "/held", body, "Host: a", "Content-Length: " + body.length);
      assertEquals("done", client.reply().text());
      client.request("PUT", "/held", body, "Host: a", "Content-Length: " + body.length);
      assertEquals("done", client.reply().text());
      assertTrue(second.getCount() == 0);
      Bytes.assertEquals(body, received.get());
    }
    assertEquals(3, origin.count("/held"));
  }

  @Test
  void explainNamesTheRule() throws Exception {
    String explained = edge.explain(200, "{\"url\":\"" + edge.url("/held") + "\"}").toString();
    assertTrue(explained.contains("holds request bodies of up to 262144 bytes"), explained);
  }
}
