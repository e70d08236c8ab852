package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HttpDate;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Variants: each client receives its own, with as few fetches as possible. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerVaryTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            // What is told to be gzip here is text.
            "compress: off\n"
                + "routes: [{match: {path: /}}, {match: {path: /few}, key: {variants: 4}}]\n");
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
  private Response hit(RawClient client, String path, String... fields) {
    Response[] last = new Response[1];
    Await.until(
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
    try (RawClient client = edge.connect()) {
      assertEquals("packed", client.get("/enc", "Accept-Encoding: gzip").text());
      assertEquals("plain", client.get("/enc").text());
      for (String word :
          List.of("gzip", "GZIP;q=0.5", "gzip, deflate, junk;q=0.3", "x-unknown, gzip")) {
        Response reply = hit(client, "/enc", "Accept-Encoding: " + word);
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
    try (RawClient packed = edge.connect();
        RawClient alike = edge.connect();
        RawClient plain = edge.connect()) {
      packed.request("GET", "/join", "Accept-Encoding: gzip");
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      long joined = edge.sum(c -> c.joined);
      alike.request("GET", "/join", "Accept-Encoding: gzip, deflate");
      plain.request("GET", "/join");
      Await.until("both have joined", () -> edge.sum(c -> c.joined) == joined + 2);
      gate.countDown();
      assertEquals("packed", packed.reply().text());
      assertEquals("packed", alike.reply().text());
      Response own = plain.reply();
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
    try (RawClient client = edge.connect()) {
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
    try (RawClient client = edge.connect()) {
      for (int i = 1; i <= 3; i++) {
        assertEquals("answer " + i, client.get("/change", "X-Color: red").text());
        assertEquals("answer " + i, hit(client, "/change", "X-Color: red").text());
        edge.purgeUrl("/change");
      }
      assertEquals("answer 4", client.get("/change").text());
      assertEquals("answer 4", hit(client, "/change", "X-Color: red").text());
    }
  }

  /** RFC 9110 §12.5.3, and origins that forget to say Vary. */
  @Test
  void aContentCodingMakesAVariantThoughTheOriginForgetsToSayVary() throws IOException {
    origin.on(
        "/forgot",
        (request, connection) -> {
          boolean isGzip = request.field("accept-encoding").contains("gzip");
          TestOrigin.sendOk(
              connection,
              FRESH + (isGzip ? "content-encoding: gzip\r\n" : ""),
              TestOrigin.ascii(isGzip ? "packed" : "plain"));
        });
    try (RawClient client = edge.connect()) {
      assertEquals("packed", client.get("/forgot", "Accept-Encoding: gzip").text());
      for (String refusing : List.of("identity", "*;q=0, identity", "gzip;q=0, br;q=0", "x")) {
        assertEquals("plain", client.get("/forgot", "Accept-Encoding: " + refusing).text());
      }
      assertEquals("plain", client.get("/forgot", "Accept-Encoding: *;q=0").text());
      assertEquals("plain", client.get("/forgot", "Accept-Encoding: identity;q=0").text());
      assertEquals("packed", hit(client, "/forgot", "Accept-Encoding: gzip, *;q=0.1").text());
      assertEquals("plain", hit(client, "/forgot").text());
    }
    // gzip, identity, and neither.
    assertEquals(3, origin.count("/forgot"));
  }

  @Test
  void whatAClientDoesNotTakeIsNeverServedToItFromTheStore() throws IOException {
    origin.on(
        "/always", TestOrigin.ok(FRESH + "content-encoding: gzip\r\n", TestOrigin.ascii("packed")));
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        Response plain = client.get("/always");
        assertFalse(plain.isHit());
        assertTrue(i > 0 || plain.field("cache-status").contains("detail=encoding"));
      }
      // That one client can't use what is stored keeps nobody else from it.
      assertEquals("packed", client.get("/always", "Accept-Encoding: gzip").text());
      assertEquals("packed", hit(client, "/always", "Accept-Encoding: gzip").text());
      assertFalse(client.get("/always", "Accept-Encoding: br").isHit());
      assertFalse(client.get("/always", "Accept-Encoding: *;q=0").isHit());
      assertTrue(client.get("/always", "Accept-Encoding: gzip").isHit());
    }
  }

  @Test
  void oneVariantTooManyTakesThePlaceOfTheOneAskedForLongestAgo() throws IOException {
    origin.on(
        "/few",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + "vary: X-Color\r\n",
                TestOrigin.ascii(request.field("x-color") + " " + request.number())));
    long dropped = edge.sum(c -> c.variantsDropped);
    try (RawClient client = edge.connect()) {
      assertEquals("asked-for 1", client.get("/few", "X-Color: asked-for").text());
      for (int i = 0; i < 40; i++) {
        assertEquals("asked-for 1", hit(client, "/few", "X-Color: asked-for").text());
        assertFalse(client.get("/few", "X-Color: junk" + i).isHit());
      }
      assertEquals(37, edge.sum(c -> c.variantsDropped) - dropped);
      assertTrue(hit(client, "/few", "X-Color: junk39").isHit());
      assertFalse(client.get("/few", "X-Color: junk20").isHit());
    }
    assertEquals(42, origin.count("/few"));
  }

  private static String date(int minutesAgo) {
    return "date: " + HttpDate.format(System.currentTimeMillis() - 60_000L * minutesAgo) + "\r\n";
  }

  /** RFC 9111 §4.1: of several that match, the one with the latest Date. */
  @Test
  void aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed() throws IOException {
    origin.on(
        "/beside",
        (request, connection) -> {
          String color = request.field("x-color");
          String fields =
              switch (color) {
                case "red" -> "vary: x-color\r\n" + date(20);
                case "blue" -> "vary: x-color\r\n" + date(5);
                default -> date(10);
              };
          TestOrigin.sendOk(
              connection, FRESH.replace("1000", "9000") + fields, TestOrigin.ascii(color));
        });
    try (RawClient client = edge.connect()) {
      assertEquals("red", client.get("/beside", "X-Color: red").text());
      assertEquals("red", hit(client, "/beside", "X-Color: red").text());
      assertEquals("blue", client.get("/beside", "X-Color: blue").text());
      assertEquals("any", client.get("/beside", "X-Color: any").text());
      assertEquals("any", hit(client, "/beside", "X-Color: green").text());
      assertEquals("any", hit(client, "/beside").text());
      assertEquals("any", hit(client, "/beside", "X-Color: red").text(), "it is older");
      assertEquals("blue", hit(client, "/beside", "X-Color: blue").text(), "it is younger");
    }
    assertEquals(3, origin.count("/beside"));
  }

  /** RFC 9111 §4.3.4: a 304 updates the stored header, Vary included. */
  @Test
  void a304ThatBeginsToVaryFreshensNothingForOthers() throws IOException {
    origin.on(
        "/begins",
        (request, connection) -> {
          if (request.field("if-none-match").equals("\"1\"")) {
            TestOrigin.notModified(connection, FRESH + "etag: \"1\"\r\nvary: x-color\r\n");
          } else {
            boolean isFirst = request.number() == 1;
            TestOrigin.sendOk(
                connection,
                isFirst
                    ? "cache-control: max-age=0\r\netag: \"1\"\r\n"
                    : FRESH + "vary: x-color\r\n",
                TestOrigin.ascii(request.field("x-color")));
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals("red", client.get("/begins", "X-Color: red").text());
      edge.awaitIdle();
      assertEquals("blue", client.get("/begins", "X-Color: blue").text());
      assertEquals("blue", hit(client, "/begins", "X-Color: blue").text());
      assertEquals("red", client.get("/begins", "X-Color: red").text());
    }
  }

  /** RFC 9111 §4.1: the selecting field's value is normalised before it selects. */
  @Test
  void spellingsOfAcceptLanguageAreOneVariantAndTheOriginSeesOne() throws IOException {
    origin.on(
        "/language",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + "vary: accept-LANGUAGE\r\nvary: Accept-Language,\r\n",
                TestOrigin.ascii(request.field("accept-language"))));
    try (RawClient client = edge.connect()) {
      String normal = "de, en;q=0.5";
      assertEquals(normal, client.get("/language", "Accept-Language: EN;q=0.500,De").text());
      assertEquals(normal, hit(client, "/language", "Accept-Language: de , en; q=0.5").text());
      assertEquals(normal, hit(client, "/language", "Accept-Language: " + normal).text());
      assertEquals("en, de;q=0.5", client.get("/language", "Accept-Language: en,de;q=0.5").text());
    }
    assertEquals(2, origin.count("/language"));
  }
}
