package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeGap;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.purge.ReplicatedPurges;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node does with its objects where it may have missed purges of its log. */
@Tag("slow")
final class ServerPurgeGapTest {

  /** By which a stale response is served at every occasion. */
  private static final String FIELDS =
      "cache-control: max-age=1000, stale-while-revalidate=1000, stale-if-error=1000\r\n"
          + "etag: \"1\"\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private volatile boolean isFailing;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on(
        "/a",
        (request, connection) -> {
          if (isFailing) {
            connection.send("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
          } else if (request.field("if-none-match").equals("\"1\"")) {
            TestOrigin.notModified(connection, FIELDS);
          } else {
            TestOrigin.sendOk(connection, FIELDS, TestOrigin.ascii("v" + request.number()));
          }
        });
    // The port is another one after a restart.
    edge =
        Edge.before(origin, directory, "32MiB", "routes: [{match: {path: /}, key: {port: no}}]\n");
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Response get() throws IOException {
    try (RawClient client = edge.connect()) {
      return client.get("/a");
    }
  }

  private void awaitHit() {
    Await.until(
        "a hit",
        () -> {
          try {
            return get().isHit();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** As a node does that starts again and finds that its log goes back no further. */
  private void restartWith(PurgeGap gap) throws IOException {
    edge.stop();
    try (Purges purges =
        new Purges(
            directory.resolve("data/purge.journal"),
            1000,
            1 << 20,
            System::currentTimeMillis,
            new SecureRandom(),
            PurgeMatcher.Compiler.NONE,
            () -> {})) {
      PurgePosition position = new PurgePosition(1, 2, 3);
      assertTrue(new ReplicatedPurges(purges).skipTo(position, gap) > 0);
    }
    edge.start();
  }

  @Test
  void whatMayHaveBeenPurgedIsServedWhenTheOriginHasConfirmedItAndNotBefore() throws IOException {
    assertEquals("v1", get().text());
    awaitHit();
    restartWith(PurgeGap.REVALIDATE);
    isFailing = true;
    for (int n = 0; n < 3; n++) {
      assertEquals(503, get().status(), "request " + n);
    }
    isFailing = false;
    int asked = origin.count("/a");
    Response confirmed = get();
    assertEquals("v1", confirmed.text());
    assertFalse(confirmed.isHit(), confirmed.toString());
    assertEquals("\"1\"", origin.requests("/a").getLast().field("if-none-match"));
    assertEquals(asked + 1, origin.count("/a"));
    awaitHit();
    assertEquals("v1", get().text());
    assertEquals(asked + 1, origin.count("/a"));
  }

  /** With the allowances that the test above shows to be out of force. */
  @Test
  void whatIsSoftlyPurgedMayBeServedStale() throws IOException {
    assertEquals("v1", get().text());
    awaitHit();
    edge.purge(PurgeKind.EVERYTHING, "", true);
    isFailing = true;
    assertEquals("v1", get().text());
  }

  @Test
  void nothingIsLeftWhereTheNodeIsToBeEmpty() throws IOException {
    assertEquals("v1", get().text());
    awaitHit();
    restartWith(PurgeGap.EMPTY);
    assertEquals("v2", get().text());
    assertEquals("", origin.requests("/a").getLast().field("if-none-match"));
  }
}
