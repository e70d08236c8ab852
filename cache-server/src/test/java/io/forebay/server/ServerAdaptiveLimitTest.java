package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients see of an origin's adaptive limit. */
@Tag("slow")
final class ServerAdaptiveLimitTest {
  @TempDir Path directory;

  @Test
  void requestsBeyondTheLimitAre503AndPassedOnesCountToo() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                """
                threads: {loops: 1, pin: off}
                origins: {main: {url: "URL", max-waiting: 0, adaptive-limit: {max: 1, min: 1}}}
                """
                    .replace("URL", origin.url()));
        RawClient passed = edge.connect();
        RawClient missed = edge.connect()) {
      origin.on(
          "/held",
          (request, connection) -> {
            TestOrigin.await(gate);
            TestOrigin.ok("", TestOrigin.ascii("x")).to(request, connection);
          });
      origin.on("/miss", TestOrigin.ok("cache-control: max-age=9\r\n", TestOrigin.ascii("y")));
      passed.request("DELETE", "/held");
      Await.until("the origin has it", () -> origin.count("/held") == 1);
      RawClient.Response refused = missed.request("GET", "/miss").reply();
      assertEquals(503, refused.status());
      assertTrue(
          refused.field("proxy-status").contains("error=connection_limit_reached"),
          refused::toString);
      gate.countDown();
      assertEquals("x", passed.reply().text());
      assertEquals("y", missed.request("GET", "/miss").reply().text());
    }
  }
}
