package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several stored variants in one If-None-Match (RFC 9111 §4.3): a request that selects none of them
 * names them to the origin, and what it would get is not sent again if one of them has it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerVariantTagsTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String BY_LANGUAGE = "vary: Accept-Language\r\n";

  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clockMillis =
      new AtomicLong(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url()) + "routes: [{match: {path: /}}]\n",
            clockMillis::get);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** The first two letters of a language tell which text there is of it, and its tag. */
  private void byLanguage(String path, String fields, byte[] body) {
    origin.on(
        path,
        (request, connection) -> {
          String language = request.field("accept-language").substring(0, 2);
          String tag = "\"" + language + "\"";
          String all = fields + BY_LANGUAGE + "etag: " + tag + "\r\n";
          if (request.field("if-none-match").contains(tag)) {
            TestOrigin.notModified(connection, all + "x-says: 304\r\n");
          } else {
            byte[] text = body.clone();
            System.arraycopy(TestOrigin.ascii(language), 0, text, 0, 2);
            TestOrigin.sendOk(connection, all + "x-says: 200\r\n", text);
          }
        });
  }

  private static String language(String language) {
    return "Accept-Language: " + language;
  }

  private String lastTags(String path) {
    return origin.requests(path).getLast().field("if-none-match");
  }

  private static String text(Response reply) {
    return reply.text().substring(0, 2);
  }

  @Test
  void aVariantWithTheBytesOfAnotherOneIsNotSentAgain() throws IOException {
    byLanguage("/one", FRESH, new byte[100]);
    try (RawClient client = edge.connect()) {
      assertEquals("en", text(client.get("/one", language("en-us"))));
      edge.awaitIdle();
      long copied = edge.sum(c -> c.variantsCopied);
      Response second = client.get("/one", language("en-gb"));
      assertEquals(200, second.status());
      assertEquals("en", text(second));
      assertEquals("304", second.field("x-says"));
      assertTrue(second.field("cache-status").contains("fwd=vary-miss"), second.toString());
      assertTrue(second.field("cache-status").contains("fwd-status=304"), second.toString());
      assertEquals("\"en\"", lastTags("/one"));
      edge.awaitIdle();
      assertEquals(1, edge.sum(c -> c.variantsCopied) - copied);
      for (String each : List.of("en-us", "en-gb")) {
        assertTrue(client.get("/one", language(each)).isHit(), each);
      }
      assertEquals("de", text(client.get("/one", language("de"))));
      edge.awaitIdle();
      assertEquals("\"en\"", lastTags("/one"), "once, though two have it");
      assertEquals("de", text(client.get("/one", language("de-at"))));
      assertEquals("\"de\", \"en\"", lastTags("/one"));
    }
    assertEquals(4, origin.count("/one"));
  }

  @Test
  void theOtherVariantStaysAsItIs() throws IOException {
    byLanguage("/other", FRESH, new byte[100]);
    try (RawClient client = edge.connect()) {
      client.get("/other", language("en-us"));
      edge.awaitIdle();
      clockMillis.addAndGet(600_000);
      client.get("/other", language("en-gb"));
      edge.awaitIdle();
      Response first = client.get("/other", language("en-us"));
      assertTrue(first.isHit());
      assertEquals("200", first.field("x-says"));
      assertEquals("600", first.field("age"));
      clockMillis.addAndGet(600_000);
      Response second = client.get("/other", language("en-gb"));
      assertTrue(second.isHit(), "it is as fresh as the 304 said");
      assertEquals("600", second.field("age"));
      assertFalse(client.get("/other", language("en-us")).isHit());
    }
  }

  @Test
  void largeAndEmptyBodiesAreCopiedWhole() throws IOException {
    byte[] body = Edge.bytes(7, 300_000);
    byLanguage("/large", FRESH, body);
    byte[] english = body.clone();
    System.arraycopy(TestOrigin.ascii("en"), 0, english, 0, 2);
    origin.on(
        "/empty",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, FRESH + BY_LANGUAGE + "etag: \"e\"\r\n", new byte[0]);
          } else {
            TestOrigin.notModified(connection, FRESH + BY_LANGUAGE + "etag: \"e\"\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      client.get("/large", language("en"));
      client.get("/empty", language("en"));
      edge.awaitIdle();
      Bytes.assertEquals(english, client.get("/large", language("en-gb")).body());
      assertEquals(0, client.get("/empty", language("en-gb")).body().length);
      edge.awaitIdle();
      Response again = client.get("/large", language("en-gb"));
      assertTrue(again.isHit());
      Bytes.assertEquals(english, again.body());
      Response range = client.get("/large", language("en-gb"), "Range: bytes=299990-");
      assertEquals(206, range.status());
      assertTrue(client.get("/empty", language("en-gb")).isHit());
    }
    assertEquals(2, origin.count("/large"));
    assertEquals(2, origin.count("/empty"));
  }

  @Test
  void aConfirmationOfNoneOfThemFetchesAgainOnceWithoutConditions() throws IOException {
    origin.on(
        "/none",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            answer(connection, "\"" + request.field("accept-language") + "\"");
          } else {
            TestOrigin.notModified(connection, FRESH + BY_LANGUAGE + "etag: \"never seen\"\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      client.get("/none", language("en"));
      edge.awaitIdle();
      assertEquals("\"de\"", client.get("/none", language("de")).text());
    }
    assertEquals(3, origin.count("/none"));
    assertEquals("", lastTags("/none"));
  }

  @Test
  void aConfirmationWithoutATagSaysNothingOfSeveral() throws IOException {
    origin.on(
        "/tagless",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            answer(connection, "\"" + request.field("accept-language") + "\"");
          } else {
            TestOrigin.notModified(connection, FRESH + BY_LANGUAGE);
          }
        });
    try (RawClient client = edge.connect()) {
      client.get("/tagless", language("en"));
      edge.awaitIdle();
      assertEquals("\"de\"", client.get("/tagless", language("de")).text());
      edge.awaitIdle();
      clockMillis.addAndGet(2_000_000);
      assertEquals("\"en\"", client.get("/tagless", language("en")).text());
    }
    assertEquals(5, origin.count("/tagless"));
    assertEquals("\"en\", \"de\"", origin.requests("/tagless").get(3).field("if-none-match"));
    assertEquals("", lastTags("/tagless"));
  }

  private static void answer(Connection connection, String tag) throws IOException {
    TestOrigin.sendOk(
        connection, FRESH + BY_LANGUAGE + "etag: " + tag + "\r\n", TestOrigin.ascii(tag));
  }

  /** Its own tag comes first; which one the 304 has decides. */
  @Test
  void aStaleVariantIsNamedBesideTheOthersAndEitherMayBeConfirmed() throws IOException {
    String[] current = {"\"a\""};
    origin.on(
        "/stale",
        (request, connection) -> {
          if (request.field("if-none-match").contains(current[0])) {
            TestOrigin.notModified(
                connection, FRESH + BY_LANGUAGE + "etag: " + current[0] + "\r\n");
          } else {
            answer(connection, current[0]);
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals("\"a\"", client.get("/stale", language("x")).text());
      edge.awaitIdle();
      current[0] = "\"b\"";
      assertEquals("\"b\"", client.get("/stale", language("y")).text());
      edge.awaitIdle();
      clockMillis.addAndGet(2_000_000);
      assertEquals("\"b\"", client.get("/stale", language("x")).text(), "the other's");
      assertEquals("\"a\", \"b\"", lastTags("/stale"));
      edge.awaitIdle();
      assertTrue(client.get("/stale", language("x")).isHit());
      clockMillis.addAndGet(2_000_000);
      Response own = client.get("/stale", language("x"));
      assertEquals("\"b\"", own.text());
      assertEquals("\"b\"", lastTags("/stale"), "both have one tag by now");
      edge.awaitIdle();
      assertTrue(client.get("/stale", language("x")).isHit());
    }
    assertEquals(4, origin.count("/stale"));
  }

  @Test
  void noMoreThanEightTagsAreSent() throws IOException {
    origin.on(
        "/many",
        (request, connection) ->
            answer(connection, "\"" + request.field("accept-language") + "\""));
    origin.on(
        "/long",
        (request, connection) ->
            answer(connection, "\"" + request.field("accept-language") + "x".repeat(400) + "\""));
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/many", "/long")) {
        for (char last = 'a'; last <= 't'; last++) {
          client.get(path, language("q" + last));
          edge.awaitIdle();
        }
      }
    }
    assertEquals(8, lastTags("/many").split(", ", -1).length);
    assertTrue(lastTags("/many").startsWith("\"qs\", \"qr\", "), lastTags("/many"));
    assertEquals(5, lastTags("/long").split(", ", -1).length);
    assertTrue(lastTags("/long").length() <= 2048);
  }

  /** What names no bytes, what is only said to be the same, and what is chosen by who asks. */
  @Test
  void whatATagDoesNotTellApartIsNotNamed() throws IOException {
    origin.on(
        "/weak",
        TestOrigin.ok(FRESH + BY_LANGUAGE + "etag: W/\"w\"\r\n", TestOrigin.ascii("weak")));
    origin.on("/cors", TestOrigin.ok(FRESH + "vary: Origin\r\netag: \"o\"\r\n", new byte[4]));
    origin.on(
        "/gzip",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH
                    + "vary: Accept-Encoding\r\netag: \"g\"\r\n"
                    + (request.field("accept-encoding").contains("gzip")
                        ? "content-encoding: gzip\r\n"
                        : ""),
                new byte[4]));
    origin.on(
        "/dated",
        (request, connection) -> {
          boolean isTagged = request.field("accept-language").equals("b");
          TestOrigin.sendOk(
              connection,
              FRESH
                  + BY_LANGUAGE
                  + (isTagged
                      ? "etag: \"t\"\r\n"
                      : "last-modified: Thu, 01 Jan 2025 00:00:00 GMT\r\n"),
              new byte[4]);
        });
    try (RawClient client = edge.connect()) {
      for (String each : List.of("a", "b")) {
        client.get("/weak", language(each));
        client.get("/cors", "Origin: https://" + each + ".example");
        client.get("/gzip", "Accept-Encoding: " + (each.equals("a") ? "identity" : "gzip"));
        client.get("/dated", language(each));
        edge.awaitIdle();
      }
      clockMillis.addAndGet(2_000_000);
      client.get("/dated", language("a"));
    }
    for (String path : List.of("/weak", "/cors", "/gzip", "/dated")) {
      assertEquals("", lastTags(path), path);
    }
    assertEquals(2, origin.count("/weak"));
    assertFalse(origin.requests("/dated").getLast().field("if-modified-since").isEmpty());
  }

  @Test
  void whatWasPurgedIsNotNamedAndWhatIsPurgedMeanwhileIsFetched() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/purged",
        (request, connection) -> {
          if (request.field("accept-language").equals("c")
              && !request.field("if-none-match").isEmpty()) {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, FRESH + BY_LANGUAGE + "etag: \"b\"\r\n");
            return;
          }
          String language = request.field("accept-language");
          TestOrigin.sendOk(
              connection,
              FRESH
                  + BY_LANGUAGE
                  + "surrogate-key: of-"
                  + language
                  + "\r\netag: \""
                  + language
                  + "\"\r\n",
              TestOrigin.ascii("text " + language));
        });
    try (RawClient client = edge.connect()) {
      client.get("/purged", language("a"));
      edge.awaitIdle();
      edge.purge(PurgeKind.TAG, "of-a", false);
      client.get("/purged", language("b"));
      assertEquals("", lastTags("/purged"));
      edge.awaitIdle();
      client.request("GET", "/purged", language("c"));
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      assertEquals("\"b\"", lastTags("/purged"));
      edge.purge(PurgeKind.TAG, "of-b", false);
      gate.countDown();
      assertEquals("text c", client.reply().text());
    }
    assertEquals("", lastTags("/purged"));
    assertEquals(4, origin.count("/purged"));
  }

  @Test
  void aPurgeTakesTheCopyToo() throws IOException {
    byLanguage("/both", FRESH + "cache-tag: both\r\n", new byte[50]);
    try (RawClient client = edge.connect()) {
      client.get("/both", language("en"));
      edge.awaitIdle();
      client.get("/both", language("en-gb"));
      edge.awaitIdle();
      assertTrue(client.get("/both", language("en-gb")).isHit());
      edge.purge(PurgeKind.TAG, "both", false);
      assertFalse(client.get("/both", language("en-gb")).isHit());
      assertEquals("", lastTags("/both"));
    }
  }

  @Test
  void whoWaitsForTheAnswerSharesTheCopy() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/shared",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            answer(connection, "\"s\"");
          } else {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, FRESH + BY_LANGUAGE + "etag: \"s\"\r\n");
          }
        });
    try (RawClient first = edge.connect();
        RawClient second = edge.connect();
        RawClient third = edge.connect()) {
      first.get("/shared", language("x"));
      edge.awaitIdle();
      first.request("GET", "/shared", language("y"));
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      long joined = edge.sum(c -> c.joined);
      second.request("GET", "/shared", language("y"));
      third.request("GET", "/shared", language("y"));
      Await.until("both have joined", () -> edge.sum(c -> c.joined) == joined + 2);
      gate.countDown();
      for (RawClient client : List.of(first, second, third)) {
        assertEquals("\"s\"", client.reply().text());
      }
    }
    assertEquals(2, origin.count("/shared"));
  }

  /** What the 304 says of storing is decided on what the origin sends whole. */
  @Test
  void whatMayNotBeKeptByNowIsFetched() throws IOException {
    origin.on(
        "/private",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            String control =
                request.field("accept-language").equals("a") ? FRESH : "cache-control: private\r\n";
            TestOrigin.sendOk(
                connection,
                control + BY_LANGUAGE + "etag: \"p\"\r\n",
                TestOrigin.ascii(request.field("accept-language")));
          } else {
            TestOrigin.notModified(
                connection, "cache-control: private\r\n" + BY_LANGUAGE + "etag: \"p\"\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      client.get("/private", language("a"));
      edge.awaitIdle();
      assertEquals("b", client.get("/private", language("b")).text());
    }
    assertEquals(3, origin.count("/private"));
  }
}
