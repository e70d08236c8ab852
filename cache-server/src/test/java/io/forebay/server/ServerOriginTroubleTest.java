package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A dead, a slow and a flapping origin are found in the log and the metrics alone. */
@Timeout(180)
final class ServerOriginTroubleTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final HttpClient client = HttpClient.newHttpClient();
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();

  @BeforeEach
  void readLog() {
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stop() throws IOException {
    System.setErr(before);
    before.print(log.toString(StandardCharsets.UTF_8));
    client.close();
    origin.close();
  }

  private static String named(String name, String url, String more) {
    return "origins: {" + name + ": {url: \"" + url + "\", keep-alive: 5s" + more + "}}\n";
  }

  private int get(Edge edge, String path) throws Exception {
    HttpResponse<byte[]> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(edge.url(path))).build(),
            HttpResponse.BodyHandlers.ofByteArray());
    return answer.statusCode();
  }

  /** One series of a scrape. */
  private double metric(Edge edge, String series) throws Exception {
    String scrape =
        client
            .send(
                HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    return scrape
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series + " in " + scrape));
  }

  /** Lines about that origin as such; those of single requests begin with the request's id. */
  private List<String> lines(String name) {
    return log.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(" - origin " + name + " ("))
        .toList();
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void aDeadOriginHasOneLineAndErrorsUnderItsName() throws Exception {
    String url = "http://127.0.0.1:" + closedPort();
    try (Edge edge = Edge.start(directory, "32MiB", named("dead", url, ""))) {
      for (int i = 0; i < 5; i++) {
        assertEquals(502, get(edge, "/" + i));
      }
      assertEquals(
          5, metric(edge, "forebay_origin_errors_total{origin=\"dead\",reason=\"connect\"}"));
      assertEquals(5, metric(edge, "forebay_origin_requests_total{origin=\"dead\"}"));
      assertEquals(1, lines("dead").size(), () -> lines("dead").toString());
      assertTrue(lines("dead").getFirst().contains(url), lines("dead").getFirst());
    }
  }

  @Test
  void aSlowOriginHasALineWithTheTimeAndAHistogramUnderItsName() throws Exception {
    origin.on(
        "/late",
        (request, connection) -> {
          long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2200);
          while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
          }
          TestOrigin.sendOk(connection, "cache-control: no-store\r\n", new byte[10]);
        });
    String yaml = named("slow", origin.url(), ", timeouts: {first-byte: 4s}");
    try (Edge edge = Edge.start(directory, "32MiB", yaml)) {
      int status = get(edge, "/late");
      assertEquals(200, status);
      assertEquals(1, metric(edge, "forebay_origin_slow_responses_total{origin=\"slow\"}"));
      String histogram = "forebay_origin_time_to_first_byte_seconds_bucket{origin=\"slow\",le=";
      assertEquals(0, metric(edge, histogram + "\"1.0\"}"));
      assertEquals(1, metric(edge, histogram + "\"10.0\"}"));
      assertEquals(1, lines("slow").size(), () -> lines("slow").toString());
      assertTrue(
          lines("slow").getFirst().matches(".*: no response for 2[0-9]{3} ms"),
          lines("slow").getFirst());
    }
  }

  @Test
  void aFlappingOriginHasOneLineAndBothKindsOfResponsesUnderItsName() throws Exception {
    origin.on(
        "/flaps",
        (request, connection) -> {
          if (request.number() % 2 == 0) {
            connection.send(
                "HTTP/1.1 503 Service Unavailable\r\ncache-control: no-store\r\n"
                    + "content-length: 0\r\n\r\n");
          } else {
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", new byte[10]);
          }
        });
    try (Edge edge = Edge.start(directory, "32MiB", named("flapping", origin.url(), ""))) {
      for (int i = 0; i < 10; i++) {
        assertEquals(i % 2 == 0 ? 200 : 503, get(edge, "/flaps"));
      }
      String responses = "forebay_origin_responses_total{origin=\"flapping\",status_class=";
      assertEquals(5, metric(edge, responses + "\"2xx\"}"));
      assertEquals(5, metric(edge, responses + "\"5xx\"}"));
      assertTrue(
          lines("flapping").getFirst().endsWith("answered with status 503"),
          lines("flapping").toString());
      // One line in ten seconds, however long the requests took on a busy machine.
      assertTrue(lines("flapping").size() <= 10, lines("flapping").toString());
    }
  }

  @Test
  void requestsAreCountedByRouteListenerAndProtocol() throws Exception {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=60\r\n", new byte[1000]));
    try (Edge edge = Edge.start(directory, "32MiB", named("main", origin.url(), ""))) {
      for (int i = 0; i < 4; i++) {
        assertEquals(200, get(edge, "/a"));
      }
      String route = "{cache=\"hit\",route=\"default\"}";
      edge.awaitSum(3, ServerOriginTroubleTest::hits);
      assertEquals(3, metric(edge, "forebay_route_requests_total" + route));
      assertEquals(3000, metric(edge, "forebay_route_sent_bytes_total" + route));
      assertEquals(
          4,
          metric(
              edge, "forebay_listener_requests_total{listener=\"plain\",protocol=\"HTTP/1.1\"}"));
      assertEquals(3000, metric(edge, "forebay_response_bytes_total{cache=\"hit\"}"));
      assertEquals(0.75, metric(edge, "forebay_byte_hit_ratio"));
      assertEquals(3, metric(edge, "forebay_last_byte_seconds_count{cache=\"hit\"}"));
      assertEquals(3, metric(edge, "forebay_hit_seconds_count"));
    }
  }

  private static long hits(LoopCounters counters) {
    return counters.requests(MethodClass.GET, CacheResult.HIT, 2);
  }
}
