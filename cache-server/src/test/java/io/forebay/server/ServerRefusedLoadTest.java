package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.storage.disk.DiskStats;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk whose queue does not move refuses loads: an object on it is a miss for as many requests at
 * once as {@code limits.refused-loads} allows to ask the origin; further ones get 503.
 */
@Timeout(300)
@Tag("slow")
final class ServerRefusedLoadTest {

  private static final String FRESH = "cache-control: max-age=100000\r\n";
  private static final int LENGTH = 30_000;

  /** Three times as many as memory holds. */
  private static final int OBJECTS = 3 * (16 << 20) / LENGTH;

  /** More than a quarter of what counts as slow, and less than all of it. */
  private static final long TOO_LONG_MILLIS = 200_000;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch originGate = new CountDownLatch(1);
  private final AtomicLong nowMillis = new AtomicLong(System.currentTimeMillis());
  private final DiskGate reader = new DiskGate("disk-one-1", nowMillis::get);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    originGate.countDown();
    reader.open();
    threads.close();
    edge.close();
    origin.close();
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Answer(int status, String retryAfter, byte[] body) {}

  private void start() throws IOException {
    edge =
        Edge.start(
            directory,
            "16MiB",
            "http3: {listeners: [secure]}\nlimits: {refused-loads: 2}\n"
                + DiskGate.yaml(origin, directory),
            reader);
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    try (RawClient client = edge.connectTls()) {
      for (int n = 0; n < OBJECTS; n++) {
        byte[] body = Edge.bytes(n, LENGTH);
        origin.on(
            "/" + n,
            (request, connection) -> {
              if (request.number() > 1) {
                TestOrigin.await(originGate);
              }
              TestOrigin.sendOk(connection, FRESH, body);
            });
        assertEquals(200, client.get("/" + n, host()).status());
      }
    }
    edge.awaitIdle();
    Await.until("records on the disk", () -> disk().writtenBytes() > 16 << 20);
    assertEquals(0, disk().dropped());
  }

  /** As the clients of all protocols have it. */
  private String host() {
    return "Host: 127.0.0.1:" + edge.tlsPort();
  }

  private DiskStats disk() {
    return edge.server().disks().getFirst();
  }

  private CompletableFuture<Answer> ask(String protocol, int n) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return switch (protocol) {
              case "HTTP/1.1" -> overHttp1(n);
              case "HTTP/2" -> overHttp2(n);
              default -> overHttp3(n);
            };
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        },
        threads);
  }

  private Answer overHttp1(int n) throws IOException {
    try (RawClient client = edge.connectTls()) {
      Response reply = client.get("/" + n, host());
      return new Answer(reply.status(), reply.field("retry-after"), reply.body());
    }
  }

  private Answer overHttp2(int n) throws Exception {
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpResponse<byte[]> response =
          client.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/" + n))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertEquals(HttpClient.Version.HTTP_2, response.version());
      return new Answer(
          response.statusCode(),
          response.headers().firstValue("retry-after").orElse(""),
          response.body());
    }
  }

  private Answer overHttp3(int n) throws Exception {
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http3Headers request = Http3Client.request("GET", "/" + n);
      request.authority("127.0.0.1:" + edge.tlsPort());
      Http3Client.Answer answer = client.open(request, true);
      var head = answer.head();
      assertEquals("end", answer.end());
      CharSequence retryAfter = head.get("retry-after");
      return new Answer(
          Integer.parseInt(head.status().toString()),
          retryAfter == null ? "" : retryAfter.toString(),
          answer.body.toString().getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private static void assertWhole(int n, CompletableFuture<Answer> asked) throws Exception {
    Answer answer = asked.get(60, TimeUnit.SECONDS);
    assertEquals(200, answer.status());
    Bytes.assertEquals(Edge.bytes(n, LENGTH), answer.body());
  }

  @Test
  @Tag("full")
  void aRefusedLoadIsAMissForSoManyAndAnErrorForTheOthers() throws Exception {
    checkRefusedLoads("HTTP/1.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2", "HTTP/3"})
  @Tag("full")
  void aRefusedLoadIsTheSameOverOtherProtocols(String protocol) throws Exception {
    checkRefusedLoads(protocol);
  }

  private void checkRefusedLoads(String protocol) throws Exception {
    start();
    reader.shut();
    CompletableFuture<Answer> beingRead = ask(protocol, 0);
    Await.until("one is being read", () -> disk().queuedLoads() == 1);
    CompletableFuture<Answer> inLine = ask(protocol, 1);
    Await.until("one waits behind it", () -> disk().queuedLoads() == 2);
    nowMillis.addAndGet(TOO_LONG_MILLIS);
    Await.until("who waits in line asks the origin", () -> origin.count("/1") == 2);
    // The disk refuses from now on, and one of two places is taken.
    CompletableFuture<Answer> refused = ask(protocol, 2);
    Await.until("the next one too", () -> origin.count("/2") == 2);
    Answer tooMany = ask(protocol, 3).get(60, TimeUnit.SECONDS);
    assertEquals(503, tooMany.status());
    assertTrue(tooMany.retryAfter().matches("\\d+"), tooMany.retryAfter());
    assertEquals(1, origin.count("/3"));
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.REFUSED_LOADS)));
    // Who joins a fetch takes no place, and memory is not affected.
    CompletableFuture<Answer> joining = ask(protocol, 2);
    Await.until("it is shared", () -> edge.sum(c -> c.joined) == 1);
    assertWhole(OBJECTS - 1, ask(protocol, OBJECTS - 1));
    assertFalse(beingRead.isDone());

    originGate.countDown();
    assertWhole(1, inLine);
    assertWhole(2, refused);
    assertWhole(2, joining);
    Await.until("no fetch is under way", () -> edge.server().fillsInProgress() == 0);
    // The places are free again.
    assertWhole(3, ask(protocol, 3));
    reader.open();
    assertWhole(0, beingRead);
    assertEquals(1, origin.count("/0"));
    assertEquals(2, origin.count("/2"));
    assertEquals("online", disk().state());
    edge.awaitSum(0, c -> c.responsesAborted);
  }
}
