package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.server.TestOrigin.Request;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers so slow that stored bytes leave memory before they are sent (I9). */
@Tag("slow")
final class ServerLostBodyTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 12 * MIB;

  private static final byte[] BODY = Edge.bytes(20, LENGTH);
  private static final byte[] OTHER_BODY = Edge.bytes(21, LENGTH);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(Answer first, Answer rest) throws IOException {
    start("", first, rest);
  }

  private void start(String more, Answer first, Answer rest) throws IOException {
    edge = Edge.before(origin, directory, "64MiB", more + "limits: {private-copies: 64MiB}\n");
    origin.on(
        "/slow",
        (request, connection) -> (request.number() == 1 ? first : rest).to(request, connection));
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** A whole body's answer to a request for a part of its rest. */
  private static Answer partOf(byte[] body, String fields) {
    return (request, connection) -> {
      long first = first(request);
      long end = last(request) + 1;
      connection.send(
          "HTTP/1.1 206 Partial Content\r\n"
              + fields
              + "content-range: "
              + request.field("range").replace("=", " ")
              + "/"
              + body.length
              + "\r\ncontent-length: "
              + (end - first)
              + "\r\n\r\n");
      connection.send(Arrays.copyOfRange(body, (int) first, (int) end));
    };
  }

  private static long first(Request request) {
    String range = request.field("range");
    assertTrue(range.matches("bytes=\\d+-\\d+"), range);
    return Long.parseLong(range, "bytes=".length(), range.indexOf('-'), 10);
  }

  private static long last(Request request) {
    String range = request.field("range");
    return Long.parseLong(range, range.indexOf('-') + 1, range.length(), 10);
  }

  /** Stores the object, so that the reader afterwards is served from the store. */
  private void store() throws IOException {
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/slow").body());
    }
    edge.awaitIdle();
  }

  /**
   * Replaces all that is in memory, three times: what comes is asked for again a little later, or
   * what has proven useful would be kept from it.
   */
  private void turnOver() throws IOException {
    byte[] body = Edge.bytes(22, MIB);
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 3 * 64; i++) {
        origin.on("/churn/" + i, TestOrigin.ok(FRESH, body));
        assertEquals(200, client.get("/churn/" + i).status());
        if (i >= 12) {
          assertEquals(200, client.get("/churn/" + (i - 12)).status());
        }
      }
    }
    assertTrue(edge.server().store().reclaimedRegions() > 16);
    Await.until("no reader holds a region", () -> edge.server().store().pins() == 0);
  }

  private void assertBrokenOff() throws IOException {
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow");
      Response head = slow.head();
      assertEquals(200, head.status());
      assertEquals(Integer.toString(LENGTH), head.field("content-length"));
      turnOver();
      byte[] read = slow.upTo(LENGTH);
      assertTrue(read.length < LENGTH, "all of it came");
      Bytes.assertEquals(Arrays.copyOf(BODY, read.length), read);
    }
    edge.awaitSum(1, c -> c.remaindersLost);
    edge.awaitSum(1, c -> c.responsesAborted);
    edge.awaitSum(0, c -> c.remaindersFetched);
  }

  @Test
  void aSlowReaderGetsWhatMemoryHasLostFromTheOrigin() throws IOException {
    Path log = directory.resolve("access.log");
    start(
        "access-log: {output: \"" + log + "\"}\n",
        TestOrigin.ok(TAGGED, BODY),
        partOf(BODY, TAGGED));
    store();
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow");
      Response head = slow.head();
      assertTrue(head.isHit());
      turnOver();
      Bytes.assertEquals(BODY, slow.body(head));
      // The connection is whole: the next response comes by it.
      origin.on("/next", TestOrigin.ok(FRESH, new byte[] {1}));
      assertEquals(200, slow.get("/next").status());
    }
    edge.awaitSum(1, c -> c.remaindersFetched);
    assertTrue(origin.count("/slow") > 2, "the rest came in one request");
    edge.awaitSum(1, c -> c.partlyFetched(CacheResult.HIT));
    edge.awaitSum(0, c -> c.responsesAborted);
    Await.until("it is logged", () -> logged(log).contains("rest-fetched"));
    String line =
        logged(log).lines().filter(text -> text.contains("rest-fetched")).findFirst().orElseThrow();
    assertTrue(line.contains("/slow") && line.contains(Integer.toString(LENGTH)), line);
  }

  private static String logged(Path log) {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theOriginIsAskedForTheRestAloneAndForNothingTheClientSaid() throws IOException {
    start(TestOrigin.ok(TAGGED, BODY), partOf(BODY, TAGGED));
    store();
    int from = 1000;
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request(
          "GET",
          "/slow",
          "Range: bytes=" + from + "-" + (LENGTH - 1),
          "If-Range: \"v1\"",
          "If-None-Match: \"v0\"",
          "If-Modified-Since: Tue, 02 Jun 2026 10:00:00 GMT");
      Response head = slow.head();
      assertEquals(206, head.status());
      turnOver();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, from, LENGTH), slow.body(head));
    }
    Request asked = origin.requests("/slow").get(1);
    assertEquals("GET", asked.method());
    assertTrue(first(asked) > from, asked.field("range"));
    List<Request> all = origin.requests("/slow");
    assertEquals(LENGTH - 1, last(all.getLast()));
    for (int i = 2; i < all.size(); i++) {
      assertEquals(last(all.get(i - 1)) + 1, first(all.get(i)));
    }
    assertEquals(List.of("\"v1\""), asked.fields("if-range"));
    assertEquals(List.of(), asked.fields("if-none-match"));
    assertEquals(List.of(), asked.fields("if-modified-since"));
  }

  @Test
  void aRangeInTheMiddleIsGoneOnWithToItsEnd() throws IOException {
    start(
        TestOrigin.ok(TAGGED, BODY),
        (request, connection) -> {
          int first = (int) first(request);
          int end = (int) last(request) + 1;
          connection.send(
              "HTTP/1.1 206 Partial Content\r\n"
                  + TAGGED
                  + "content-range: bytes "
                  + first
                  + "-"
                  + (end - 1)
                  + "/"
                  + LENGTH
                  + "\r\ntransfer-encoding: chunked\r\n\r\n");
          byte[] part = Arrays.copyOfRange(BODY, first, end);
          connection.send(Integer.toHexString(part.length) + "\r\n").send(part);
          connection.send("\r\n0\r\n\r\n");
        });
    store();
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow", "Range: bytes=5-9999999");
      Response head = slow.head();
      assertEquals(206, head.status());
      turnOver();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, 5, 10_000_000), slow.body(head));
    }
    edge.awaitSum(1, c -> c.remaindersFetched);
  }

  @Test
  void theReaderWhoCausedTheFillIsGoneOnWithToo() throws IOException {
    start(TestOrigin.chunked(TAGGED, BODY, 1 << 16), partOf(BODY, TAGGED));
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB);
        RawClient quick = edge.connect()) {
      slow.request("GET", "/slow");
      Response head = slow.head();
      Bytes.assertEquals(BODY, quick.get("/slow").body());
      turnOver();
      Bytes.assertEquals(BODY, slow.body(head));
    }
    edge.awaitSum(1, c -> c.remaindersFetched);
    edge.awaitSum(1, c -> c.partlyFetched(CacheResult.MISS));
    edge.awaitSum(0, c -> c.partlyFetched(CacheResult.HIT) + c.partlyFetched(CacheResult.JOINED));
  }

  @Tag("full")
  @Test
  void anHttp2ReaderIsGoneOnWithToo() throws Exception {
    // More than the JDK's client takes before it is read.
    byte[] large = Edge.bytes(23, 24 * MIB);
    start(TestOrigin.ok(TAGGED, large), partOf(large, TAGGED));
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/slow"))
              .build();
      Bytes.assertEquals(
          large, client.send(request, HttpResponse.BodyHandlers.ofByteArray()).body());
      edge.awaitIdle();
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      assertEquals(HttpClient.Version.HTTP_2, response.version());
      assertEquals(200, response.statusCode());
      turnOver();
      try (InputStream body = response.body()) {
        Bytes.assertEquals(large, body.readAllBytes());
      }
    }
    edge.awaitSum(1, c -> c.remaindersFetched);
  }

  @Test
  void aBodyThatHasChangedMeanwhileIsBrokenOff() throws IOException {
    String changed = FRESH + "etag: \"v2\"\r\n";
    start(TestOrigin.ok(TAGGED, BODY), TestOrigin.ok(changed, OTHER_BODY));
    store();
    assertBrokenOff();
  }

  @Tag("full")
  @Test
  void anOriginThatIgnoresTheConditionIsNotBelieved() throws IOException {
    start(TestOrigin.ok(TAGGED, BODY), partOf(OTHER_BODY, FRESH + "etag: \"v2\"\r\n"));
    store();
    assertBrokenOff();
  }

  @Tag("full")
  @Test
  void anOriginWithoutRangesIsNotReadFromTheBeginning() throws IOException {
    start(TestOrigin.ok(TAGGED, BODY), TestOrigin.ok(TAGGED, BODY));
    store();
    assertBrokenOff();
  }

  @Tag("full")
  @Test
  void anOriginThatFailsMeanwhileBreaksTheTransferOff() throws IOException {
    start(TestOrigin.ok(TAGGED, BODY), (request, connection) -> connection.close());
    store();
    assertBrokenOff();
  }

  @Test
  void aRestThatEndsEarlyIsBrokenOff() throws IOException {
    start(
        TestOrigin.ok(TAGGED, BODY),
        (request, connection) -> {
          sendRestHead(request, connection);
          connection.send("3\r\nabc\r\n0\r\n\r\n");
        });
    store();
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow");
      assertEquals(200, slow.head().status());
      turnOver();
      assertTrue(slow.upTo(LENGTH).length < LENGTH);
    }
    edge.awaitSum(1, c -> c.responsesAborted);
  }

  private static void sendRestHead(Request request, Connection connection) throws IOException {
    connection.send(
        "HTTP/1.1 206 Partial Content\r\n"
            + TAGGED
            + "content-range: "
            + request.field("range").replace("=", " ")
            + "/"
            + LENGTH
            + "\r\ntransfer-encoding: chunked\r\n\r\n");
  }

  @Test
  void aClientThatLeavesWhileTheRestIsAskedForLeavesNothingBehind() throws IOException {
    start(
        TestOrigin.ok(TAGGED, BODY),
        (request, connection) -> {
          sendRestHead(request, connection);
          connection.awaitClose();
        });
    store();
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow");
      assertEquals(200, slow.head().status());
      turnOver();
      Await.until(
          "the rest is asked for",
          () -> {
            slow.dropWhatIsThere();
            return origin.count("/slow") == 2;
          });
    }
    edge.awaitSum(1, c -> c.clientAborts);
  }
}
