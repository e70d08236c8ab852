package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Features that change bodies, or when and how fast they come, together on one response: ESI,
 * codings, dictionaries, digests, early hints, presets of media, CMCD, pacing and prefetching, with
 * ranges and purges.
 */
@Timeout(240)
@Tag("slow")
final class ServerBodyCombinationTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String HTML = "content-type: text/html\r\n";

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String more) throws IOException {
    edge =
        Edge.start(
            directory,
            "48MiB",
            "http3: {listeners: [secure]}\n" + Edge.origins(origin.url()) + more,
            clock::get);
  }

  private Answer get(ProtocolClient client, String path, String... fields) throws Exception {
    Answer answer = client.ask("GET", path, fields);
    edge().awaitIdle();
    return answer;
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The body as a client sees it, and the coding that it came in. */
  private static String decoded(Answer answer, String coding) throws IOException {
    assertEquals(List.of(coding), answer.all("content-encoding"), answer::toString);
    return new String(
        DecodedBody.of(
            new Response(
                200,
                List.of("HTTP/1.1 200 OK", "content-encoding: " + coding),
                latin1(answer.body()))),
        StandardCharsets.ISO_8859_1);
  }

  private static String digest(String body) {
    return "sha-256=:" + Base64.getEncoder().encodeToString(DecodedBody.sha256(latin1(body))) + ":";
  }

  private static void assertNone(Answer answer, String... names) {
    for (String name : names) {
      assertEquals(List.of(), answer.all(name), () -> name + " in " + answer);
    }
  }

  // --- ESI, codings, digests, conditions, ranges, purges ----------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aPageIsChosenCompressedAndPurgedByItsFragments(String protocol) throws Exception {
    String padding = "padding ".repeat(300);
    origin.on(
        "/page",
        TestOrigin.ok(
            FRESH + HTML + "etag: \"page\"\r\n",
            latin1(
                "<esi:choose><esi:when test=\"$(HTTP_HEADER{x-group})=='gold'\">"
                    + "<esi:include src='/part/gold'/></esi:when><esi:otherwise>"
                    + "<esi:include src='/part/guest'/></esi:otherwise></esi:choose>"
                    + padding)));
    for (String part : List.of("gold", "guest")) {
      origin.on(
          "/part/" + part,
          (request, connection) ->
              TestOrigin.sendOk(
                  connection,
                  FRESH + "cache-tag: " + part + "\r\n",
                  latin1("[" + part + request.number() + "]")));
    }
    start("routes: [{origin: main, esi: on, digest: {add: [sha-256]}}]\n");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 1; i <= 2; i++) {
        for (String group : List.of("gold", "guest")) {
          Answer page =
              get(
                  client,
                  "/page",
                  "x-group",
                  group,
                  "accept-encoding",
                  "gzip",
                  "range",
                  "bytes=0-1",
                  "if-none-match",
                  "\"page\"",
                  "want-repr-digest",
                  "sha-256=1",
                  "want-content-digest",
                  "sha-256=1");
          assertEquals(200, page.status(), page::toString);
          int version = group.equals("gold") ? i : 1;
          assertEquals("[" + group + version + "]" + padding, decoded(page, "gzip"));
          assertNone(page, "etag", "repr-digest", "content-digest", "content-range");
        }
        // A fragment by itself keeps all that pages lose.
        Answer part =
            get(client, "/part/gold", "range", "bytes=1-2", "want-repr-digest", "sha-256=1");
        assertEquals(206, part.status(), part::toString);
        assertEquals("go", part.body());
        assertEquals(List.of(digest("[gold" + i + "]")), part.all("repr-digest"));
        edge().purge(PurgeKind.TAG, "gold", false);
      }
    }
    assertEquals(1, origin.count("/page"));
    assertEquals(1, origin.count("/part/guest"));
    assertEquals(2, origin.count("/part/gold"));
  }

  // --- dictionaries, digests, ranges, purges ----------------------------------------------------

  /** Text that compresses by a third, with its version in the middle. */
  private static String script(int version) {
    SplittableRandom random = new SplittableRandom(7);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 30_000; i++) {
      text.append((char) ('a' + random.nextInt(16)));
    }
    return text.insert(15_000, "version " + version).toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLS", "HTTP/2", "HTTP/3"})
  void aDeltaHasNoDigestAndEndsWithThePurgeOfItsDictionaryAndIdentityKeepsBoth(String protocol)
      throws Exception {
    String old = script(1);
    String body = script(2);
    for (int version = 1; version <= 2; version++) {
      origin.on(
          "/app/" + version + ".js",
          TestOrigin.ok(
              FRESH
                  + "content-type: text/javascript\r\netag: \"v\"\r\ncache-tag: v"
                  + version
                  + "\r\n",
              latin1(script(version))));
    }
    start(
        """
        routes:
          - {match: {path: /app/}, origin: main, dictionary: {match: "/app/*"}, digest: {add: [sha-256]}}
        """);
    String available =
        ":" + Base64.getEncoder().encodeToString(DecodedBody.sha256(latin1(old))) + ":";
    String[] asked = {
      "accept-encoding",
      "br, dcb",
      "available-dictionary",
      available,
      "want-repr-digest",
      "sha-256=1",
      "want-content-digest",
      "sha-256=1"
    };
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      Await.until(
          "the old version is learned",
          () -> {
            assertEquals(old, ask(client, "/app/1.js").body());
            return edge().sum(c -> c.deltas.dictionaries) == 1;
          });
      Answer[] last = new Answer[1];
      Await.until(
          "a delta",
          () -> {
            last[0] = ask(client, "/app/2.js", asked);
            return last[0].all("content-encoding").equals(List.of("dcb"));
          });
      assertNone(last[0], "repr-digest", "content-digest", "accept-ranges");
      assertEquals(
          body,
          new String(
              DecodedBody.of(
                  new Response(
                      200,
                      List.of("HTTP/1.1 200 OK", "content-encoding: dcb"),
                      latin1(last[0].body())),
                  latin1(old)),
              StandardCharsets.ISO_8859_1));
      // A range is one of identity, whatever else the client could have had.
      Answer range =
          get(client, "/app/2.js", "range", "bytes=15000-15008", "want-repr-digest", "sha-256=1");
      assertEquals(206, range.status(), range::toString);
      assertEquals("version 2", range.body());
      assertEquals(List.of(digest(body)), range.all("repr-digest"));
      Answer whole = get(client, "/app/2.js", "want-content-digest", "sha-256=1");
      assertEquals(List.of(digest(body)), whole.all("content-digest"));

      edge().purge(PurgeKind.TAG, "v1", false);
      Answer after = get(client, "/app/2.js", asked);
      assertFalse(after.all("content-encoding").equals(List.of("dcb")), after::toString);
      assertTrue(after.isHit(), after::toString);
    }
    assertEquals(1, origin.count("/app/2.js"));
  }

  private static Answer ask(ProtocolClient client, String path, String... fields) {
    try {
      return client.ask("GET", path, fields);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  // --- early hints, ESI, codings, digests, purges -----------------------------------------------

  /** Heads of one request over HTTP/2 or HTTP/3; each call waits for one. */
  private interface Heads {
    Headers<CharSequence, CharSequence, ?> next() throws Exception;
  }

  private static Heads heads(AutoCloseable client, String path) throws Exception {
    return switch (client) {
      case Http2Client http2 -> {
        Http2Client.Answer answer =
            http2.open(Http2Client.request("GET", path).add("accept-encoding", "gzip"), true);
        yield answer::head;
      }
      case Http3Client http3 -> {
        Http3Client.Answer answer =
            http3.open(Http3Client.request("GET", path).add("accept-encoding", "gzip"), true);
        yield answer::head;
      }
      default -> throw new AssertionError(client);
    };
  }

  private static void assertHead(
      Heads heads, int status, @Nullable String coding, @Nullable String link) throws Exception {
    Headers<CharSequence, CharSequence, ?> head = heads.next();
    assertEquals(Integer.toString(status), head.get(":status").toString(), head::toString);
    assertEquals(coding, text(head.get("content-encoding")), head::toString);
    assertEquals(link, text(head.get("link")), head::toString);
    assertNull(text(head.get("repr-digest")), head::toString);
  }

  private static @Nullable String text(@Nullable CharSequence value) {
    return value == null ? null : value.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2", "HTTP/3"})
  void hintsOfAStalePageComeBeforeItsFragmentsAndNoneAfterAHardPurge(String protocol)
      throws Exception {
    String link = "</a.css>; rel=preload; as=style";
    origin.on(
        "/page",
        (request, connection) -> {
          if (request.number() == 2) {
            TestOrigin.await(gate);
          }
          TestOrigin.sendOk(
              connection,
              FRESH + HTML + "link: " + link + "\r\n",
              latin1("<esi:include src='/part'/>" + "padding ".repeat(300)));
        });
    origin.on("/part", TestOrigin.ok(FRESH, latin1("part")));
    start("routes: [{origin: main, esi: on, early-hints: on, digest: {add: [sha-256]}}]\n");
    try (AutoCloseable client =
        protocol.equals("HTTP/2")
            ? new Http2Client(edge().tlsPort(), edge().authority(), 1 << 20)
            : new Http3Client(edge().tlsPort(), edge().authority())) {
      assertHead(heads(client, "/page"), 200, "gzip", link);
      edge().awaitIdle();
      edge().purge(PurgeKind.HOST, "a.example", true);
      Heads waiting = heads(client, "/page");
      assertHead(waiting, 103, null, link);
      gate.countDown();
      assertHead(waiting, 200, "gzip", link);
      edge().awaitIdle();
      assertHead(heads(client, "/page"), 200, "gzip", link);
      edge().awaitIdle();
      edge().purge(PurgeKind.HOST, "a.example", false);
      assertHead(heads(client, "/page"), 200, "gzip", link);
      edge().awaitIdle();
    }
    assertEquals(1, edge().sum(c -> c.earlyHints));
    assertEquals(3, origin.count("/page"));
  }

  // --- the preset for live channels -------------------------------------------------------------

  private static String playlist(int first) {
    StringBuilder text =
        new StringBuilder(
            "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-MEDIA-SEQUENCE:" + first + "\n");
    for (int i = first; i < first + 60; i++) {
      text.append("#EXTINF:20,\nsegment-").append(i).append(".ts\n");
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aLiveChannelIsPacedPrefetchedCompressedAndPurged(String protocol) throws Exception {
    int[] first = {1};
    origin.on(
        "/live/list.m3u8",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "content-type: application/vnd.apple.mpegurl\r\n",
                latin1(playlist(first[0]))));
    for (int i = 1; i <= 9; i++) {
      origin.on(
          "/live/segment-" + i + ".ts",
          TestOrigin.ok("content-type: video/mp2t\r\n", Edge.bytes(i, 400_000)));
    }
    start(
        """
        routes:
          - match: {path: /live/}
            origin: main
            media: live
            cmcd: {enabled: on, cmsd: on}
            pacing: {rate: 64MiB, bit-rate-factor: 2}
            prefetch: {enabled: on, after: 2, share: 100%, sources: [number]}
            digest: {add: [sha-256]}
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      // The playlist: half of its target duration, one object for all players, compressed.
      get(client, "/live/list.m3u8?CMCD=sid%3D%22a%22", "accept-encoding", "gzip");
      Await.until(
          "a compressed copy",
          () -> {
            Answer hit =
                ask(client, "/live/list.m3u8?CMCD=sid%3D%22b%22", "accept-encoding", "gzip");
            return hit.isHit() && hit.all("content-encoding").equals(List.of("gzip"));
          });
      clock.addAndGet(9_000);
      Answer hit = get(client, "/live/list.m3u8", "accept-encoding", "gzip");
      assertTrue(hit.isHit(), hit::toString);
      assertEquals(playlist(1), decoded(hit, "gzip"));
      first[0] = 2;
      clock.addAndGet(2_000);
      Answer next = get(client, "/live/list.m3u8", "accept-encoding", "gzip");
      assertEquals(playlist(2), decoded(next, "gzip"), "the bytes of the new one");
      assertEquals(2, origin.count("/live/list.m3u8"));

      // Segments: the next one is there before a player asks, ranges of it are paced like all.
      for (int i = 1; i <= 3; i++) {
        get(client, "/live/segment-" + i + ".ts?CMCD=br%3D100000", "accept-encoding", "gzip");
      }
      Await.until("prefetched", () -> origin.count("/live/segment-4.ts") == 1);
      edge().awaitIdle();
      Answer range =
          get(
              client,
              "/live/segment-4.ts",
              "range",
              "bytes=100000-299999",
              "cmcd-object",
              "br=100000",
              "want-repr-digest",
              "sha-256=1",
              "want-content-digest",
              "sha-256=1");
      assertEquals(206, range.status(), range::toString);
      assertTrue(range.isHit(), range::toString);
      String segment = new String(Edge.bytes(4, 400_000), StandardCharsets.ISO_8859_1);
      assertTrue(segment.substring(100_000, 300_000).equals(range.body()), "bytes of the range");
      assertEquals(List.of(digest(segment)), range.all("repr-digest"));
      assertNone(range, "content-digest", "content-encoding");
      assertEquals(1, range.all("cmsd-dynamic").size(), range::toString);

      edge().purge(PurgeKind.HOST, "a.example", false);
      assertFalse(get(client, "/live/segment-4.ts").isHit(), "what was fetched ahead is purged");
      assertFalse(get(client, "/live/list.m3u8", "accept-encoding", "gzip").isHit());
    }
    assertEquals(2, origin.count("/live/segment-4.ts"));
    assertTrue(edge().sum(c -> c.prefetch.usedBytes) >= 400_000);
  }

  // --- the preset for films ---------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aFilmIsFetchedInSlicesAndItsPlaylistIsCompressedForADay(String protocol) throws Exception {
    byte[] film = Edge.bytes(1, 5 << 20);
    origin.on("/vod/film.mp4", PartOrigin.of(film, "content-type: video/mp4\r\netag: \"f\"\r\n"));
    String list = playlist(1) + "#EXT-X-ENDLIST\n";
    origin.on(
        "/vod/list.m3u8",
        TestOrigin.ok("content-type: application/vnd.apple.mpegurl\r\n", latin1(list)));
    start(
        """
        routes:
          - match: {path: /vod/}
            origin: main
            media: vod
            range-fetch: slices
            pacing: {rate: 64MiB, initial-burst: 1MiB}
            digest: {verify: on, add: [sha-256]}
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      get(client, "/vod/list.m3u8", "accept-encoding", "gzip");
      Await.until(
          "a compressed copy",
          () ->
              ask(client, "/vod/list.m3u8", "accept-encoding", "gzip")
                  .all("content-encoding")
                  .equals(List.of("gzip")));
      clock.addAndGet(80_000_000);
      Answer hit = get(client, "/vod/list.m3u8", "accept-encoding", "gzip");
      assertTrue(hit.isHit(), hit::toString);
      assertEquals(list, decoded(hit, "gzip"));
      assertEquals(List.of(digest(list)), get(client, "/vod/list.m3u8").all("repr-digest"));

      // Of slices no digest is known; none is made up.
      for (int i = 0; i < 2; i++) {
        Answer range =
            get(
                client,
                "/vod/film.mp4",
                "range",
                "bytes=2097152-2098151",
                "accept-encoding",
                "gzip",
                "want-repr-digest",
                "sha-256=1",
                "want-content-digest",
                "sha-256=1");
        assertEquals(206, range.status(), range::toString);
        assertTrue(
            new String(film, 2_097_152, 1_000, StandardCharsets.ISO_8859_1).equals(range.body()),
            "bytes of the range");
        assertNone(range, "repr-digest", "content-digest", "content-encoding");
        assertEquals(i == 1, range.isHit(), range::toString);
      }
      int asked = origin.count("/vod/film.mp4");
      edge().purge(PurgeKind.HOST, "a.example", false);
      Answer again = get(client, "/vod/film.mp4", "range", "bytes=2097152-2098151");
      assertEquals(206, again.status(), again::toString);
      assertTrue(origin.count("/vod/film.mp4") > asked, "purged with its slices");
      assertFalse(get(client, "/vod/list.m3u8", "accept-encoding", "gzip").isHit());
    }
  }
}
