package io.forebay.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskStats;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slices that the index names and that cannot be read: a miss, never an aborted response (I9). */
@Tag("full")
final class ServerLostSliceTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final int MEMORY = 16 << 20;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Stores three times as much as memory holds, and spoils every record on the disk. */
  private int spoil(String fields, int length) throws IOException {
    edge =
        Edge.start(
            directory,
            "16MiB",
            """
            origins: {main: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 10m, idle: 10m}}}
            stores:
              one: {path: "DIR/one", size: 128MiB, slow: 10m}
            """
                .replace("ORIGIN", origin.url())
                .replace("DIR", directory.toString()));
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    int objects = 3 * MEMORY / length;
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < objects; n++) {
        origin.on("/" + n, PartOrigin.of(body(n, length), fields));
        assertEquals(200, client.get("/" + n).status());
      }
    }
    edge.awaitIdle();
    Await.until(
        "records on the disk",
        () -> edge.server().disks().stream().allMatch(disk -> disk.writtenBytes() > MEMORY / 2));
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve("one/disk.store").toFile(), "rw")) {
      // Any body has such a place in each of its slices; heads are short.
      for (long at = 1 << 20; at < file.length(); at += 16 << 10) {
        file.seek(at);
        int value = file.read();
        file.seek(at);
        file.write(value ^ 1);
      }
    }
    return objects;
  }

  private static byte[] body(int n, int length) {
    return Edge.bytes(n, length);
  }

  private long failedChecks() {
    return edge.server().disks().stream().mapToLong(DiskStats::checksumFailures).sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {40_000, 64_000, 100_000, 700_001})
  void aSliceThatFailsItsChecksumIsAMiss(int length) throws IOException {
    assertWholeOf(spoil(TAGGED, length), length);
  }

  @ParameterizedTest
  @ValueSource(ints = {40_000, 100_000, 700_001})
  void theSameWithoutAValidator(int length) throws IOException {
    assertWholeOf(spoil(FRESH, length), length);
  }

  private void assertWholeOf(int objects, int length) throws IOException {
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < objects; n++) {
        Response reply = client.get("/" + n);
        assertEquals(200, reply.status(), "object " + n);
        Bytes.assertEquals(body(n, length), reply.body(), "object " + n);
      }
    }
    assertTrue(failedChecks() > 0, "nothing was read from the disk");
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void rangesAndHeadsOfSuchObjectsAreAnswered() throws IOException {
    int length = 300_000;
    int objects = spoil(TAGGED, length);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < objects; n++) {
        String path = "/" + n;
        switch (n % 4) {
          case 0 -> {
            Response reply = client.get(path, "Range: bytes=" + (length - 10) + "-");
            assertEquals(206, reply.status());
            Bytes.assertEquals(
                Arrays.copyOfRange(body(n, length), length - 10, length), reply.body());
          }
          case 1 -> {
            Response reply = client.get(path, "Range: bytes=0-9,200000-299999");
            assertEquals(206, reply.status());
            assertTrue(reply.body().length > 100_010);
          }
          case 2 -> {
            client.request("HEAD", path);
            Response head = client.head();
            assertEquals(200, head.status());
          }
          default -> {
            Response reply = client.get(path);
            assertEquals(200, reply.status(), () -> new String(reply.body(), US_ASCII));
            Bytes.assertEquals(body(n, length), reply.body());
          }
        }
      }
    }
    assertTrue(failedChecks() > 0, "nothing was read from the disk");
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void overHttp2Too() throws Exception {
    int length = 100_000;
    int objects = spoil(TAGGED, length);
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      for (int n = 0; n < objects; n++) {
        HttpResponse<byte[]> response =
            client.send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/" + n))
                    .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertEquals(200, response.statusCode());
        Bytes.assertEquals(body(n, length), response.body());
      }
    }
    edge.awaitSum(0, c -> c.responsesAborted);
  }
}
