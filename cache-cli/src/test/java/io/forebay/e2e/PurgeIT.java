package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** I2: purged objects are gone at once, exactly those named, for one more origin request each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class PurgeIT {
  @TempDir static Path directory;

  private NginxOrigin origin;
  private Tree tree;
  private EdgeProcess edge;

  @BeforeAll
  void start() throws Exception {
    origin =
        NginxOrigin.start(
            directory.resolve("nginx"),
            """
            add_header Cache-Control 'public, max-age=3600';
            location /tagged/ {
              add_header Cache-Control 'public, max-age=3600';
              add_header Surrogate-Key 'all-tagged section-7';
            }
            location /tagged-otherwise/ {
              add_header Cache-Control 'public, max-age=3600';
              add_header Cache-Tag 'section-8,all-tagged';
            }
            """);
    tree = origin.tree(3);
    edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
  }

  @AfterAll
  void stop() throws Exception {
    Tools.close(edge, origin);
  }

  @Test
  void aUrlIsGoneAndOthersStay() throws Exception {
    warm("/url/a", "/url/b", "/url/a?q=1");
    JsonNode answer = Admin.purge(edge, Map.of("urls", List.of(edge.url("/url/a"))));
    assertEquals(1, answer.path("purges").size(), answer::toString);
    assertTrue(answer.path("purges").path(0).path("id").asLong(-1) >= 0, answer::toString);
    assertRefetched("/url/a");
    assertStays("/url/b");
  }

  @Test
  void aTagTakesAllItsObjectsWhateverFieldNamedIt() throws Exception {
    warm("/tagged/1", "/tagged/2", "/tagged-otherwise/3", "/untagged/4");
    Admin.purge(edge, Map.of("tags", List.of("section-7")));
    assertRefetched("/tagged/1");
    assertRefetched("/tagged/2");
    assertStays("/tagged-otherwise/3");
    assertStays("/untagged/4");
    Admin.purge(edge, Map.of("tags", List.of("all-tagged")));
    assertRefetched("/tagged/1");
    assertRefetched("/tagged-otherwise/3");
    assertStays("/untagged/4");
  }

  @Test
  void aPrefixTakesWhatIsBelowAndNothingBeside() throws Exception {
    warm("/live/one/1", "/live/one/sub/2", "/live/two/3", "/live/onemore/4");
    Admin.purge(edge, Map.of("prefixes", List.of(edge.url("/live/one/"))));
    assertRefetched("/live/one/1");
    assertRefetched("/live/one/sub/2");
    assertStays("/live/two/3");
    assertStays("/live/onemore/4");
  }

  @Test
  void aHostIsGoneAndOthersStay() throws Exception {
    tree.write("/hosts", 5_000);
    for (String host : List.of("one.test", "two.test")) {
      edge.get("/hosts", "Host: " + host);
      assertTrue(edge.get("/hosts", "Host: " + host).isFromCache());
    }
    origin.assertRequests(2, "/hosts");
    Admin.purge(edge, Map.of("hosts", List.of("one.test")));
    assertTrue(edge.get("/hosts", "Host: two.test").isFromCache());
    assertFalse(edge.get("/hosts", "Host: one.test").isFromCache());
    assertTrue(edge.get("/hosts", "Host: ONE.test").isFromCache());
    origin.assertRequests(3, "/hosts");
  }

  @Test
  void everythingIsGone() throws Exception {
    warm("/all/1", "/all/2", "/tagged/all");
    Admin.purge(edge, Map.of("everything", true));
    assertRefetched("/all/1");
    assertRefetched("/all/2");
    assertRefetched("/tagged/all");
  }

  @Test
  void softOnlyAsksWhetherItChanged() throws Exception {
    Tree.Entry file = tree.write("/soft", 200_000);
    file.assertSame(edge.get(file.path()));
    for (Map<String, Object> order :
        List.<Map<String, Object>>of(
            Map.of("urls", List.of(edge.url(file.path())), "soft", true),
            Map.of("prefixes", List.of(edge.url("/soft")), "soft", true),
            Map.of("everything", true, "soft", true))) {
      int before = origin.requests(file.path()).size();
      assertTrue(edge.get(file.path()).isFromCache());
      Admin.purge(edge, order);
      file.assertSame(edge.get(file.path()));
      List<NginxOrigin.Logged> requests = origin.requests(file.path());
      assertEquals(before + 1, requests.size(), requests::toString);
      assertEquals(304, requests.getLast().status(), "validated, not fetched: " + requests);
      file.assertSame(edge.get(file.path()));
      origin.assertRequests(before + 1, file.path());
    }
  }

  @Test
  void aPatternOnThePathTakesWhatItFinds() throws Exception {
    warm("/pattern/a.png", "/pattern/b.png", "/pattern/c.txt", "/pattern-not/d.png");
    JsonNode answer =
        Admin.purge(edge, Map.of("patterns", List.of(Map.of("path", "^/pattern/.*\\.png$"))));
    assertEquals("pattern", answer.path("purges").path(0).path("kind").asString(""));
    assertRefetched("/pattern/a.png");
    assertRefetched("/pattern/b.png");
    assertStays("/pattern/c.txt");
    assertStays("/pattern-not/d.png");
    Admin.purge(
        edge,
        Map.of(
            "patterns",
            List.of(Map.of("path", "^/pattern/", "host", "another.example")),
            "soft",
            true));
    assertStays("/pattern/c.txt");
  }

  @Test
  void aPatternOnAHeaderFieldTakesWhatItFinds() throws Exception {
    warm("/tagged/by-field", "/tagged-otherwise/by-field");
    Admin.purge(
        edge, Map.of("patterns", List.of(Map.of("header", "surrogate-key: section-[0-9]$"))));
    assertRefetched("/tagged/by-field");
    assertStays("/tagged-otherwise/by-field");
  }

  @Test
  void aPatternSurvivesAKill() throws Exception {
    try (EdgeProcess other = EdgeProcess.in(directory.resolve("killed"), origin.url()).start()) {
      tree.write("/killed/a.png", 40_000);
      assertEquals(200, other.get("/killed/a.png").status());
      assertTrue(other.get("/killed/a.png").isFromCache());
      Admin.purge(other, Map.of("patterns", List.of(Map.of("path", "\\.png$"))));
      other.kill();
      EdgeProcess ignored = other.restart();
      assertFalse(other.get("/killed/a.png").isFromCache());
      Commands.Finished latest =
          Jar.quick().run("purge", "--admin-url", other.adminUrl(), "--latest").orFail();
      assertTrue(latest.out().contains("path \\.png$"), latest.out());
    }
  }

  @Test
  void aDryRunCountsAndAReceiptTellsWhatItCameTo() throws Exception {
    warm("/counted/1", "/counted/2");
    Commands.Finished dry =
        Jar.quick()
            .run(
                "purge",
                "--json",
                "--dry-run",
                "--admin-url",
                edge.adminUrl(),
                "--path",
                "^/counted/")
            .orFail();
    JsonNode counted = Admin.json(dry.out()).path("purges").path(0);
    assertEquals(2, counted.path("matched").asLong(), dry.out());
    assertEquals(80_000, counted.path("matchedBytes").asLong(), dry.out());
    assertTrue(counted.path("complete").asBoolean(), dry.out());
    assertStays("/counted/1");
    assertStays("/counted/2");
    Commands.Finished made =
        Jar.quick()
            .run("purge", "--json", "--admin-url", edge.adminUrl(), "--path", "^/counted/")
            .orFail();
    String id = Admin.json(made.out()).path("purges").path(0).path("id").asString("");
    assertRefetched("/counted/1");
    Await.until(
        "the receipt says what it matched",
        () ->
            Admin.json(
                        Jar.quick()
                            .run("purge", "--json", "--admin-url", edge.adminUrl(), "--status", id)
                            .orFail()
                            .out())
                    .path("matched")
                    .asLong(-1)
                == 2);
  }

  @Test
  void theCommandLinePurgesAndSaysSo() throws Exception {
    warm("/cli/1", "/tagged/cli", "/cli/2");
    Commands.Finished byUrl =
        Jar.quick().run("purge", "--admin-url", edge.adminUrl(), edge.url("/cli/1")).orFail();
    assertTrue(byUrl.out().contains("/cli/1"), byUrl.out());
    assertRefetched("/cli/1");
    assertStays("/cli/2");
    Commands.Finished byTag =
        Jar.quick()
            .run("purge", "--json", "--admin-url", edge.adminUrl(), "--tag", "section-7")
            .orFail();
    assertEquals(1, Admin.json(byTag.out()).path("purges").size(), byTag.out());
    assertRefetched("/tagged/cli");
    assertStays("/cli/2");
  }

  @Test
  void whatCannotBeUnderstoodIsRefusedAndPurgesNothing() throws Exception {
    warm("/kept");
    for (String body :
        List.of(
            "{}",
            "[]",
            "{\"urls\":[\"not a url\"]}",
            "{\"urls\":\"/kept\"}",
            "{\"everything\":\"yes\"}",
            "{\"url\":[\"http://x/\"]}",
            "{\"urls\":[\"" + edge.url("/kept") + "\"]",
            "urls=" + edge.url("/kept"))) {
      var answer = edge.adminPost("/v1/purge", body);
      assertEquals(400, answer.statusCode(), () -> body + " → " + answer.body());
      assertNotEquals("", Admin.json(answer.body()).path("error").asString(""), body);
    }
    assertStays("/kept");
  }

  /** The answer was on its way when the purge came: it may be served to nobody who asks later. */
  @Test
  void aFillThatBeganBeforeThePurgeIsNotServedAfterIt() throws Exception {
    CountDownLatch isPurged = new CountDownLatch(1);
    CountDownLatch isAsked = new CountDownLatch(1);
    try (PathOrigin scripted = PathOrigin.start();
        EdgeProcess other = EdgeProcess.in(directory.resolve("straddle"), scripted.url()).start();
        RawClient early = new RawClient(other.port())) {
      scripted.on(
          "/straddle",
          exchange -> {
            boolean isFirst = scripted.count("/straddle") == 1;
            isAsked.countDown();
            if (isFirst && !isPurged.await(20, TimeUnit.SECONDS)) {
              exchange.reset();
              return;
            }
            exchange.respond(200, "Cache-Control: max-age=3600\r\n", isFirst ? "old" : "new");
          });
      early.send("GET /straddle HTTP/1.1\r\nHost: 127.0.0.1:" + other.port() + "\r\n\r\n");
      assertTrue(isAsked.await(10, TimeUnit.SECONDS));
      Admin.purgeUrl(other, "/straddle");
      isPurged.countDown();
      assertEquals("old", early.reply(false).text(), "asked before the purge");
      assertEquals("new", other.get("/straddle").text(), "asked after the purge");
      assertEquals("new", other.get("/straddle").text());
      assertEquals(2, scripted.count("/straddle"));
    }
  }

  private void warm(String... paths) throws Exception {
    for (String path : paths) {
      int query = path.indexOf('?');
      tree.write(query < 0 ? path : path.substring(0, query), 40_000);
      Admin.purgeUrl(edge, path);
      assertEquals(200, edge.get(path).status());
      assertTrue(edge.get(path).isFromCache(), path);
    }
  }

  /** Gone, its new content comes with one request, and is kept. */
  private void assertRefetched(String path) throws Exception {
    int before = origin.requests(path).size();
    Tree.Entry anew = tree.write(path, 41_000);
    Response miss = edge.get(path);
    anew.assertSame(miss);
    assertFalse(miss.isFromCache(), miss::toString);
    Response hit = edge.get(path);
    anew.assertSame(hit);
    assertTrue(hit.isFromCache(), hit::toString);
    origin.assertRequests(before + 1, path);
  }

  private void assertStays(String path) throws Exception {
    int before = origin.requests(path).size();
    Response hit = edge.get(path);
    assertTrue(hit.isFromCache(), hit::toString);
    origin.assertRequests(before, path);
  }
}
