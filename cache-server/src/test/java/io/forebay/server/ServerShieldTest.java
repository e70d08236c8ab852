package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two tiers: a child whose origin is a parent, by one clock that the test sets. */
@Timeout(120)
@Tag("slow")
final class ServerShieldTest {
  private static final String TAGGED =
      "cache-control: max-age=1000\r\nsurrogate-key: article-1\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong ahead = new AtomicLong();
  private final AtomicBoolean isDown = new AtomicBoolean();
  private boolean isParentStopped;

  @SuppressWarnings("NullAway.Init")
  private Edge parent;

  @SuppressWarnings("NullAway.Init")
  private Edge child;

  @BeforeEach
  void start() throws IOException {
    parent = node("parent", origin.url(), "127.0.0.1");
    child = node("child", parent.url(""), "");
  }

  @AfterEach
  void stop() throws IOException {
    // A node that is closed waits for every buffer of the process to be released.
    if (!isParentStopped) {
      parent.stop();
    }
    child.close();
    parent.close();
    origin.close();
  }

  private Edge node(String name, String upstream, String tagsTo) throws IOException {
    Path home = Files.createDirectories(directory.resolve(name));
    return Edge.start(
        home,
        "32MiB",
        yaml(name, upstream, tagsTo),
        () -> System.currentTimeMillis() + ahead.get());
  }

  private static String yaml(String name, String upstream, String tagsTo) {
    return "forwarding: {node-id: "
        + name
        + ", cache-tags-to: ["
        + tagsTo
        + "]}\n"
        + Edge.origins(upstream)
        + "routes: [{origin: main, heuristic: false}]\n";
  }

  private static Response get(Edge node, String path) throws IOException {
    try (RawClient client = node.connect()) {
      return client.get(path, "Host: www.example");
    }
  }

  private Response get(String path) throws IOException {
    Response response = get(child, path);
    child.awaitIdle();
    parent.awaitIdle();
    return response;
  }

  /** A response whose body is the number of the request; 503 while the origin is down. */
  private void numbered(String path, String fields) {
    origin.on(
        path,
        (request, connection) -> {
          if (isDown.get()) {
            connection.send("HTTP/1.1 503 Down\r\ncontent-length: 0\r\n\r\n");
          } else {
            TestOrigin.sendOk(connection, fields, TestOrigin.ascii("v" + request.number()));
          }
        });
  }

  private void pass(long seconds) {
    ahead.addAndGet(seconds * 1000);
  }

  private static long age(Response response) {
    return Long.parseLong(response.field("age"));
  }

  private static void assertAge(long expected, Response response) {
    // The test itself takes time.
    long age = age(response);
    assertTrue(age >= expected && age < expected + 30, "age " + age + ", not " + expected);
  }

  private void purge(Edge node, String tag) {
    node.purge(PurgeKind.TAG, tag, false);
  }

  @Test
  void theAgeCountsFromTheOriginOverBothTiers() throws IOException {
    numbered("/a", "cache-control: max-age=1000\r\n");
    get(parent, "/a");
    parent.awaitIdle();
    pass(400);
    Response first = get("/a");
    assertAge(400, first);
    assertTrue(first.field("cache-status").contains("parent; hit"), first.field("cache-status"));
    pass(500);
    Response hit = get("/a");
    assertTrue(hit.isHit());
    assertAge(900, hit);
    assertEquals(1, origin.requests("/a").size());

    // Both expire at the same time.
    pass(101);
    assertEquals("v2", get("/a").text());
    assertEquals(2, origin.requests("/a").size());
  }

  @Test
  void aRequestThatComesBackIsRefused() throws Exception {
    parent.configure(yaml("parent", child.url(""), "127.0.0.1"));
    assertEquals(List.of(), parent.server().reload().errors());
    assertEquals(508, get("/loop").status());
    assertEquals(508, get(parent, "/loop").status());
  }

  @Test
  void tagsReachTheChildAndNoClientOfIt() throws IOException {
    numbered("/a", TAGGED);
    for (int i = 0; i < 3; i++) {
      Response response = get("/a");
      assertEquals("v1", response.text());
      assertEquals("", response.field("surrogate-key"), "a client gets no tags");
    }
    assertTrue(get("/a").isHit());
    assertEquals("article-1", get(parent, "/a").field("surrogate-key"), "a child gets them");
    purge(parent, "article-1");
    purge(child, "article-1");
    assertEquals("v2", get("/a").text());
  }

  @Test
  void aResponseThatIsNotStoredHasNoTagsForClientsEither() throws IOException {
    numbered("/p", "cache-control: no-store\r\nxkey: a\r\n");
    Response passed = get("/p");
    assertEquals("v1", passed.text());
    assertEquals("", passed.field("xkey"));
    assertEquals("a", get(parent, "/p").field("xkey"));
  }

  @Test
  void withoutAListEveryClientGetsTags() throws Exception {
    numbered("/a", TAGGED);
    child.configure(
        "forwarding: {node-id: child}\n"
            + Edge.origins(parent.url(""))
            + "routes: [{origin: main, heuristic: false}]\n");
    assertEquals(List.of(), child.server().reload().errors());
    get("/a");
    Response hit = get("/a");
    assertTrue(hit.isHit());
    assertEquals("article-1", hit.field("surrogate-key"));
  }

  @Test
  void aPurgeOfTheParentFirstAndThenOfTheChildRemovesTheOldVersion() throws IOException {
    numbered("/a", TAGGED);
    assertEquals("v1", get("/a").text());
    purge(parent, "article-1");
    // A request between the two purges: the child still has the old version.
    assertEquals("v1", get("/a").text());
    purge(child, "article-1");
    assertEquals("v2", get("/a").text());
    assertEquals("v2", get("/a").text());
  }

  @Test
  void aPurgeOfTheChildFirstBringsTheOldVersionBackFromTheParent() throws IOException {
    numbered("/a", TAGGED);
    assertEquals("v1", get("/a").text());
    purge(child, "article-1");
    // A request between the two purges takes the old version from the parent.
    assertEquals("v1", get("/a").text());
    purge(parent, "article-1");
    Response late = get("/a");
    assertTrue(late.isHit());
    assertEquals("v1", late.text());
  }

  /** The windows of both tiers count from the end of the lifetime: they overlap, not add up. */
  @Test
  void aStaleResponseOfTheParentIsStaleAtTheChildAndItsWindowsEndAtTheSameAge() throws IOException {
    numbered("/s", "cache-control: max-age=100, stale-if-error=1000\r\n");
    assertEquals("v1", get(parent, "/s").text());
    parent.awaitIdle();
    isDown.set(true);
    pass(300);
    Response stale = get("/s");
    assertEquals("v1", stale.text());
    assertAge(300, stale);
    // It is not fresh at the child: the parent is asked again each time.
    Response again = get("/s");
    assertEquals("v1", again.text());
    assertFalse(again.field("cache-status").contains("child; hit"), again.field("cache-status"));
    pass(500);
    assertAge(800, get("/s"));

    // Past the window of the parent, which gives up, the child does not serve it any longer.
    pass(400);
    assertEquals(503, get(parent, "/s").status());
    assertEquals(503, get("/s").status());

    isDown.set(false);
    Await.until(
        "the origin is asked again",
        () -> {
          // Failed refreshes back off for a while.
          pass(60);
          try {
            Response fresh = get("/s");
            return fresh.status() == 200 && !fresh.text().equals("v1");
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void aChildServesStaleResponsesWhileTheParentIsAway() throws IOException {
    numbered("/s", "cache-control: max-age=100, stale-if-error=1000\r\n");
    assertEquals("v1", get("/s").text());
    parent.stop();
    isParentStopped = true;
    pass(300);
    Response stale = get(child, "/s");
    assertEquals("v1", stale.text());
    assertAge(300, stale);
    pass(900);
    assertEquals(502, get(child, "/s").status());
  }

  @Test
  void aStaleResponseWhileTheParentRevalidatesIsReplacedAtTheNextRequest() throws IOException {
    numbered("/w", "cache-control: max-age=100, stale-while-revalidate=1000\r\n");
    assertEquals("v1", get(parent, "/w").text());
    parent.awaitIdle();
    pass(300);
    // The parent answers with what it has and refreshes; the child may do the same with that.
    assertEquals("v1", get("/w").text());
    String last = "";
    for (int i = 0; i < 3; i++) {
      last = get("/w").text();
    }
    assertEquals("v2", last);
    assertEquals(2, origin.requests("/w").size());
  }
}
