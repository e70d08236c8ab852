package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.compress.Compressors.Use;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Commands;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.http3.Http3Headers;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that are compressed or decompressed on their way, over real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
@Timeout(300)
final class ServerCompressTest {

  private static final String GZIP = "Accept-Encoding: gzip";
  private static final String PASSED = "cache-control: no-store\r\n";
  private static final String TEXT = "content-type: text/plain\r\n";
  private static final String TAG = "etag: \"abc\"\r\n";

  private final TestOrigin origin = new TestOrigin();
  private Path directory;
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            """
            http3: {listeners: [secure]}
            routes:
              - {match: {path: /}}
              - {match: {path: /off/}, compress: off}
              - {match: {path: /private/}, compress: {private: on}, response-trailers: Server-Timing}
              - {match: {path: /large/}, compress: {min: 10KiB}}
            """);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static byte[] text(long seed, int length) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = (byte) "etaoin shrdlu\n".charAt(Math.min(random.nextInt(14), random.nextInt(14)));
    }
    return text;
  }

  private static byte[] gunzipped(byte[] bytes) throws IOException {
    return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
  }

  private static byte[] gzipped(byte[] body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(body);
    }
    return out.toByteArray();
  }

  private Response get(String path, String... fields) throws IOException {
    return RawClient.get(edge.port(), path, fields);
  }

  private static void assertPlain(Response response, byte[] body) {
    assertEquals("", response.field("content-encoding"), response::toString);
    assertEquals(Integer.toString(body.length), response.field("content-length"));
    Bytes.assertEquals(body, response.body());
  }

  // --- passed -----------------------------------------------------------------------------------

  @Test
  void aPassedTextIsCompressedAndItsHeadSaysSo() throws IOException {
    byte[] body = text(1, 100_000);
    origin.on(
        "/head",
        TestOrigin.ok(
            PASSED
                + TEXT
                + TAG
                + "accept-ranges: bytes\r\nvary: origin\r\nrepr-digest: sha-256=:AA==:\r\n",
            body));
    Response response = get("/head", GZIP);
    Bytes.assertEquals(body, gunzipped(response.body()));
    assertTrue(response.body().length < body.length * 3 / 4);
    assertEquals(List.of("gzip"), response.all("content-encoding"));
    assertEquals("\"abc-gzip5.1\"", response.field("etag"));
    assertEquals(List.of("origin", "Accept-Encoding"), response.all("vary"));
    assertFalse(response.has("content-length"));
    assertFalse(response.has("accept-ranges"));
    assertFalse(response.has("repr-digest"));

    Response head = RawClient.head(edge.port(), "/head", GZIP);
    assertEquals(List.of("gzip"), head.all("content-encoding"));
    assertEquals("\"abc-gzip5.1\"", head.field("etag"));
    assertFalse(head.has("content-length"));

    Response plain = get("/head");
    assertPlain(plain, body);
    assertEquals("\"abc\"", plain.field("etag"));
    assertEquals(List.of("origin", "Accept-Encoding"), plain.all("vary"));
    assertEquals("bytes", plain.field("accept-ranges"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000, 65_536, 1_000_000})
  void chunksOfAnyLengthDecodeToTheSame(int chunkBytes) throws IOException {
    byte[] body = text(chunkBytes, (int) Math.min(1_000_000, chunkBytes * 3000L));
    origin.on("/chunks", TestOrigin.chunked(PASSED + TEXT, body, chunkBytes));
    Bytes.assertEquals(body, gunzipped(get("/chunks", GZIP).body()));
  }

  @ParameterizedTest
  @CsvSource({
    "br,--http1.1",
    "zstd,--http1.1",
    "gzip,--http1.1",
    "br,--http2",
    "zstd,--http2",
    "gzip,--http2"
  })
  void curlDecodesWhatItIsSent(String coding, String protocol) throws Exception {
    byte[] body = incompressibleText(2, 2_000_000);
    origin.on("/curl", TestOrigin.chunked(PASSED + TEXT, body, 10_000));
    Path decoded = directory.resolve("decoded");
    List<String> command =
        List.of(
            "curl",
            "-sS",
            "--compressed",
            protocol,
            "--cacert",
            edge.authority().toString(),
            "-H",
            "Accept-Encoding: " + coding,
            "-o",
            decoded.toString(),
            "-w",
            "%{http_version} %header{content-encoding}",
            "https://127.0.0.1:" + edge.tlsPort() + "/curl");
    String said = Commands.run(Duration.ofMinutes(1), command).orFail().out();
    assertEquals((protocol.equals("--http2") ? "2 " : "1.1 ") + coding, said.strip());
    Bytes.assertEquals(body, Files.readAllBytes(decoded));
  }

  @RepeatedTest(4)
  void http3ClientsGetItToo() throws Exception {
    byte[] body = incompressibleText(3, 2_000_000);
    origin.on("/h3", TestOrigin.chunked(PASSED + TEXT, body, 5000));
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Headers headers = Http3Client.request("GET", "/h3");
      headers.add("accept-encoding", "gzip");
      Http3Client.Answer answer = client.open(headers, true);
      Http3Headers head = answer.head();
      assertEquals("200", head.status().toString());
      assertEquals("gzip", head.get("content-encoding").toString());
      assertEquals("end", answer.end());
      byte[] coded = answer.body.toString().getBytes(StandardCharsets.ISO_8859_1);
      Bytes.assertEquals(body, gunzipped(coded));
    }
  }

  /** The origin has sent all long before a client that cannot take it at once has it. */
  @Test
  @Tag("full")
  void longBodiesComeToTheirEndsOverHttp3HoweverStreamAndClientWait() throws Exception {
    for (int size = 1; size <= 4; size++) {
      origin.on("/h3-" + size, TestOrigin.ok(PASSED + TEXT, text(size, size * 170_000)));
    }
    for (int round = 0; round < 40; round++) {
      try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
        List<Http3Client.Answer> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          Http3Headers headers = Http3Client.request("GET", "/h3-" + (1 + i % 4));
          headers.add("accept-encoding", i % 3 == 0 ? "gzip" : "br");
          answers.add(client.open(headers, true));
        }
        for (Http3Client.Answer answer : answers) {
          assertEquals("end", answer.end());
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
  void eachPieceArrivesBeforeTheOriginSendsTheNext(String version) throws Exception {
    int pieces = 5;
    List<CountDownLatch> gates = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      gates.add(new CountDownLatch(1));
    }
    gates.getFirst().countDown();
    origin.on(
        "/pieces",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n" + PASSED + TEXT + "transfer-encoding: chunked\r\n\r\n");
          for (int i = 0; i < pieces; i++) {
            TestOrigin.await(gates.get(i));
            connection.send("8\r\npiece " + i + "\n\r\n");
          }
          connection.send("0\r\n\r\n");
        });
    try (HttpClient client = edge.tlsClient(HttpClient.Version.valueOf(version))) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/pieces"))
                  .header("accept-encoding", "gzip")
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertEquals("gzip", response.headers().firstValue("content-encoding").orElse(""));
      try (InputStream decoded = new GZIPInputStream(response.body(), 64)) {
        for (int i = 0; i < pieces; i++) {
          assertEquals(
              "piece " + i + "\n", new String(decoded.readNBytes(8), StandardCharsets.US_ASCII));
          if (i + 1 < pieces) {
            gates.get(i + 1).countDown();
          }
        }
        assertEquals(-1, decoded.read());
      }
    }
  }

  @Test
  void theHeadGoesOutBeforeTheFirstByteOfTheBody() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/late",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n" + PASSED + TEXT + "transfer-encoding: chunked\r\n\r\n");
          TestOrigin.await(gate);
          connection.send("4\r\nlate\r\n0\r\n\r\n");
        });
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/late", GZIP).head();
      assertEquals("gzip", head.field("content-encoding"));
      gate.countDown();
      assertEquals("late", new String(gunzipped(client.body(head)), StandardCharsets.US_ASCII));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/event-stream | '' | ''",
        "image/png | '' | ''",
        "'' | '' | ''",
        "text/plain | cache-control: no-transform | ''",
        "text/plain | '' | Cache-Control: no-transform",
        "text/plain | '' | Cookie: a=b",
        "text/plain | '' | Authorization: Basic YTpi",
        "text/plain | '' | Accept-Encoding: gzip;q=0",
      })
  void isLeftAlone(String type, String field, String asked) throws IOException {
    byte[] body = text(4, 5000);
    origin.on(
        "/alone",
        TestOrigin.ok(
            PASSED
                + (type.isEmpty() ? "" : "content-type: " + type + "\r\n")
                + (field.isEmpty() ? "" : field + "\r\n")
                + TAG,
            body));
    Response response =
        asked.startsWith("Accept-Encoding")
            ? get("/alone", asked)
            : asked.isEmpty() ? get("/alone", GZIP) : get("/alone", GZIP, asked);
    assertPlain(response, body);
    assertEquals("\"abc\"", response.field("etag"));
  }

  @Test
  void aRouteDecides() throws IOException {
    byte[] body = text(5, 5000);
    for (String path : List.of("/off/a", "/large/a", "/private/a")) {
      origin.on(path, TestOrigin.ok(PASSED + TEXT, body));
    }
    assertPlain(get("/off/a", GZIP), body);
    assertFalse(get("/off/a", GZIP).has("vary"));
    assertPlain(get("/large/a", GZIP), body);
    Response response = get("/private/a", GZIP, "Cookie: a=b");
    assertEquals("gzip", response.field("content-encoding"));
    Bytes.assertEquals(body, gunzipped(response.body()));
  }

  @Test
  void aPartAndACodedBodyAreLeftAlone() throws IOException {
    byte[] body = text(6, 5000);
    origin.on(
        "/part",
        (request, connection) ->
            connection
                .send(
                    "HTTP/1.1 206 Partial Content\r\n"
                        + PASSED
                        + TEXT
                        + "content-range: bytes 0-4999/9999\r\ncontent-length: 5000\r\n\r\n")
                .send(body));
    Response part = get("/part", GZIP, "Range: bytes=0-4999");
    assertEquals(206, part.status());
    assertPlain(part, body);
    byte[] coded = gzipped(body);
    origin.on("/coded", TestOrigin.ok(PASSED + TEXT + TAG + "content-encoding: gzip\r\n", coded));
    Response response = get("/coded", "Accept-Encoding: br, gzip");
    assertEquals("gzip", response.field("content-encoding"));
    assertEquals("\"abc\"", response.field("etag"));
    Bytes.assertEquals(coded, response.body());
  }

  @Test
  void trailersFollowACodedBody() throws IOException {
    byte[] body = text(7, 5000);
    origin.on(
        "/private/trailers",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n"
                  + PASSED
                  + TEXT
                  + "transfer-encoding: chunked\r\n\r\n"
                  + Integer.toHexString(body.length)
                  + "\r\n");
          connection.send(body);
          connection.send("\r\n0\r\nserver-timing: a\r\n\r\n");
        });
    try (RawClient client = edge.connect()) {
      Response response = client.request("GET", "/private/trailers", GZIP, "TE: trailers").reply();
      Bytes.assertEquals(body, gunzipped(response.body()));
      assertEquals(List.of("server-timing: a"), client.trailers());
    }
  }

  // --- back-pressure and ends -------------------------------------------------------------------

  @Tag("full")
  @Test
  void aSlowClientStopsTheOriginAndNobodyElse() throws Exception {
    long total = 64L << 20;
    byte[] chunk = incompressibleText(8, 1 << 16);
    AtomicLong sent = new AtomicLong();
    origin.on(
        "/slow",
        (request, connection) -> {
          TestOrigin.sendHead(connection, PASSED + TEXT, total);
          for (long at = 0; at < total; at += chunk.length) {
            connection.send(chunk);
            sent.addAndGet(chunk.length);
          }
        });
    byte[] other = text(9, 2000);
    origin.on("/other", TestOrigin.ok(PASSED + TEXT, other));
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(URI.create(edge.url("/slow")))
                  .header("accept-encoding", "gzip")
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertEquals("gzip", response.headers().firstValue("content-encoding").orElse(""));
      Await.until(
          "the origin is stopped",
          () -> {
            long before = sent.get();
            for (int i = 0; i < 30; i++) {
              assertOther(other);
            }
            return before > 0 && sent.get() == before;
          });
      // What the sockets on both sides hold, and some pieces within the node.
      assertTrue(sent.get() < total / 2, sent.get() + " bytes on their way");
      try (InputStream plain = new GZIPInputStream(response.body(), 1 << 14)) {
        byte[] piece = new byte[chunk.length];
        for (long at = 0; at < total; at += chunk.length) {
          assertEquals(chunk.length, plain.readNBytes(piece, 0, chunk.length));
          Bytes.assertEquals(chunk, piece);
        }
        assertEquals(-1, plain.read());
      }
    }
  }

  private void assertOther(byte[] body) {
    try {
      Bytes.assertEquals(body, gunzipped(get("/other", GZIP).body()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] incompressibleText(long seed, int length) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = (byte) (' ' + random.nextInt(95));
    }
    return text;
  }

  @Test
  void aClientThatLeavesEndsTheFetchAndTheStream() throws IOException {
    byte[] chunk = incompressibleText(10, 1 << 16);
    CountDownLatch broken = new CountDownLatch(1);
    origin.on(
        "/left",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n" + PASSED + TEXT + "transfer-encoding: chunked\r\n\r\n");
          try {
            while (true) {
              connection.send("10000\r\n").send(chunk).send("\r\n");
            }
          } catch (IOException e) {
            broken.countDown();
            throw e;
          }
        });
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/left", GZIP).head();
      assertEquals(100_000, client.partOfBody(head, 100_000).length);
    }
    TestOrigin.await(broken);
    Await.until("no stream is open", () -> edge.server().compressors().open(Use.STREAM) == 0);
  }

  @Test
  void aBodyThatTheOriginBreaksOffIsBrokenOff() throws IOException {
    byte[] body = text(11, 50_000);
    CountDownLatch read = new CountDownLatch(1);
    origin.on(
        "/broken",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\n"
                  + PASSED
                  + TEXT
                  + "transfer-encoding: chunked\r\n\r\n"
                  + Integer.toHexString(2 * body.length)
                  + "\r\n");
          connection.send(body);
          TestOrigin.await(read);
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/broken", GZIP).head();
      assertEquals(100, client.partOfBody(head, 100).length);
      read.countDown();
      assertThrows(IOException.class, () -> client.restOfBody(head, 100));
    }
    Await.until("no stream is open", () -> edge.server().compressors().open(Use.STREAM) == 0);
  }

  @Test
  void beyondThePlacesBodiesGoOutAsTheyAre(@TempDir Path other) throws IOException {
    byte[] body = text(12, 5000);
    CountDownLatch gate = new CountDownLatch(1);
    try (TestOrigin slow = new TestOrigin();
        Edge small = Edge.before(slow, other, "32MiB", "compress: {streams: 1}\n")) {
      slow.on(
          "/held",
          (request, connection) -> {
            TestOrigin.sendHead(connection, PASSED + TEXT, body.length);
            TestOrigin.await(gate);
            connection.send(body);
          });
      slow.on("/next", TestOrigin.ok(PASSED + TEXT + TAG, body));
      try (RawClient first = small.connect()) {
        Response head = first.request("GET", "/held", GZIP).head();
        assertEquals("gzip", head.field("content-encoding"));
        Response next = RawClient.get(small.port(), "/next", GZIP);
        assertPlain(next, body);
        assertEquals("\"abc\"", next.field("etag"));
        assertEquals("Accept-Encoding", next.field("vary"));
        gate.countDown();
        Bytes.assertEquals(body, gunzipped(first.body(head)));
      }
      assertEquals(1, small.server().compressors().counters().refused(Use.STREAM));
      Await.until("the place is free", () -> small.server().compressors().open(Use.STREAM) == 0);
      assertEquals("gzip", RawClient.get(small.port(), "/next", GZIP).field("content-encoding"));
    }
  }

  // --- conditions -------------------------------------------------------------------------------

  @Test
  void conditionsOnCodedTagsReachTheOriginAsItsOwn() throws IOException {
    byte[] body = text(13, 5000);
    origin.on(
        "/condition",
        (request, connection) -> {
          if (request.field("if-none-match").contains("\"abc\"")) {
            TestOrigin.notModified(connection, TAG + PASSED);
          } else {
            TestOrigin.sendOk(connection, PASSED + TEXT + TAG, body);
          }
        });
    String tag = get("/condition", GZIP).field("etag");
    Response unchanged = get("/condition", GZIP, "If-None-Match: " + tag);
    assertEquals(304, unchanged.status());
    assertEquals(tag, unchanged.field("etag"));
    assertEquals("Accept-Encoding", unchanged.field("vary"));
    Response plain = get("/condition", "If-None-Match: \"abc\"");
    assertEquals(304, plain.status());
    assertEquals("\"abc\"", plain.field("etag"));
    assertEquals(200, get("/condition", GZIP, "If-None-Match: \"abd-gzip5.1\"").status());
  }

  // --- fills ------------------------------------------------------------------------------------

  @Test
  void theFirstClientOfAFillGetsItCompressedAndWhatIsStoredIsPlain() throws IOException {
    byte[] body = text(14, 300_000);
    origin.on(
        "/fill", TestOrigin.chunked("cache-control: max-age=1000\r\n" + TEXT + TAG, body, 9999));
    Response first = get("/fill", GZIP);
    assertEquals("gzip", first.field("content-encoding"));
    assertEquals("\"abc-gzip5.1\"", first.field("etag"));
    assertEquals("Accept-Encoding", first.field("vary"));
    Bytes.assertEquals(body, gunzipped(first.body()));
    Await.until(
        "a hit",
        () -> {
          try {
            return get("/fill").isHit();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    assertPlain(get("/fill"), body);
    assertEquals("\"abc\"", get("/fill").field("etag"));
    assertEquals(1, origin.count("/fill"));
  }

  @Test
  void clientsThatFollowAFillEachGetTheirCoding() throws Exception {
    byte[] body = text(15, 400_000);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/followed",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: max-age=1000\r\n" + TEXT, body.length);
          connection.send(Arrays.copyOf(body, 100_000));
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, 100_000, body.length));
        });
    try (RawClient coded = edge.connect();
        RawClient plain = edge.connect();
        RawClient leaves = edge.connect()) {
      Response codedHead = coded.request("GET", "/followed", GZIP).head();
      Response plainHead = plain.request("GET", "/followed").head();
      Response leavesHead = leaves.request("GET", "/followed", GZIP).head();
      assertEquals("gzip", codedHead.field("content-encoding"));
      assertEquals("", plainHead.field("content-encoding"));
      assertEquals("Accept-Encoding", plainHead.field("vary"));
      assertEquals(10, leaves.partOfBody(leavesHead, 10).length);
      leaves.close();
      gate.countDown();
      Bytes.assertEquals(body, gunzipped(coded.body(codedHead)));
      Bytes.assertEquals(body, plain.body(plainHead));
      assertEquals(1, origin.count("/followed"));
    }
  }

  // --- decompression ----------------------------------------------------------------------------

  @Test
  void aCodedBodyIsDecodedForAClientThatTakesNone() throws IOException {
    byte[] body = text(16, 500_000);
    byte[] coded = gzipped(body);
    for (String cached : List.of(PASSED, "cache-control: max-age=1000\r\n")) {
      String path = "/decoded/" + cached.length();
      origin.on(path, TestOrigin.ok(cached + TEXT + TAG + "content-encoding: gzip\r\n", coded));
      for (int i = 0; i < 2; i++) {
        Response response = get(path);
        Bytes.assertEquals(body, response.body());
        assertFalse(response.has("content-encoding"));
        assertFalse(response.has("content-length"));
        assertEquals("W/\"abc\"", response.field("etag"));
        assertEquals("Accept-Encoding", response.field("vary"));
      }
      Bytes.assertEquals(coded, get(path, GZIP).body());
    }
  }

  @Test
  void aBombIsBrokenOffAndSoIsALie() throws IOException {
    byte[] bomb = gzipped(new byte[100 << 20]);
    origin.on("/bomb", TestOrigin.ok(PASSED + TEXT + "content-encoding: gzip\r\n", bomb));
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/bomb").head();
      assertEquals(200, head.status());
      assertThrows(IOException.class, () -> client.body(head));
    }
    // At once, so that the client has not seen the head when the node sees the lie.
    origin.on(
        "/lie",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 200 OK\r\n"
                    + PASSED
                    + TEXT
                    + "content-encoding: gzip\r\ncontent-length: 7\r\n\r\nno gzip"));
    assertEquals(502, get("/lie").status());
    Await.until("no stream is open", () -> edge.server().compressors().open(Use.STREAM) == 0);
    assertTrue(edge.server().compressors().counters().failed(Use.STREAM) >= 2);
  }

  // --- explain ----------------------------------------------------------------------------------

  @Test
  void explainSaysHowAPassedResponseIsCompressed() throws Exception {
    String asked =
        """
        {"url": "http://127.0.0.1:PORT/a", "method": "POST", "fields": [["Accept-Encoding", "gzip"]FIELD]}
        """
            .replace("PORT", Integer.toString(edge.port()));
    assertTrue(
        edge.explain(200, asked.replace("FIELD", "")).toString().contains("compressed with gzip"));
    assertTrue(
        edge.explain(200, asked.replace("FIELD", ", [\"Cookie\", \"a=b\"]"))
            .toString()
            .contains("compress.private"));
  }
}
