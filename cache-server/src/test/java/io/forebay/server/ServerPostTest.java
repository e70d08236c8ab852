package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Responses to POST that are stored on their way to the client, and what keeps them from it. */
@Timeout(120)
@Tag("slow")
final class ServerPostTest {

  private static final String STORABLE = "cache-control: max-age=600\r\ncontent-location: /a\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(origin, directory);
  }

  @AfterEach
  void stop() throws IOException {
    // Also checks that no pin and no buffer is left.
    edge.close();
    origin.close();
  }

  private static Response post(RawClient client) throws IOException {
    return client.request("POST", "/a", "content-length: 0").reply();
  }

  /** What a GET gets once the POSTs are over. */
  private void expectFetched() throws IOException {
    origin.on("/a", TestOrigin.ok("", TestOrigin.ascii("fetched")));
    try (RawClient client = edge.connect()) {
      assertEquals("fetched", client.get("/a").text());
    }
    assertEquals(0, edge.sum(c -> c.postsStored));
  }

  @Test
  void aBodyOfUnknownLengthIsStoredAsItCame() throws Exception {
    byte[] body = Edge.bytes(3, 2_500_000);
    origin.on("/a", TestOrigin.chunked(STORABLE, body, 70_000));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, post(client).body());
      edge.awaitSum(1, c -> c.postsStored);
      Response hit = client.get("/a");
      assertTrue(hit.isHit(), hit.field("cache-status"));
      Bytes.assertEquals(body, hit.body());
      Response head = client.request("HEAD", "/a").reply(true);
      assertTrue(head.isHit(), head.field("cache-status"));
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void aBodyThatBreaksOffIsNotStored() throws Exception {
    origin.on(
        "/a",
        (request, connection) -> {
          TestOrigin.sendHead(connection, STORABLE, 1000).send(new byte[500]);
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      client.request("POST", "/a", "content-length: 0");
      assertTrue(isBrokenOff(client));
    }
    expectFetched();
  }

  /** Either before the client saw anything of it, or in the middle. */
  private static boolean isBrokenOff(RawClient client) {
    try {
      return client.reply().status() == 502;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void aBodyThatItsClientLeavesIsNotStored() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    origin.on(
        "/a",
        (request, connection) -> {
          TestOrigin.sendHead(connection, STORABLE, 1000).send(new byte[500]);
          TestOrigin.await(gone);
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      client.request("POST", "/a", "content-length: 0");
      assertEquals(200, client.head().status());
    }
    edge.awaitSum(1, c -> c.clientAborts);
    gone.countDown();
    expectFetched();
  }

  @Test
  void aBodyThatOnlyTheConnectionEndsIsNotStored() throws Exception {
    origin.on(
        "/a",
        (request, connection) -> {
          connection.send("HTTP/1.1 200 OK\r\n" + STORABLE + "\r\nend").close();
        });
    try (RawClient client = edge.connect()) {
      Response response = post(client);
      assertEquals("end", response.text());
      assertFalse(response.field("cache-status").contains("stored"));
    }
    expectFetched();
  }

  @Test
  void aBodyThatTheStoreHasNoRoomForIsPassedOnWhole() throws Exception {
    byte[] body = Edge.bytes(4, 40_000_000);
    origin.on("/a", TestOrigin.ok(STORABLE, body));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, post(client).body());
    }
    expectFetched();
  }

  @Test
  void aRedirectAfterPostInvalidatesAndIsNotStored() throws Exception {
    origin.on("/a", TestOrigin.ok(STORABLE, TestOrigin.ascii("old")));
    try (RawClient client = edge.connect()) {
      client.get("/a");
      edge.awaitSum(1, c -> c.fillsInstalled);
      origin.on(
          "/a",
          (request, connection) ->
              connection.send(
                  "HTTP/1.1 303 See Other\r\nlocation: /a\r\n"
                      + STORABLE
                      + "content-length: 0\r\n\r\n"));
      assertEquals(303, post(client).status());
    }
    expectFetched();
  }
}
