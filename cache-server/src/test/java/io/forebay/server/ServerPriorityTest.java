package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.RawClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests go first where an origin has no connection left. */
@Tag("slow")
final class ServerPriorityTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    gate.countDown();
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    origin.close();
  }

  private Answer recorded(String cacheControl) {
    return (request, connection) -> {
      asked.add(request.target());
      TestOrigin.ok("cache-control: " + cacheControl + "\r\n", TestOrigin.ascii("x"))
          .to(request, connection);
    };
  }

  /** Sends a request for which the origin is to be asked. */
  private RawClient send(Edge edge, String target, String... fields) throws Exception {
    long before = edge.sum(c -> c.fillsStarted);
    RawClient client = edge.connect();
    open.add(client);
    client.request("GET", target, fields);
    edge.awaitSum(before + 1, c -> c.fillsStarted);
    return client;
  }

  @Test
  void clientsMissesGoBeforeRefreshesAndTheseBeforeWarmUps() throws Exception {
    AtomicLong now = new AtomicLong(1_000_000_000_000L);
    Edge edge =
        Edge.start(
            directory,
            "32MiB",
            """
            threads: {loops: 1, pin: off}
            origins: {main: {url: "URL", max-connections: 1, timeouts: {connect: 60s}}}
            """
                .replace("URL", origin.url()),
            now::get);
    open.add(edge);
    origin.on("/stale", recorded("max-age=10, stale-while-revalidate=1000"));
    origin.on("/warm-up", recorded("max-age=10"));
    origin.on("/miss", recorded("max-age=10"));
    origin.on(
        "/held",
        (request, connection) -> {
          TestOrigin.await(gate);
          recorded("max-age=10").to(request, connection);
        });
    assertEquals("x", send(edge, "/stale").reply().text());
    edge.awaitIdle();
    asked.clear();
    now.addAndGet(20_000);

    RawClient held = send(edge, "/held");
    RawClient warmUp = send(edge, "/warm-up", "User-Agent: forebay-warm/1.0");
    RawClient stale = send(edge, "/stale");
    RawClient miss = send(edge, "/miss", "User-Agent: curl/8");
    assertEquals("x", stale.reply().text());
    gate.countDown();
    for (RawClient client : List.of(held, warmUp, miss)) {
      assertEquals("x", client.reply().text());
    }
    edge.awaitIdle();
    assertEquals(List.of("/held", "/miss", "/stale", "/warm-up"), asked);
  }
}
