package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Responses that a shared cache must not store are neither stored nor shared, and requests for them
 * do not wait (I6, I7).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerUncacheableTest {

  private static final int MIB = 1 << 20;
  private static final int TOGETHER = 8;

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.before(origin, directory);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cache-control: private, max-age=100",
        "cache-control: no-store",
        "cache-control: max-age=100\r\nset-cookie: a=b",
        "cache-control: max-age=100\r\nvary: *",
        "cache-control: max-age=100\r\nvary: Cookie",
        "x-says: nothing",
      })
  void isNeverStoredNorSharedNorQueuedFor(String fields) throws Exception {
    String path = "/" + Integer.toHexString(fields.hashCode());
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection, fields + "\r\n", TestOrigin.ascii("for " + request.field("cookie"))));
    long installed = edge.sum(c -> c.fillsInstalled);
    try (RawClient one = edge.connect();
        RawClient two = edge.connect()) {
      for (int i = 0; i < 3; i++) {
        Response first = one.get(path, "Cookie: one");
        assertEquals("for one", first.text());
        assertFalse(first.field("cache-status").contains("stored"), first.field("cache-status"));
        assertEquals("for two", two.get(path, "Cookie: two").text());
      }
    }
    assertEquals(6, origin.count(path));
    answersAllAtOnce(path, fields, "Cookie: three");
    edge.awaitSum(installed, c -> c.fillsInstalled);
  }

  @Test
  void answersToAuthorizedRequestsAreNeitherSharedNorQueuedFor() throws Exception {
    origin.on(
        "/auth",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=100\r\n",
                TestOrigin.ascii("for " + request.field("authorization"))));
    try (RawClient client = edge.connect()) {
      for (String user : List.of("Basic b25l", "Basic dHdv")) {
        assertEquals("for " + user, client.get("/auth", "Authorization: " + user).text());
      }
    }
    answersAllAtOnce("/auth", "cache-control: max-age=100", "Authorization: Basic b25l");
  }

  @Test
  void aClientWithAuthorizationDoesNotTurnCachingOffForOthers() throws Exception {
    origin.on("/open", TestOrigin.ok("cache-control: max-age=100\r\n", TestOrigin.ascii("all")));
    try (RawClient client = edge.connect()) {
      client.get("/open", "Authorization: Basic b25l");
      client.get("/open");
      Await.until("it is stored", () -> isHit(client, "/open"));
      assertEquals(2, origin.count("/open"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cache-control: private, max-age=100",
        "cache-control: private\r\nvary: Accept-Encoding, Cookie",
        "cache-control: no-store",
        "cache-control: max-age=100\r\nset-cookie: a=b",
        "cache-control: max-age=100\r\nvary: Cookie",
        "x-says: nothing",
      })
  void aClientWithCookiesDoesNotTurnCachingOffForOthers(String fields) throws IOException {
    String path = "/greets-" + Integer.toHexString(fields.hashCode());
    greet(path, fields, new CountDownLatch(0), new CountDownLatch(0));
    try (RawClient client = edge.connect()) {
      assertEquals("for sid=1", client.get(path, "Cookie: sid=1").text());
      Response first = client.get(path);
      assertEquals("for all", first.text());
      assertTrue(first.field("cache-status").endsWith("; stored"), first.field("cache-status"));
      Await.until("it is stored", () -> isHit(client, path));
    }
    assertEquals(2, origin.count(path));
  }

  /** An editor who looks at a page after its purge, before its readers do. */
  @Test
  void whoWaitedForAPersonalAnswerSharesAnotherFetch() throws Exception {
    CountDownLatch user = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(1);
    greet("/editor", "cache-control: private\r\nvary: Cookie", user, others);
    List<RawClient> waiting = new ArrayList<>();
    try (RawClient editor = edge.connect().request("GET", "/editor", "Cookie: sid=1")) {
      Await.until("the editor's request is there", () -> origin.count("/editor") == 1);
      long joined = edge.sum(c -> c.joined);
      for (int i = 0; i < TOGETHER; i++) {
        waiting.add(edge.connect().request("GET", "/editor"));
      }
      edge.awaitSum(joined + TOGETHER, c -> c.joined);
      user.countDown();
      assertEquals("for sid=1", editor.reply().text());
      edge.awaitSum(joined + TOGETHER + TOGETHER - 1, c -> c.joined);
      others.countDown();
      for (RawClient client : waiting) {
        assertEquals("for all", client.reply().text());
        client.close();
      }
    }
    assertEquals(2, origin.count("/editor"));
  }

  /** With cookies the fields given, without them what all may have. */
  private void greet(
      String path, String personal, CountDownLatch gateOfUsers, CountDownLatch gateOfOthers) {
    origin.on(
        path,
        (request, connection) -> {
          String cookie = request.field("cookie");
          TestOrigin.await(cookie.isEmpty() ? gateOfOthers : gateOfUsers);
          TestOrigin.sendOk(
              connection,
              cookie.isEmpty()
                  ? "cache-control: max-age=100\r\nvary: Cookie\r\n"
                  : personal + "\r\n",
              TestOrigin.ascii("for " + (cookie.isEmpty() ? "all" : cookie)));
        });
  }

  private static boolean isHit(RawClient client, String path) {
    try {
      return client.get(path).isHit();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The origin answers nobody before everybody has asked: if one waited for another, none would.
   */
  private void answersAllAtOnce(String path, String fields, String... requestFields)
      throws IOException {
    CyclicBarrier all = new CyclicBarrier(TOGETHER);
    origin.on(
        path,
        (request, connection) -> {
          try {
            int ignored = all.await(20, TimeUnit.SECONDS);
          } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new AssertionError("requests were queued", e);
          }
          TestOrigin.sendOk(connection, fields + "\r\n", TestOrigin.ascii("together"));
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      clients.add(edge.connect().request("GET", path, requestFields));
    }
    for (RawClient client : clients) {
      assertEquals("together", client.reply().text());
      client.close();
    }
  }

  @Test
  void aSlowReaderOfWhatIsPassedOnHoldsTheOriginBack() throws Exception {
    byte[] body = Edge.bytes(1, 40 * MIB);
    AtomicLong written = new AtomicLong();
    origin.on(
        "/large",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: no-store\r\n", body.length);
          for (int from = 0; from < body.length; from += 64 * 1024) {
            connection.send(Arrays.copyOfRange(body, from, from + 64 * 1024));
            written.set(from + 64 * 1024);
          }
        });
    try (RawClient slow = new RawClient(edge.port(), 16 * 1024)) {
      slow.request("GET", "/large");
      assertEquals(200, slow.head().status());
      int step = 512 * 1024;
      for (int read = 0; read < body.length; read += step) {
        byte[] part = slow.bytes(step);
        Bytes.assertEquals(Arrays.copyOfRange(body, read, read + step), part);
        assertTrue(written.get() - read < 18 * MIB, "more than the kernel holds is buffered");
      }
    }
  }
}
