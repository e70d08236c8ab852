package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.MultipartBody.Part;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ranges and conditions on stored objects (RFC 9110 §13, §14): bodies in one record, in one slice
 * and in several, over every protocol.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerRangeTest {

  private static final int KIB = 1 << 10;
  private static final String MODIFIED = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final String FIELDS =
      "cache-control: max-age=100000000\r\n"
          + "etag: \"one\"\r\n"
          + ("last-modified: " + MODIFIED + "\r\n")
          + "date: Wed, 01 Jul 2026 10:00:00 GMT\r\n"
          + "content-type: text/x-numbers\r\n";

  enum Protocol {
    PLAIN_HTTP_1,
    TLS_HTTP_1,
    TLS_HTTP_2
  }

  private final TestOrigin origin = new TestOrigin();
  private final Map<Protocol, HttpClient> clients = new EnumMap<>(Protocol.class);
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.before(origin, directory, "64MiB", "");
    clients.put(
        Protocol.PLAIN_HTTP_1,
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    clients.put(Protocol.TLS_HTTP_1, edge.tlsClient(HttpClient.Version.HTTP_1_1));
    clients.put(Protocol.TLS_HTTP_2, edge.tlsClient(HttpClient.Version.HTTP_2));
  }

  @AfterAll
  void stop() throws IOException {
    clients.values().forEach(HttpClient::shutdownNow);
    edge.close();
    origin.close();
  }

  private HttpResponse<byte[]> send(
      Protocol protocol, String method, String path, String... fields) {
    String base =
        protocol == Protocol.PLAIN_HTTP_1
            ? "http://127.0.0.1:" + edge.port()
            : "https://127.0.0.1:" + edge.tlsPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(30))
            .method(method, BodyPublishers.noBody());
    try {
      return requireNonNull(clients.get(protocol))
          .send(
              (fields.length == 0 ? request : request.headers(fields)).build(),
              BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<byte[]> get(Protocol protocol, String path, String... fields) {
    return send(protocol, "GET", path, fields);
  }

  private static String field(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  /** Stores a body under a path of its own. */
  private String stored(Protocol protocol, byte[] body) {
    String path = "/" + protocol + "/" + body.length;
    if (origin.count(path) == 0) {
      origin.on(path, TestOrigin.ok(FIELDS, body));
      Bytes.assertEquals(body, get(protocol, path).body());
    }
    Await.until("it is stored", () -> field(get(protocol, path), "cache-status").contains("; hit"));
    return path;
  }

  private int slice() {
    return edge.server().store().regionBytes() / 16;
  }

  private List<byte[]> bodies() {
    return List.of(
        Edge.bytes(60, 1),
        Edge.bytes(61, 200),
        Edge.bytes(62, 32 * KIB),
        Edge.bytes(63, 32 * KIB + 1),
        Edge.bytes(64, slice() - 1),
        Edge.bytes(65, slice()),
        Edge.bytes(66, slice() + 1),
        Edge.bytes(67, 5 * slice() + 1000));
  }

  @ParameterizedTest
  @EnumSource
  void section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize(Protocol protocol) {
    for (byte[] body : bodies()) {
      String path = stored(protocol, body);
      int length = body.length;
      int[][] ranges = {
        {0, 1},
        {0, length},
        {length - 1, length},
        {length / 2, length},
        {length / 3, length / 3 + 1},
        {Math.max(0, length - slice()), length},
      };
      for (int[] range : ranges) {
        for (String asked :
            List.of(
                range[0] + "-" + (range[1] - 1),
                range[1] == length ? range[0] + "-" : range[0] + "-" + (range[1] - 1),
                range[1] == length ? "-" + (length - range[0]) : range[0] + "-" + (range[1] - 1))) {
          HttpResponse<byte[]> part = get(protocol, path, "Range", "bytes=" + asked);
          assertEquals(206, part.statusCode(), asked);
          assertEquals(
              "bytes " + range[0] + "-" + (range[1] - 1) + "/" + length,
              field(part, "content-range"));
          assertEquals("text/x-numbers", field(part, "content-type"));
          Bytes.assertEquals(Arrays.copyOfRange(body, range[0], range[1]), part.body());
        }
      }
      for (String beyond : List.of(length + "-", length + "-" + (length + 5), "-0")) {
        HttpResponse<byte[]> none = get(protocol, path, "Range", "bytes=" + beyond);
        assertEquals(416, none.statusCode(), beyond);
        assertEquals("bytes */" + length, field(none, "content-range"));
        assertEquals(0, none.body().length);
      }
      assertEquals(1, origin.count(path));
    }
  }

  @ParameterizedTest
  @EnumSource
  void section14_6_severalRangesOfBodiesOfEverySize(Protocol protocol) {
    for (byte[] body : bodies()) {
      int length = body.length;
      if (length < 1000) {
        continue;
      }
      String path = stored(protocol, body);
      assertParts(protocol, path, body, "0-0,-1", 0, 1, length - 1, length);
      assertParts(protocol, path, body, "500-899,0-99", 500, 900, 0, 100);
      assertParts(
          protocol,
          path,
          body,
          "0-9," + (length / 2) + "-" + (length / 2 + 300) + ",-400",
          0,
          10,
          length / 2,
          length / 2 + 301,
          length - 400,
          length);
      // Both halves but for a hole, so that whole slices are sent.
      assertParts(
          protocol,
          path,
          body,
          "0-" + (length / 2 - 200) + "," + (length / 2) + "-",
          0,
          length / 2 - 199,
          length / 2,
          length);
      assertEquals(1, origin.count(path));
    }
  }

  /** Asks for several ranges; the ends are begin and end, exclusive, of each part expected. */
  private void assertParts(
      Protocol protocol, String path, byte[] body, String ranges, int... ends) {
    HttpResponse<byte[]> response = get(protocol, path, "Range", "bytes=" + ranges);
    assertEquals(206, response.statusCode());
    assertEquals("", field(response, "content-range"));
    assertEquals(1, response.headers().allValues("content-type").size());
    assertEquals(Integer.toString(response.body().length), field(response, "content-length"));
    List<Part> parts = MultipartBody.parse(field(response, "content-type"), response.body());
    assertEquals(ends.length / 2, parts.size(), ranges);
    for (int i = 0; i < parts.size(); i++) {
      int from = ends[2 * i];
      int to = ends[2 * i + 1];
      assertEquals(
          List.of(
              "content-type: text/x-numbers",
              "content-range: bytes " + from + "-" + (to - 1) + "/" + body.length),
          parts.get(i).fields());
      Bytes.assertEquals(Arrays.copyOfRange(body, from, to), parts.get(i).bytes());
    }
  }

  /** What stands with each request is what RFC 9110 says of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          §14.2 syntax errors are ignored      | 200 | Range: bytes=5-1
          §14.2 so are other units             | 200 | Range: lines=0-1
          §14.2 and a field of two lines       | 200 | Range: bytes=0-1;Range: bytes=200-201
          §14.2 more than two that overlap     | 200 | Range: bytes=0-99,50-149,99-200
          §14.2 many out of order              | 200 | Range: bytes=800-800,600-600,400-400,200-200,0-0
          §14.2 too many                       | 200 | Range: bytes=0-0,200-200,400-400,600-600,800-800,1000-1000,1200-1200,1400-1400,1600-1600,1800-1800,2000-2000,2200-2200,2400-2400,2600-2600,2800-2800,3000-3000,3200-3200
          §15.5.17 all beyond the end          | 416 | Range: bytes=99999999-,99999999-
          §15.3.7.2 one part is no multipart   | 206 | Range: bytes=0-9,5-20
          §13.1.5 the strong tag               | 206 | Range: bytes=0-1;If-Range: "one"
          §13.1.5 another tag                  | 200 | Range: bytes=0-1;If-Range: "two"
          §13.1.5 a weak tag                   | 200 | Range: bytes=0-1;If-Range: W/"one"
          §13.1.5 the date                     | 206 | Range: bytes=0-1;If-Range: Tue, 02 Jun 2026 10:00:00 GMT
          §13.1.5 another date                 | 200 | Range: bytes=0-1;If-Range: Wed, 03 Jun 2026 10:00:00 GMT
          §13.1.5 a failed one before 416      | 200 | Range: bytes=99999999-;If-Range: "two"
          §13.1.1 If-Match                     | 412 | Range: bytes=0-1;If-Match: "two"
          §13.1.1 If-Match, a list             | 206 | Range: bytes=0-1;If-Match: "two", "one"
          §13.1.4 If-Unmodified-Since          | 412 | Range: bytes=0-1;If-Unmodified-Since: Mon, 01 Jun 2026 10:00:00 GMT
          §13.1.2 If-None-Match                | 304 | Range: bytes=0-1;If-None-Match: W/"one"
          §13.1.2 If-None-Match, a list        | 304 | If-None-Match: "a", "one"
          §13.1.2 If-None-Match, any           | 304 | If-None-Match: *
          §13.1.2 If-None-Match, another       | 206 | Range: bytes=0-1;If-None-Match: "two"
          §13.1.3 If-Modified-Since            | 304 | Range: bytes=0-1;If-Modified-Since: Tue, 02 Jun 2026 10:00:00 GMT
          §13.2.2 which a tag makes void       | 206 | Range: bytes=0-1;If-Modified-Since: Tue, 02 Jun 2026 10:00:00 GMT;If-None-Match: "two"
          §13.2.2 412 before 304               | 412 | If-Match: "two";If-None-Match: "one"
          """)
  void section13_conditionsAndRangesInTheirOrder(String sentence, int status, String fields)
      throws IOException {
    byte[] body = Edge.bytes(62, 32 * KIB);
    String path = stored(Protocol.PLAIN_HTTP_1, body);
    try (RawClient client = edge.connect()) {
      RawClient.Response reply = client.get(path, fields.split(";", -1));
      assertEquals(status, reply.status(), sentence);
      assertTrue(reply.isHit(), sentence);
      if (status == 200) {
        Bytes.assertEquals(body, reply.body(), sentence);
      }
      if (status == 304) {
        assertEquals("\"one\"", reply.field("etag"));
      }
    }
    assertEquals(1, origin.count(path));
  }

  @ParameterizedTest
  @CsvSource({"bytes=0-9", "'bytes=0-9,500-509'", "bytes=99999999-"})
  void section14_2_aRangeOnHeadIsIgnored(String range) throws IOException {
    byte[] body = Edge.bytes(67, 5 * slice() + 1000);
    String path = stored(Protocol.PLAIN_HTTP_1, body);
    try (RawClient client = edge.connect()) {
      client.request("HEAD", path, "Range: " + range);
      Response head = client.head();
      assertEquals(200, head.status());
      assertEquals(Integer.toString(body.length), head.field("content-length"));
      assertEquals(List.of(), head.all("content-range"));
      assertEquals(200, client.get(path).status());
    }
  }

  @Test
  void section14_6_aSlowReaderOfSeveralRangesHoldsOneChunkAtMost() throws IOException {
    byte[] body = Edge.bytes(68, 40 * slice());
    String path = stored(Protocol.PLAIN_HTTP_1, body);
    long copiedBefore = edge.sum(c -> c.privateCopyBytes);
    try (RawClient slow = new RawClient(edge.port(), 16 * KIB)) {
      int half = body.length / 2;
      slow.request("GET", path, "Range: bytes=0-" + (half - 100) + "," + half + "-");
      Response head = slow.head();
      assertEquals(206, head.status());
      int length = Integer.parseInt(head.field("content-length"));
      byte[] begin = slow.bytes(KIB);
      // While nothing is read no more than a chunk is taken out of the store.
      Await.until("it stalls", () -> edge.sum(c -> c.privateCopyBytes) > copiedBefore);
      byte[] all = Arrays.copyOf(begin, length);
      System.arraycopy(slow.bytes(length - KIB), 0, all, KIB, length - KIB);
      List<Part> parts = MultipartBody.parse(head.field("content-type"), all);
      Bytes.assertEquals(Arrays.copyOf(body, half - 99), parts.get(0).bytes());
      Bytes.assertEquals(Arrays.copyOfRange(body, half, body.length), parts.get(1).bytes());
    }
    assertEquals(1, origin.count(path));
  }

  @Test
  void section14_6_severalRangesOfAFillInProgress() throws IOException {
    byte[] body = Edge.bytes(69, 3 * slice());
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/filling",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FIELDS, body.length).send(Arrays.copyOf(body, slice()));
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, slice(), body.length));
        });
    try (RawClient client = edge.connect();
        RawClient joined = edge.connect()) {
      client.request("GET", "/filling", "Range: bytes=100-199,500-599," + slice() + "-");
      Response head = client.head();
      assertEquals(206, head.status());
      joined.request("GET", "/filling", "Range: bytes=-10,0-9");
      gate.countDown();
      List<Part> parts = MultipartBody.parse(head.field("content-type"), client.body(head));
      Bytes.assertEquals(Arrays.copyOfRange(body, 100, 200), parts.get(0).bytes());
      Bytes.assertEquals(Arrays.copyOfRange(body, 500, 600), parts.get(1).bytes());
      Bytes.assertEquals(Arrays.copyOfRange(body, slice(), body.length), parts.get(2).bytes());
      RawClient.Response other = joined.reply();
      List<Part> others = MultipartBody.parse(other.field("content-type"), other.body());
      Bytes.assertEquals(
          Arrays.copyOfRange(body, body.length - 10, body.length), others.get(0).bytes());
      Bytes.assertEquals(Arrays.copyOf(body, 10), others.get(1).bytes());
    }
    assertEquals(1, origin.count("/filling"));
  }
}
