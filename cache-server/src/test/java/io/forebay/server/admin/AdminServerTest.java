package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.json.InputProblems;
import io.forebay.server.metric.NodeMetrics;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeStatus.NotReady;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgeKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(120)
@Tag("slow")
final class AdminServerTest {
  private static final String TOKEN = "0123456789abcdef-token";

  private final List<AutoCloseable> open = new ArrayList<>();
  private FakeNode node = new FakeNode(Map.of());

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  private RawHttp start() throws IOException {
    return new RawHttp(start(AdminListener.Bounds.DEFAULT).port());
  }

  private AdminServer start(AdminListener.Bounds bounds) throws IOException {
    AccessLog log =
        AccessLog.open(new io.forebay.server.config.ServerConfig.AccessLogConfig("off", 64), 2);
    NodeMetrics metrics = new NodeMetrics(node, log, () -> 0, "1.2.3");
    AdminServer admin = AdminServer.start(node, metrics, log, AuditLog.OFF, "1.2.3", bounds);
    open.add(log);
    open.add(metrics);
    open.add(admin);
    return admin;
  }

  // Health.

  @ParameterizedTest
  @ValueSource(strings = {"/healthz", "/v1/health"})
  void isHealthyWhileItAnswers(String path) throws IOException {
    RawHttp.Answer answer = start().get(path);
    assertEquals(200, answer.status());
    assertEquals("{\"status\":\"ok\"}\n", answer.text());
    assertEquals("application/json", answer.field("content-type"));
    assertEquals("no-store", answer.field("cache-control"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/readyz", "/v1/ready"})
  void namesTheReasonsForNotBeingReady(String path) throws IOException {
    RawHttp http = start();
    RawHttp.Answer ready = http.get(path);
    assertEquals(200, ready.status());
    assertEquals("{\"ready\":true,\"reasons\":[]}\n", ready.text());

    node.notReady(new NotReady("origin-unresolved", "origin main: no such name"));
    RawHttp.Answer notReady = http.get(path);
    assertEquals(503, notReady.status());
    assertEquals(
        "{\"ready\":false,\"reasons\":[{\"code\":\"origin-unresolved\","
            + "\"detail\":\"origin main: no such name\"}]}\n",
        notReady.text());
  }

  // Stats, configuration, metrics.

  @Test
  void statsSumTheLoops() throws IOException {
    node.counters().get(0).countRequest(MethodClass.GET, CacheResult.HIT, 200);
    node.counters().get(1).countRequest(MethodClass.GET, CacheResult.HIT, 206);
    node.counters().get(1).countRequest(MethodClass.GET, CacheResult.STALE, 200);
    node.counters().get(1).countRequest(MethodClass.HEAD, CacheResult.MISS, 404);
    node.counters().get(1).countRequest(MethodClass.OTHER, CacheResult.PASS, 502);
    node.counters().get(0).bytesToClients = 5;
    node.counters().get(1).bytesToClients = 6;
    JsonNode stats = start().get("/v1/stats").json();

    assertEquals("1.2.3", stats.get("version").stringValue());
    assertEquals("edge-test", stats.get("node").stringValue());
    assertEquals(5, stats.at("/requests/total").longValue());
    assertEquals(2, stats.at("/requests/byResult/hit").longValue());
    assertEquals(1, stats.at("/requests/byResult/pass").longValue());
    assertEquals(3, stats.at("/requests/byStatus/2xx").longValue());
    assertEquals(0.75, stats.at("/requests/hitRatio").doubleValue());
    assertEquals(11, stats.at("/bytes/toClients").longValue());
    assertEquals(0.5, stats.at("/loops/1/busy").doubleValue());
    assertEquals(128L * (4 << 20), stats.at("/store/capacityBytes").longValue());
    assertEquals(2000, stats.at("/store/bytes/protected").longValue());
    assertEquals("rebuilding", stats.at("/store/recovery/phase").stringValue());
    assertTrue(stats.at("/memory/heapUsedBytes").longValue() > 0);
    assertTrue(stats.at("/memory/mappedBytes").isNumber());
  }

  @Test
  void theHitRatioOfNothingIsUnknown() throws IOException {
    assertTrue(start().get("/v1/stats").json().at("/requests/hitRatio").isNull());
  }

  @Test
  void showsTheConfigurationWithoutItsSecrets() throws IOException {
    node = new FakeNode(Map.of("admin.token", TOKEN, "store.memory", "64MiB"));
    RawHttp.Answer answer = start().get("/v1/config", "Authorization: Bearer " + TOKEN);
    assertEquals("64MiB", answer.json().at("/store/memory").stringValue());
    assertEquals("***", answer.json().at("/admin/token").stringValue());
    assertFalse(answer.text().contains(TOKEN));
  }

  @Test
  void servesMetricsInTheFormatAskedFor() throws IOException {
    RawHttp http = start();
    RawHttp.Answer text = http.get("/metrics");
    assertEquals("text/plain; version=0.0.4; charset=utf-8", text.field("content-type"));
    assertTrue(text.text().contains("forebay_build_info{java="), text.text());
    RawHttp.Answer open =
        http.get("/metrics", "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    assertEquals(NodeMetrics.OPEN_METRICS, open.field("content-type"));
    assertTrue(open.text().endsWith("# EOF\n"));
  }

  // Origins.

  @Test
  void drainsAServer() throws IOException {
    RawHttp.Answer answer =
        start()
            .post(
                "/v1/origins/drain",
                """
                {"server":"http://127.0.0.1:9000","origin":"default","reason":"update","force":true}
                """);
    assertEquals(200, answer.status(), answer.text());
    assertEquals(
        List.of(new DrainOrder("http://127.0.0.1:9000", "default", "update", true)),
        node.drained());
    JsonNode outcome = answer.json();
    assertEquals("default", outcome.get("origin").stringValue());
    assertEquals("http://127.0.0.1:9000", outcome.get("server").stringValue());
    assertTrue(outcome.get("changed").booleanValue());
    assertEquals("127.0.0.1:9000", outcome.at("/endpoints/0/address").stringValue());
    assertEquals(2, outcome.get("endpoints").size());
  }

  @Test
  void undrainsAServer() throws IOException {
    RawHttp.Answer answer = start().post("/v1/origins/undrain", "{\"server\":\"127.0.0.2:9000\"}");
    assertEquals(200, answer.status(), answer.text());
    assertFalse(answer.json().get("changed").booleanValue());
    assertEquals(1, answer.json().get("endpoints").size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "drain~{}~400~server must be",
        "drain~{\"server\":7}~400~server must be a string",
        "drain~{\"server\":\"a\",\"wait\":true}~400~unknown field",
        "drain~{\"server\":\"a\",\"force\":1}~400~force must be true or false",
        "drain~{\"server\":\"a\",\"reason\":\"\u00fc\"}~400~reason must be ASCII",
        "undrain~{\"server\":\"a\",\"force\":true}~400~unknown field",
        "drain~{\"server\":\"http://b\"}~404~no origin has the server http://b",
        "drain~{\"server\":\"http://last.example\"}~409~it is the last one",
        "drain~{\"server\":\"http://full.example\"}~507~nothing was changed",
      })
  void aDrainThatCannotBeDoneSaysWhy(String what, String body, int status, String text)
      throws IOException {
    RawHttp.Answer answer = start().post("/v1/origins/" + what, body);
    assertEquals(status, answer.status(), answer.text());
    assertTrue(answer.text().contains(text), answer.text());
    assertEquals(List.of(), node.drained());
  }

  // Purge.

  @Test
  void purgesEveryKindInOneCall() throws IOException {
    RawHttp.Answer answer =
        start()
            .post(
                "/v1/purge",
                """
                {"urls":["http://a.example/x"],"tags":["t1","t 2"],"prefixes":["a.example/img/"],
                 "hosts":["a.example:8080"],"everything":true,"soft":true}
                """);
    assertEquals(200, answer.status(), answer.text());
    assertEquals(
        List.of(
            new PurgeOrder(PurgeKind.URL, "http://a.example/x", true),
            new PurgeOrder(PurgeKind.TAG, "t1", true),
            new PurgeOrder(PurgeKind.TAG, "t 2", true),
            new PurgeOrder(PurgeKind.PREFIX, "a.example/img/", true),
            new PurgeOrder(PurgeKind.HOST, "a.example:8080", true),
            new PurgeOrder(PurgeKind.EVERYTHING, "*", true)),
        node.purged());
    JsonNode first = answer.json().at("/purges/0");
    assertEquals(
        List.of(
            "id",
            "kind",
            "text",
            "soft",
            "sequence",
            "matched",
            "tookMillis",
            "before",
            "at",
            "scopes",
            "matchedBytes",
            "swept"),
        new ArrayList<>(first.propertyNames()));
    assertEquals(101, first.get("id").longValue());
    assertEquals("url", first.get("kind").stringValue());
    assertEquals("http://a.example/x", first.get("text").stringValue());
    assertTrue(first.get("soft").booleanValue());
    assertEquals(7001, first.get("sequence").longValue());
    assertEquals(1, first.get("matched").longValue());
    assertEquals(1.235, first.get("tookMillis").doubleValue());
    assertTrue(answer.json().at("/purges/1/matched").isNull());
    assertTrue(answer.json().get("tookMillis").isNumber());
  }

  @Test
  void limitsAllEntriesOfACallByTime() throws IOException {
    RawHttp client = start();
    RawHttp.Answer answer =
        client.post(
            "/v1/purge",
            """
            {"tags":["t1"],"everything":true,"storedBefore":"2026-01-01T00:00:00Z"}
            """);
    assertEquals(200, answer.status(), answer.text());
    Instant time = Instant.parse("2026-01-01T00:00:00Z");
    assertEquals(
        List.of(
            new PurgeOrder(PurgeKind.TAG, "t1", false).ofStoredBefore(time),
            new PurgeOrder(PurgeKind.EVERYTHING, "*", false).ofStoredBefore(time)),
        node.purged());
    assertEquals("2026-01-01T00:00:00Z", answer.json().at("/purges/0/storedBefore").stringValue());
    Instant before = Instant.now();
    assertEquals(
        200, client.post("/v1/purge", "{\"tags\":[\"t2\"],\"olderThan\":\"90m\"}").status());
    Instant limit = Objects.requireNonNull(node.purged().getLast().storedBefore());
    assertTrue(limit.isAfter(before.minusSeconds(5401)), limit.toString());
    assertFalse(limit.isAfter(Instant.now().minusSeconds(5400)), limit.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "\"storedBefore\":\"2026-01-01\"~is not a time",
        "\"olderThan\":\"1h30m\"~is not an age",
        "\"olderThan\":\"0s\"~is not an age",
        "\"olderThan\":\"9999999999s\"~is not an age",
        "\"olderThan\":\"1h\",\"storedBefore\":\"2026-01-01T00:00:00Z\"~give one",
        "\"olderThan\":7~olderThan"
      })
  void aLimitInTimeThatIsNoneIsRefused(String field, String text) throws IOException {
    RawHttp.Answer answer = start().post("/v1/purge", "{\"tags\":[\"t1\"]," + field + "}");
    assertEquals(400, answer.status(), answer.text());
    assertTrue(answer.text().contains(text), answer.text());
    assertEquals(List.of(), node.purged());
  }

  @Test
  void undoesAPurgeOrSaysWhyNot() throws IOException {
    RawHttp client = start();
    RawHttp.Answer done = client.post("/v1/purges/17/undo", "{}");
    assertEquals(200, done.status(), done.text());
    assertEquals(
        "{\"id\":18,\"kind\":\"undo\",\"undone\":17,\"sequence\":18,\"tookMillis\":1.235}",
        done.text().strip());
    assertEquals(409, client.post("/v1/purges/9/undo", "").status());
    assertEquals(404, client.post("/v1/purges/" + FakeNode.UNKNOWN_PURGE + "/undo", "{}").status());
    assertEquals(400, client.post("/v1/purges/17/undo", "{\"wait\":\"all\"}").status());
    assertEquals(405, client.get("/v1/purges/17/undo").status());
  }

  @Test
  void takesPatternsWithWhatTheyAreLimitedTo() throws IOException {
    RawHttp.Answer answer =
        start()
            .post(
                "/v1/purge",
                """
                {"patterns":[{"path":"^/img/"},{"header":"content-type: ^video/","host":"a.example"}]}
                """);
    assertEquals(200, answer.status(), answer.text());
    assertEquals(
        List.of(
            new PurgeOrder(PurgeKind.PATTERN, "path ^/img/", false),
            new PurgeOrder(
                PurgeKind.PATTERN, "host a.example header content-type: ^video/", false)),
        node.purged());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "{\"patterns\":[{}]}~either a path or a header",
        "{\"patterns\":[{\"path\":\"a\",\"header\":\"b: c\"}]}~either a path or a header",
        "{\"patterns\":[\"^/img/\"]}~array of objects",
        "{\"patterns\":[{\"path\":\"a\",\"host\":\"b c\"}]}~is not a host",
        "{\"patterns\":[{\"path\":7}]}~must be a string",
        "{\"patterns\":[{\"regex\":\"a\"}]}~unknown field",
      })
  void aMalformedPatternPurgesNothing(String body, String problem) throws IOException {
    RawHttp.Answer answer = start().post("/v1/purge", body);
    assertEquals(400, answer.status());
    assertTrue(answer.text().contains(problem), answer.text());
    assertEquals(List.of(), node.purged());
  }

  @Test
  void aDryRunSaysWhatItCountedAndPurgesNothing() throws IOException {
    RawHttp.Answer answer =
        start().post("/v1/purge", "{\"tags\":[\"t1\"],\"soft\":true,\"dryRun\":true}");
    assertEquals(200, answer.status(), answer.text());
    assertTrue(answer.json().get("dryRun").booleanValue());
    JsonNode one = answer.json().at("/purges/0");
    assertEquals("tag", one.get("kind").stringValue());
    assertEquals(5, one.get("matched").longValue());
    assertEquals(70, one.get("matchedBytes").longValue());
    assertFalse(one.get("complete").booleanValue());
    assertEquals("disk d0", one.at("/parts/1/place").stringValue());
    assertEquals("the rest", one.at("/parts/1/uncounted").stringValue());
    assertEquals(List.of(), node.purged());
  }

  @Test
  void whatBecameOfAPurgeCanBeAskedForLater() throws IOException {
    RawHttp http = start();
    JsonNode one = http.get("/v1/purges/9").json();
    assertEquals("pattern", one.get("kind").stringValue());
    assertEquals("path ^/img/", one.get("text").stringValue());
    assertEquals(9, one.get("before").longValue());
    assertEquals("1970-01-01T00:00:01Z", one.get("at").stringValue());
    assertEquals(3, one.get("matched").longValue());
    assertEquals(30, one.get("matchedBytes").longValue());
    assertTrue(one.get("swept").booleanValue());
    assertEquals(one, http.get("/v1/purges").json().at("/purges/0"));
    assertEquals(404, http.get("/v1/purges/" + FakeNode.UNKNOWN_PURGE).status());
    assertEquals(405, http.post("/v1/purges", "{}").status());
  }

  @Test
  void takesUrlsOnAnyPortAndWithAnyScheme() throws IOException {
    RawHttp http = start();
    String url = "http://a.example/x";
    for (String more : List.of("\"anyScheme\":true", "\"anyScheme\":true,\"anyPort\":true")) {
      assertEquals(
          200, http.post("/v1/purge", "{\"urls\":[\"" + url + "\"]," + more + "}").status());
    }
    assertEquals(
        List.of(
            new PurgeOrder(PurgeKind.URL, url, false, PurgeOrder.Reach.ANY_SCHEME),
            new PurgeOrder(PurgeKind.URL, url, false, PurgeOrder.Reach.ANY_PORT)),
        node.purged());
    RawHttp.Answer wrong = http.post("/v1/purge", "{\"tags\":[\"a\"],\"anyPort\":true}");
    assertEquals(400, wrong.status());
    assertTrue(wrong.text().contains("anyScheme and anyPort are for urls"), wrong.text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "{\"files\":[\"https://a.example/x?y\"]}~URL~https://a.example/x?y",
        "{\"purge_everything\":true}~EVERYTHING~*",
        "{\"surrogate_keys\":[\"k\"]}~TAG~k",
      })
  void takesTheWordsOfOtherCaches(String body, PurgeKind kind, String text) throws IOException {
    assertEquals(200, start().post("/v1/purge", body).status());
    assertEquals(List.of(new PurgeOrder(kind, text, false)), node.purged());
  }

  @Test
  void aMalformedOrderNamesAllProblemsAndPurgesNothing() throws IOException {
    RawHttp.Answer answer =
        start()
            .post(
                "/v1/purge",
                """
                {"urls":["http://a.example/fine","/relative",7,""],"tag":["typo"],"hosts":["a/b"],
                 "prefixes":["/no-host"],"everything":"yes","tags":["impossible"]}
                """);
    assertEquals(400, answer.status());
    assertEquals(List.of(), node.purged());
    List<String> problems = new ArrayList<>();
    answer.json().get("problems").forEach(problem -> problems.add(problem.stringValue()));
    assertEquals(
        List.of(
            "unknown field \"tag\"",
            "urls[2] must be a string",
            "urls[3] is empty",
            "urls: \"/relative\" is not an absolute http or https URL",
            "prefixes: \"/no-host\" must name a host and a path, as in a.example/img/",
            "hosts: \"a/b\" is not a host",
            "everything must be true or false",
            "tag \"impossible\": no request can be for it"),
        problems);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "\"x\"",
        "{}",
        "{\"urls\":[]}",
        "{\"urls\":\"http://a/\"}",
        "{} {}",
        "{\"soft\":true,\"soft\":true,\"everything\":true}",
        "{\"everything\":false}",
        "{\"urls\":[\"http://user@a.example/\"]}",
        "{\"tags\":[\"a\\u0000b\"]}",
        "{\"tags\":[\" \"]}",
      })
  void refusesAnOrderItCannotUnderstand(String body) throws IOException {
    RawHttp.Answer answer = start().post("/v1/purge", body);
    assertEquals(400, answer.status(), answer.text());
    assertNotNull(answer.json().get("error").stringValue());
    assertEquals(List.of(), node.purged());
  }

  @Test
  void takes256EntriesACallAndNotOneMore() throws IOException {
    RawHttp http = start();
    StringBuilder tags = new StringBuilder("\"t\"");
    for (int i = 1; i < 256; i++) {
      tags.append(",\"t").append(i).append('"');
    }
    assertEquals(200, http.post("/v1/purge", "{\"tags\":[" + tags + "]}").status());
    assertEquals(256, node.purged().size());
    RawHttp.Answer answer = http.post("/v1/purge", "{\"everything\":true,\"tags\":[" + tags + "]}");
    assertEquals(400, answer.status());
    assertEquals(256, node.purged().size());
  }

  @Test
  void saysWhichPurgesWereDoneWhenTheJournalFailsMidway() throws IOException {
    node.journalFailsAt("t2");
    RawHttp.Answer answer = start().post("/v1/purge", "{\"tags\":[\"t1\",\"t2\",\"t3\"]}");
    assertEquals(507, answer.status());
    assertEquals(
        "the purge could not be made durable: No space left on device; 1 of the request's purges"
            + " were done before",
        answer.json().get("error").stringValue());
    assertEquals("done: \"tag\" \"t1\"", answer.json().at("/problems/0").stringValue());
    assertEquals(List.of(new PurgeOrder(PurgeKind.TAG, "t1", false)), node.purged());
  }

  @Test
  void boundsTheBody() throws IOException {
    RawHttp http = start();
    String body = "{\"tags\":[\"" + "x".repeat(1 << 20) + "\"]}";
    RawHttp.Answer answer = http.post("/v1/purge", body);
    assertEquals(413, answer.status());
    assertEquals(List.of(), node.purged());
    assertEquals(200, http.get("/healthz").status());
  }

  // Reload.

  @Test
  void reloadTellsWhatChanged() throws IOException {
    node.reload(
        new Reload(
            7,
            List.of("store.memory", "limits.fills", "routes.a.key.port"),
            List.of("routes.a.key.port"),
            List.of("store.memory"),
            List.of()));
    RawHttp.Answer answer = start().post("/v1/reload", "");
    assertEquals(200, answer.status());
    assertEquals(
        "{\"id\":7,\"changed\":[\"store.memory\",\"limits.fills\",\"routes.a.key.port\"],"
            + "\"changesKeys\":[\"routes.a.key.port\"],\"needsRestart\":[\"store.memory\"]}\n",
        answer.text());
  }

  @Test
  void aReloadThatIsOnlyTriedSaysSo() throws IOException {
    RawHttp http = start();
    assertEquals(
        "{\"dryRun\":true,\"changed\":[],\"changesKeys\":[],\"needsRestart\":[]}\n",
        http.post("/v1/reload", "{\"dryRun\":true}").text());
    assertTrue(node.reloads().getLast().isDryRun());
    assertEquals(400, http.post("/v1/reload", "{\"dry\":true}").status());
    assertEquals(400, http.post("/v1/reload", "{\"dryRun\":1}").status());
    assertEquals(1, node.reloads().size());
  }

  @Test
  void aRollbackNamesAConfigurationThatWasAccepted() throws IOException {
    RawHttp http = start();
    assertEquals(200, http.post("/v1/config/rollback", "{\"number\":11}").status());
    assertEquals(11, node.reloads().getLast().number());
    assertEquals(404, http.post("/v1/config/rollback", "{\"number\":10}").status());
    for (String number : List.of("\"11\"", "0", "-1", "1.5", "null", "99999999999999999999")) {
      String body = "{\"number\":" + number + "}";
      assertEquals(400, http.post("/v1/config/rollback", body).status(), body);
    }
    assertEquals(400, http.post("/v1/config/rollback", "{}").status());
    assertEquals(1, node.reloads().size());
  }

  @Test
  void acceptedConfigurationsAreListedAndCompared() throws IOException {
    RawHttp http = start();
    JsonNode list = http.get("/v1/config/history").json().path("configurations");
    assertEquals(2, list.size());
    assertEquals("signal", list.path(1).path("author").asString(""));
    assertEquals(
        "{\"from\":11,\"to\":12,\"changes\":[{\"key\":\"limits.fills\",\"before\":\"256\","
            + "\"after\":\"512\"}]}\n",
        http.get("/v1/config/changes/11/12").text());
    assertEquals(404, http.get("/v1/config/changes/11/13").status());
    assertEquals(404, http.get("/v1/config/changes/11").status());
  }

  @Test
  void aRefusedReloadIsAnErrorWithAllItsReasons() throws IOException {
    node.reload(Reload.refused(8, List.of("a.yaml:1:1: x", "a.yaml:2:1: y")));
    RawHttp.Answer answer = start().post("/v1/reload", "");
    assertEquals(422, answer.status());
    assertEquals(2, answer.json().get("problems").size());
  }

  // Paths and methods.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/v1",
        "/v1/",
        "/v1/purge/",
        "/V1/stats",
        "/v1/warm/x",
        "/metrics/..",
        "/a%00"
      })
  void answersAnUnknownPathInJson(String path) throws IOException {
    RawHttp.Answer answer = start().get(path);
    assertEquals(404, answer.status());
    assertEquals("no resource has this path", answer.json().get("error").stringValue());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET|/v1/purge|POST",
        "POST|/v1/stats|GET, HEAD",
        "DELETE|/healthz|GET, HEAD",
        "PUT|/v1/warm|GET, POST, HEAD",
        "POST|/v1/warm/1|GET, DELETE, HEAD",
        "OPTIONS|/v1/reload|POST",
      })
  void namesTheMethodsOfAPath(String method, String path, String allow) throws IOException {
    RawHttp.Answer answer = start().send(method, path, "");
    assertEquals(405, answer.status());
    assertEquals(allow, answer.field("allow"));
    assertNotNull(answer.json().get("error"));
  }

  @Test
  void answersHeadWithoutABody() throws IOException {
    RawHttp.Answer answer = start().send("HEAD", "/v1/stats", "");
    assertEquals(200, answer.status());
    assertEquals(0, answer.body().length);
    assertTrue(Integer.parseInt(answer.field("content-length")) > 100);
  }

  // Who may call.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8081",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]",
        "127.0.0.256",
        "127.0.0.1:80:80",
        "0.0.0.0",
        "",
        "2130706433",
      })
  void refusesAHostThatIsNotThisMachine(String host) throws IOException {
    RawHttp http = start();
    for (String path : List.of("/v1/stats", "/healthz", "/metrics")) {
      assertEquals(403, http.get(path, "Host: " + host).status(), path);
    }
    assertEquals(403, http.post("/v1/purge", "{\"everything\":true}", "Host: " + host).status());
    assertEquals(List.of(), node.purged());
  }

  @Test
  void refusesARequestWithoutAHostOrWithTwo() throws IOException {
    RawHttp http = start();
    byte[] none = "GET /v1/stats HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    assertEquals(403, http.raw(none).status());
    assertEquals(403, http.get("/v1/stats", "Host: 127.0.0.1", "Host: evil.example").status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.1:8081",
        "127.1.2.3:1",
        "localhost",
        "LOCALHOST:8081",
        "[::1]:8081"
      })
  void takesTheNamesOfThisMachine(String host) throws IOException {
    assertEquals(200, start().get("/v1/stats", "Host: " + host).status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "null", "http://127.0.0.1:8081"})
  void refusesWebPages(String origin) throws IOException {
    RawHttp http = start();
    RawHttp.Answer answer = http.post("/v1/purge", "{\"everything\":true}", "Origin: " + origin);
    assertEquals(403, answer.status());
    assertEquals(403, http.get("/healthz", "Origin: " + origin).status());
    assertEquals(List.of(), node.purged());
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site", "nonsense"})
  void refusesWhatABrowserSendsFromAnotherPage(String site) throws IOException {
    RawHttp http = start();
    String field = "Sec-Fetch-Site: " + site;
    assertEquals(403, http.post("/v1/purge", "{\"everything\":true}", field).status());
    assertEquals(403, http.get("/healthz", field).status());
    assertEquals(List.of(), node.purged());
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "same-origin"})
  void takesWhatAUserTypesIntoABrowser(String site) throws IOException {
    assertEquals(200, start().get("/v1/stats", "Sec-Fetch-Site: " + site).status());
  }

  @Test
  void asksForTheTokenWhereThereIsOne() throws IOException {
    node = new FakeNode(Map.of("admin.address", ":0", "admin.token", TOKEN));
    node.notReady(new NotReady("starting", "rebuilding the index of /secret/place"));
    RawHttp http = start();
    for (String authorization :
        List.of(
            "X: y",
            "Authorization: Bearer",
            "Authorization: Bearer " + TOKEN + "x",
            "Authorization: Bearer " + TOKEN.substring(1),
            "Authorization: Basic " + TOKEN,
            "Authorization: Bearer  ")) {
      RawHttp.Answer answer = http.get("/v1/stats", authorization);
      assertEquals(401, answer.status(), authorization);
      assertEquals("Bearer", answer.field("www-authenticate"));
      assertEquals(401, http.post("/v1/purge", "{\"everything\":true}", authorization).status());
    }
    assertEquals(List.of(), node.purged());
    assertEquals(200, http.get("/v1/stats", "Authorization: bearer " + TOKEN).status());
    // Known by whatever name others reach it, once the token is right.
    assertEquals(
        200,
        http.get("/v1/stats", "Host: edge.internal", "Authorization: Bearer " + TOKEN).status());
    // Probes need no token, and learn no details.
    RawHttp.Answer probe = http.get("/readyz", "Host: 10.1.2.3:8081");
    assertEquals(503, probe.status());
    assertEquals("{\"ready\":false,\"reasons\":[{\"code\":\"starting\"}]}\n", probe.text());
    assertTrue(
        http.get("/readyz", "Authorization: Bearer " + TOKEN).text().contains("/secret/place"));
  }

  @Test
  void takesANewTokenFromAReload() throws IOException {
    node = new FakeNode(Map.of("admin.token", TOKEN));
    RawHttp http = start();
    assertEquals(200, http.get("/v1/stats", "Authorization: Bearer " + TOKEN).status());
    String next = "another-token-0123456789";
    node.config(FakeNode.load(Map.of("admin.token", next)));
    assertEquals(401, http.get("/v1/stats", "Authorization: Bearer " + TOKEN).status());
    assertEquals(200, http.get("/v1/stats", "Authorization: Bearer " + next).status());
  }

  // Bounds.

  @Test
  void answersWhileManyConnectionsSayNothing() throws IOException {
    RawHttp http = start();
    int port = ((AdminServer) open.getLast()).port();
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write("GET /v1/st".getBytes(StandardCharsets.US_ASCII));
        silent.add(socket);
      }
      assertEquals(200, http.get("/healthz").status());
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void anAnswerListsAFewProblemsAndCountsTheOthers() throws IOException {
    String numbers = "1,".repeat(99_999) + "1";
    RawHttp.Answer answer = start().post("/v1/purge", "{\"urls\":[" + numbers + "]}");
    assertEquals(400, answer.status());
    assertEquals(InputProblems.MAX, answer.json().get("problems").size());
    assertEquals(100_000 - InputProblems.MAX, answer.json().get("moreProblems").intValue());
    assertTrue(answer.body().length < 4096, "an answer of " + answer.body().length + " bytes");
  }

  @Test
  void aReloadListsAFewErrorsAndCountsTheOthers() throws IOException {
    List<String> errors = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      errors.add("key " + i);
    }
    node.reload(Reload.refused(1, errors));
    RawHttp.Answer answer = start().post("/v1/reload", "");
    assertEquals(422, answer.status());
    assertEquals(InputProblems.MAX, answer.json().get("problems").size());
    assertEquals(1000 - InputProblems.MAX, answer.json().get("moreProblems").intValue());
  }

  static List<String> overBounds() {
    return List.of(
        "{\"a\":" + "[".repeat(16) + "]".repeat(16) + "}",
        "{\"soft\":" + "9".repeat(33) + "}",
        "{\"" + "n".repeat(257) + "\":1}",
        "{\"tags\":[\"" + "x".repeat((1 << 16) + 1) + "\"]}",
        "{\"tags\":[" + "1,".repeat(200_001) + "1]}");
  }

  @ParameterizedTest
  @MethodSource("overBounds")
  void aBodyBeyondABoundOfJsonIsRefused(String body) throws IOException {
    RawHttp.Answer answer = start().post("/v1/purge", body);
    assertEquals(400, answer.status());
    String error = answer.json().get("error").stringValue();
    assertTrue(error.startsWith("the body exceeds a limit: "), error);
  }

  @Test
  void aNumberOfAnySizeIsComparedWithItsRange() throws IOException {
    RawHttp http = start();
    for (String number : List.of("1e999999", "-1e999999", "99999999999999999999999999999999")) {
      String body = "{\"urls\":[\"http://a.example/\"],\"concurrency\":" + number + "}";
      assertEquals(400, http.post("/v1/warm", body).status(), number);
    }
  }

  /** More of them than there may be connections: each new one takes the place of the oldest. */
  @Tag("full")
  @Test
  void halfRequestsKeepNobodyOut() throws IOException {
    RawHttp http = start();
    int port = ((AdminServer) open.getLast()).port();
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < AdminListener.Bounds.DEFAULT.connections() + 44; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        String half =
            i % 2 == 0
                ? "GET /v1/st"
                : "POST /v1/purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
        socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
        silent.add(socket);
      }
      assertEquals(200, http.get("/healthz").status());
      assertEquals(200, http.get("/readyz").status());
      silent.getFirst().setSoTimeout(20_000);
      assertEquals(-1, silent.getFirst().getInputStream().read(), "the oldest has to go");
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestThatDoesNotArriveIsGivenUp() throws IOException {
    Duration soon = Duration.ofMillis(200);
    int port = start(new AdminListener.Bounds(8, soon, soon, soon)).port();
    for (String part : List.of("", "GET /healthz HT")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
        assertEquals(-1, socket.getInputStream().read(), part);
      }
    }
  }

  @Test
  void answersOneRequestAfterTheOther() throws IOException {
    RawHttp http = start();
    String two =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            + "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    String text = http.raw(two.getBytes(StandardCharsets.US_ASCII)).text();
    assertTrue(text.startsWith("{\"status\":\"ok\"}\n"), text);
    assertTrue(text.endsWith("{\"ready\":true,\"reasons\":[]}\n"), text);
  }

  @Test
  void whatIsNoRequestIsRefused() throws IOException {
    RawHttp http = start();
    for (String bytes :
        List.of("nonsense\r\n\r\n", "GET /" + "x".repeat(40_000) + " HTTP/1.1\r\n\r\n")) {
      assertEquals(400, http.raw(bytes.getBytes(StandardCharsets.US_ASCII)).status());
    }
  }

  // The Unix-domain socket.

  @TempDir Path directory;

  private static String over(Path socket, String request) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static final String STATS =
      "GET /v1/stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  @Test
  void listensOnASocketThatOnlyThisUserCanConnectTo() throws Exception {
    Path socket = directory.resolve("admin.sock");
    node = new FakeNode(Map.of("admin.address", "unix:" + socket));
    start(AdminListener.Bounds.DEFAULT);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    assertTrue(over(socket, STATS).startsWith("HTTP/1.1 200 "));
    assertTrue(over(socket, STATS.replace("localhost", "evil.example")).contains(" 403 "));
    // Nothing but the socket: it was made elsewhere and moved here.
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(socket), files.toList());
    }
    IOException e = assertThrows(IOException.class, this::start);
    assertTrue(String.valueOf(e.getMessage()).contains("another process listens"), e.toString());
    assertTrue(over(socket, STATS).startsWith("HTTP/1.1 200 "), "the first one goes on");
    open.removeLast().close();
    assertFalse(Files.exists(socket), "it goes with its server");
  }

  @Test
  void replacesASocketThatWasLeftBehindAndNothingElse() throws Exception {
    Path socket = directory.resolve("admin.sock");
    node = new FakeNode(Map.of("admin.address", "unix:" + socket));
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(socket));
    }
    start(AdminListener.Bounds.DEFAULT);
    assertTrue(over(socket, STATS).startsWith("HTTP/1.1 200 "));
    open.removeLast().close();

    Files.writeString(socket, "mine");
    assertThrows(IOException.class, this::start);
    assertEquals("mine", Files.readString(socket));
    Files.delete(socket);
    Files.createSymbolicLink(socket, directory.resolve("elsewhere"));
    assertThrows(IOException.class, this::start);
    assertTrue(Files.isSymbolicLink(socket));
  }

  @Test
  void anAddressInUseIsAnError() throws IOException {
    start();
    int port = ((AdminServer) open.getLast()).port();
    node = new FakeNode(Map.of("admin.address", "127.0.0.1:" + port));
    assertThrows(IOException.class, this::start);
  }
}
