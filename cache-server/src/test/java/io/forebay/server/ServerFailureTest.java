package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Origin failures, and what is served despite them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerFailureTest {

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
            origins:
              main: {url: "ORIGIN", keep-alive: 5s}
              hasty: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 300ms, idle: 300ms}}
              closed: {url: "http://127.0.0.1:1"}
            routes:
              - {origin: main}
              - {name: hasty, match: {path: /hasty/}, origin: hasty}
              - {name: closed, match: {path: /closed/}, origin: closed}
            """
                .replace("ORIGIN", origin.url()));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @Test
  void anOriginThatRefusesConnectionsIsABadGateway() throws IOException {
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/closed/a");
      assertEquals(502, reply.status());
      assertEquals("edge; fwd=miss; detail=origin-unreachable", reply.field("cache-status"));
      assertTrue(reply.text().startsWith("The node cannot connect to the origin.\n"), reply.text());
    }
  }

  @Test
  void anOriginThatDoesNotAnswerInTimeIsAGatewayTimeoutForAllWhoWait() throws IOException {
    origin.on("/hasty/a", (request, connection) -> connection.awaitClose());
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(edge.connect().request("GET", "/hasty/a"));
    }
    for (RawClient client : clients) {
      Response reply = client.reply();
      assertEquals(504, reply.status());
      assertEquals("edge; fwd=miss; detail=origin-timeout", reply.field("cache-status"));
      client.close();
    }
  }

  @Test
  void aBodyThatStandsStillIsBrokenOff() throws IOException {
    origin.on(
        "/hasty/still",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: max-age=100\r\n", 1000)
              .send(new byte[500]);
          connection.awaitClose();
        });
    long aborted = edge.sum(c -> c.responsesAborted);
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.request("GET", "/hasty/still").head().status());
      client.awaitEnd();
    }
    edge.awaitSum(aborted + 1, c -> c.responsesAborted);
  }

  @Test
  void whatIsNotHttpIsABadGateway() throws IOException {
    origin.on(
        "/junk",
        (request, connection) -> {
          connection.send("SSH-2.0-dropbear\r\n\r\n");
          connection.awaitClose();
        });
    try (RawClient client = edge.connect()) {
      assertEquals(502, client.get("/junk").status());
    }
  }

  static Stream<String> invalidHeads() {
    return Stream.of(
        "X A: b\r\nContent-Length: 1\r\n\r\na",
        "Content-Length x: 1\r\n\r\na",
        "X: y\r\n".repeat(200) + "Content-Length: 1\r\n\r\na",
        "X: " + "y".repeat(40_000) + "\r\nContent-Length: 1\r\n\r\na");
  }

  @ParameterizedTest
  @MethodSource("invalidHeads")
  void aHeadThatBreaksTheRulesIsABadGatewayAndNotStored(String fields) throws IOException {
    String path = "/invalid/" + fields.hashCode();
    origin.on(
        path,
        (request, connection) -> {
          connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + fields);
          connection.awaitClose();
        });
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        Response reply = client.get(path);
        assertEquals(502, reply.status());
        assertEquals("edge; fwd=miss; detail=origin-broken", reply.field("cache-status"));
      }
    }
    assertEquals(2, origin.count(path));
  }

  @Test
  void trailersBeyondTheBoundBreakTheTransferAndNothingIsStored() throws IOException {
    origin.on(
        "/trailers",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
                  + "1\r\na\r\n0\r\n"
                  + "X: y\r\n".repeat(200)
                  + "\r\n");
          connection.awaitClose();
        });
    for (int i = 1; i <= 2; i++) {
      try (RawClient client = edge.connect()) {
        // All of it came in one read: nothing had been sent.
        assertEquals(502, client.get("/trailers").status());
      }
      assertEquals(i, origin.count("/trailers"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache-control: no-store", "cache-control: max-age=60", "expires: 0"})
  void aHeadWhoseBodyFailsInTheSameReadIsABadGateway(String field) throws Exception {
    String path = "/head-only/" + field.hashCode();
    origin.on(
        path,
        (request, connection) -> {
          // What follows is no chunk.
          connection.send(
              "HTTP/1.1 200 OK\r\n" + field + "\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
          connection.awaitClose();
        });
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 3; i++) {
        Response reply = client.get(path);
        assertEquals(502, reply.status());
        assertEquals("edge; fwd=miss; detail=origin-broken", reply.field("cache-status"));
      }
    }
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + path)).build();
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(502, reply.statusCode());
        assertTrue(reply.body().startsWith("The origin closed the connection early"), reply.body());
      }
    }
  }

  @Test
  void anOriginThatIsCutAfterItsHeadNeverMakesAnEmptyReply() throws IOException {
    for (String field : List.of("cache-control: no-store", "cache-control: max-age=60")) {
      String path = "/cut/" + field.hashCode();
      origin.on(
          path,
          (request, connection) -> {
            connection.send("HTTP/1.1 200 OK\r\n" + field + "\r\nContent-Length: 9\r\n\r\n");
            connection.cut();
            throw new EOFException("cut");
          });
      for (int i = 0; i < 50; i++) {
        try (RawClient client = edge.connect()) {
          // Head and end come in one read or in two: then the head may have gone out.
          RawClient.Response head = client.request("GET", path).head();
          if (head.status() == 502) {
            assertEquals(Integer.parseInt(head.field("content-length")), client.body(head).length);
          } else {
            assertEquals(200, head.status());
            assertThrows(IOException.class, () -> client.body(head));
          }
        }
      }
    }
  }

  @Test
  void staleIsServedWhenTheBodyFailsBeforeAnythingWasSent() throws IOException {
    origin.on(
        "/stale-head",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=0, stale-if-error=600\r\netag: \"1\"\r\n",
                TestOrigin.ascii("first"));
          } else {
            connection.send(
                "HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\n"
                    + "transfer-encoding: chunked\r\n\r\nzz\r\n");
            connection.awaitClose();
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals("first", client.get("/stale-head").text());
      assertEquals("first", client.get("/stale-head").text());
    }
    assertEquals(2, origin.count("/stale-head"));
  }

  @Test
  void staleIsServedWhileTheOriginFailsIfItMayBe() throws IOException {
    List<TestOrigin.Answer> failures =
        List.of(
            (request, connection) -> connection.close(),
            (request, connection) ->
                connection.send("HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops"),
            (request, connection) ->
                connection.send(
                    "HTTP/1.1 503 Busy\r\ncache-control: no-store\r\ncontent-length: 0\r\n\r\n"));
    for (int i = 0; i < failures.size(); i++) {
      String path = "/stale/" + i;
      long installed = edge.sum(c -> c.fillsInstalled);
      origin.on(
          path,
          TestOrigin.ok(
              "cache-control: max-age=0, stale-if-error=600\r\netag: \"1\"\r\n",
              TestOrigin.ascii("good")));
      try (RawClient client = edge.connect()) {
        assertEquals("good", client.get(path).text());
        Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
        origin.on(path, failures.get(i));
        Response stale = client.get(path);
        assertEquals(200, stale.status());
        assertEquals("good", stale.text());
        assertTrue(
            stale.field("cache-status").endsWith("detail=stale-if-error"),
            stale.field("cache-status"));
      }
    }
  }

  @Test
  void staleIsNotServedWhereTheOriginForbidsIt() throws IOException {
    long installed = edge.sum(c -> c.fillsInstalled);
    origin.on(
        "/must",
        TestOrigin.ok(
            "cache-control: max-age=0, must-revalidate, stale-if-error=600\r\netag: \"1\"\r\n",
            TestOrigin.ascii("good")));
    try (RawClient client = edge.connect()) {
      assertEquals("good", client.get("/must").text());
      Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
      origin.on("/must", (request, connection) -> connection.close());
      assertEquals(502, client.get("/must").status());
    }
  }

  @Test
  void staleIsServedAtOnceWhileItIsRefreshedOnce() throws IOException {
    String swr = "cache-control: max-age=0, stale-while-revalidate=600\r\n";
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/swr",
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.await(gate);
          }
          sendNumbered(
              connection,
              request.number() == 1 ? swr : "cache-control: max-age=600\r\n",
              request.number());
        });
    long installed = edge.sum(c -> c.fillsInstalled);
    try (RawClient client = edge.connect()) {
      assertEquals("answer 1", client.get("/swr").text());
      Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
      for (int i = 0; i < 5; i++) {
        Response stale = client.get("/swr");
        assertEquals("answer 1", stale.text());
        assertTrue(stale.field("cache-status").endsWith("detail=stale-while-revalidate"));
      }
      Await.until("one refresh is under way", () -> origin.count("/swr") == 2);
      assertEquals("\"1\"", origin.requests("/swr").get(1).field("if-none-match"));
      gate.countDown();
      Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 2);
      Response fresh = client.get("/swr");
      assertEquals("answer 2", fresh.text());
      assertTrue(fresh.isHit());
      assertFalse(fresh.field("cache-status").contains("detail"));
    }
    assertEquals(2, origin.count("/swr"));
  }

  private static void sendNumbered(Connection connection, String fields, int number)
      throws IOException {
    TestOrigin.sendOk(
        connection, fields + "etag: \"" + number + "\"\r\n", TestOrigin.ascii("answer " + number));
  }
}
