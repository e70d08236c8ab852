package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a request whose server fails it. */
@Timeout(60)
@Tag("slow")
class OriginFailoverTest {
  private final ScriptedOrigin failing = ScriptedOrigin.start();
  private final ScriptedOrigin other = ScriptedOrigin.start();

  @AfterEach
  void stop() throws Exception {
    failing.close();
    other.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "DELETE"})
  void aSafeRequestGoesToAnotherServerWhenItsConnectionIsReset(String method) throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.send(Lab.request(method, "/a", RequestBody.NONE));
      Connection first = failing.accept();
      first.head();
      first.reset();
      Connection second = other.accept();
      assertTrue(second.head().startsWith(method + " /a HTTP/1.1\r\n"));
      second.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      response.awaitOver();
      assertEquals(200, response.status);
      assertEquals(1, lab.counters().originRetries);
      assertEquals(0, lab.counters().originFailures);
    }
  }

  @Test
  void aRequestWhoseResponseEndsWithinItsHeadGoesToAnotherServer() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 200 OK\r\nx-from: fai");
      first.close();
      answer(other, "other");
      assertEquals("other", response.body());
    }
  }

  @Test
  void aRequestWithoutAFirstByteInTimeGoesToAnotherServer() throws Exception {
    try (Lab lab = Lab.of(Lab.withTimes(group(), 5000, 60, 5000, 0, 5000))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      answer(other, "other");
      assertEquals("other", response.body());
      first.awaitClose();
    }
  }

  @Test
  void aRequestWhoseResponseStopsWithinItsHeadGoesToAnotherServer() throws Exception {
    OriginConfig config =
        Lab.withEjection(Lab.withTimes(group(), 5000, 5000, 60, 0, 5000), 1, 50, 0);
    try (Lab lab = Lab.of(config)) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 200 OK\r\nx-from: fai");
      answer(other, "other");
      assertEquals("other", response.body());
      first.awaitClose();
      assertTrue(lab.log.getFirst().contains("header section did not end"), lab.log::toString);
    }
  }

  @Test
  void aStatusThatIsConfiguredSendsARequestToAnotherServer() throws Exception {
    try (Lab lab = Lab.of(Lab.withRetries(group(), 1, 10, 503))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy");
      answer(other, "other");
      assertEquals("other", response.body());
      assertEquals(200, response.status);
      first.awaitClose();
    }
  }

  @Test
  void aStatusIsPassedOnUnlessItIsConfigured() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy");
      assertEquals("busy", response.body());
      assertEquals(503, response.status);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void theLastStatusIsPassedOnWhenAllServersAnswerWithIt() throws Exception {
    try (Lab lab = Lab.of(Lab.withRetries(group(), 5, 10, 503))) {
      Recorder response = lab.send(Lab.get("/a"));
      for (ScriptedOrigin server : List.of(failing, other)) {
        Connection connection = server.accept();
        connection.head();
        connection.send("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy");
      }
      assertEquals("busy", response.body());
      assertEquals(503, response.status);
    }
  }

  @Test
  void aRequestThatIsNotSafeFails() throws Exception {
    try (Lab lab = Lab.of(Lab.withRetries(group(), 1, 10, 503))) {
      Recorder response = lab.send(Lab.request("POST", "/a", RequestBody.NONE));
      Connection first = failing.accept();
      first.head();
      first.reset();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void aRequestWithoutABodyGoesToAnotherServerOnAConnectFailureWhateverItsMethod()
      throws Exception {
    try (Lab lab = Lab.of(group())) {
      failing.refuse();
      Recorder response = lab.send(Lab.request("POST", "/a", RequestBody.NONE));
      answer(other, "other");
      assertEquals("other", response.body());
    }
  }

  @Test
  void aResponseThatHasBegunIsNeverSentAgain() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
      response.awaitBytes(4);
      first.reset();
      response.failure(Kind.TRUNCATED);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void aRequestThatGotAnInterimResponseIsNotSentAgain() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n");
      first.reset();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void aCancelledRequestIsNotSentAgain() throws Exception {
    try (Lab lab = Lab.of(group())) {
      OriginCall[] calls = new OriginCall[1];
      lab.send(0, Lab.get("/a"), new Recorder(), call -> calls[0] = call);
      Connection first = failing.accept();
      first.head();
      lab.onLoop(
          0,
          () -> {
            calls[0].cancel();
            return null;
          });
      first.awaitClose();
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void theTotalTimeHoldsForAllAttemptsTogether() throws Exception {
    try (Lab lab = Lab.of(Lab.withTimes(group(), 5000, 5000, 5000, 150, 5000))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.reset();
      Connection second = other.accept();
      second.head();
      response.failure(Kind.TOTAL_TIMEOUT);
      second.awaitClose();
    }
  }

  @Test
  void noMoreRequestsAreSentAgainThanTheBudgetAllows() throws Exception {
    failing.serve(connection -> {
      connection.head();
      connection.reset();
    });
    other.serve(connection -> {
      while (true) {
        connection.head();
        connection.respond("ok");
      }
    });
    OriginConfig never = Lab.withEjection(group(), 0, 50, 50);
    try (Lab lab = Lab.of(never)) {
      int failed = 0;
      for (int i = 0; i < 200; i++) {
        Recorder response = lab.send(Lab.get("/" + i)).awaitOver();
        failed += response.failure == null ? 0 : 1;
      }
      long retries = lab.counters().originRetries;
      assertTrue(retries >= 20 && retries <= 20 + 4, "retries " + retries);
      assertEquals(100, failed + retries);
    }
  }

  @Test
  void aRequestIsSentAgainAsOftenAsConfigured() throws Exception {
    List<ScriptedOrigin> servers = new ArrayList<>();
    List<OriginServerConfig> configs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ScriptedOrigin server =
          ScriptedOrigin.start()
              .serve(connection -> {
                connection.head();
                connection.reset();
              });
      servers.add(server);
      configs.add(OriginServerConfig.of(server.url()));
    }
    OriginConfig config =
        Lab.withServers(
            Lab.origin("http://127.0.0.1:1"), configs.toArray(OriginServerConfig[]::new));
    try (Lab lab = Lab.of(Lab.withRetries(config, 2, 10))) {
      lab.send(Lab.get("/")).failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(2, lab.counters().originRetries);
      assertEquals(List.of(1, 1, 1, 0), servers.stream().map(ScriptedOrigin::accepted).toList());
    } finally {
      for (ScriptedOrigin server : servers) {
        server.close();
      }
    }
  }

  @Test
  void asManyServersAreTriedForAConnectionAsARequestMayGoTo() throws Exception {
    List<OriginServerConfig> servers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ScriptedOrigin dead = ScriptedOrigin.start();
      servers.add(OriginServerConfig.of(dead.url()));
      dead.close();
    }
    servers.add(OriginServerConfig.of(other.url()));
    OriginConfig config =
        Lab.withServers(Lab.origin(other.url()), servers.toArray(OriginServerConfig[]::new));
    try (Lab lab = Lab.of(Lab.withRetries(config, 4, 10))) {
      Recorder response = lab.send(Lab.get("/a"));
      answer(other, "other");
      assertEquals("other", response.body());
    }
    try (Lab lab = Lab.of(Lab.withRetries(config, 1, 10))) {
      lab.send(Lab.get("/a")).failure(Kind.CONNECT_REFUSED);
    }
  }

  @Test
  void aServerWithoutAnotherFailsAsEver() throws Exception {
    try (Lab lab = Lab.of(Lab.origin(failing.url()))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.reset();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, lab.counters().originRetries);
    }
  }

  @Test
  void theOtherServerGetsTheSameRequest() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response =
          lab.send(
              new OriginRequest(
                  "GET", "/a?b", HeaderFields.of("host", "h", "x-a", "1"), RequestBody.NONE));
      Connection first = failing.accept();
      String head = first.head();
      first.reset();
      Connection second = other.accept();
      assertEquals(head, second.head());
      second.respond("x");
      assertEquals("x", response.body());
    }
  }

  private OriginConfig group() {
    return Lab.withServers(
        Lab.origin("http://127.0.0.1:1"),
        OriginServerConfig.of(failing.url()),
        OriginServerConfig.of(other.url()));
  }

  private static void answer(ScriptedOrigin server, String body) throws Exception {
    Connection connection = server.accept();
    connection.head();
    connection.respond(body);
  }
}
