package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.WireClient.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Variants: each client gets its own, and as few as possible are fetched. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ServerVaryTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

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

  private void byEncoding(String path) {
    origin.on(
        path,
        (request, connection) -> {
          boolean isGzip = request.field("accept-encoding").contains("gzip");
          TestOrigin.sendOk(
              connection,
              FRESH + "vary: Accept-Encoding\r\n" + (isGzip ? "content-encoding: gzip\r\n" : ""),
              TestOrigin.ascii(isGzip ? "packed" : "plain"));
        });
  }

  /** Asks until it is a hit. */
  private Reply hit(WireClient client, String path, String... fields) {
    Reply[] last = new Reply[1];
    Edge.await(
        "a hit for " + path,
        () -> {
          try {
            last[0] = client.get(path, fields);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  @Test
  void twoEncodingsAreTwoFetchesHoweverClientsWordThem() throws IOException {
    byEncoding("/enc");
    try (WireClient client = edge.connect()) {
      assertEquals("packed", client.get("/enc", "Accept-Encoding: gzip").text());
      assertEquals("plain", client.get("/enc").text());
      for (String word :
          List.of("gzip", "GZIP;q=0.5", "gzip, deflate, junk;q=0.3", "x-unknown, gzip")) {
        Reply reply = hit(client, "/enc", "Accept-Encoding: " + word);
        assertEquals("packed", reply.text(), word);
        assertEquals("gzip", reply.field("content-encoding"));
      }
      for (String word : List.of("identity", "x-unknown", "gzip;q=0")) {
        assertEquals("plain", hit(client, "/enc", "Accept-Encoding: " + word).text(), word);
      }
      assertEquals("plain", hit(client, "/enc").text());
    }
    assertEquals(2, origin.count("/enc"));
  }

  @Test
  void aFollowerOfAnotherVariantLeavesAndGetsItsOwn() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/join",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gate);
          boolean isGzip = request.field("accept-encoding").contains("gzip");
          TestOrigin.sendOk(
              connection,
              FRESH + "vary: accept-encoding\r\n",
              TestOrigin.ascii(isGzip ? "packed" : "plain"));
        });
    try (WireClient packed = edge.connect();
        WireClient alike = edge.connect();
        WireClient plain = edge.connect()) {
      packed.request("GET", "/join", "Accept-Encoding: gzip");
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      long joined = edge.sum(c -> c.joined);
      alike.request("GET", "/join", "Accept-Encoding: gzip, deflate");
      plain.request("GET", "/join");
      Edge.await("both have joined", () -> edge.sum(c -> c.joined) == joined + 2);
      gate.countDown();
      assertEquals("packed", packed.reply().text());
      assertEquals("packed", alike.reply().text());
      Reply own = plain.reply();
      assertEquals("plain", own.text());
      assertTrue(own.field("cache-status").contains("fwd=vary-miss"), own.field("cache-status"));
      assertEquals("plain", hit(plain, "/join").text());
      assertEquals("packed", hit(packed, "/join", "Accept-Encoding: gzip").text());
    }
    assertEquals(2, origin.count("/join"));
  }

  @Test
  void fieldsOfTheOriginsChoiceSelectAndTheirSetMayGrow() throws IOException {
    origin.on(
        "/grow",
        (request, connection) -> {
          String color = request.field("x-color");
          String vary = color.equals("red") ? "X-Color" : "X-Color, X-Size";
          TestOrigin.sendOk(
              connection,
              FRESH + "vary: " + vary + "\r\n",
              TestOrigin.ascii(color + " " + request.field("x-size")));
        });
    try (WireClient client = edge.connect()) {
      String red = "X-Color: red";
      String blue = "X-Color: blue";
      assertEquals("red ", client.get("/grow", red).text());
      assertEquals("red ", hit(client, "/grow", red).text());
      assertEquals("blue s", client.get("/grow", blue, "X-Size: s").text());
      assertEquals("blue m", client.get("/grow", blue, "X-Size: m").text());
      assertEquals("blue s", hit(client, "/grow", blue, "X-Size: s").text());
      assertEquals("blue m", hit(client, "/grow", blue, "X-Size: m").text());
      // Fetched once more under the larger set, and stays under it though it names fewer.
      assertEquals("red ", client.get("/grow", red).text());
      assertEquals("red ", hit(client, "/grow", red).text());
      assertEquals("blue s", hit(client, "/grow", blue, "X-Size: s").text());
    }
    assertTrue(origin.count("/grow") <= 4, "fetched " + origin.count("/grow") + " times");
  }

  @Test
  void aUrlMayBeginAndCeaseToVary() throws IOException {
    origin.on(
        "/change",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + (request.number() == 2 ? "vary: x-color\r\n" : ""),
                TestOrigin.ascii("answer " + request.number())));
    try (WireClient client = edge.connect()) {
      for (int i = 1; i <= 3; i++) {
        assertEquals("answer " + i, client.get("/change", "X-Color: red").text());
        assertEquals("answer " + i, hit(client, "/change", "X-Color: red").text());
        edge.purgeUrl("/change");
      }
      assertEquals("answer 4", client.get("/change").text());
      assertEquals("answer 4", hit(client, "/change", "X-Color: red").text());
    }
  }
}
