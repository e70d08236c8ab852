package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An explanation predicts the result of the request that follows it. */
@Timeout(120)
@Tag("slow")
final class ServerExplainTest {
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";
  private static final String HOST = "Host: www.example";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong ahead = new AtomicLong();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on("/fresh", TestOrigin.ok(FRESH, Edge.bytes(1, 500)));
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + """
                routes:
                  - {name: site, match: {host: www.example}}
                  - {name: strips, match: {host: www.example, path: /strip}, key: {strip: [utm_*]}}
                """,
            () -> System.currentTimeMillis() + ahead.get());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private JsonNode explain(String method, String path, String... fields) throws Exception {
    List<String> pairs = new ArrayList<>();
    for (String field : fields) {
      String[] parts = field.split(": ", 2);
      pairs.add("[\"" + parts[0] + "\",\"" + parts[1].replace("\"", "\\\"") + "\"]");
    }
    return edge.explain(
        200,
        "{\"method\":\""
            + method
            + "\",\"url\":\"http://www.example"
            + path
            + "\",\"fields\":["
            + String.join(",", pairs)
            + "]}");
  }

  private Response ask(String method, String path, String... fields) throws IOException {
    List<String> lines = new ArrayList<>(List.of(fields));
    lines.add(HOST);
    try (RawClient client = edge.connect()) {
      client.request(method, path, lines.toArray(new String[0]));
      return client.reply(method.equals("HEAD"));
    }
  }

  /** Explains a request, makes it, and compares what Cache-Status says of both. */
  private JsonNode foreseen(String method, String path, String... fields) throws Exception {
    edge.awaitIdle();
    JsonNode told = explain(method, path, fields);
    Response reply = ask(method, path, fields);
    assertEquals(
        decision(told.at("/answer/cacheStatus").asString("")),
        decision(reply.field("cache-status")),
        told.toString());
    int status = told.at("/answer/status").asInt(0);
    assertTrue(status == 0 || status == reply.status(), told.toString());
    edge.awaitIdle();
    return told;
  }

  /** Without what only the origin's answer and the time tell. */
  private static String decision(String cacheStatus) {
    return cacheStatus.replaceAll("; (ttl=-?\\d+|fwd-status=\\d+|stored)", "");
  }

  private static String reason(JsonNode told) {
    return told.at("/answer/reason").asString("");
  }

  private static List<String> fieldsTo(JsonNode told) {
    List<String> lines = new ArrayList<>();
    told.at("/origin/fields")
        .forEach(pair -> lines.add(pair.get(0).asString("") + ": " + pair.get(1).asString("")));
    return lines;
  }

  @Test
  void aMissIsForeseenAndLeavesNoTrace() throws Exception {
    long lookups = edge.server().store().indexHits() + edge.server().store().misses();
    JsonNode told = explain("GET", "/fresh", "Authorization: Basic c2VjcmV0", "Cookie: a=secret");
    assertEquals(0, origin.count("/fresh"));
    assertEquals(lookups, edge.server().store().indexHits() + edge.server().store().misses());
    assertEquals("miss-uri", reason(told));
    assertEquals("fetch", told.at("/answer/action").asString(""));
    assertEquals("site", told.at("/route/name").asString(""));
    assertEquals("http://www.example:80/fresh", told.at("/key/text").asString(""));
    assertTrue(told.at("/key/hash").asString("").matches("[0-9a-f]{32}"));
    assertEquals("/fresh", told.at("/origin/target").asString(""));
    assertTrue(fieldsTo(told).contains("authorization: …"), told.toString());
    assertFalse(told.toString().contains("secret"), told.toString());
    assertFalse(told.toString().contains("c2VjcmV0"), told.toString());
    assertEquals("miss-uri", reason(foreseen("GET", "/fresh")));
  }

  @Test
  void aFreshHitIsForeseenWithItsAge() throws Exception {
    ask("GET", "/fresh");
    edge.awaitIdle();
    ahead.addAndGet(10_000);
    long hits = edge.server().store().nearHits() + edge.server().store().indexHits();
    int touches = explain("GET", "/fresh").at("/stored/object/inMemory/touches").asInt(-1);
    JsonNode again = explain("GET", "/fresh");
    assertEquals(touches, again.at("/stored/object/inMemory/touches").asInt(-2));
    assertEquals(hits, edge.server().store().nearHits() + edge.server().store().indexHits());
    JsonNode told = foreseen("GET", "/fresh");
    assertEquals("hit-fresh", reason(told));
    JsonNode age = told.path("age");
    assertEquals(1_000_000, age.path("lifetimeMillis").asLong(0));
    assertTrue(age.path("residentMillis").asLong(0) >= 10_000, age.toString());
    assertEquals(
        Math.max(age.path("apparentAgeMillis").asLong(0), age.path("correctedAgeMillis").asLong(0))
            + age.path("residentMillis").asLong(0),
        age.path("currentAgeMillis").asLong(0));
    assertEquals("\"1\"", age.path("etag").asString(""));
    assertTrue(told.path("origin").isNull());
  }

  @Test
  void staleUseIsForeseenWithTheFetchInTheBackground() throws Exception {
    origin.on(
        "/swr",
        TestOrigin.ok(
            "cache-control: max-age=10, stale-while-revalidate=100\r\netag: \"s\"\r\n",
            new byte[9]));
    ask("GET", "/swr");
    ahead.addAndGet(20_000);
    JsonNode told = foreseen("GET", "/swr");
    assertEquals("hit-stale-while-revalidate", reason(told));
    assertTrue(told.at("/origin/background").asBoolean(false));
    assertTrue(fieldsTo(told).contains("if-none-match: \"s\""), told.toString());
    Await.until("the refresh", () -> origin.count("/swr") == 2);
    edge.awaitIdle();
    ahead.addAndGet(200_000);
    assertEquals("stale-expired", reason(foreseen("GET", "/swr")));
  }

  @Test
  void aRefreshThatFailedIsForeseenToWait() throws Exception {
    long installed = edge.sum(c -> c.fillsInstalled);
    origin.on(
        "/down",
        TestOrigin.ok("cache-control: max-age=10, stale-while-revalidate=100\r\n", new byte[9]));
    ask("GET", "/down");
    edge.awaitSum(installed + 1, c -> c.fillsInstalled);
    ahead.addAndGet(20_000);
    origin.on(
        "/down",
        (request, connection) -> connection.send("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"));
    // The clock goes on meanwhile: from the fifth time on the wait is longer than this test.
    for (int i = 0; i < 5; i++) {
      long unstored = edge.sum(c -> c.fillsUnstored);
      ask("GET", "/down");
      edge.awaitSum(unstored + 1, c -> c.fillsUnstored);
      ahead.addAndGet(i < 4 ? 10_000 : 0);
    }
    int asked = origin.count("/down");
    JsonNode told = foreseen("GET", "/down");
    assertEquals("hit-stale-refresh-failed", reason(told));
    assertTrue(told.path("origin").isNull());
    assertTrue(
        told.path("rules").toString().contains("5 refreshes in a row failed"), told.toString());
    assertEquals(asked, origin.count("/down"));
  }

  @Test
  void theVariantThatARequestSelectsIsShownOrThatThereIsNone() throws Exception {
    origin.on("/vary", TestOrigin.ok(FRESH + "vary: accept-language\r\n", new byte[9]));
    ask("GET", "/vary", "Accept-Language: de");
    JsonNode german = foreseen("GET", "/vary", "Accept-Language: de");
    assertEquals("hit-fresh", reason(german));
    assertEquals("accept-language", german.at("/stored/variesBy/0").asString(""));
    assertEquals(1, german.at("/stored/variants").size());
    assertEquals("marker", german.at("/stored/marker/kind").asString(""));
    assertEquals(
        german.at("/key/text").asString("?"), german.at("/stored/object/key").asString(""));
    JsonNode english = foreseen("GET", "/vary", "Accept-Language: en");
    assertEquals("miss-vary", reason(english));
    assertTrue(english.at("/stored/object").isNull());
    assertEquals(2, explain("GET", "/vary").at("/stored/variants").size());
  }

  @Test
  void otherVariantsThatTheQuestionNamesAreShown() throws Exception {
    origin.on("/named", TestOrigin.ok(FRESH + "vary: accept-language\r\n", new byte[9]));
    ask("GET", "/named", "Accept-Language: de");
    JsonNode english = foreseen("GET", "/named", "Accept-Language: en");
    assertTrue(fieldsTo(english).contains("if-none-match: \"1\""), english.toString());
    assertEquals("\"1\"", origin.requests("/named").getLast().field("if-none-match"));
  }

  @Test
  void aKnownUncacheableKeyIsPassed() throws Exception {
    origin.on("/private", TestOrigin.ok("cache-control: private\r\n", new byte[9]));
    ask("GET", "/private");
    JsonNode told = foreseen("GET", "/private");
    assertEquals("pass-uncacheable", reason(told));
    assertTrue(told.path("rules").toString().contains("hit-for-miss"), told.toString());
    assertEquals("not-stored-private", remembered(told), told.toString());
  }

  /** What is remembered of requests with cookies is told to them alone. */
  @Test
  void whyAKeyIsKnownAsUncacheableIsTold() throws Exception {
    origin.on("/cookies", TestOrigin.ok(FRESH + "vary: Cookie\r\n", new byte[9]));
    ask("GET", "/cookies", "Cookie: a=1");
    JsonNode told = foreseen("GET", "/cookies", "Cookie: a=2");
    assertEquals("pass-uncacheable", reason(told));
    assertEquals("not-stored-vary-cookie", remembered(told), told.toString());
    assertEquals("miss-uri", reason(foreseen("GET", "/cookies")));
    assertEquals("hit-fresh", reason(foreseen("GET", "/cookies")));
    // The response is stored under a variant's key by now, and what is known is known of the URL.
    JsonNode again = foreseen("GET", "/cookies", "Cookie: a=3");
    assertEquals("not-stored-vary-cookie", remembered(again), again.toString());
    ahead.addAndGet(61_000);
    assertEquals("miss-vary", reason(explain("GET", "/cookies", "Cookie: a=3")));
  }

  private static String remembered(JsonNode told) {
    for (JsonNode rule : told.path("rules")) {
      if (rule.path("rule").asString("").equals("last-response")) {
        return rule.path("reason").asString("");
      }
    }
    return "";
  }

  @Test
  void aMethodIsPassedOrRefusedWithoutLookingUp() throws Exception {
    JsonNode passed = foreseen("POST", "/fresh");
    assertEquals("pass-method", reason(passed));
    assertTrue(passed.path("key").isNull());
    assertEquals("POST", passed.at("/origin/method").asString(""));
    JsonNode refused = foreseen("PURGE", "/fresh");
    assertEquals("refused-method", reason(refused));
    assertEquals(405, refused.at("/answer/status").asInt(0));
    assertTrue(refused.path("origin").isNull());
    assertEquals("pass-head", reason(foreseen("HEAD", "/fresh")));
  }

  @Test
  void aHostWithoutRouteIsRefused() throws Exception {
    JsonNode told = edge.explain(200, "{\"url\":\"http://other.example/\"}");
    assertEquals("refused-no-route", reason(told));
    assertTrue(told.path("route").isNull());
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/", "Host: other.example");
      assertEquals(told.at("/answer/status").asInt(0), reply.status());
      assertEquals(told.at("/answer/cacheStatus").asString(""), reply.field("cache-status"));
    }
  }

  @Test
  void aSoftPurgeMakesStaleAndAPurgeAMiss() throws Exception {
    ask("GET", "/fresh");
    edge.awaitIdle();
    edge.purge(PurgeKind.URL, "http://www.example/fresh", true);
    JsonNode soft = foreseen("GET", "/fresh");
    assertEquals("stale-soft-purged", reason(soft));
    assertEquals("revalidate", soft.at("/answer/action").asString(""));
    assertTrue(fieldsTo(soft).contains("if-none-match: \"1\""), soft.toString());
    edge.purge(PurgeKind.URL, "http://www.example/fresh", false);
    assertEquals("miss-uri", reason(foreseen("GET", "/fresh")));
  }

  @Test
  void conditionsAndRangesArePlannedAsTheyAreServed() throws Exception {
    ask("GET", "/fresh");
    JsonNode range = foreseen("GET", "/fresh", "Range: bytes=10-19");
    assertEquals("range", range.at("/serve/plan").asString(""));
    assertEquals(206, range.at("/answer/status").asInt(0));
    assertEquals(19, range.at("/serve/ranges/0/last").asInt(0));
    assertEquals(
        "not-modified",
        foreseen("GET", "/fresh", "If-None-Match: \"1\"").at("/serve/plan").asString(""));
    assertEquals(
        "unsatisfiable",
        foreseen("GET", "/fresh", "Range: bytes=600-").at("/serve/plan").asString(""));
  }

  @Test
  void aFarRangeOfWhatIsNotStoredIsFetchedBySlices() throws Exception {
    JsonNode told = explain("GET", "/far", "Range: bytes=20000000-20000009");
    assertEquals("fetch", told.at("/answer/action").asString(""));
    assertTrue(
        fieldsTo(told).stream().anyMatch(line -> line.matches("range: bytes=\\d+-\\d+")),
        told.toString());
  }

  @Test
  void whatTheRecipeLeavesOutIsNeitherInTheKeyNorAskedFor() throws Exception {
    origin.on("/strip", TestOrigin.ok(FRESH, new byte[9]));
    JsonNode told = foreseen("GET", "/strip?utm_source=x&a=1");
    assertEquals("strips", told.at("/route/name").asString(""));
    assertEquals("http://www.example:80/strip?a=1", told.at("/key/text").asString(""));
    assertEquals("/strip?a=1", told.at("/origin/target").asString(""));
    assertEquals("/strip?a=1", origin.requests("/strip").getFirst().target());
    assertEquals("hit-fresh", reason(foreseen("GET", "/strip?a=1&utm_medium=y")));
  }

  @Test
  void aFetchUnderWayIsJoined() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/slow",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, new byte[9]);
        });
    try (RawClient client = edge.connect()) {
      client.request("GET", "/slow", HOST);
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      JsonNode told = explain("GET", "/slow");
      gate.countDown();
      assertEquals("join", told.at("/answer/action").asString(""));
      assertTrue(told.at("/answer/cacheStatus").asString("").endsWith("; collapsed"));
      assertEquals(200, client.reply().status());
    }
  }

  @Test
  void whatTheOriginIsAskedIsWhatWasForeseen() throws Exception {
    JsonNode told =
        foreseen("GET", "/fresh", "X-Own: 1", "Accept-Encoding: gzip", "Range: bytes=0-");
    TestOrigin.Request seen = origin.requests("/fresh").getFirst();
    for (String line : fieldsTo(told)) {
      String[] parts = line.split(": ", 2);
      assertEquals(parts[1], seen.field(parts[0]), line);
    }
  }

  @Test
  void aMalformedOrderIsRefusedWithEveryProblem() throws Exception {
    JsonNode error =
        edge.explain(
            400,
            """
            {"method":"G T","url":"/x","fields":[["Host","a"],["a b","c"],["a"],["x","a\\nb"]],"more":1}
            """);
    assertEquals(7, error.path("problems").size(), error.toString());
    edge.explain(400, "{}");
    edge.explain(400, "{\"url\":\"http://www.example/\",\"fields\":{}}");
    edge.explain(400, "{\"url\":\"http://www.example/\",\"method\":\"" + "M".repeat(65) + "\"}");
  }

  @Test
  void saysWhetherTheResponseToAPostMayBeStored() throws Exception {
    origin.on("/post", TestOrigin.ok(FRESH + "content-location: /post\r\n", Edge.bytes(2, 10)));
    JsonNode told = foreseen("POST", "/post");
    assertEquals("pass-method", reason(told));
    assertTrue(
        told.at("/rules").toString().contains("is stored for GET and HEAD"), told.toString());
    edge.awaitSum(1, c -> c.postsStored);
    assertEquals("hit-fresh", reason(foreseen("GET", "/post")));
    JsonNode refused = foreseen("POST", "/post", "Cookie: a=b");
    assertTrue(
        refused.at("/rules").toString().contains("No response to this request is stored"),
        refused.toString());
    edge.awaitIdle();
    assertEquals(1, edge.sum(c -> c.postsStored));
  }
}
