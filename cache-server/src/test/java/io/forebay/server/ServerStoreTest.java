package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The store endpoints of the admin API, over real sockets. */
@Timeout(120)
@Tag("slow")
final class ServerStoreTest {
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";
  private static final String HOST = "Host: www.example";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final HttpClient http = HttpClient.newHttpClient();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on("/small", TestOrigin.ok(FRESH, Edge.bytes(1, 500)));
    origin.on("/large", TestOrigin.ok(FRESH, Edge.bytes(2, 3_000_000)));
    origin.on("/stale", TestOrigin.ok("cache-control: max-age=0\r\netag: \"2\"\r\n", new byte[9]));
    origin.on("/private", TestOrigin.ok("cache-control: private\r\n", new byte[9]));
    origin.on("/varies", TestOrigin.ok(FRESH + "vary: accept-language\r\n", new byte[10]));
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            "stores: {one: {path: \"DIR/one\", size: 64MiB}}\n"
                .replace("DIR", directory.toString()));
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    try (RawClient client = edge.connect()) {
      for (String path : new String[] {"/small", "/large", "/stale", "/private"}) {
        assertEquals(200, client.get(path, HOST).status());
      }
      assertEquals(200, client.get("/varies", HOST, "Accept-Language: de").status());
      assertEquals(200, client.get("/varies", HOST, "Accept-Language: en").status());
    }
    edge.awaitIdle();
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
    http.close();
  }

  private JsonNode ask(int status, String method, String path, String body) throws Exception {
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    String text = new String(response.body(), StandardCharsets.UTF_8);
    assertEquals(status, response.statusCode(), text);
    return JsonMapper.shared().readTree(text);
  }

  private JsonNode get(String path) throws Exception {
    return ask(200, "GET", path, "");
  }

  private JsonNode show(String url) throws Exception {
    return get("/v1/store/object?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8))
        .at("/targets/0");
  }

  private Set<String> keys(String query) throws Exception {
    TreeSet<String> keys = new TreeSet<>();
    get("/v1/store/objects?" + query)
        .path("objects")
        .forEach(one -> assertTrue(keys.add(one.path("key").asString(""))));
    return keys;
  }

  @Test
  void objectsAreListedByPrefixAndPageByPage() throws Exception {
    assertEquals(6, keys("").size(), "two variants and their marker, no private one");
    assertEquals(
        new TreeSet<>(List.of("http://www.example:80/small")), keys("prefix=www.example/sm"));
    assertEquals(1, keys("prefix=http://www.example/large").size());
    assertEquals(0, keys("prefix=https://www.example/large").size());
    assertEquals(0, keys("prefix=other.example").size());
    TreeSet<String> paged = new TreeSet<>();
    String cursor = "0.0.0";
    for (int pages = 1; cursor != null; pages++) {
      assertTrue(pages <= 7, "pages without end");
      JsonNode page = get("/v1/store/objects?limit=1&cursor=" + cursor);
      assertTrue(page.path("objects").size() <= 1);
      page.path("objects").forEach(one -> assertTrue(paged.add(one.path("key").asString(""))));
      cursor = page.path("next").asString(null);
    }
    assertEquals(keys(""), paged);
  }

  @Test
  void anObjectIsShownWithWhyItIsAHitOrNone() throws Exception {
    JsonNode small = show("http://www.example/small");
    assertEquals("The stored response is fresh.", small.path("answer").asString(""));
    assertEquals("fresh", small.at("/objects/0/state").asString(""));
    assertEquals(500, small.at("/objects/0/bytes").asInt(0));
    assertTrue(small.at("/objects/0/fields").toString().contains("etag: \\\"1\\\""));
    assertTrue(small.at("/objects/0/inMemory/region").isNumber());
    JsonNode large = show("http://www.example/large");
    assertEquals(0, large.at("/objects/0/sliceMap/missing").asInt(-1));
    assertEquals(
        large.at("/objects/0/slices").asInt(0), large.at("/objects/0/sliceMap/inMemory").asInt(-1));
    assertTrue(
        show("http://www.example/stale").path("answer").asString("").contains("revalidated"));
    assertTrue(
        show("http://www.example/private").path("answer").asString("").contains("not be stored"));
    assertTrue(
        show("http://www.example/never").path("answer").asString("").startsWith("Nothing is"));
    JsonNode varies = show("http://www.example/varies");
    assertEquals(
        "Responses to this URL vary by accept-language: 2 variants are stored.",
        varies.path("answer").asString(""));
    assertEquals(3, varies.path("objects").size());
    assertEquals(2, get("/v1/store/object?url=www.example/small").path("targets").size());
  }

  @Test
  void aPurgeIsSeenBeforeItIsSwept() throws Exception {
    edge.purge(PurgeKind.URL, "http://www.example/small", false);
    edge.purge(PurgeKind.URL, "http://www.example/large", true);
    assertEquals(
        "The stored response for this URL was purged.",
        show("http://www.example/small").path("answer").asString(""));
    assertTrue(show("http://www.example/large").path("answer").asString("").contains("soft purge"));
    assertEquals("stale", show("http://www.example/large").at("/objects/0/state").asString(""));
  }

  @Test
  void figuresAndTheMapAgreeWithTheStore() throws Exception {
    JsonNode stat = get("/v1/store/stat");
    long objects = 0;
    long markers = 0;
    for (JsonNode part : stat.path("parts")) {
      objects += part.path("objects").asLong(0);
      markers += part.path("markers").asLong(0);
    }
    assertEquals(5, objects);
    assertEquals(1, markers);
    assertEquals("www.example", stat.at("/hosts/0/host").asString(""));
    assertEquals(5, stat.at("/hosts/0/objects").asLong(0));
    assertTrue(stat.path("complete").asBoolean(false));
    JsonNode map = get("/v1/store/map");
    assertEquals(edge.server().store().regionCount(), map.at("/tiers/0/regions").size());
    assertEquals("one", map.at("/tiers/1/tier").asString(""));
    long live = 0;
    for (JsonNode region : map.at("/tiers/0/regions")) {
      live += region.path("liveBytes").asLong(0);
    }
    assertTrue(live > 3_000_000 && live < 3_100_000, "live " + live);
  }

  @Test
  void verifyingRunsAsAJobAndOneAtATime() throws Exception {
    assertTrue(
        ask(404, "GET", "/v1/store/verify", "")
            .path("error")
            .asString("")
            .contains("no verification"));
    JsonNode begun = ask(202, "POST", "/v1/store/verify", "{\"bytesPerSecond\":100000}");
    assertEquals(1, begun.path("job").asInt(0));
    assertTrue(
        ask(429, "POST", "/v1/store/verify", "{}").path("error").asString("").contains("job 1"));
    assertFalse(ask(200, "DELETE", "/v1/store/verify", "").path("job").isMissingNode());
    Await.until("the end of job 1", () -> state().equals("cancelled"));
    ask(202, "POST", "/v1/store/verify", "{\"bytesPerSecond\":0}");
    Await.until("the end of job 2", () -> state().equals("done"));
    JsonNode done = get("/v1/store/verify");
    assertEquals(0, done.path("bad").asInt(-1), done::toString);
    assertEquals(done.path("totalBytes").asLong(0), done.path("passedBytes").asLong(-1));
    assertTrue(done.path("checkedBytes").asLong(0) > 3_000_000);
  }

  private String state() {
    try {
      return get("/v1/store/verify").path("state").asString("");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsAskedWronglyIsRefusedInALine() throws Exception {
    for (String path :
        new String[] {
          "/v1/store/objects?limit=0",
          "/v1/store/objects?limit=1001",
          "/v1/store/objects?cursor=x",
          "/v1/store/objects?unknown=1",
          "/v1/store/objects?limit=1&limit=2",
          "/v1/store/hot?limit=0",
          "/v1/store/hot?limit=10001",
          "/v1/store/object",
          "/v1/store/object?url=",
          "/v1/store/object?url=/no/host"
        }) {
      assertFalse(ask(400, "GET", path, "").path("error").asString("").isEmpty(), path);
    }
    ask(400, "POST", "/v1/store/verify", "{\"bytesPerSecond\":\"fast\"}");
    ask(405, "POST", "/v1/store/objects", "{}");
    assertEquals(0, keys("cursor=9999.1.1").size(), "a position behind the end");
  }
}
