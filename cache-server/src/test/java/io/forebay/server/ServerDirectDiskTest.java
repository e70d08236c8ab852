package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskStats;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies that the threads of a disk read, past the page cache where the file system can do that.
 */
@Tag("slow")
final class ServerDirectDiskTest {
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";
  private static final String HOST = "Host: www.example";
  private static final int OBJECTS = 24;
  private static final int BODY_BYTES = 3_000_001;
  private static final int SLICE = 64 << 10;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (int n = 0; n < OBJECTS; n++) {
      origin.on("/" + n, TestOrigin.ok(FRESH, body(n)));
    }
    edge =
        Edge.start(
            directory,
            "16MiB, disk-io: direct",
            """
            origins: {main: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 10m, idle: 10m}}}
            stores:
              one: {path: "DIR/one", size: 128MiB, slow: 10m}
            """
                .replace("ORIGIN", origin.url())
                .replace("DIR", directory.toString()));
    Await.until("disk", () -> edge.server().notReady().isEmpty());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static byte[] body(int n) {
    return Edge.bytes(n, BODY_BYTES);
  }

  private DiskStats disk() {
    return edge.server().disks().getFirst();
  }

  /**
   * A slice that has been read may wait for its turn on the loop, while the slice before it is
   * sent.
   */
  @Test
  void eachSliceOfABodyIsReadOnce() throws IOException {
    int slices = Math.ceilDiv(BODY_BYTES, SLICE);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
      edge.awaitIdle();
      Await.until("records on the disk", () -> disk().writtenBytes() > 32 << 20);
      long before = disk().reads();
      for (int n = 0; n < OBJECTS; n++) {
        long reads = disk().reads();
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
        edge.awaitIdle();
        long own = disk().reads() - reads;
        assertTrue(own <= 1 + slices, own + " reads of " + slices + " slices and a head");
      }
      assertTrue(disk().reads() - before > OBJECTS, "the disk is hardly read");
    }
  }
}
