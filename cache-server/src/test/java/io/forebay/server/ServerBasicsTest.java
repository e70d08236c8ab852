package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Basic behaviour for every client, over each protocol. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerBasicsTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;
  private static final List<Integer> LENGTHS =
      List.of(0, 1, 32 * KIB - 1, 32 * KIB, 32 * KIB + 1, MIB - 1, MIB, MIB + 1, 5 * MIB);

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
    edge = Edge.before(origin, directory, "128MiB", "");
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

  private HttpRequest.Builder request(Protocol protocol, String path) {
    String base =
        protocol == Protocol.PLAIN_HTTP_1
            ? "http://127.0.0.1:" + edge.port()
            : "https://127.0.0.1:" + edge.tlsPort();
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(30));
  }

  private HttpResponse<byte[]> send(Protocol protocol, HttpRequest.Builder request) {
    try {
      HttpResponse<byte[]> response =
          client(protocol).send(request.build(), BodyHandlers.ofByteArray());
      assertEquals(
          protocol == Protocol.TLS_HTTP_2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1,
          response.version());
      return response;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private HttpClient client(Protocol protocol) {
    return requireNonNull(clients.get(protocol));
  }

  private HttpResponse<byte[]> get(Protocol protocol, String path, String... fields) {
    HttpRequest.Builder request = request(protocol, path);
    return send(protocol, fields.length == 0 ? request : request.headers(fields));
  }

  private static String field(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  private static boolean isHit(HttpResponse<?> response) {
    return field(response, "cache-status").contains("; hit");
  }

  /** Asks until it is answered from the store, which must be with the same bytes every time. */
  private HttpResponse<byte[]> hit(Protocol protocol, String path, byte[] body) {
    List<HttpResponse<byte[]>> last = new ArrayList<>();
    Await.until(
        "a hit for " + path,
        () -> {
          HttpResponse<byte[]> response = get(protocol, path);
          Bytes.assertEquals(body, response.body());
          last.add(response);
          return isHit(response);
        });
    return last.getLast();
  }

  @ParameterizedTest
  @EnumSource
  void aHitIsByteForByteWhatTheOriginSentWithItsLength(Protocol protocol) {
    for (int length : LENGTHS) {
      String path = "/known/" + protocol + "/" + length;
      byte[] body = Edge.bytes(length, length);
      origin.on(path, TestOrigin.ok(FRESH + "x-kind: known\r\n", body));

      HttpResponse<byte[]> miss = get(protocol, path);
      assertEquals(200, miss.statusCode());
      Bytes.assertEquals(body, miss.body(), path);
      assertEquals("edge; fwd=uri-miss; fwd-status=200; stored", field(miss, "cache-status"));
      assertEquals(Integer.toString(length), field(miss, "content-length"));

      HttpResponse<byte[]> hit = hit(protocol, path, body);
      assertEquals("known", field(hit, "x-kind"));
      assertEquals(Integer.toString(length), field(hit, "content-length"));
      assertFalse(field(hit, "age").isEmpty());
      assertEquals(1, origin.count(path), path);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHitIsByteForByteWhatTheOriginSentInChunks(Protocol protocol) {
    for (int length : LENGTHS) {
      String path = "/chunked/" + protocol + "/" + length;
      byte[] body = Edge.bytes(length, length);
      origin.on(path, TestOrigin.chunked(FRESH, body, 50_000));

      HttpResponse<byte[]> miss = get(protocol, path);
      assertEquals(200, miss.statusCode());
      Bytes.assertEquals(body, miss.body(), path);

      HttpResponse<byte[]> hit = hit(protocol, path, body);
      assertEquals(Integer.toString(length), field(hit, "content-length"));
      assertEquals(1, origin.count(path), path);
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersHeadConditionsAndRangesFromWhatIsStored(Protocol protocol) {
    String path = "/stored/" + protocol;
    byte[] body = Edge.bytes(7, 300 * KIB);
    origin.on(path, TestOrigin.ok(FRESH + "etag: \"one\"\r\n", body));
    get(protocol, path);
    hit(protocol, path, body);

    HttpResponse<byte[]> head =
        send(protocol, request(protocol, path).method("HEAD", BodyPublishers.noBody()));
    assertEquals(200, head.statusCode());
    assertTrue(isHit(head));
    assertEquals(Integer.toString(body.length), field(head, "content-length"));
    assertEquals(0, head.body().length);

    HttpResponse<byte[]> notModified = get(protocol, path, "If-None-Match", "\"one\"");
    assertEquals(304, notModified.statusCode());
    assertEquals("\"one\"", field(notModified, "etag"));
    assertEquals(0, notModified.body().length);

    assertEquals(412, get(protocol, path, "If-Match", "\"two\"").statusCode());
    assertEquals(200, get(protocol, path, "If-None-Match", "\"two\"").statusCode());

    HttpResponse<byte[]> range = get(protocol, path, "Range", "bytes=131000-200000");
    assertEquals(206, range.statusCode());
    assertEquals("bytes 131000-200000/" + body.length, field(range, "content-range"));
    Bytes.assertEquals(Arrays.copyOfRange(body, 131_000, 200_001), range.body());

    HttpResponse<byte[]> suffix = get(protocol, path, "Range", "bytes=-10");
    assertEquals(206, suffix.statusCode());
    Bytes.assertEquals(Arrays.copyOfRange(body, body.length - 10, body.length), suffix.body());

    HttpResponse<byte[]> beyond = get(protocol, path, "Range", "bytes=307200-");
    assertEquals(416, beyond.statusCode());
    assertEquals("bytes */" + body.length, field(beyond, "content-range"));
    assertEquals(1, origin.count(path));
  }

  @ParameterizedTest
  @EnumSource
  void cutsRangesOutOfAFillInProgress(Protocol protocol) throws Exception {
    String path = "/filling/" + protocol;
    byte[] body = Edge.bytes(8, 600 * KIB);
    CountDownLatch half = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        path,
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, body.length)
              .send(Arrays.copyOf(body, body.length / 2));
          half.countDown();
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, body.length / 2, body.length));
        });
    CompletableFuture<HttpResponse<byte[]>> whole =
        client(protocol).sendAsync(request(protocol, path).build(), BodyHandlers.ofByteArray());
    assertTrue(half.await(30, TimeUnit.SECONDS));

    HttpResponse<byte[]> early = get(protocol, path, "Range", "bytes=1000-99999");
    assertEquals(206, early.statusCode());
    Bytes.assertEquals(Arrays.copyOfRange(body, 1000, 100_000), early.body());
    assertEquals(416, get(protocol, path, "Range", "bytes=9999999-").statusCode());

    CompletableFuture<HttpResponse<byte[]>> late =
        client(protocol)
            .sendAsync(
                request(protocol, path).header("Range", "bytes=-100").build(),
                BodyHandlers.ofByteArray());
    gate.countDown();
    Bytes.assertEquals(
        Arrays.copyOfRange(body, body.length - 100, body.length),
        late.get(30, TimeUnit.SECONDS).body());
    Bytes.assertEquals(body, whole.get(30, TimeUnit.SECONDS).body());
    assertEquals(1, origin.count(path));
  }

  @ParameterizedTest
  @EnumSource
  void headOfWhatIsNotStoredNamesTheLengthThatTheOriginNames(Protocol protocol) {
    String path = "/head/" + protocol;
    origin.on(
        path,
        (request, connection) ->
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n"));
    HttpResponse<byte[]> head =
        send(protocol, request(protocol, path).method("HEAD", BodyPublishers.noBody()));
    assertEquals(200, head.statusCode());
    assertEquals("1234", field(head, "content-length"));
    assertEquals("HEAD", origin.requests(path).getFirst().method());
  }

  @ParameterizedTest
  @EnumSource
  void passesWhatMayNotBeStoredAgainAndAgain(Protocol protocol) {
    String path = "/private/" + protocol;
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "cache-control: private\r\n",
                TestOrigin.ascii("answer " + request.number())));
    for (int i = 1; i <= 4; i++) {
      assertEquals(
          "answer " + i, new String(get(protocol, path).body(), StandardCharsets.US_ASCII));
    }
  }

  @ParameterizedTest
  @EnumSource
  void streamsRequestBodiesToTheOrigin(Protocol protocol) {
    String path = "/upload/" + protocol;
    byte[] body = Edge.bytes(9, 3 * MIB);
    origin.on(
        path,
        (request, connection) -> {
          byte[] received = connection.bytes(Integer.parseInt(request.field("content-length")));
          TestOrigin.sendOk(connection, "", Arrays.copyOf(received, received.length));
        });
    HttpResponse<byte[]> response =
        send(protocol, request(protocol, path).POST(BodyPublishers.ofByteArray(body)));
    assertEquals(200, response.statusCode());
    Bytes.assertEquals(body, response.body());
  }

  @ParameterizedTest
  @EnumSource
  void aResponseThatBreaksOffIsSeenBrokenAndNotStored(Protocol protocol) throws Exception {
    byte[] body = Edge.bytes(10, 200 * KIB);
    Semaphore cut = new Semaphore(0);
    String known = "/cut/known/" + protocol;
    origin.on(
        known,
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, 100 * KIB));
          cut.acquireUninterruptibly();
          connection.close();
        });
    String chunked = "/cut/chunked/" + protocol;
    origin.on(
        chunked,
        (request, connection) -> {
          connection.send("HTTP/1.1 200 OK\r\n" + FRESH + "transfer-encoding: chunked\r\n\r\n");
          connection.send("1000\r\n").send(Arrays.copyOf(body, 4096)).send("\r\n");
          cut.acquireUninterruptibly();
          connection.close();
        });
    long installed = edge.sum(c -> c.fillsInstalled);
    long aborted = edge.sum(c -> c.responsesAborted);
    int times = 0;
    for (String path : List.of(known, chunked, known, chunked)) {
      HttpResponse<InputStream> response =
          client(protocol).send(request(protocol, path).build(), BodyHandlers.ofInputStream());
      assertEquals(200, response.statusCode());
      cut.release();
      try (InputStream in = response.body()) {
        assertThrows(IOException.class, in::readAllBytes, path);
      }
      long expected = aborted + ++times;
      Await.until("it is counted", () -> edge.sum(c -> c.responsesAborted) == expected);
    }
    assertEquals(2, origin.count(known));
    assertEquals(2, origin.count(chunked));
    edge.awaitSum(installed, c -> c.fillsInstalled);
  }

  @ParameterizedTest
  @EnumSource
  void saysWhyWhenTheOriginDiesBeforeItAnswers(Protocol protocol) {
    String path = "/dead/" + protocol;
    origin.on(path, (request, connection) -> connection.close());
    HttpResponse<byte[]> response = get(protocol, path);
    assertEquals(502, response.statusCode());
    assertEquals("edge; fwd=miss; detail=origin-broken", field(response, "cache-status"));
  }
}
