package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Routes with a preset for media: for how long what the origin sends is fresh. */
@Tag("slow")
final class ServerMediaTest {
  private static final String PLAYLIST =
      "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:4,\n1.ts\n";
  private static final String ENDED = PLAYLIST + "#EXT-X-ENDLIST\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong ahead = new AtomicLong();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private void start(String route) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url()) + "routes: [{origin: main, " + route + "}]\n",
            () -> System.currentTimeMillis() + ahead.get());
  }

  private Response get(String path, String... fields) throws IOException {
    edge.awaitIdle();
    return RawClient.get(edge.port(), path, fields);
  }

  private void answer(String path, String fields, String body) {
    origin.on(path, TestOrigin.ok(fields, TestOrigin.ascii(body)));
  }

  /** Asks, and asks again a little before and after a time. */
  private void assertFreshFor(long millis, String path, String... fields) throws IOException {
    int before = origin.count(path);
    assertFalse(get(path, fields).isHit(), path);
    // The test itself takes its time.
    ahead.addAndGet(millis - Math.min(millis / 2, 30_000));
    assertTrue(get(path, fields).isHit(), path);
    assertEquals(before + 1, origin.count(path), path);
    ahead.addAndGet(Math.min(millis / 2, 30_000) + 1);
    assertFalse(get(path, fields).isHit(), path);
    assertEquals(before + 2, origin.count(path), path);
    ahead.addAndGet(millis + 1);
  }

  @Test
  void manifestsOfALiveRouteAreFreshForAsLongAsTheySay() throws IOException {
    start("media: live");
    // Of 60 s, so that a busy machine is not late.
    String slow = PLAYLIST.replace("DURATION:4", "DURATION:20");
    answer("/live.m3u8", "", slow);
    assertFreshFor(10_000, "/live.m3u8");
    answer("/by-type", "content-type: application/vnd.apple.mpegurl\r\n", slow);
    assertFreshFor(10_000, "/by-type");
    answer("/ended.m3u8", "", ENDED);
    assertFreshFor(60_000, "/ended.m3u8");
    answer("/live.mpd", "", "<MPD type=\"dynamic\" minimumUpdatePeriod=\"PT20S\"></MPD>");
    assertFreshFor(10_000, "/live.mpd");
    answer("/1.ts", "content-type: video/mp2t\r\n", slow);
    assertFreshFor(3_600_000, "/1.ts");
  }

  @Test
  void filmsAreFreshForLonger() throws IOException {
    start("media: vod");
    answer("/film.m3u8", "", ENDED);
    assertFreshFor(86_400_000, "/film.m3u8");
    answer("/1.ts", "", "a segment");
    assertFreshFor(30 * 86_400_000L, "/1.ts");
  }

  @Test
  void whatTheOriginSaysGoesBeforeThePreset() throws IOException {
    start("media: live");
    answer("/live.m3u8", "cache-control: max-age=300\r\n", PLAYLIST);
    assertFreshFor(300_000, "/live.m3u8");
    answer("/1.ts", "cache-control: max-age=300\r\n", "a segment");
    assertFreshFor(300_000, "/1.ts");
    answer("/2.m3u8", "cache-control: no-store\r\n", PLAYLIST);
    assertFalse(get("/2.m3u8").isHit());
    assertFalse(get("/2.m3u8").isHit());
  }

  @Test
  void whatTheRouteSaysGoesBeforeThePreset() throws IOException {
    start("media: live, default-ttl: 200s, negative-ttl: {404: 100s}");
    answer("/live.m3u8", "", PLAYLIST);
    assertFreshFor(200_000, "/live.m3u8");
    assertFreshFor(100_000, "/gone.ts");
  }

  @Test
  void aMissingSegmentIsRememberedForASecondWhateverItSaysOfItself() throws IOException {
    start("media: live");
    origin.on(
        "/9.ts",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 404 Not Found\r\ncache-control: max-age=60\r\ncontent-length: 0\r\n\r\n"));
    origin.on(
        "/8.ts",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 404 Not Found\r\ncache-control: no-store\r\ncontent-length: 0\r\n\r\n"));
    for (String path : new String[] {"/9.ts", "/8.ts"}) {
      assertEquals(404, get(path).status());
      ahead.addAndGet(2_001);
      answer(path, "", "a segment");
      assertEquals(200, get(path).status());
      assertTrue(get(path).isHit(), path);
    }
  }

  @Test
  void aConfirmedPlaylistIsFreshForAsLongAsBefore() throws IOException {
    start("media: live");
    origin.on(
        "/live.m3u8",
        (request, connection) -> {
          if (request.field("if-none-match").equals("\"1\"")) {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n");
          } else {
            TestOrigin.sendOk(
                connection,
                "etag: \"1\"\r\n",
                TestOrigin.ascii(PLAYLIST.replace("DURATION:4", "DURATION:20")));
          }
        });
    assertFalse(get("/live.m3u8").isHit());
    ahead.addAndGet(10_001);
    assertEquals(200, get("/live.m3u8").status());
    assertEquals(2, origin.count("/live.m3u8"));
    ahead.addAndGet(5_000);
    assertTrue(get("/live.m3u8").isHit());
    ahead.addAndGet(5_001);
    assertEquals(200, get("/live.m3u8").status());
    assertEquals(3, origin.count("/live.m3u8"));
  }

  @Test
  void aCompressedPlaylistIsReadToo() throws IOException {
    start("media: live");
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(TestOrigin.ascii(ENDED));
    }
    byte[] body = zipped.toByteArray();
    origin.on(
        "/live.m3u8", TestOrigin.ok("content-encoding: gzip\r\nvary: accept-encoding\r\n", body));
    Bytes.assertEquals(body, get("/live.m3u8", "Accept-Encoding: gzip").body());
    ahead.addAndGet(30_000);
    assertTrue(get("/live.m3u8", "Accept-Encoding: gzip").isHit());
  }

  @Test
  void aPlaylistThatIsABombIsNotUnpacked() throws IOException {
    start("media: live");
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(TestOrigin.ascii(ENDED));
      out.write(new byte[100 << 20]);
    }
    byte[] body = zipped.toByteArray();
    origin.on("/live.m3u8", TestOrigin.ok("content-encoding: gzip\r\n", body));
    Bytes.assertEquals(body, get("/live.m3u8", "Accept-Encoding: gzip").body());
    ahead.addAndGet(1_001);
    assertFalse(get("/live.m3u8", "Accept-Encoding: gzip").isHit());
  }

  @Test
  void aPlaylistOfUnknownLengthArrivesWhole() throws IOException {
    start("media: live");
    byte[] body = TestOrigin.ascii(ENDED);
    origin.on("/live.m3u8", TestOrigin.chunked("", body, 10));
    Bytes.assertEquals(body, get("/live.m3u8").body());
    ahead.addAndGet(30_000);
    Bytes.assertEquals(body, get("/live.m3u8").body());
    assertEquals(1, origin.count("/live.m3u8"));
  }

  @Test
  void aPlaylistThatIsTooLongToBeReadArrivesWholeAndIsFreshForAMoment() throws IOException {
    start("media: live");
    byte[] body = TestOrigin.ascii(PLAYLIST + "#EXTINF:4,\nsegment.ts\n".repeat(20_000));
    origin.on("/chunked.m3u8", TestOrigin.chunked("", body, 100_000));
    origin.on("/long.m3u8", TestOrigin.ok("", body));
    for (String path : new String[] {"/chunked.m3u8", "/long.m3u8"}) {
      Bytes.assertEquals(body, get(path).body());
      ahead.addAndGet(1_001);
      Bytes.assertEquals(body, get(path).body());
      assertEquals(2, origin.count(path));
    }
  }

  @Test
  void aPlaylistThatBreaksOffIsAnError() throws IOException {
    start("media: live");
    origin.on(
        "/live.m3u8",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "", 1000).send(TestOrigin.ascii(PLAYLIST));
          connection.close();
        });
    assertEquals(502, get("/live.m3u8").status());
    answer("/live.m3u8", "", PLAYLIST);
    assertEquals(PLAYLIST, get("/live.m3u8").text());
  }

  @Test
  void explainNamesThePreset() throws Exception {
    start("media: live");
    JsonNode told = edge.explain(200, "{\"url\":\"" + edge.url("/a.m3u8?_HLS_msn=3") + "\"}");
    assertTrue(told.toString().contains("The route has the preset live;"), told.toString());
    assertTrue(told.toString().contains("It is a blocking reload"), told.toString());
    assertTrue(told.toString().contains("stored in class memory"), told.toString());
  }
}
