package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node turns away while its loop comes late to its work, and what goes on. */
@Timeout(180)
@Tag("full")
final class ServerOverloadTest {

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private volatile boolean isLate;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            "threads: {loops: 1, pin: off}\noverload: {delay: 10ms, retry-after: 7s}\n");
    origin.on("/hit", TestOrigin.ok("cache-control: max-age=600\r\n", TestOrigin.ascii("stored")));
    origin.on(
        "/stale",
        TestOrigin.ok(
            "cache-control: max-age=0, stale-if-error=600\r\netag: \"1\"\r\n",
            TestOrigin.ascii("old")));
    origin.on("/miss", TestOrigin.ok("cache-control: max-age=600\r\n", TestOrigin.ascii("new")));
    origin.on("/post", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("done")));
  }

  @AfterEach
  void stop() throws IOException {
    isLate = false;
    edge.close();
    origin.close();
  }

  /**
   * From now on the loop has something else to do in between, for longer than the configured delay;
   * sixty-four times until it looks at its sockets.
   */
  private void beLate(ExchangeContext loop) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(15);
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    if (isLate) {
      loop.eventLoop().execute(() -> beLate(loop));
    }
  }

  @Test
  void hitsGoOnAndMissesAndNewConnectionsAreTurnedAwayForAWhile() throws Exception {
    try (RawClient client = edge.connect()) {
      assertEquals("stored", client.get("/hit").text());
      assertEquals("old", client.get("/stale").text());
      ExchangeContext loop = edge.server().loops().getFirst();
      isLate = true;
      loop.eventLoop().execute(() -> beLate(loop));
      Await.until("it sheds", () -> loop.load().isShedding());

      Response hit = client.get("/hit");
      assertEquals("stored", hit.text());
      assertTrue(hit.isHit());
      assertEquals("old", client.get("/stale").text(), "better than nothing");
      for (String method : new String[] {"GET", "POST"}) {
        Response shed = client.request(method, method.equals("GET") ? "/miss" : "/post").reply();
        assertEquals(503, shed.status());
        assertEquals("7", shed.field("retry-after"));
      }
      try (RawClient late = edge.connect()) {
        Response refused = late.reply();
        assertEquals(503, refused.status());
        assertEquals("7", refused.field("retry-after"));
      }
      assertEquals(0, origin.count("/miss"));
      assertEquals(0, origin.count("/post"));
      assertEquals(1, origin.count("/stale"));
      assertEquals(4, edge.sum(c -> c.hits(LimitKey.OVERLOAD)), "stale, miss, post, connection");

      isLate = false;
      Await.until("it does not any more", () -> !loop.load().isShedding());
      assertEquals("new", client.get("/miss").text());
      try (RawClient next = edge.connect()) {
        assertTrue(next.get("/miss").isHit());
      }
    }
  }
}
