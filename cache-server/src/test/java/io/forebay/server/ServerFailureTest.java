package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.WireClient.Reply;
import io.forebay.server.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Origins that fail, and what may be served nevertheless. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
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
    try (WireClient client = edge.connect()) {
      Reply reply = client.get("/closed/a");
      assertEquals(502, reply.status());
      assertEquals("edge; fwd=miss; detail=origin-unreachable", reply.field("cache-status"));
      assertTrue(reply.text().contains("127.0.0.1:1"), reply.text());
    }
  }

  @Test
  void anOriginThatDoesNotAnswerInTimeIsAGatewayTimeoutForAllWhoWait() throws IOException {
    origin.on("/hasty/a", (request, connection) -> connection.awaitClose());
    List<WireClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(edge.connect().request("GET", "/hasty/a"));
    }
    for (WireClient client : clients) {
      Reply reply = client.reply();
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
    try (WireClient client = edge.connect()) {
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
    try (WireClient client = edge.connect()) {
      assertEquals(502, client.get("/junk").status());
    }
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
      try (WireClient client = edge.connect()) {
        assertEquals("good", client.get(path).text());
        Edge.await("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
        origin.on(path, failures.get(i));
        Reply stale = client.get(path);
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
    try (WireClient client = edge.connect()) {
      assertEquals("good", client.get("/must").text());
      Edge.await("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
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
    try (WireClient client = edge.connect()) {
      assertEquals("answer 1", client.get("/swr").text());
      Edge.await("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 1);
      for (int i = 0; i < 5; i++) {
        Reply stale = client.get("/swr");
        assertEquals("answer 1", stale.text());
        assertTrue(stale.field("cache-status").endsWith("detail=stale-while-revalidate"));
      }
      Edge.await("one refresh is under way", () -> origin.count("/swr") == 2);
      assertEquals("\"1\"", origin.requests("/swr").get(1).field("if-none-match"));
      gate.countDown();
      Edge.await("it is stored", () -> edge.sum(c -> c.fillsInstalled) == installed + 2);
      Reply fresh = client.get("/swr");
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
