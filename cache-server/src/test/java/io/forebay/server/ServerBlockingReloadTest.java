package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** LL-HLS: requests for a playlist that the origin holds until there is something new. */
@Tag("slow")
final class ServerBlockingReloadTest {
  private static final String PLAYLIST =
      "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-PART-INF:PART-TARGET=0.3\n"
          + "#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:1,\n1.mp4\n";
  private static final String RELOAD = "/live.m3u8?_HLS_msn=2&_HLS_part=0";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<RawClient> clients = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    clients.forEach(RawClient::close);
    edge.close();
    origin.close();
  }

  private void start(String route, String more) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "64MiB",
            "routes: [{origin: main, media: live" + route + "}]\n" + more);
  }

  /** What the origin says to a reload, once the gate opens. */
  private void hold(TestOrigin.Answer answer) {
    origin.on(
        "/live.m3u8",
        (request, connection) -> {
          if (request.target().contains("_HLS_msn")) {
            asked.countDown();
            TestOrigin.await(gate);
          }
          answer.to(request, connection);
        });
  }

  private RawClient reload() {
    RawClient client = edge.connect().request("GET", RELOAD);
    clients.add(client);
    return client;
  }

  private Response get(String target) throws IOException {
    return RawClient.get(edge.port(), target);
  }

  private void reloads(int count) throws IOException {
    reload();
    TestOrigin.await(asked);
    for (int i = 1; i < count; i++) {
      reload();
    }
    Await.until("all wait", () -> edge.sum(c -> c.joined) == count - 1);
  }

  private static void assertTurnedAway(Response response) {
    assertEquals(503, response.status(), response::toString);
    assertTrue(response.has("retry-after"), response::toString);
  }

  @Test
  void allWhoWaitGetThePlaylistOfOneRequest() throws IOException {
    hold(TestOrigin.ok("", TestOrigin.ascii(PLAYLIST)));
    start("", "limits: {waiting-per-client: 0}\n");
    // More than are told at a time.
    reloads(700);
    gate.countDown();
    for (RawClient client : clients) {
      assertEquals(PLAYLIST, client.reply().text());
    }
    assertEquals(1, origin.count("/live.m3u8"));
    edge.awaitIdle();
    assertTrue(get(RELOAD).isHit(), "it is fresh for latecomers");
  }

  @Tag("full")
  @Test
  void aReloadThatIsNeverAnsweredEndsWith503AndIsNotPassedToTheOrigin() throws IOException {
    hold(TestOrigin.ok("", TestOrigin.ascii(PLAYLIST.replace("DURATION:10", "DURATION:1"))));
    start("", "");
    assertEquals(200, get("/live.m3u8").status());
    reloads(4);
    for (RawClient client : clients) {
      Response response = client.reply();
      assertTurnedAway(response);
      assertTrue(
          response.field("cache-status").contains("detail=blocking-reload"), response::toString);
    }
    // The playlist, and one reload.
    assertEquals(2, origin.count("/live.m3u8"));
  }

  @Test
  void moreThanMayWaitAreTurnedAwayAtOnce() throws IOException {
    hold(TestOrigin.ok("", TestOrigin.ascii(PLAYLIST)));
    start("", "limits: {followers-per-fill: 3}\n");
    reloads(3);
    assertTurnedAway(get(RELOAD));
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.FOLLOWERS_PER_FILL)));
    gate.countDown();
    for (RawClient client : clients) {
      assertEquals(PLAYLIST, client.reply().text());
    }
    assertEquals(1, origin.count("/live.m3u8"));
  }

  @Test
  void whereTheOriginGivesUpItIsNotAskedByEachWhoWaited() throws IOException {
    hold((request, connection) ->
        connection.send("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"));
    start("", "");
    reloads(5);
    gate.countDown();
    for (RawClient client : clients) {
      assertEquals(503, client.reply().status());
    }
    assertEquals(1, origin.count("/live.m3u8"));
  }

  @Test
  void directivesReachTheOriginAndTellPlaylistsApartThoughTheQueryIsIgnored() throws IOException {
    origin.on(
        "/live.m3u8",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=100\r\n",
                TestOrigin.ascii(PLAYLIST + "# " + request.target() + "\n")));
    start(", key: {query: ignore}", "");
    for (String query :
        List.of("", "?_HLS_msn=2", "?_HLS_msn=2&_HLS_part=1", "?_HLS_msn=2&_HLS_skip=YES")) {
      String both = query.isEmpty() ? "?session=1" : query + "&session=1";
      String expected = PLAYLIST + "# /live.m3u8" + query + "\n";
      assertEquals(expected, get("/live.m3u8" + both).text());
      edge.awaitIdle();
      assertTrue(get("/live.m3u8" + both).isHit());
    }
    assertEquals(4, origin.count("/live.m3u8"));
  }

  @Test
  void aDeltaIsAnsweredFromItsOwnUrl() throws IOException {
    String delta =
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:1\n"
            + "#EXT-X-SKIP:SKIPPED-SEGMENTS=7\n#EXTINF:1,\n8.mp4\n";
    origin.on(
        "/live.m3u8",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "",
                TestOrigin.ascii(request.target().contains("_HLS_skip") ? delta : PLAYLIST)));
    start("", "");
    assertEquals(delta, get(RELOAD + "&_HLS_skip=YES").text());
    assertEquals(PLAYLIST, get(RELOAD).text());
    edge.awaitIdle();
    assertEquals(delta, get(RELOAD + "&_HLS_skip=YES").text());
    assertEquals(2, origin.count("/live.m3u8"));
  }

  @Test
  void aClientThatLeavesLeavesTheOthersWaiting() throws IOException {
    hold(TestOrigin.ok("", TestOrigin.ascii(PLAYLIST)));
    start("", "");
    reloads(6);
    // The first one, which asked the origin, and one that follows.
    clients.get(0).close();
    clients.get(3).close();
    gate.countDown();
    for (int i : new int[] {1, 2, 4, 5}) {
      assertEquals(PLAYLIST, clients.get(i).reply().text());
    }
    assertEquals(1, origin.count("/live.m3u8"));
  }
}
