package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.Ports;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Origins that stand in for another one. */
@Timeout(60)
@Tag("slow")
class OriginFallbackTest {
  private ScriptedOrigin first;
  private ScriptedOrigin second;

  @BeforeEach
  void start() {
    first = ScriptedOrigin.start();
    second = ScriptedOrigin.start();
  }

  @AfterEach
  void stop() throws IOException {
    first.close();
    second.close();
  }

  private OriginConfig config(String... fallback) {
    return Lab.withFallback(Lab.origin(first.url()), fallback);
  }

  private OriginConfig other() {
    return Lab.named(Lab.origin(second.url()), "other");
  }

  private static void answerAll(ScriptedOrigin origin, String body) {
    origin.serve(connection -> {
      while (true) {
        connection.head();
        connection.respond(body);
      }
    });
  }

  @Test
  void anOriginThatAnswersKeepsItsRequests() throws Exception {
    answerAll(first, "first");
    try (Lab lab = Lab.of(config("other"), other())) {
      Recorder response = lab.send(Lab.get("/"));
      assertEquals("first", response.body());
      assertEquals(null, response.fallback);
      assertEquals(0, second.accepted());
    }
  }

  @Test
  void everyRequestForAnOriginThatRefusesGoesToTheOther() throws Exception {
    first.refuse();
    answerAll(second, "second");
    // Nothing was sent, so the budget has no part in it.
    try (Lab lab = Lab.of(Lab.withRetries(config("other"), 0, 0), other())) {
      for (int i = 0; i < 50; i++) {
        Recorder response = lab.send(Lab.get("/" + i));
        assertEquals("second", response.body());
        assertEquals("other", response.fallback);
      }
      assertEquals(50, counters(lab, "main").fallbacks);
    }
  }

  @Test
  void anOriginThatIsDownIsLeftAloneUntilOneRequestFindsOut() throws Exception {
    int port = first.port();
    first.refuse();
    answerAll(second, "second");
    try (Lab lab = Lab.of(Lab.withEjection(config("other"), 3, 50, 50), other())) {
      for (int i = 0; i < 10; i++) {
        assertEquals("second", lab.send(Lab.get("/" + i)).body());
      }
      assertEquals(3, counters(lab, "main").requests);
      assertEquals("ejected", state(lab));
      try (ScriptedOrigin again = ScriptedOrigin.startAt(port)) {
        answerAll(again, "again");
        assertEquals("second", lab.send(Lab.get("/early")).body());
        lab.clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
        assertEquals("again", lab.send(Lab.get("/probe")).body());
        assertEquals("usable", state(lab));
        assertEquals("again", lab.send(Lab.get("/more")).body());
      }
    }
  }

  @Test
  void aNameThatDoesNotResolveLeadsToTheOther() throws Exception {
    answerAll(second, "second");
    OriginConfig named = Lab.withFallback(Lab.origin("http://gone.test:1"), "other");
    try (Lab lab = Lab.of(named, other())) {
      lab.names.fail("gone.test", "no such name");
      assertEquals("second", lab.send(Lab.get("/")).body());
    }
  }

  @Test
  void anUnsafeRequestGoesToTheOtherIfNothingWasSent() throws Exception {
    first.refuse();
    try (Lab lab = Lab.of(config("other"), other())) {
      Recorder response = lab.send(Lab.request("POST", "/", RequestBody.NONE));
      Connection connection = second.accept();
      assertTrue(connection.head().startsWith("POST / "));
      connection.respond("second");
      assertEquals("second", response.body());
    }
  }

  @Test
  void aSafeRequestWithoutResponseGoesToTheOtherAndAnUnsafeOneDoesNot() throws Exception {
    answerAll(second, "second");
    first.serve(connection -> {
      connection.head();
      connection.close();
    });
    try (Lab lab = Lab.of(config("other"), other())) {
      assertEquals("second", lab.send(Lab.get("/")).body());
      lab.send(Lab.request("POST", "/", RequestBody.NONE)).failure(Kind.CLOSED_BEFORE_RESPONSE);
    }
  }

  @Test
  void withoutABudgetNothingIsSentTwice() throws Exception {
    first.serve(connection -> {
      connection.head();
      connection.close();
    });
    try (Lab lab = Lab.of(Lab.withRetries(config("other"), 1, 0), other())) {
      lab.send(Lab.get("/")).failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, second.accepted());
    }
  }

  @Test
  void anUnwantedStatusLeadsToTheOther() throws Exception {
    answerAll(second, "second");
    first.serve(connection -> {
      connection.head();
      connection.send("HTTP/1.1 503 No\r\ncontent-length: 2\r\n\r\nno");
    });
    try (Lab lab = Lab.of(Lab.withRetries(config("other"), 1, 10, 503), other())) {
      Recorder response = lab.send(Lab.get("/"));
      assertEquals("second", response.body());
      assertEquals(200, response.status);
      assertEquals(1, counters(lab, "main").responses(5));
      assertEquals(1, counters(lab, "other").responses(2));
      lab.reconfigure(config("other"), other());
      assertEquals("no", lab.send(Lab.get("/")).body());
    }
  }

  @Test
  void aResponseThatHasBegunIsNotReplaced() throws Exception {
    try (Lab lab = Lab.of(config("other"), other())) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = first.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
      response.awaitBytes(4);
      connection.close();
      response.failure(Kind.TRUNCATED);
      assertEquals(0, second.accepted());
    }
  }

  @Test
  void theyAreAskedInOrderEachWithItsOwnFallbacks() throws Exception {
    first.refuse();
    second.refuse();
    try (ScriptedOrigin third = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                config("other", "last"),
                Lab.withFallback(other(), "third"),
                Lab.withHost(Lab.named(Lab.origin(third.url()), "third"), "third.example"),
                Lab.named(Lab.origin("http://127.0.0.1:" + Ports.free()), "last"))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = third.accept();
      String head = connection.head();
      assertTrue(head.contains("\r\nhost: third.example\r\n"), head);
      assertTrue(!head.contains("example.com"), head);
      connection.respond("third");
      assertEquals("third", response.body());
      assertEquals("third", response.fallback);
    }
  }

  @Test
  void theLastFailureIsReportedIfNoneAnswers() throws Exception {
    first.refuse();
    second.refuse();
    try (Lab lab = Lab.of(config("other"), other())) {
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_REFUSED);
      assertTrue(detail.startsWith("origin other "), detail);
    }
  }

  @Test
  void aCallIsCancelledAndSuspendedAtTheOriginThatHasIt() throws Exception {
    first.refuse();
    try (Lab lab = Lab.of(config("other"), other())) {
      Recorder response = new Recorder();
      OriginCall[] call = new OriginCall[1];
      lab.send(
          0,
          Lab.get("/"),
          response,
          sent -> {
            call[0] = sent;
            sent.suspend();
          });
      Connection connection = second.accept();
      connection.head();
      connection.respond("x".repeat(100_000));
      lab.onLoop(
          0,
          () -> {
            assertEquals(0, response.status);
            call[0].resume();
            return null;
          });
      response.awaitHead();
      lab.onLoop(
          0,
          () -> {
            call[0].cancel();
            return null;
          });
      lab.awaitOnLoop(
          0,
          "closed or idle",
          () -> lab.client(0).idleCount("other") == 0 ? lab.connections.open("other") == 0 : true);
    }
  }

  private static OriginCounters counters(Lab lab, String origin) {
    return lab.counters().origin(lab.counters().names().origins().number(origin));
  }

  private static String state(Lab lab) {
    return lab.status().servers().getFirst().endpoints().getFirst().state();
  }
}
