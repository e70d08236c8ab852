package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Segments that are made while they are sent: LL-DASH chunks and parts of LL-HLS. Each chunk is
 * with each client before the origin writes the next one.
 */
@Tag("slow")
final class ServerLiveChunksTest {
  private static final int CHUNKS = 6;
  private static final int CHUNK_BYTES = 5_000;
  private static final byte[] BODY = Edge.bytes(22, CHUNKS * CHUNK_BYTES);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);

  /** The head, the chunks, and the end. */
  private final List<CountDownLatch> gates =
      Stream.generate(() -> new CountDownLatch(1)).limit(CHUNKS + 2).toList();

  private final List<RawClient> clients = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gates.forEach(CountDownLatch::countDown);
    clients.forEach(RawClient::close);
    edge.close();
    origin.close();
  }

  private void start(String route) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "64MiB",
            "routes: [{origin: main" + route + "}]\nlimits: {waiting-per-client: 0}\n");
    origin.on(
        "/seg.m4s",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gates.getFirst());
          connection.send(
              "HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncache-control: max-age=60\r\n"
                  + "transfer-encoding: chunked\r\n\r\n");
          for (int i = 0; i < CHUNKS; i++) {
            TestOrigin.await(gates.get(i + 1));
            ByteArrayOutputStream chunk = new ByteArrayOutputStream();
            chunk.writeBytes(TestOrigin.ascii(Integer.toHexString(CHUNK_BYTES) + "\r\n"));
            chunk.write(BODY, i * CHUNK_BYTES, CHUNK_BYTES);
            chunk.writeBytes(TestOrigin.ascii("\r\n"));
            connection.send(chunk.toByteArray());
          }
          TestOrigin.await(gates.getLast());
          connection.send("0\r\n\r\n");
        });
  }

  private void request(int count, String... fields) {
    for (int i = 0; i < count; i++) {
      clients.add(edge.connect().request("GET", "/seg.m4s", fields));
    }
  }

  private static byte[] chunk(int number) {
    return Arrays.copyOfRange(BODY, number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES);
  }

  @ParameterizedTest
  @CsvSource({"200, ', media: live'", "30, ''"})
  void eachChunkIsWithAllWhoFollowBeforeTheNextIsWritten(int count, String route)
      throws IOException {
    start(route);
    // A player may ask before the segment has begun: a preload hint, or an early availability.
    request(1);
    TestOrigin.await(asked);
    request(count - 1);
    Await.until("all wait", () -> edge.sum(c -> c.joined) == count - 1);
    // The head goes out with the first bytes of the body.
    gates.getFirst().countDown();
    gates.get(1).countDown();
    List<Response> heads = new ArrayList<>();
    for (RawClient client : clients) {
      heads.add(client.head());
    }
    for (int i = 0; i < CHUNKS; i++) {
      gates.get(i + 1).countDown();
      for (int c = 0; c < count; c++) {
        Bytes.assertEquals(chunk(i), clients.get(c).partOfBody(heads.get(c), CHUNK_BYTES));
      }
    }
    gates.getLast().countDown();
    for (int c = 0; c < count; c++) {
      assertEquals(0, clients.get(c).restOfBody(heads.get(c), BODY.length).length);
    }
    assertEquals(1, origin.count("/seg.m4s"));
  }

  @Test
  void whoComesInTheMiddleGetsWhatThereIsAtOnceAndTheRestAsItComes() throws IOException {
    start(", media: live");
    request(1);
    RawClient first = clients.getFirst();
    gates.subList(0, 4).forEach(CountDownLatch::countDown);
    Response head = first.head();
    assertEquals(3 * CHUNK_BYTES, first.partOfBody(head, 3 * CHUNK_BYTES).length);
    request(1);
    RawClient second = clients.getLast();
    Response late = second.head();
    Bytes.assertEquals(
        Arrays.copyOf(BODY, 3 * CHUNK_BYTES), second.partOfBody(late, 3 * CHUNK_BYTES));
    gates.get(4).countDown();
    Bytes.assertEquals(chunk(3), second.partOfBody(late, CHUNK_BYTES));
    Bytes.assertEquals(chunk(3), first.partOfBody(head, CHUNK_BYTES));
    gates.forEach(CountDownLatch::countDown);
    assertEquals(2 * CHUNK_BYTES, second.restOfBody(late, 4 * CHUNK_BYTES).length);
    assertEquals(1, origin.count("/seg.m4s"));
  }

  @Test
  void aRangeOfASegmentThatGrowsIsServedWhenItHasCome() throws IOException {
    start(", media: live");
    request(1);
    RawClient first = clients.getFirst();
    gates.subList(0, 2).forEach(CountDownLatch::countDown);
    Response head = first.head();
    Bytes.assertEquals(chunk(0), first.partOfBody(head, CHUNK_BYTES));
    // A part of a segment, named by its bytes: the second chunk.
    request(1, "Range: bytes=" + CHUNK_BYTES + "-" + (2 * CHUNK_BYTES - 1));
    Await.until("it follows", () -> edge.sum(c -> c.joined) == 1);
    gates.get(2).countDown();
    Response part = clients.getLast().reply();
    assertEquals(206, part.status(), part::toString);
    Bytes.assertEquals(chunk(1), part.body());
    gates.forEach(CountDownLatch::countDown);
    assertEquals(5 * CHUNK_BYTES, first.restOfBody(head, CHUNK_BYTES).length);
    assertEquals(1, origin.count("/seg.m4s"));
  }
}
