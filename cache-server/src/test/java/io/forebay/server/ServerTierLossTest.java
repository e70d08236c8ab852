package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.node.NodeStatus;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the memory tier are truncated while the node runs. */
@Tag("slow")
final class ServerTierLossTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory.tier", "index.map"})
  void theNodeGoesOnAsAProxy(String file) throws IOException {
    edge = Edge.before(origin, directory);
    byte[] body = Edge.bytes(1, 5_000);
    byte[] large = Edge.bytes(2, 3 << 20);
    origin.on("/a", TestOrigin.ok(FRESH, body));
    origin.on("/b", TestOrigin.ok(FRESH, body));
    origin.on("/large", TestOrigin.ok(FRESH, large));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get("/a").body());
      edge.awaitSum(1, c -> c.fillsInstalled);
      Bytes.assertEquals(body, client.get("/a").body());
      assertEquals(1, origin.count("/a"));
      Bytes.assertEquals(body, client.get("/b").body());
      edge.awaitSum(2, c -> c.fillsInstalled);
      assertEquals(0, edge.server().notReady().size());
    }

    Path memory = Objects.requireNonNull(edge.server().config().store().memoryDirectory());
    assertTrue(Files.exists(memory.resolve(file)));
    try (FileChannel cut = FileChannel.open(memory.resolve(file), StandardOpenOption.WRITE)) {
      cut.truncate(0);
    }
    Await.until(
        "the loss is noticed",
        () ->
            edge.server().notReady().stream()
                .map(NodeStatus.NotReady::code)
                .toList()
                .contains("memory-tier"));
    for (int n = 0; n < 3; n++) {
      try (RawClient client = edge.connect()) {
        for (String path : new String[] {"/a", "/large"}) {
          Response reply = client.get(path);
          assertEquals(200, reply.status());
          Bytes.assertEquals(path.equals("/a") ? body : large, reply.body());
        }
      }
    }
    assertEquals(4, origin.count("/a"));
    assertEquals(3, origin.count("/large"));
    edge.purgeUrl("/a");
    assertTrue(edge.server().store().isMemoryLost());

    edge.stop();
    edge.start();
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get("/a").body());
      edge.awaitSum(1, c -> c.fillsInstalled);
      Bytes.assertEquals(body, client.get("/a").body());
      Bytes.assertEquals(body, client.get("/b").body());
    }
    assertEquals(5, origin.count("/a"));
    assertEquals(2, origin.count("/b"), "what the store could not keep up with is gone");
    assertEquals(0, edge.server().notReady().size());
  }
}
