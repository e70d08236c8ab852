package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.EsiCounters.Outcome;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages assembled from ESI, over real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
@Timeout(300)
final class ServerEsiTest {

  private static final String STORED = "cache-control: max-age=600\r\n";
  private static final String PASSED = "cache-control: no-store\r\n";
  private static final String HTML = "content-type: text/html; charset=utf-8\r\n";
  private static final String TAG = "etag: \"source\"\r\n";
  private static final String DATED = "last-modified: Mon, 02 Nov 2026 10:00:00 GMT\r\n";
  private static final String MARK = "surrogate-control: content=\"ESI/1.0\"\r\n";

  private final TestOrigin origin = new TestOrigin();
  private Path log;
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    log = directory.resolve("access.log");
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            """
            http3: {listeners: [secure]}
            access-log: {output: "LOG"}
            routes:
              - {match: {path: /}}
              - {match: {path: /p/}, esi: on}
              - {match: {path: /s/}, esi: surrogate-control}
              - {match: {path: /h/}, esi: {enabled: on, hosts: [other.example, "port.example:81"]}}
              - match: {path: /l/}
                esi: {enabled: on, depth: 2, includes: 5, parallel: 2, fragment: 20KiB, page: 100KiB, timeout: 1s}
            """
                .replace("LOG", log.toString()));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  // --- helpers ----------------------------------------------------------------------------------

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void html(String path, String body) {
    origin.on(path, TestOrigin.ok(STORED + HTML, bytes(body)));
  }

  private void text(String path, String body) {
    origin.on(path, TestOrigin.ok(STORED + "content-type: text/plain\r\n", bytes(body)));
  }

  private static TestOrigin.Answer status(int status) {
    return (request, connection) ->
        connection.send(
            "HTTP/1.1 " + status + " No\r\n" + PASSED + "content-length: 4\r\n\r\noops");
  }

  /** A body that ends too early. */
  private static TestOrigin.Answer cut(String begin) {
    return (request, connection) -> {
      TestOrigin.sendHead(connection, PASSED, begin.length() + 100L).send(bytes(begin));
      connection.close();
    };
  }

  private static String include(String src) {
    return "<esi:include src=\"" + src + "\"/>";
  }

  private Response get(String path, String... fields) throws IOException {
    return RawClient.get(edge.port(), path, fields);
  }

  /** What came of a page before it broke off. */
  private String broken(String path, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", path, fields).head();
      assertEquals(200, head.status());
      ByteArrayOutputStream came = new ByteArrayOutputStream();
      assertThrows(
          IOException.class,
          () -> {
            while (true) {
              came.writeBytes(client.partOfBody(head, 1));
              if (came.size() > 10_000_000) {
                return;
              }
            }
          });
      // The last chunk is missing: the connection ended within the message.
      assertTrue(client.isClosedByPeer());
      return came.toString(StandardCharsets.ISO_8859_1);
    }
  }

  // --- pages ------------------------------------------------------------------------------------

  @Test
  void aPageIsStoredWithItsTagsAndItsFragmentsByThemselves() throws IOException {
    origin.on(
        "/p/page",
        TestOrigin.ok(
            STORED + HTML + TAG + DATED + "x-page: kept\r\n",
            bytes("<a>" + include("/one") + "|" + include("two") + "</a>")));
    text("/one", "1");
    text("/p/two", "2");
    for (int i = 0; i < 3; i++) {
      Response response = get("/p/page");
      assertEquals("<a>1|2</a>", response.text(), response::toString);
      assertEquals(List.of("private, no-cache"), response.all("cache-control"));
      assertEquals("kept", response.field("x-page"));
      for (String gone :
          List.of("etag", "last-modified", "content-length", "accept-ranges", "age")) {
        assertFalse(response.has(gone), gone + " in " + response);
      }
    }
    assertEquals(1, origin.count("/p/page"));
    assertEquals(1, origin.count("/one"));
    assertEquals(1, origin.count("/p/two"));
    assertTrue(get("/p/page").isHit());
    assertTrue(get("/one").isHit());

    Response head = RawClient.head(edge.port(), "/p/page");
    assertEquals(200, head.status());
    assertFalse(head.has("etag"));
    assertFalse(head.has("content-length"));
    assertEquals("private, no-cache", head.field("cache-control"));
  }

  @Test
  void aHundredFragmentsComeInOrder() throws IOException {
    StringBuilder page = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      page.append('[').append(include("/hundred/" + i)).append(']');
      String body = i + " ".repeat(i * 37 % 3000);
      expected.append('[').append(body).append(']');
      if (i % 2 == 0) {
        text("/hundred/" + i, body);
      } else {
        origin.on("/hundred/" + i, TestOrigin.chunked(PASSED, bytes(body), 100));
      }
    }
    html("/p/hundred", page.toString());
    for (int i = 0; i < 3; i++) {
      assertEquals(expected.toString(), get("/p/hundred").text());
    }
    assertEquals(1, origin.count("/hundred/0"));
    assertEquals(3, origin.count("/hundred/1"));
  }

  @Test
  void fragmentsIncludeFragmentsDownToTheDepth() throws IOException {
    html("/l/0", "0(" + include("1") + ")");
    html("/l/1", "1(" + include("2") + ")");
    html("/l/2", "2<esi:comment text=\"none\"/>");
    assertEquals("0(1(2))", get("/l/0").text());
    html("/l/deep", "d" + include("0"));
    assertTrue("d0(1(".startsWith(broken("/l/deep")));
    html("/l/saved", "s<esi:include src=\"0\" onerror=\"continue\"/>!");
    assertEquals("s!", get("/l/saved").text());
  }

  @Test
  void tagsOfAFragmentCountOnlyWhereItsRouteSaysSo() throws IOException {
    html("/p/outer", "a" + include("/inner"));
    html("/inner", include("/never"));
    assertEquals("a" + include("/never"), get("/p/outer").text());
    assertEquals(0, origin.count("/never"));
  }

  @Test
  void aPageThatIncludesItselfEnds() throws IOException {
    html("/p/loop", "x" + include("/p/loop") + "y");
    assertTrue("xxxx".startsWith(broken("/p/loop")));
    assertEquals(1, origin.count("/p/loop"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
  void theBeginningIsThereBeforeASlowFragmentAndLaterOnesAreRequestedMeanwhile(String version)
      throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    String path = "/p/slow" + version;
    html(
        path,
        "begin" + include("/gate" + version) + "middle" + include("/after" + version) + "end");
    origin.on(
        "/gate" + version,
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, STORED, bytes("SLOW"));
        });
    text("/after" + version, "AFTER");
    try (HttpClient client = edge.tlsClient(HttpClient.Version.valueOf(version))) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + path))
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        assertEquals("begin", new String(body.readNBytes(5), StandardCharsets.US_ASCII));
        Await.until("the last one is requested", () -> origin.count("/after" + version) == 1);
        gate.countDown();
        assertEquals(
            "SLOWmiddleAFTERend", new String(body.readAllBytes(), StandardCharsets.US_ASCII));
      }
    }
  }

  @Test
  void theHeadDoesNotWaitForAFragmentThatComesFirst() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    html("/p/first", include("/first"));
    origin.on(
        "/first",
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, STORED, bytes("first"));
        });
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/p/first").head();
      assertEquals(200, head.status());
      gate.countDown();
      Bytes.assertEquals(bytes("first"), client.body(head));
    }
  }

  @Test
  void aPageComesAsItsOriginSendsIt() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    text("/piece", "P");
    origin.on(
        "/p/pieces",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n" + PASSED + HTML + "transfer-encoding: chunked\r\n\r\n");
          connection.send("4\r\na<es\r\n");
          connection.send("1a\r\ni:include src=\"/piece\"/>b<\r\n");
          TestOrigin.await(gate);
          connection.send("2\r\n/a\r\n0\r\n\r\n");
        });
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/p/pieces").head();
      assertEquals("aPb", new String(client.partOfBody(head, 3), StandardCharsets.US_ASCII));
      gate.countDown();
      assertEquals("</a", new String(client.restOfBody(head, 3), StandardCharsets.US_ASCII));
    }
  }

  @Test
  void anEmptyPageIsEmpty() throws IOException {
    html("/p/empty", "");
    assertEquals("", get("/p/empty").text());
    assertEquals("", get("/p/empty", "Accept-Encoding: gzip").text());
    html("/p/onlytags", "<esi:remove>x</esi:remove>");
    assertEquals("", get("/p/onlytags").text());
  }

  @Test
  void requestsFollowOnTheSameConnection() throws IOException {
    html("/p/again", "a" + include("/again"));
    text("/again", "b");
    try (RawClient client = edge.connect()) {
      client.send("GET /p/again HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(5));
      for (int i = 0; i < 5; i++) {
        assertEquals("ab", client.reply().text());
      }
    }
  }

  // --- failures ---------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<esi:include src='/fails/500' onerror='continue'/> | ''",
        "<esi:include src='/fails/404' alt='/fails/ok'/> | fine",
        "<esi:include src='/fails/404' alt='/fails/500' onerror='continue'/> | ''",
        "<esi:include src='/fails/cut' alt='/fails/ok'/> | fine",
        "<esi:include src='/fails/redirect' onerror='continue'/> | ''",
        "<esi:include src='http://elsewhere.example/' alt='/fails/ok'/> | fine",
        "<esi:include src='ftp://x/' alt='/fails/ok'/> | fine",
        "<esi:include alt='/fails/ok'/> | fine",
        "<esi:include src='/fails/coded' alt='/fails/ok'/> | fine",
        "<esi:try><esi:attempt>a<esi:include src='/fails/ok'/></esi:attempt><esi:except>b</esi:except></esi:try> | afine",
        "<esi:try>x<esi:attempt>a<esi:include src='/fails/500'/></esi:attempt>y<esi:except>b<esi:include src='/fails/ok'/></esi:except>z</esi:try> | bfine",
        "<esi:try><esi:attempt><esi:include src='/fails/cut'/></esi:attempt><esi:except>b</esi:except></esi:try> | b",
        "<esi:try><esi:attempt><esi:include src='/fails/500' onerror='continue'/>a</esi:attempt><esi:except>b</esi:except></esi:try> | a",
        "<esi:try><esi:attempt><esi:try><esi:attempt><esi:include src='/fails/500'/></esi:attempt><esi:except>i</esi:except></esi:try>a</esi:attempt><esi:except>b</esi:except></esi:try> | ia",
        "<esi:try><esi:attempt><esi:try><esi:attempt><esi:include src='/fails/500'/></esi:attempt><esi:except><esi:include src='/fails/404'/></esi:except></esi:try>a</esi:attempt><esi:except>b</esi:except></esi:try> | b",
        "<esi:remove><esi:include src='/fails/500'/></esi:remove> | ''",
        "<esi:try><esi:attempt>a</esi:attempt> | a",
      })
  void aFailureHasTheConsequenceThatThePageNames(String tags, String body) throws IOException {
    origin.on("/fails/500", status(500));
    origin.on("/fails/404", status(404));
    origin.on(
        "/fails/redirect",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 302 Found\r\nlocation: /fails/ok\r\ncontent-length: 0\r\n\r\n"));
    origin.on("/fails/cut", cut("half"));
    origin.on("/fails/coded", TestOrigin.ok("content-encoding: exotic\r\n", bytes("?")));
    text("/fails/ok", "fine");
    html("/p/fails" + tags.hashCode(), "<" + tags + ">");
    boolean isClosed = !tags.contains("try>") || tags.contains("</esi:try>");
    assertEquals(
        "<" + body + (isClosed ? ">" : ""), get("/p/fails" + tags.hashCode()).text(), tags);
  }

  @ParameterizedTest
  @CsvSource({"/breaks/500,''", "/breaks/cut,half", "http://elsewhere.example/x,''", "'',''"})
  void withoutAConsequenceThePageBreaksOff(String src, String begun) throws IOException {
    origin.on("/breaks/500", status(500));
    origin.on("/breaks/cut", cut("half"));
    String path = "/p/breaks" + src.hashCode();
    html(path, "before" + include(src) + "after");
    long broken = edge.sum(c -> c.esi.broken);
    String came = broken(path);
    assertTrue(came.startsWith("before") && ("before" + begun).startsWith(came), came);
    edge.awaitSum(broken + 1, c -> c.esi.broken);
  }

  @Test
  void onHttp2AndHttp3AStreamIsReset() throws Exception {
    origin.on("/breaks/h", status(500));
    html("/p/breaksh", "before" + include("/breaks/h") + "after");
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/p/breaksh"))
              .build();
      assertThrows(
          IOException.class, () -> client.send(request, HttpResponse.BodyHandlers.ofString()));
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Client.Answer answer = client.get("/p/breaksh");
      assertFalse(answer.end().equals("end"), answer.end());
    }
  }

  @Test
  void aPageOfWhichTheOriginBreaksOffBreaksOff() throws IOException {
    origin.on(
        "/p/cut",
        (request, connection) -> {
          TestOrigin.sendHead(connection, PASSED + HTML, 1000).send(bytes("half"));
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      assertThrows(IOException.class, () -> client.get("/p/cut"));
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_2", "HTTP_3"})
  void pagesComeOverAllProtocols(String protocol) throws Exception {
    html("/p/all", "a" + include("/all") + "c");
    text("/all", "b".repeat(200_000));
    String expected = "a" + "b".repeat(200_000) + "c";
    if (protocol.equals("HTTP_3")) {
      try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
        Http3Client.Answer answer = client.get("/p/all");
        assertEquals("end", answer.end());
        assertEquals(expected, answer.body.toString());
      }
    } else {
      try (HttpClient client = edge.tlsClient(HttpClient.Version.valueOf(protocol))) {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/p/all"))
                .build();
        assertEquals(expected, client.send(request, HttpResponse.BodyHandlers.ofString()).body());
      }
    }
  }

  // --- bounds -----------------------------------------------------------------------------------

  @Test
  void aPageWithTooManyIncludesBreaksOffAtTheFirstOneTooMany() throws IOException {
    text("/few", "f");
    html("/l/five", include("/few").repeat(5));
    assertEquals("fffff", get("/l/five").text());
    html("/l/six", include("/few").repeat(6));
    assertTrue("fffff".startsWith(broken("/l/six")));
  }

  @Test
  void aFragmentThatIsTooLargeFails() throws IOException {
    text("/large/fits", "x".repeat(20 * 1024));
    text("/large/more", "x".repeat(20 * 1024 + 1));
    html("/l/fits", "<" + include("/large/fits") + ">");
    assertEquals(20 * 1024 + 2, get("/l/fits").body().length);
    html("/l/more", "<<esi:include src='/large/more' onerror='continue'/>>");
    assertEquals("<>", get("/l/more").text());
    html("/l/breaks", "<" + include("/large/more") + ">");
    assertTrue(broken("/l/breaks").length() <= 1 + 20 * 1024);
  }

  @Test
  void anAttemptThatHoldsTooMuchFails() throws IOException {
    text("/held", "x".repeat(15 * 1024));
    String attempt = "<esi:try><esi:attempt>%s</esi:attempt><esi:except>no</esi:except></esi:try>";
    html("/l/holds", "<" + attempt.formatted(include("/held")) + ">");
    assertEquals(15 * 1024 + 2, get("/l/holds").body().length);
    html("/l/holds2", "<" + attempt.formatted(include("/held") + include("/held")) + ">");
    assertEquals("<no>", get("/l/holds2").text());
    html("/l/holds3", "<" + attempt.formatted("y".repeat(25 * 1024)) + ">");
    assertEquals("<no>", get("/l/holds3").text());
  }

  @Test
  void aPageThatIsTooLargeBreaksOff() throws IOException {
    html("/l/page", "x".repeat(100 * 1024));
    assertEquals(100 * 1024, get("/l/page").body().length);
    html("/l/page1", "x".repeat(100 * 1024 + 1));
    assertTrue(broken("/l/page1").length() <= 100 * 1024);
  }

  @Test
  void aFragmentOfWhichNothingComesForTooLongFails() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    origin.on(
        "/hangs",
        (request, connection) -> {
          TestOrigin.await(never);
          // Its fetch goes on without the page.
          TestOrigin.sendOk(connection, PASSED, bytes("late"));
        });
    origin.on(
        "/stalls",
        (request, connection) -> {
          TestOrigin.sendHead(connection, PASSED, 100).send(bytes("half"));
          TestOrigin.await(never);
        });
    html(
        "/l/hangs",
        "a<esi:include src='/hangs' onerror='continue'/>b"
            + "<esi:include src='/stalls' onerror='continue'/>c");
    assertEquals("abc", get("/l/hangs").text());
    never.countDown();
  }

  // --- purges, clients --------------------------------------------------------------------------

  @Test
  void aFragmentThatIsPurgedWhileThePageIsAssembledIsNewInTheNextPage() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    html("/p/purged", include("/purged/gate") + include("/purged/part"));
    origin.on(
        "/purged/gate",
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, STORED, bytes("gate "));
        });
    text("/purged/part", "old");
    assertEquals("old", get("/purged/part").text());
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/p/purged").head();
      Await.until("the page waits", () -> origin.count("/purged/gate") == 1);
      text("/purged/part", "new");
      edge.purgeUrl("/purged/part");
      gate.countDown();
      String body = new String(client.body(head), StandardCharsets.US_ASCII);
      assertTrue(body.equals("gate old") || body.equals("gate new"), body);
    }
    assertEquals("gate new", get("/p/purged").text());
    assertEquals(1, origin.count("/p/purged"));
  }

  @Test
  void aClientThatLeavesEndsEverything() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    html("/p/left", "begin" + include("/left/1") + include("/left/2"));
    for (int i = 1; i <= 2; i++) {
      origin.on(
          "/left/" + i,
          (request, connection) -> {
            TestOrigin.sendHead(connection, PASSED, 1_000_000).send(new byte[500_000]);
            TestOrigin.await(gate);
          });
    }
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/p/left").head();
      assertEquals("begin", new String(client.partOfBody(head, 5), StandardCharsets.US_ASCII));
      Await.until("fragments come", () -> origin.count("/left/2") == 1);
    }
    edge.awaitIdle();
    gate.countDown();
  }

  @Test
  void aSlowClientStopsThePageAndItsFragmentsAndLittleIsHeld() throws Exception {
    int pieces = 64;
    byte[] piece = new byte[1 << 20];
    for (int i = 0; i < piece.length; i++) {
      piece[i] = (byte) ('a' + i % 26);
    }
    byte[] tag = bytes(include("/slow/fragment"));
    byte[] fragment = new byte[900_000];
    AtomicLong sent = new AtomicLong();
    origin.on("/slow/fragment", TestOrigin.ok(PASSED, fragment));
    origin.on(
        "/p/slowclient",
        (request, connection) -> {
          TestOrigin.sendHead(
              connection, PASSED + HTML, (long) pieces * (piece.length + tag.length));
          for (int i = 0; i < pieces; i++) {
            connection.send(piece).send(tag);
            sent.addAndGet(piece.length);
          }
        });
    text("/slow/other", "other");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create(edge.url("/p/slowclient"))).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      Await.until(
          "the origin is stopped",
          () -> {
            long before = sent.get();
            for (int i = 0; i < 30; i++) {
              assertEquals("other", get("/slow/other").text());
            }
            return before > 0 && sent.get() == before;
          });
      assertTrue(sent.get() < (long) pieces * piece.length / 2, sent + " bytes on their way");
      assertTrue(edge.server().privateCopyBytes() < 4 << 20);
      try (InputStream body = response.body()) {
        for (int i = 0; i < pieces; i++) {
          Bytes.assertEquals(piece, body.readNBytes(piece.length));
          Bytes.assertEquals(fragment, body.readNBytes(fragment.length));
        }
        assertEquals(-1, body.read());
      }
    }
  }

  @Test
  void aSlowClientOfACompressedPageGetsAllOfIt() throws Exception {
    byte[] piece = new byte[1 << 20];
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < piece.length; i++) {
      piece[i] = (byte) random.nextInt('a', 'a' + 16);
    }
    int pieces = 24;
    AtomicLong sent = new AtomicLong();
    text("/slowcoded", "end");
    byte[] tag = bytes(include("/slowcoded"));
    origin.on(
        "/p/slowcoded",
        (request, connection) -> {
          TestOrigin.sendHead(connection, PASSED + HTML, (long) pieces * piece.length + tag.length);
          for (int i = 0; i < pieces; i++) {
            connection.send(piece);
            sent.addAndGet(piece.length);
          }
          connection.send(tag);
        });
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create(edge.url("/p/slowcoded")))
                  .header("accept-encoding", "gzip")
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertEquals("gzip", response.headers().firstValue("content-encoding").orElse(""));
      Await.until("something has come", () -> sent.get() > 0);
      try (InputStream body = new GZIPInputStream(response.body(), 1 << 14)) {
        for (int i = 0; i < pieces; i++) {
          Bytes.assertEquals(piece, body.readNBytes(piece.length));
        }
        assertEquals("end", new String(body.readAllBytes(), StandardCharsets.US_ASCII));
      }
    }
  }

  // --- random pages -----------------------------------------------------------------------------

  /** Makes documents together with what comes of them. */
  private final class Pages {
    private final SplittableRandom random;
    private final String prefix;
    private int fragments;

    Pages(long seed, String prefix) {
      this.random = new SplittableRandom(seed);
      this.prefix = prefix;
    }

    /**
     * A list of parts.
     *
     * @param out what is written of it, up to where it fails
     */
    private record Made(String tags, String out, boolean fails) {}

    private String fragment(String body) {
      String path = "/p/" + prefix + fragments++;
      byte[] bytes = bytes(body);
      String fields = (random.nextBoolean() ? STORED : PASSED) + HTML;
      origin.on(
          path,
          random.nextBoolean() && bytes.length > 0
              ? TestOrigin.chunked(fields, bytes, random.nextInt(1, 40))
              : TestOrigin.ok(fields, bytes));
      return path;
    }

    /** Parts of a document of that level, within so many tries. */
    Made parts(int level, int tries) {
      StringBuilder tags = new StringBuilder();
      StringBuilder out = new StringBuilder();
      boolean fails = false;
      int count = random.nextInt(1, 5);
      for (int i = 0; i < count; i++) {
        Made part = part(level, tries);
        tags.append(part.tags);
        if (!fails) {
          out.append(part.out);
          fails = part.fails;
        }
      }
      return new Made(tags.toString(), out.toString(), fails);
    }

    private Made part(int level, int tries) {
      int kind = random.nextInt(12);
      if (kind <= 3 && level < 3 && fragments < 60) {
        return included(level);
      }
      if (kind == 4 && tries < 3) {
        Made attempt = parts(level, tries + 1);
        Made except = parts(level, tries + 1);
        String tags =
            "<esi:try> <esi:attempt>"
                + attempt.tags
                + "</esi:attempt> <esi:except>"
                + except.tags
                + "</esi:except> </esi:try>";
        return attempt.fails
            ? new Made(tags, except.out, except.fails)
            : new Made(tags, attempt.out, false);
      }
      if (kind == 5 && tries < 3) {
        return chosen(level, tries);
      }
      return switch (kind) {
        case 9 -> new Made("<esi:remove>x" + include("/never") + "</esi:remove>", "", false);
        case 6 -> new Made("<esi:vars>$(QUERY_STRING{q})</esi:vars>", "7", false);
        case 7 -> new Made("<esi:comment text='c'/>", "", false);
        case 8 -> new Made("<b", "<b", false);
        default -> new Made("t" + kind, "t" + kind, false);
      };
    }

    /** A choose, of whose branches the first that holds counts. */
    private Made chosen(int level, int tries) {
      List<String> tests =
          List.of("$(QUERY_STRING{q})!=7", "$(HTTP_COOKIE{none})", "==", "$(QUERY_STRING{q})==7");
      StringBuilder tags = new StringBuilder("<esi:choose>x");
      Made chosen = null;
      for (int i = random.nextInt(3); i >= 0; i--) {
        int test = random.nextInt(tests.size());
        Made branch = parts(level, tries + 1);
        tags.append("<esi:when test=\"").append(tests.get(test)).append("\">");
        tags.append(branch.tags).append("</esi:when>x").append(include("/never"));
        if (test == 3 && chosen == null) {
          chosen = branch;
        }
      }
      if (random.nextBoolean()) {
        Made otherwise = parts(level, tries + 1);
        tags.append("<esi:otherwise>").append(otherwise.tags).append("</esi:otherwise>");
        chosen = chosen == null ? otherwise : chosen;
      }
      tags.append("</esi:choose>");
      return chosen == null
          ? new Made(tags.toString(), "", false)
          : new Made(tags.toString(), chosen.out, chosen.fails);
    }

    private Made included(int level) {
      Made content = random.nextInt(4) == 0 ? new Made("", "", true) : parts(level + 1, 0);
      String path;
      if (content.fails && content.tags.isEmpty()) {
        path = "/p/" + prefix + fragments++;
        origin.on(path, status(503));
      } else {
        path = fragment(content.tags);
      }
      return switch (random.nextInt(3)) {
        case 0 -> new Made(include(path), content.out, content.fails);
        case 1 ->
            new Made(
                "<esi:include src='" + path + "' onerror='continue'/>",
                content.fails ? "" : content.out,
                false);
        default ->
            new Made(
                "<esi:include src='" + path + "' alt='" + fragment("alt") + "'/>",
                content.fails ? "alt" : content.out,
                false);
      };
    }
  }

  @Test
  void randomPagesComeOutAsTheirTagsSay() throws IOException {
    long seed = Long.getLong("forebay.seed", System.nanoTime());
    System.out.println("seed " + seed);
    int whole = 0;
    for (int round = 0; round < 60; round++) {
      Pages pages = new Pages(seed + round, "random" + round + "-");
      Pages.Made page = pages.parts(0, 0);
      String path = pages.fragment(page.tags) + "?q=7";
      String said = "seed " + seed + " round " + round + ": " + page.tags;
      for (int i = 0; i < 2; i++) {
        if (page.fails) {
          String came = broken(path);
          assertTrue(page.out.startsWith(came), () -> said + " came to " + came);
        } else {
          assertEquals(page.out, get(path).text(), said);
          whole++;
        }
      }
    }
    assertTrue(whole > 20, whole + " whole pages, seed " + seed);
    assertEquals(0, origin.count("/never"));
  }

  // --- what is no page --------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"/unmarked", "/p/text", "/s/unmarked", "/s/other", "/p/error"})
  void tagsInAResponseThatIsNoPageDoNothing(String path) throws IOException {
    String body = "a" + include("/never") + "<esi:vars>$(HTTP_HOST)</esi:vars>";
    String type = path.equals("/p/text") ? "content-type: text/plain\r\n" : HTML;
    String mark = path.equals("/s/other") ? "surrogate-control: content=\"ESI/2.0\"\r\n" : "";
    if (path.equals("/p/error")) {
      origin.on(
          path,
          (request, connection) ->
              connection.send(
                  "HTTP/1.1 404 No\r\n"
                      + HTML
                      + "content-length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body));
    } else {
      origin.on(path, TestOrigin.ok(STORED + type + mark + TAG + DATED, bytes(body)));
    }
    for (int i = 0; i < 2; i++) {
      Response response = get(path);
      assertEquals(body, response.text());
      assertFalse(response.has("surrogate-control"), response::toString);
      if (!path.equals("/p/error")) {
        assertEquals("\"source\"", response.field("etag"));
        assertEquals(304, get(path, "If-None-Match: \"source\"").status());
        Response part = get(path, "Range: bytes=0-0");
        assertEquals(206, part.status());
        assertEquals("a", part.text());
      }
    }
    assertEquals(0, origin.count("/never"));
  }

  @ParameterizedTest
  @ValueSource(strings = {STORED, PASSED})
  void conditionsAndRangesOfAPageDoNotCount(String stored) throws IOException {
    String path = "/p/whole" + stored.hashCode();
    origin.on(path, TestOrigin.ok(stored + HTML + TAG + DATED, bytes("a" + include("/whole"))));
    text("/whole", "b");
    for (String field :
        List.of(
            "Range: bytes=0-0",
            "Range: bytes=0-0,2-3",
            "If-None-Match: \"source\"",
            "If-None-Match: *",
            "If-Modified-Since: Mon, 02 Nov 2026 10:00:00 GMT",
            "If-Match: \"other\"")) {
      for (int i = 0; i < 2; i++) {
        Response response = get(path, field);
        assertEquals(200, response.status(), field);
        assertEquals("ab", response.text(), field);
      }
    }
    for (TestOrigin.Request request : origin.requests(path)) {
      assertEquals("", request.field("range"));
      assertEquals("", request.field("if-none-match"));
    }
  }

  @Test
  void aMarkedPageIsAssembledAndItsMarkIsNotSent() throws IOException {
    for (String stored : List.of(STORED, PASSED)) {
      String path = "/s/marked" + stored.hashCode();
      origin.on(path, TestOrigin.ok(stored + HTML + MARK, bytes("a" + include("/marked"))));
      text("/marked", "b");
      for (int i = 0; i < 2; i++) {
        Response response = get(path, "Surrogate-Capability: me=\"ESI/1.0\"");
        assertEquals("ab", response.text());
        assertFalse(response.has("surrogate-control"));
      }
      assertEquals(stored.equals(STORED) ? 1 : 2, origin.count(path));
      assertEquals(
          List.of("forebay=\"ESI/1.0\""),
          origin.requests(path).getFirst().fields("surrogate-capability"));
    }
    assertEquals("", origin.requests("/marked").getFirst().field("surrogate-capability"));
  }

  // --- requests of fragments --------------------------------------------------------------------

  @Test
  void fragmentsOfTheSameHostGetTheClientsFieldsAndOthersFew() throws IOException {
    origin.on(
        "/h/fields",
        TestOrigin.ok(
            PASSED + HTML,
            bytes(
                include("/own/fields")
                    + include("http://other.example/other/fields")
                    + include("http://port.example:81/port/fields")
                    + "<esi:include src='http://port.example/port/not' onerror='continue'/>")));
    origin.on("/own/fields", TestOrigin.ok(PASSED, bytes("1")));
    origin.on("/other/fields", TestOrigin.ok(PASSED, bytes("2")));
    origin.on("/port/fields", TestOrigin.ok(PASSED, bytes("3")));
    assertEquals(
        "123",
        get(
                "/h/fields",
                "Cookie: a=b",
                "Authorization: Basic YTpi",
                "X-Own: x",
                "Accept-Language: de",
                "Range: bytes=0-0",
                "Cache-Control: no-cache")
            .text());
    TestOrigin.Request own = origin.requests("/own/fields").getFirst();
    assertEquals("a=b", own.field("cookie"));
    assertEquals("Basic YTpi", own.field("authorization"));
    assertEquals("x", own.field("x-own"));
    assertEquals("de", own.field("accept-language"));
    assertEquals("", own.field("range"));
    assertEquals("", own.field("cache-control"));
    TestOrigin.Request other = origin.requests("/other/fields").getFirst();
    assertEquals("other.example", other.field("host"));
    assertEquals("", other.field("cookie"));
    assertEquals("", other.field("authorization"));
    assertEquals("", other.field("x-own"));
    assertEquals("de", other.field("accept-language"));
    assertEquals("port.example:81", origin.requests("/port/fields").getFirst().field("host"));
    assertEquals(0, origin.count("/port/not"));
  }

  @Test
  void variablesHaveTheClientsValuesAndNoMarkup() throws IOException {
    html(
        "/p/vars",
        "<esi:vars><i>$(QUERY_STRING{q})|$(HTTP_COOKIE{none}|'guest')</i></esi:vars>$(HTTP_HOST)"
            + "<esi:include src=\"/vars?q=$(QUERY_STRING{q})\"/>");
    origin.on(
        "/vars",
        (request, connection) -> TestOrigin.sendOk(connection, PASSED, bytes(request.target())));
    assertEquals(
        "<i>a&#60;b%26c|guest</i>$(HTTP_HOST)/vars?q=a%3Cb%26c",
        get("/p/vars?q=a<b%26c", "Cookie: x=y").text());
    // What a client sends is no tag, however it is written.
    String tag = "<esi:include/src='/never'/>";
    assertFalse(get("/p/vars?q=" + tag).text().contains("<esi:"));
    assertEquals(0, origin.count("/never"));
  }

  // --- conditions -------------------------------------------------------------------------------

  private static String when(String test, String content) {
    return "<esi:when test=\"" + test + "\">" + content + "</esi:when>";
  }

  private static String choose(String branches) {
    return "<esi:choose> " + branches + " </esi:choose>";
  }

  private static String otherwise(String content) {
    return "<esi:otherwise>" + content + "</esi:otherwise>";
  }

  @ParameterizedTest
  @CsvSource({"gold, members", "silver, silver", "'', guests", "<esi:vars>, guests"})
  void theFirstBranchThatHoldsIsTakenAndNothingOfTheOthersIsRequested(String cookie, String body)
      throws IOException {
    text("/choice/members", "members");
    text("/choice/guests", "guests");
    html(
        "/p/choice",
        "<"
            + choose(
                "x"
                    + include("/never")
                    + when("$(HTTP_COOKIE{group})=='gold'", include("/choice/members"))
                    + "x"
                    + when(
                        "$(HTTP_COOKIE{group})>='gold' &amp; !($(HTTP_COOKIE{none}))",
                        "<esi:vars>$(HTTP_COOKIE{group})</esi:vars>")
                    + when("$(HTTP_COOKIE{group})=='gold'", include("/never"))
                    + otherwise(include("/choice/guests"))
                    + when("1==1", include("/never")))
            + ">");
    assertEquals("<" + body + ">", get("/p/choice", "Cookie: group=" + cookie).text());
    assertEquals(0, origin.count("/never"));
    assertEquals(1, origin.count("/p/choice"));
  }

  @Test
  void aHundredFragmentsAreChosenByNestedConditions() throws IOException {
    StringBuilder page = new StringBuilder();
    StringBuilder[] expected = {new StringBuilder(), new StringBuilder()};
    for (int i = 0; i < 100; i++) {
      String even = "/chosen/even" + i;
      String odd = "/chosen/odd" + i;
      text(even, "[e" + i + "]");
      text(odd, "[o" + i + "]");
      String inner =
          choose(
              when("$(QUERY_STRING{q})<=" + (i - 1), include(even))
                  + otherwise(
                      "<esi:try><esi:attempt>"
                          + choose(when("$(QUERY_STRING{q})>" + (i - 1), include(odd)))
                          + "</esi:attempt><esi:except>"
                          + include("/never")
                          + "</esi:except></esi:try>"));
      page.append(choose(when("$(QUERY_STRING{q})", inner) + otherwise(include("/never"))));
      expected[0].append(0 < i ? "[e" : "[o").append(i).append(']');
      expected[1].append(100 < i ? "[e" : "[o").append(i).append(']');
    }
    html("/p/chosen", page.toString());
    assertEquals(expected[0].toString(), get("/p/chosen?q=0").text());
    assertEquals(expected[1].toString(), get("/p/chosen?q=100").text());
    assertEquals(0, origin.count("/never"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<esi:choose><esi:when test='1==1'>a<esi:include src='/chosen/500' alt='/chosen/ok'/></esi:when></esi:choose>b | aokb",
        "<esi:try><esi:attempt><esi:choose><esi:when test='1==1'>a<esi:include src='/chosen/500'/></esi:when></esi:choose></esi:attempt><esi:except>b</esi:except></esi:try> | b",
        "<esi:choose><esi:when test='1==2'><esi:include src='/chosen/500'/></esi:when></esi:choose>b | b",
        "<esi:choose><esi:when test='1==2'><esi:try><esi:attempt>a<esi:include src='/chosen/500'/></esi:attempt></esi:try></esi:when><esi:otherwise>c</esi:otherwise></esi:choose>b | cb",
        "<esi:choose><esi:when test='1=1'>a</esi:when><esi:when>b</esi:when><esi:otherwise>c</esi:otherwise></esi:choose> | c",
        "<esi:choose><esi:when test='1==1'/><esi:otherwise>c</esi:otherwise></esi:choose>d | d",
        "<esi:choose><esi:when test='1==1'>a<esi:when test='1==1'>b</esi:when>c</esi:choose>d | abd",
        "<esi:choose><esi:when test='1==1'>a | a",
        "<esi:when test='1==2'>a</esi:when><esi:otherwise>b</esi:otherwise> | ab",
        "<esi:choose><esi:when test='1==1'>a</esi:try>b</esi:when></esi:choose>c | abc",
        "<esi:choose><esi:when test='1==1'><esi:remove>a<esi:choose></esi:remove>b</esi:when></esi:choose>c | bc",
      })
  void conditionsWithFaultsComeOutAsStated(String tags, String body) throws IOException {
    origin.on("/chosen/500", status(500));
    text("/chosen/ok", "ok");
    html("/p/chosen" + tags.hashCode(), tags);
    assertEquals(body, get("/p/chosen" + tags.hashCode()).text(), tags);
  }

  @Test
  void conditionsWithinEachOtherAreBounded() throws IOException {
    String open = "<esi:choose><esi:when test='1==1'>";
    String close = "</esi:when></esi:choose>";
    html("/p/nested8", open.repeat(8) + "a" + close.repeat(8) + "b");
    assertEquals("ab", get("/p/nested8").text());
    html("/p/nested9", "a" + open.repeat(9) + "b" + close.repeat(9) + "c");
    assertTrue("a".startsWith(broken("/p/nested9")));
    // Includes count where they are chosen only.
    html(
        "/l/counted",
        (choose(when("1==2", include("/never").repeat(3))) + include("/chosen/ok")).repeat(5));
    text("/chosen/ok", "ok");
    assertEquals("ok".repeat(5), get("/l/counted").text());
  }

  @Test
  void anAttemptWhoseBranchHoldsTooMuchFails() throws IOException {
    html(
        "/l/branch",
        "<esi:try><esi:attempt>"
            + choose(when("1==1", "x".repeat(30_000)))
            + "</esi:attempt><esi:except>small</esi:except></esi:try>");
    assertEquals("small", get("/l/branch").text());
  }

  @ParameterizedTest
  @CsvSource({"''", "'1==1'", "x' | '1'=='1", "x)|(1==1", "$(HTTP_HOST)", "<esi:include/>"})
  void whatAClientSendsIsComparedAndNeverRead(String value) throws IOException {
    html(
        "/p/compared",
        choose(when("$(HTTP_HEADER{x-group})=='admin'", include("/never")) + otherwise("none")));
    long left = edge.sum(c -> c.esi.leftTags);
    assertEquals("none", get("/p/compared", "x-group: " + value).text());
    assertEquals(left, edge.sum(c -> c.esi.leftTags));
    assertEquals(0, origin.count("/never"));
  }

  // --- codings ----------------------------------------------------------------------------------

  private static byte[] gzipped(byte[] body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(body);
    }
    return out.toByteArray();
  }

  private static String gunzipped(byte[] bytes) throws IOException {
    return new String(
        new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
        StandardCharsets.ISO_8859_1);
  }

  @Test
  void anAssembledPageIsCompressedAsItStreams() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    html("/p/coded", "begin" + include("/coded") + "end");
    origin.on(
        "/coded",
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, STORED, bytes("x".repeat(50_000)));
        });
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create(edge.url("/p/coded")))
                  .header("accept-encoding", "gzip")
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertEquals("gzip", response.headers().firstValue("content-encoding").orElse(""));
      assertTrue(response.headers().allValues("vary").contains("Accept-Encoding"));
      try (InputStream body = new GZIPInputStream(response.body(), 64)) {
        assertEquals("begin", new String(body.readNBytes(5), StandardCharsets.US_ASCII));
        gate.countDown();
        assertEquals(
            "x".repeat(50_000) + "end", new String(body.readAllBytes(), StandardCharsets.US_ASCII));
      }
    }
    for (int i = 0; i < 3; i++) {
      Response again = get("/p/coded", "Accept-Encoding: gzip");
      assertEquals("begin" + "x".repeat(50_000) + "end", gunzipped(again.body()));
    }
    assertEquals(1, origin.count("/p/coded"));
    Response personal = get("/p/coded", "Accept-Encoding: gzip", "Cookie: a=b");
    assertFalse(personal.has("content-encoding"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gzip"})
  void aPageAndAFragmentThatComeCompressedAreDecompressed(String accepted) throws IOException {
    String path = "/p/zipped" + accepted;
    String filler = "z".repeat(300_000);
    origin.on(
        path,
        TestOrigin.ok(
            PASSED + HTML + "content-encoding: gzip\r\n",
            gzipped(bytes(filler + include("/zipped") + "end"))));
    origin.on(
        "/zipped", TestOrigin.ok(PASSED + "content-encoding: gzip\r\n", gzipped(bytes("part"))));
    for (int i = 0; i < 2; i++) {
      Response response =
          accepted.isEmpty() ? get(path) : get(path, "Accept-Encoding: " + accepted);
      assertEquals(accepted, response.field("content-encoding"));
      String body = accepted.isEmpty() ? response.text() : gunzipped(response.body());
      assertEquals(filler + "partend", body);
    }
  }

  // --- what is said of it -----------------------------------------------------------------------

  @Test
  void metricsTheAccessLogAndExplainSayThatAPageWasAssembled() throws Exception {
    html("/p/said", include("/said/1") + "<esi:include src='/said/2' onerror='continue'/>");
    text("/said/1", "1");
    origin.on("/said/2", status(500));
    long pages = edge.sum(c -> c.esi.pages);
    long included = edge.sum(c -> c.esi.outcomes(Outcome.INCLUDED));
    long leftOut = edge.sum(c -> c.esi.outcomes(Outcome.LEFT_OUT));
    assertEquals("1", get("/p/said").text());
    edge.awaitSum(pages + 1, c -> c.esi.pages);
    edge.awaitSum(included + 1, c -> c.esi.outcomes(Outcome.INCLUDED));
    edge.awaitSum(leftOut + 1, c -> c.esi.outcomes(Outcome.LEFT_OUT));
    Await.until(
        "the access log says so",
        () -> {
          List<String> lines = Files.readAllLines(log);
          return lines.stream().anyMatch(line -> isLine(line, "/p/said", "\"bytes\":1,\"esi\":2,"))
              && lines.stream().anyMatch(line -> isLine(line, "/said/1", "\"esi\":\"fragment\","));
        });
    String explained = edge.explain(200, "{\"url\":\"" + edge.url("/p/said") + "\"}").toString();
    assertTrue(explained.contains("assembled from its ESI tags"), explained);
  }

  private static boolean isLine(String line, String target, String part) {
    return line.contains("\"target\":\"" + target + "\"") && line.contains(part);
  }

  @Test
  void aBrokenPageIsLoggedWithItsReason() throws Exception {
    origin.on("/why", status(500));
    html("/p/why", "x" + include("/why"));
    assertEquals("x", broken("/p/why"));
    Await.until(
        "the access log says why",
        () ->
            Files.readAllLines(log).stream()
                .anyMatch(line ->
                    isLine(line, "/p/why", "has status 500")
                        && line.contains("\"abort\":\"ORIGIN_FAILED\"")));
  }
}
