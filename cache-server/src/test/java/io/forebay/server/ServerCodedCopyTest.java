package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HttpDate;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Coded copies of stored responses, over real sockets: made once, served in their place. */
@Tag("slow")
final class ServerCodedCopyTest {

  private static final String HOST = "Host: www.example";
  private static final String GZIP = "Accept-Encoding: gzip";
  private static final String TEXT =
      "content-type: text/plain\r\ncache-control: max-age=1000\r\n"
          + "last-modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
  private static final String TAGGED = TEXT + "etag: \"1\"\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(origin, directory, "64MiB", "");
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Text that compresses by about a third. */
  private static byte[] text(long seed, int length) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] body = new byte[length];
    for (int i = 0; i < length; i++) {
      body[i] = (byte) ('a' + random.nextInt(16));
    }
    return body;
  }

  private long outcomes(Outcome outcome) {
    return edge.sum(c -> c.copies.outcomes(outcome));
  }

  /** Asks until the answer is a hit in gzip. */
  private static Response coded(RawClient client, String path, String... fields) {
    String[] all = Arrays.copyOf(fields, fields.length + 2);
    all[fields.length] = HOST;
    all[fields.length + 1] = GZIP;
    Response[] last = new Response[1];
    Await.until(
        "a coded hit for " + path,
        () -> {
          try {
            last[0] = client.get(path, all);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit() && last[0].field("content-encoding").equals("gzip");
        });
    return last[0];
  }

  /** Asks until the object is stored. */
  private static Response stored(RawClient client, String path) {
    Response[] last = new Response[1];
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            last[0] = client.get(path, HOST);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  private void awaitNoJob() {
    Await.until("no copy is being made", () -> edge.server().copiesInProgress() == 0);
  }

  // --- made once, served from then on -----------------------------------------------------------

  @Test
  void aStoredResponseIsCompressedOnceAndServedToWhoAcceptsIt() throws IOException {
    byte[] body = text(1, 20_000);
    origin.on("/a", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      Response copy = coded(client, "/a");
      Bytes.assertEquals(body, DecodedBody.of(copy));
      assertTrue(copy.field("etag").matches("\"1-gzip9\\.1[0-9]+\""), copy.field("etag"));
      assertEquals("accept-encoding", copy.field("vary"));
      assertEquals("bytes", copy.field("accept-ranges"));
      assertEquals(Integer.toString(copy.body().length), copy.field("content-length"));
      assertTrue(copy.body().length < 15_000, copy.body().length + " bytes");

      Response identity = client.get("/a", HOST);
      Bytes.assertEquals(body, identity.body());
      assertEquals("\"1\"", identity.field("etag"));
      assertEquals("accept-encoding", identity.field("vary"));
      assertFalse(identity.has("content-encoding"));

      client.request("HEAD", "/a", HOST, GZIP);
      Response head = client.reply(true);
      assertEquals(copy.field("content-length"), head.field("content-length"));
      assertEquals("gzip", head.field("content-encoding"));
      assertEquals(copy.field("etag"), head.field("etag"));
    }
    assertEquals(1, origin.count("/a"));
    assertEquals(1, outcomes(Outcome.MADE));
    assertEquals(20_000, edge.sum(c -> c.copies.bytesIn));
    assertTrue(edge.sum(c -> c.copies.bytesOut) < 15_000);
    assertTrue(edge.sum(c -> c.copies.served) >= 2);
  }

  @Test
  void hitsOfACopyAreAnsweredInTheFastLaneWithTheSameHead() throws IOException {
    origin.on("/fast", TestOrigin.ok(TAGGED, text(2, 9_000)));
    try (RawClient client = edge.connect()) {
      Response first = coded(client, "/fast");
      long fast = edge.sum(c -> c.fastHits);
      Await.until(
          "a hit in the fast lane",
          () -> {
            Response again = coded(client, "/fast");
            Bytes.assertEquals(first.body(), again.body());
            return edge.sum(c -> c.fastHits) > fast;
          });
      // A field that the fast lane does not know.
      Response full = coded(client, "/fast", "X-Unknown: 1");
      Bytes.assertEquals(first.body(), full.body());
      assertEquals(withoutTimes(first.lines()), withoutTimes(full.lines()));
    }
  }

  private static List<String> withoutTimes(List<String> lines) {
    return lines.stream()
        .filter(line -> !line.startsWith("age:") && !line.startsWith("cache-status:"))
        .toList();
  }

  @Test
  void whatHardlyGetsSmallerIsServedAsItIsInTheFastLaneToo() throws IOException {
    origin.on("/noise", TestOrigin.ok(TAGGED, Edge.bytes(3, 10_000)));
    try (RawClient client = edge.connect()) {
      stored(client, "/noise");
      Await.until(
          "a refusal",
          () -> {
            Response reply = ask(client, "/noise", HOST, GZIP);
            assertFalse(reply.has("content-encoding"));
            return outcomes(Outcome.NO_GAIN) == 1;
          });
      long fast = edge.sum(c -> c.fastHits);
      Await.until(
          "a hit in the fast lane",
          () -> {
            assertFalse(ask(client, "/noise", HOST, GZIP).has("content-encoding"));
            return edge.sum(c -> c.fastHits) > fast;
          });
    }
    assertEquals(1, outcomes(Outcome.NO_GAIN));
    assertEquals(0, outcomes(Outcome.MADE));
  }

  private static Response ask(RawClient client, String path, String... fields) {
    try {
      return client.get(path, fields);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void otherTypesSmallBodiesAndNoTransformAreLeftAlone() throws IOException {
    byte[] body = text(4, 4_000);
    origin.on(
        "/image", TestOrigin.ok("content-type: image/png\r\ncache-control: max-age=9\r\n", body));
    origin.on("/small", TestOrigin.ok(TAGGED, text(4, 100)));
    origin.on(
        "/as-is",
        TestOrigin.ok(
            "content-type: text/plain\r\ncache-control: max-age=1000, no-transform\r\n", body));
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/image", "/small", "/as-is")) {
        stored(client, path);
        for (int i = 0; i < 3; i++) {
          Response reply = client.get(path, HOST, GZIP);
          assertFalse(reply.has("content-encoding"), path);
          assertFalse(reply.has("vary"), path);
        }
      }
    }
    assertEquals(0, edge.server().copiesInProgress());
    assertEquals(0, outcomes(Outcome.MADE));
  }

  @Test
  void aBodyOfManySlicesIsCompressedToo() throws IOException {
    byte[] body = text(5, 5_000_000);
    origin.on("/large", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      Response copy = coded(client, "/large");
      Bytes.assertEquals(body, DecodedBody.of(copy));
      Response part =
          client.get(
              "/large",
              HOST,
              GZIP,
              "Range: bytes=1500000-1600000",
              "If-Range: " + copy.field("etag"));
      assertEquals(206, part.status());
      assertEquals("gzip", part.field("content-encoding"));
      Bytes.assertEquals(Arrays.copyOfRange(copy.body(), 1_500_000, 1_600_001), part.body());
    }
    assertEquals(1, outcomes(Outcome.MADE));
    assertEquals(1, origin.count("/large"));
  }

  @Test
  void aBodyOfUnknownLengthIsCompressedOnceItIsStored() throws IOException {
    byte[] body = text(6, 50_000);
    origin.on("/chunked", TestOrigin.chunked(TAGGED, body, 7_000));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, DecodedBody.of(coded(client, "/chunked")));
    }
  }

  // --- conditions and ranges --------------------------------------------------------------------

  @Test
  void conditionsAreAnsweredForTheRepresentationThatTheyName() throws IOException {
    byte[] body = text(7, 20_000);
    origin.on("/c", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      stored(client, "/c");
      // No copy is needed to know that what the client has is current.
      Response unmade = client.get("/c", HOST, GZIP, "If-None-Match: \"1-gzip4.1\"");
      assertEquals(304, unmade.status());
      assertEquals("\"1-gzip4.1\"", unmade.field("etag"));
      assertEquals("accept-encoding", unmade.field("vary"));

      String tag = coded(client, "/c").field("etag");
      Response copy = client.get("/c", HOST, GZIP, "If-None-Match: \"0\", " + tag);
      assertEquals(304, copy.status());
      assertEquals(tag, copy.field("etag"));
      assertEquals(0, copy.body().length);

      Response own = client.get("/c", HOST, GZIP, "If-None-Match: \"1\"");
      assertEquals(304, own.status());
      assertEquals("\"1\"", own.field("etag"));

      Response other = client.get("/c", HOST, GZIP, "If-None-Match: \"2-gzip9.1\"");
      assertEquals(200, other.status());
      Bytes.assertEquals(body, DecodedBody.of(other));

      Response refusing = client.get("/c", HOST, "If-None-Match: " + tag);
      assertEquals(200, refusing.status());
      Bytes.assertEquals(body, refusing.body());

      assertEquals(200, client.get("/c", HOST, GZIP, "If-Match: " + tag).status());
      assertEquals(200, client.get("/c", HOST, GZIP, "If-Match: \"1\"").status());
      assertEquals(412, client.get("/c", HOST, "If-Match: " + tag).status());
      assertEquals(
          304,
          client
              .get("/c", HOST, GZIP, "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT")
              .status());
    }
    assertEquals(1, origin.count("/c"));
  }

  @Test
  void rangesAreOfIdentityUnlessIfRangeNamesTheCopy() throws IOException {
    byte[] body = text(8, 20_000);
    origin.on("/r", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      Response copy = coded(client, "/r");
      String tag = copy.field("etag");
      Response plain = client.get("/r", HOST, GZIP, "Range: bytes=100-199");
      assertEquals(206, plain.status());
      assertFalse(plain.has("content-encoding"));
      assertEquals("\"1\"", plain.field("etag"));
      Bytes.assertEquals(Arrays.copyOfRange(body, 100, 200), plain.body());

      Response ofCopy = client.get("/r", HOST, GZIP, "Range: bytes=100-199", "If-Range: " + tag);
      assertEquals(206, ofCopy.status());
      assertEquals("gzip", ofCopy.field("content-encoding"));
      assertEquals("bytes 100-199/" + copy.body().length, ofCopy.field("content-range"));
      Bytes.assertEquals(Arrays.copyOfRange(copy.body(), 100, 200), ofCopy.body());

      Response ofIdentity = client.get("/r", HOST, GZIP, "Range: bytes=100-199", "If-Range: \"1\"");
      assertEquals(206, ofIdentity.status());
      Bytes.assertEquals(Arrays.copyOfRange(body, 100, 200), ofIdentity.body());

      for (String stale : List.of("\"1-gzip9.1\"", "\"2\"", "Thu, 01 Jan 2026 00:00:00 GMT")) {
        Response whole = client.get("/r", HOST, GZIP, "Range: bytes=100-199", "If-Range: " + stale);
        assertEquals(200, whole.status(), stale);
        Bytes.assertEquals(body, DecodedBody.of(whole), stale);
      }
      // Who takes no coding has nothing but identity.
      Response dated =
          client.get("/r", HOST, "Range: bytes=100-199", "If-Range: Thu, 01 Jan 2026 00:00:00 GMT");
      assertEquals(206, dated.status());

      Response several =
          client.get("/r", HOST, GZIP, "Range: bytes=0-9, 5000-5009", "If-Range: " + tag);
      assertEquals(206, several.status());
      assertTrue(several.field("content-type").startsWith("multipart/byteranges"));
    }
  }

  // --- the source changes -----------------------------------------------------------------------

  @Test
  void a304KeepsTheCopyAndGivesItTheNewHead() throws IOException {
    byte[] body = text(9, 20_000);
    origin.on(
        "/n",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, TAGGED, body);
          } else {
            assertEquals("\"1\"", request.field("if-none-match"));
            TestOrigin.notModified(
                connection, "etag: \"1\"\r\nx-round: " + request.number() + "\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      Response before = coded(client, "/n");
      assertFalse(before.has("x-round"));
      for (int round = 2; round < 4; round++) {
        edge.purge(PurgeKind.URL, "http://www.example/n", true);
        Response confirmed = client.get("/n", HOST, GZIP);
        assertEquals("gzip", confirmed.field("content-encoding"), confirmed.toString());
        assertEquals(Integer.toString(round), confirmed.field("x-round"));
        Bytes.assertEquals(before.body(), confirmed.body());
        assertEquals(before.field("etag"), confirmed.field("etag"));
        assertEquals(
            Integer.toString(round), coded(client, "/n").field("x-round"), "from the store");
      }
    }
    assertEquals(1, outcomes(Outcome.MADE));
    assertEquals(2, outcomes(Outcome.REWRITTEN));
    assertEquals(3, origin.count("/n"));
  }

  @Test
  void everyKindOfPurgeTakesTheCopyToo() throws IOException {
    byte[][] body = {text(10, 20_000)};
    origin.on(
        "/dir/p",
        (request, connection) ->
            TestOrigin.sendOk(connection, TAGGED + "cache-tag: t\r\n", body[0]));
    record Purge(PurgeKind kind, String text) {}
    List<Purge> purges =
        List.of(
            new Purge(PurgeKind.URL, "http://www.example/dir/p"),
            new Purge(PurgeKind.HOST, "www.example"),
            new Purge(PurgeKind.PREFIX, "www.example/dir/"),
            new Purge(PurgeKind.TAG, "t"),
            new Purge(PurgeKind.PATTERN, "path ^/dir/"));
    try (RawClient client = edge.connect()) {
      int seed = 100;
      for (Purge purge : purges) {
        Bytes.assertEquals(body[0], DecodedBody.of(coded(client, "/dir/p")));
        body[0] = text(seed++, 20_000);
        edge.purge(purge.kind(), purge.text(), false);
        for (int i = 0; i < 5; i++) {
          Response reply = client.get("/dir/p", HOST, GZIP);
          Bytes.assertEquals(body[0], DecodedBody.of(reply), purge + " " + reply);
        }
      }
    }
  }

  @Test
  void aPurgeWhileACopyIsMadeTakesItToo() throws IOException {
    byte[][] body = {text(11, 4_000_000)};
    origin.on("/slow", (request, connection) -> TestOrigin.sendOk(connection, TAGGED, body[0]));
    int caught = 0;
    try (RawClient client = edge.connect()) {
      for (int round = 0; round < 30 && caught < 3; round++) {
        stored(client, "/slow");
        Bytes.assertEquals(body[0], DecodedBody.of(client.get("/slow", HOST, GZIP)));
        caught += edge.server().copiesInProgress();
        body[0] = text(200 + round, 4_000_000);
        edge.purge(PurgeKind.URL, "http://www.example/slow", false);
        Bytes.assertEquals(body[0], DecodedBody.of(client.get("/slow", HOST, GZIP)));
        awaitNoJob();
        Bytes.assertEquals(body[0], DecodedBody.of(client.get("/slow", HOST, GZIP)));
      }
      Bytes.assertEquals(body[0], DecodedBody.of(coded(client, "/slow")));
    }
    assertTrue(caught > 0, "no purge came while a copy was made");
    assertTrue(outcomes(Outcome.SOURCE_GONE) > 0);
  }

  @Test
  void aCopyOfAResponseThatWasReplacedIsNotServed() throws IOException {
    byte[][] body = {text(12, 20_000)};
    origin.on(
        "/replaced",
        (request, connection) ->
            TestOrigin.sendOk(
                connection, TEXT + "etag: \"" + request.number() + "\"\r\n", body[0]));
    try (RawClient client = edge.connect()) {
      for (int round = 0; round < 4; round++) {
        Bytes.assertEquals(body[0], DecodedBody.of(coded(client, "/replaced")));
        body[0] = text(300 + round, 20_000);
        // The origin does not confirm it, but sends another one.
        edge.purge(PurgeKind.URL, "http://www.example/replaced", true);
        Response replaced = client.get("/replaced", HOST, GZIP);
        Bytes.assertEquals(body[0], DecodedBody.of(replaced));
        Bytes.assertEquals(body[0], DecodedBody.of(client.get("/replaced", HOST, GZIP)));
      }
    }
    assertEquals(0, outcomes(Outcome.REWRITTEN));
  }

  @Test
  void copiesSurviveARestart() throws IOException {
    byte[] small = text(13, 20_000);
    byte[] large = text(13, 2_000_000);
    origin.on("/small", TestOrigin.ok(TAGGED, small)).on("/large", TestOrigin.ok(TAGGED, large));
    Response before;
    try (RawClient client = edge.connect()) {
      before = coded(client, "/small");
      coded(client, "/large");
    }
    edge.awaitIdle();
    edge.stop();
    edge.start();
    try (RawClient client = edge.connect()) {
      Response after = client.get("/small", HOST, GZIP);
      assertEquals("gzip", after.field("content-encoding"), after.toString());
      Bytes.assertEquals(before.body(), after.body());
      Bytes.assertEquals(large, DecodedBody.of(client.get("/large", HOST, GZIP)));
    }
    assertEquals(0, outcomes(Outcome.MADE));
    assertEquals(1, origin.count("/small"));
    assertEquals(1, origin.count("/large"));
  }

  @Test
  void eachVariantHasCopiesOfItsOwn() throws IOException {
    origin.on(
        "/v",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                TAGGED + "vary: X-Color\r\n",
                text(request.field("x-color").length(), 10_000)));
    try (RawClient client = edge.connect()) {
      for (String color : List.of("red", "green", "red")) {
        Response copy = coded(client, "/v", "X-Color: " + color);
        Bytes.assertEquals(text(color.length(), 10_000), DecodedBody.of(copy));
        assertEquals("X-Color, accept-encoding", copy.field("vary"));
      }
    }
    assertEquals(2, outcomes(Outcome.MADE));
    assertEquals(2, origin.count("/v"));
  }

  @Test
  void aStaleResponseThatMayBeServedIsServedFromItsCopy() throws IOException {
    origin.on(
        "/stale",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(
                connection,
                "content-type: text/plain\r\netag: \"1\"\r\n"
                    + "cache-control: max-age=1000, stale-if-error=1000\r\n",
                text(14, 9_000));
          } else {
            connection.send("HTTP/1.1 503 Down\r\ncontent-length: 0\r\n\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      Response copy = coded(client, "/stale");
      edge.purge(PurgeKind.URL, "http://www.example/stale", true);
      Response stale = client.get("/stale", HOST, GZIP);
      assertEquals("gzip", stale.field("content-encoding"), stale.toString());
      Bytes.assertEquals(copy.body(), stale.body());
    }
  }

  // --- other protocols, disks, tools ------------------------------------------------------------

  @Test
  @Tag("full")
  void copiesAreServedFromDisks() throws IOException {
    edge.close();
    edge =
        Edge.start(
            directory,
            "16MiB",
            Edge.origins(origin.url())
                + "stores: {one: {path: \"DIR/one\", size: 128MiB, slow: 10m}}\n"
                    .replace("DIR", directory.toString()));
    Await.until("a disk", () -> edge.server().notReady().isEmpty());
    int objects = 40;
    for (int n = 0; n < objects; n++) {
      origin.on("/d" + n, TestOrigin.ok(TAGGED, text(n, n % 2 == 0 ? 25_000 : 900_000)));
    }
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < objects; n++) {
        coded(client, "/d" + n);
      }
      edge.awaitIdle();
      for (int round = 0; round < 2; round++) {
        for (int n = 0; n < objects; n++) {
          Response reply = client.get("/d" + n, HOST, GZIP);
          Bytes.assertEquals(
              text(n, n % 2 == 0 ? 25_000 : 900_000), DecodedBody.of(reply), "object " + n);
        }
      }
      awaitNoJob();
    }
  }

  @Test
  void explainAndTheStoreNameTheCopy() throws Exception {
    origin.on("/e", TestOrigin.ok(TAGGED, text(15, 9_000)));
    try (RawClient client = edge.connect()) {
      stored(client, "/e");
      String order =
          "{\"url\":\"http://www.example/e\",\"fields\":[[\"Accept-Encoding\",\"gzip\"]]}";
      assertTrue(
          edge.explain(200, order).toString().contains("There is no copy in gzip"),
          () -> explained(order));
      Response copy = coded(client, "/e");
      JsonNode with = edge.explain(200, order);
      assertTrue(
          with.toString().contains(copy.body().length + " bytes in place of 9000"), with::toString);
    }
  }

  private String explained(String order) {
    try {
      return edge.explain(200, order).toString();
    } catch (Exception e) {
      return e.toString();
    }
  }

  @Test
  void theDateOfTheSourceIsThatOfTheCopy() throws IOException {
    String date = HttpDate.format(System.currentTimeMillis() - 50_000);
    origin.on("/date", TestOrigin.ok(TAGGED + "date: " + date + "\r\n", text(16, 9_000)));
    try (RawClient client = edge.connect()) {
      Response copy = coded(client, "/date");
      assertEquals(date, copy.field("date"));
      assertTrue(Integer.parseInt(copy.field("age")) >= 50, copy.field("age"));
    }
  }
}
