package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I6: many clients, one fetch, and each sees the body as it arrives. */
@SuppressWarnings("StringConcatToTextBlock") // On the wire every CR and LF counts.
@Tag("full")
final class JoiningIT {
  private static final int CLIENTS = 8;

  @TempDir Path directory;

  @Test
  void eightCurlsFollowASlowFillOverTwoLoops() throws Exception {
    String slow =
        "add_header Cache-Control 'public, max-age=3600';"
            + " location /slow/ { limit_rate 6m; limit_rate_after 64k; }";
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"), slow);
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url()).threads(2).start()) {
      Tree tree = origin.tree(7);
      // Which loop a connection comes to is the kernel's choice, an even one: that all sixteen come
      // to the same happens once in 32,768 runs.
      for (int file = 0; file < 2; file++) {
        Tree.Entry entry = tree.write("/slow/" + file, 12 << 20);
        double joinedBefore = joined(edge);
        List<Curl.Started> curls = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          curls.add(Curl.start(edge.url(entry.path())));
        }
        for (Curl.Started curl : curls) {
          entry.assertSame(curl.finish());
        }
        origin.assertRequests(1, entry.path());
        assertTrue(
            joined(edge) >= joinedBefore + CLIENTS - 1,
            () -> "all but the first joined the fill: " + edge.port());
        entry.assertSame(Curl.get(edge.url(entry.path())));
        origin.assertRequests(1, entry.path());
      }
    }
  }

  @Test
  void clientsFollowAChunkedBodyOfUnknownLength() throws Exception {
    SplittableRandom random = new SplittableRandom(11);
    List<byte[]> chunks = new ArrayList<>();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (int length : new int[] {1, 10_000, 65_536, 1, 1 << 20, 3, 99_999, 2 << 20, 12_345}) {
      byte[] chunk = new byte[length];
      random.nextBytes(chunk);
      chunks.add(chunk);
      whole.writeBytes(chunk);
    }
    byte[] body = whole.toByteArray();
    CountDownLatch following = new CountDownLatch(CLIENTS);
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      origin.on(
          "/live",
          exchange -> {
            exchange.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n");
            exchange.chunk(chunks.getFirst());
            // Nothing more before everybody has the first byte: so the body is streamed, not kept
            // back until it is whole.
            if (!following.await(20, TimeUnit.SECONDS)) {
              exchange.reset();
              return;
            }
            for (byte[] chunk : chunks.subList(1, chunks.size())) {
              exchange.chunk(chunk);
            }
            exchange.lastChunk();
          });
      double joinedBefore = joined(edge);
      List<Future<byte[]>> bodies = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        bodies.add(clients.submit(follow(edge, following)));
      }
      for (Future<byte[]> got : bodies) {
        assertArrayEquals(body, got.get(30, TimeUnit.SECONDS));
      }
      assertEquals(1, origin.count("/live"));
      assertEquals(CLIENTS - 1.0, joined(edge) - joinedBefore, "joined");
      Response hit = edge.get("/live");
      assertTrue(hit.isFromCache(), hit::toString);
      assertArrayEquals(body, hit.body());
      assertEquals(Integer.toString(body.length), hit.field("content-length"), "known by now");
      Response part = edge.get("/live", "Range: bytes=1000000-2999999");
      assertArrayEquals(Arrays.copyOfRange(body, 1_000_000, 3_000_000), part.body());
      assertEquals(1, origin.count("/live"));
    }
  }

  /** Reads chunk by chunk and tells when the first byte has come. */
  private static Callable<byte[]> follow(EdgeProcess edge, CountDownLatch following) {
    return () -> {
      try (RawClient client = new RawClient(edge.port())) {
        client.send("GET /live HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n\r\n");
        client.timeoutMillis(25_000);
        assertEquals("chunked", client.head().field("transfer-encoding"));
        return client.chunks(following::countDown);
      }
    };
  }

  @Test
  void aFillOutlivesTheClientThatCausedIt() throws Exception {
    byte[] body = new byte[400_000];
    new SplittableRandom(5).nextBytes(body);
    CountDownLatch leaderGone = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      origin.on(
          "/left",
          exchange -> {
            exchange.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: "
                    + body.length
                    + "\r\n\r\n");
            exchange.send(Arrays.copyOf(body, 200_000));
            leaderGone.await(20, TimeUnit.SECONDS);
            exchange.send(Arrays.copyOfRange(body, 200_000, body.length));
          });
      try (RawClient leader = new RawClient(edge.port())) {
        leader.send("GET /left HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n\r\n");
        leader.head();
        leader.bytes(1);
        double joinedBefore = joined(edge);
        Future<Response> follower = clients.submit(() -> edge.get("/left"));
        Await.until("a follower has joined", () -> joined(edge) > joinedBefore);
        leader.close();
        Await.until(
            "the leader's connection is gone",
            () -> edge.metrics().sum("forebay_connections") <= 1);
        leaderGone.countDown();
        assertArrayEquals(body, follower.get(20, TimeUnit.SECONDS).body());
      }
      assertTrue(edge.get("/left").isFromCache());
      assertEquals(1, origin.count("/left"));
    }
  }

  private static double joined(EdgeProcess edge) throws Exception {
    return edge.metrics().sum("forebay_fills_joined_total");
  }
}
