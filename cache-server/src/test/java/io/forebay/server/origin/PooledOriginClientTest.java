package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ProtectionConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class PooledOriginClientTest {

  @ParameterizedTest(name = "nio {0}")
  @ValueSource(booleans = {false, true})
  void sendsARequestAndPassesTheResponseOn(boolean isNio) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = new Lab(1, isNio, Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/a?b=c"));
      try (Connection connection = origin.accept()) {
        assertEquals("GET /a?b=c HTTP/1.1\r\nhost: example.com\r\n\r\n", connection.head());
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello");
        assertEquals("hello", response.body());
        assertEquals(200, response.status);
        assertEquals(5, response.contentLength);
        assertFalse(response.isCloseDelimited);
        assertEquals("1|2", response.field("x-a"));
        assertEquals(1, lab.counters().originFetches);
        assertEquals(0, lab.counters().originFailures);
        assertEquals(1, lab.counters().originConnectionsOpened);
        assertEquals(1, lab.counters().originConnectionsOpen);
        assertEquals(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello".length(),
            lab.counters().bytesFromOrigins);
        assertEquals("hello".length(), lab.counters().originBodyBytes);
      }
    }
  }

  @Test
  void usesAConnectionAgain() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      assertEquals("one", first.body());
      awaitIdle(lab, 0);
      Recorder second = lab.send(Lab.get("/2"));
      assertTrue(connection.head().startsWith("GET /2 "));
      connection.respond("two");
      assertEquals("two", second.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void usesTheConnectionThatWasFreedLast() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection older = origin.accept();
      older.head();
      Recorder second = lab.send(Lab.get("/2"));
      Connection younger = origin.accept();
      younger.head();
      younger.respond("2");
      second.body();
      awaitIdle(lab, 0);
      older.respond("1");
      first.body();
      lab.awaitOnLoop(0, "two idle", () -> idleCount(lab, 0) == 2);
      Recorder third = lab.send(Lab.get("/3"));
      assertTrue(older.head().startsWith("GET /3 "));
      older.respond("3");
      third.body();
    }
  }

  @Test
  void doesNotUseAConnectionAgainThatTheOriginWantsClosed() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1");
      assertEquals("1", first.body());
      connection.awaitClose();
    }
  }

  @Test
  void doesNotUseAnHttp10ConnectionAgainUnlessTheOriginOffersIt() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1");
      assertEquals("1", first.body());
      connection.awaitClose();

      Recorder second = lab.send(Lab.get("/2"));
      Connection offering = origin.accept();
      offering.head();
      offering.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n2");
      assertEquals("2", second.body());
      awaitIdle(lab, 0);
    }
  }

  @Test
  void discardsAnIdleConnectionOnWhichBytesArrive() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      first.body();
      awaitIdle(lab, 0);
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
      connection.awaitClose();
      Recorder second = lab.send(Lab.get("/2"));
      Connection fresh = origin.accept();
      fresh.head();
      fresh.respond("two");
      assertEquals("two", second.body());
      assertEquals(0, lab.counters().originRetries);
    }
  }

  @Test
  void discardsAnIdleConnectionThatTheOriginCloses() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      first.body();
      awaitIdle(lab, 0);
      connection.close();
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
      assertEquals(0, idleCount(lab, 0));
    }
  }

  @Test
  void closesAnIdleConnectionAfterTheKeepAliveTime() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 5000, 0, 30))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      first.body();
      connection.awaitClose();
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
    }
  }

  @Test
  void leavesAConnectionBeforeTheOriginSaysItWillCloseIt() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.send(
          "HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\nContent-Length: 1\r\n\r\n1");
      first.body();
      long before = System.nanoTime();
      connection.awaitClose();
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
      assertTrue(tookMillis < 5000, "closed after " + tookMillis + " ms");
    }
  }

  // One retry when a reused connection dies.

  @ParameterizedTest(name = "reset {0}")
  @ValueSource(booleans = {false, true})
  void retriesOnceOnAFreshConnectionWhenAReusedOneDies(boolean isReset) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection used = useOnce(origin, lab);
      Recorder second = lab.send(Lab.get("/2"));
      used.head();
      end(used, isReset);
      Connection fresh = origin.accept();
      assertTrue(fresh.head().startsWith("GET /2 "));
      fresh.respond("two");
      assertEquals("two", second.body());
      assertEquals(1, lab.counters().originRetries);
      assertEquals(2, lab.counters().originFetches);
      assertEquals(0, lab.counters().originFailures);
    }
  }

  @Test
  void retriesOnlyOnce() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection used = useOnce(origin, lab);
      Recorder second = lab.send(Lab.get("/2"));
      used.head();
      used.close();
      Connection fresh = origin.accept();
      fresh.head();
      fresh.close();
      second.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(1, lab.counters().originRetries);
      assertEquals(1, lab.counters().originFailures);
    }
  }

  @Test
  void retriesWithinACapOfOneConnection() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Connection used = useOnce(origin, lab);
      Recorder second = lab.send(Lab.get("/2"));
      used.head();
      Recorder waiting = lab.send(Lab.get("/3"));
      used.close();
      Connection fresh = origin.accept();
      assertTrue(fresh.head().startsWith("GET /2 "));
      fresh.respond("two");
      assertEquals("two", second.body());
      assertTrue(fresh.head().startsWith("GET /3 "));
      fresh.respond("three");
      assertEquals("three", waiting.body());
    }
  }

  @Test
  void doesNotRetryOnAFreshConnection() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder only = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      connection.close();
      String detail = only.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertTrue(detail.contains("127.0.0.1:" + origin.port()), detail);
      assertEquals(0, lab.counters().originRetries);
    }
  }

  @Test
  void doesNotRetryWhenAByteOfTheResponseCame() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection used = useOnce(origin, lab);
      Recorder second = lab.send(Lab.get("/2"));
      used.head();
      used.send("H");
      used.close();
      second.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, lab.counters().originRetries);
    }
  }

  @Test
  void doesNotRetryAMethodThatIsNotIdempotent() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection used = useOnce(origin, lab);
      Recorder second = lab.send(Lab.request("POST", "/2", RequestBody.NONE));
      assertTrue(used.head().contains("content-length: 0\r\n"));
      used.close();
      second.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, lab.counters().originRetries);
    }
  }

  // The cap.

  @Test
  void queuesAtTheCapAndServesInOrder() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Recorder second = lab.send(Lab.get("/2"));
      Recorder third = lab.send(Lab.get("/3"));
      Connection connection = origin.accept();
      for (int i = 1; i <= 3; i++) {
        assertTrue(connection.head().startsWith("GET /" + i + " "));
        connection.respond("body " + i);
      }
      assertEquals("body 1", first.body());
      assertEquals("body 2", second.body());
      assertEquals("body 3", third.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void failsWhoWaitsLongerThanTheConnectTimeout() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withMost(
                    Lab.withTimes(Lab.origin(origin.url()), 60, 5000, 5000, 0, 5000), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      Recorder second = lab.send(Lab.get("/2"));
      String detail = second.failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(detail.contains("all 1 connections"), detail);
      connection.respond("one");
      assertEquals("one", first.body());
    }
  }

  @Test
  void failsAtOnceWhenTheQueueIsFull() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder first = lab.send(Lab.get("/"));
      Recorder oneTooMany =
          lab.onLoop(
              0,
              () -> {
                for (int i = 0; i < ProtectionConfig.DEFAULT.maxWaiting(); i++) {
                  lab.sendOnLoop(0, lab.client(0), Lab.get("/waits"), new Recorder());
                }
                Recorder last = new Recorder();
                lab.sendOnLoop(0, lab.client(0), Lab.get("/last"), last);
                return last;
              });
      oneTooMany.failure(Kind.TOO_MANY_CONNECTIONS);
      assertEquals(1, lab.counters().limitsHit());
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      assertEquals("one", first.body());
    }
  }

  @Test
  void aCancelledWaiterLeavesTheQueue() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Recorder cancelled = lab.send(0, Lab.get("/2"), new Recorder(), OriginCall::cancel);
      Recorder third = lab.send(Lab.get("/3"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      assertEquals("one", first.body());
      assertTrue(connection.head().startsWith("GET /3 "));
      connection.respond("three");
      assertEquals("three", third.body());
      assertFalse(cancelled.isOver());
    }
  }

  @Test
  void aLoopGivesUpAnIdleConnectionWhenAnotherWaits() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = new Lab(2, false, Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder first = lab.send(0, Lab.get("/1"));
      Connection ofFirstLoop = origin.accept();
      ofFirstLoop.head();
      ofFirstLoop.respond("one");
      first.body();
      awaitIdle(lab, 0);
      Recorder second = lab.send(1, Lab.get("/2"));
      ofFirstLoop.awaitClose();
      Connection ofSecondLoop = origin.accept();
      ofSecondLoop.head();
      ofSecondLoop.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void aLoopThatIsDoneGivesItsConnectionUpForOneThatWaits() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = new Lab(2, false, Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder first = lab.send(0, Lab.get("/1"));
      Connection ofFirstLoop = origin.accept();
      ofFirstLoop.head();
      Recorder second = lab.send(1, Lab.get("/2"));
      ofFirstLoop.respond("one");
      first.body();
      Connection ofSecondLoop = origin.accept();
      ofSecondLoop.head();
      ofSecondLoop.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void aBusyLoopDoesNotStarveAnother() throws Exception {
    try (ScriptedOrigin origin =
            ScriptedOrigin.start()
                .serve(connection -> {
                  while (true) {
                    connection.head();
                    connection.respond("x");
                  }
                });
        Lab lab = new Lab(2, false, Lab.withMost(Lab.origin(origin.url()), 1))) {
      CountDownLatch otherServed = new CountDownLatch(1);
      // Each answer on the first loop sends the next request: its own queue is never empty.
      for (int i = 0; i < 4; i++) {
        keepBusy(lab, otherServed);
      }
      Recorder other = new Recorder();
      other.onOver = otherServed::countDown;
      lab.send(1, Lab.get("/other"), other, call -> {});
      assertEquals("x", other.body());
      lab.awaitOnLoop(0, "the first loop is done", () -> idleOrNone(lab));
    }
  }

  private static boolean idleOrNone(Lab lab) {
    return lab.connections.permits("main").longestWaiting(null) == null
        && lab.counters().originConnectionsOpen == idleCount(lab, 0);
  }

  private static void keepBusy(Lab lab, CountDownLatch until) throws Exception {
    Recorder recorder = new Recorder();
    recorder.onOver =
        () -> {
          if (until.getCount() > 0) {
            lab.loop(0)
                .execute(() -> {
                  try {
                    Recorder next = new Recorder();
                    next.onOver = recorder.onOver;
                    lab.client(0).send("main", Lab.get("/busy"), next);
                  } catch (RuntimeException e) {
                    until.countDown();
                  }
                });
          }
        };
    lab.send(0, Lab.get("/busy"), recorder, call -> {});
  }

  @Test
  void theCapHoldsOverAllLoops() throws Exception {
    int most = 3;
    try (ScriptedOrigin origin =
            ScriptedOrigin.start()
                .serve(connection -> {
                  while (true) {
                    connection.head();
                    connection.respond("x");
                  }
                });
        Lab lab = new Lab(3, false, Lab.withMost(Lab.origin(origin.url()), most))) {
      Recorder[] recorders = new Recorder[90];
      for (int i = 0; i < recorders.length; i++) {
        recorders[i] = lab.send(i % 3, Lab.get("/" + i));
        assertTrue(lab.connections.open("main") <= most);
      }
      for (Recorder recorder : recorders) {
        assertEquals("x", recorder.body());
        assertTrue(lab.connections.open("main") <= most);
      }
    }
  }

  // What else may happen to a call.

  @Test
  void anUnknownOriginFailsTheCall() throws Exception {
    try (Lab lab = Lab.of()) {
      String detail = lab.send(Lab.get("/")).failure(Kind.UNKNOWN_ORIGIN);
      assertTrue(detail.contains("main"), detail);
      assertEquals(1, lab.counters().originFailures);
    }
  }

  @Test
  void aRefusedConnectionFailsTheCall() throws Exception {
    ScriptedOrigin origin = ScriptedOrigin.start();
    origin.close();
    try (Lab lab = Lab.of(Lab.origin(origin.url()))) {
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_REFUSED);
      assertTrue(detail.contains("127.0.0.1:" + origin.port()), detail);
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @Test
  void cancelClosesTheConnectionAndSilencesTheCall() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = lab.send(0, Lab.get("/"), new Recorder(), call -> calls[0] = call);
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      response.awaitBytes(4);
      lab.onLoop(
          0,
          () -> {
            calls[0].cancel();
            return null;
          });
      connection.awaitClose();
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
      assertFalse(response.isOver());
      assertEquals(0, lab.counters().originFailures);
    }
  }

  @Test
  void cancelFromWithinACallbackEndsTheCall() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = new Recorder();
      lab.send(0, Lab.get("/"), response, call -> response.onHead = call::cancel);
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody");
      connection.awaitClose();
      response.awaitHead();
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
      assertEquals("", response.bodySoFar());
      assertFalse(response.isOver());
    }
  }

  @Test
  void cancelAfterTheEndLeavesTheConnectionAlone() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = new Recorder();
      lab.send(0, Lab.get("/"), first, call -> first.onOver = call::cancel);
      Connection connection = origin.accept();
      connection.head();
      connection.respond("one");
      first.awaitOver();
      awaitIdle(lab, 0);
    }
  }

  @Test
  void aConnectionWhoseCallWasCancelledBeforeItWasOpenIsKept() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      lab.send(0, Lab.get("/1"), new Recorder(), OriginCall::cancel);
      Connection connection = origin.accept();
      awaitIdle(lab, 0);
      Recorder second = lab.send(Lab.get("/2"));
      assertTrue(connection.head().startsWith("GET /2 "));
      connection.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void refusesARequestThatWouldReadAsTwo() throws Exception {
    try (Lab lab = Lab.of(Lab.origin("http://127.0.0.1:1"))) {
      List<OriginRequest> bad =
          List.of(
              Lab.get("/a b"),
              Lab.get("/a\r\nx: y"),
              Lab.get("a"),
              Lab.request("GE T", "/", RequestBody.NONE),
              new OriginRequest("GET", "/", HeaderFields.of("a", "b\r\nc: d"), RequestBody.NONE),
              new OriginRequest("GET", "/", HeaderFields.of("a", "b\0"), RequestBody.NONE),
              new OriginRequest("GET", "/", HeaderFields.of("a b", "c"), RequestBody.NONE));
      for (OriginRequest request : bad) {
        lab.onLoop(
            0,
            () ->
                assertThrows(
                    IllegalArgumentException.class,
                    () -> lab.client(0).send("main", request, new Recorder()),
                    request::toString));
      }
    }
  }

  @Test
  void sendsNoFieldThatBelongsToOneConnection() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response =
          lab.send(
              new OriginRequest(
                  "GET",
                  "/",
                  HeaderFields.of(
                      "expect", "100-continue",
                      "connection", "close",
                      "transfer-encoding", "chunked",
                      "content-length", "7",
                      "x-kept", "yes"),
                  RequestBody.NONE));
      Connection connection = origin.accept();
      assertEquals(
          "GET / HTTP/1.1\r\nhost: 127.0.0.1:" + origin.port() + "\r\nx-kept: yes\r\n\r\n",
          connection.head());
      connection.respond("");
      assertEquals("", response.body());
    }
  }

  @Test
  void aReloadRetiresConnectionsOfAChangedOrigin() throws Exception {
    try (ScriptedOrigin before = ScriptedOrigin.start();
        ScriptedOrigin after = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(before.url()))) {
      Connection idle = useOnce(before, lab);
      Recorder underWay = lab.send(Lab.get("/under-way"));
      idle.head();
      lab.reconfigure(Lab.origin(after.url()));
      Recorder fresh = lab.send(Lab.get("/fresh"));
      Connection connection = after.accept();
      connection.head();
      connection.respond("after");
      assertEquals("after", fresh.body());
      idle.respond("before");
      assertEquals("before", underWay.body());
      idle.awaitClose();
    }
  }

  @Test
  void aReloadKeepsConnectionsOfAnUnchangedOrigin() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection idle = useOnce(origin, lab);
      lab.reconfigure(Lab.origin(origin.url()));
      Recorder second = lab.send(Lab.get("/2"));
      assertTrue(idle.head().startsWith("GET /2 "));
      idle.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void whoWaitsThroughAReloadIsStillServed() throws Exception {
    try (ScriptedOrigin before = ScriptedOrigin.start();
        ScriptedOrigin after = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(before.url()), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection connection = before.accept();
      connection.head();
      Recorder waiting = lab.send(Lab.get("/2"));
      lab.reconfigure(Lab.withMost(Lab.origin(after.url()), 1));
      Recorder fresh = lab.send(Lab.get("/3"));
      connection.respond("one");
      assertEquals("one", first.body());
      assertTrue(connection.head().startsWith("GET /2 "));
      connection.respond("two");
      assertEquals("two", waiting.body());
      connection.awaitClose();
      Connection other = after.accept();
      assertTrue(other.head().startsWith("GET /3 "));
      other.respond("three");
      assertEquals("three", fresh.body());
    }
  }

  @Test
  void aStoppingClientFailsWhoWaitsAndFinishesWhatIsUnderWay() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder underWay = lab.send(Lab.get("/1"));
      Connection connection = origin.accept();
      connection.head();
      Recorder waiting = lab.send(Lab.get("/2"));
      lab.onLoop(
          0,
          () -> {
            lab.client(0).close();
            return null;
          });
      waiting.failure(Kind.TOO_MANY_CONNECTIONS);
      lab.send(Lab.get("/3")).failure(Kind.TOO_MANY_CONNECTIONS);
      connection.respond("one");
      assertEquals("one", underWay.body());
      connection.awaitClose();
    }
  }

  @Test
  void aReloadWithoutTheOriginClosesItsIdleConnections() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Connection idle = useOnce(origin, lab);
      lab.reconfigure();
      idle.awaitClose();
      lab.send(Lab.get("/")).failure(Kind.UNKNOWN_ORIGIN);
    }
  }

  private static Connection useOnce(ScriptedOrigin origin, Lab lab) throws Exception {
    Recorder first = lab.send(Lab.get("/1"));
    Connection connection = origin.accept();
    connection.head();
    connection.respond("one");
    assertEquals("one", first.body());
    awaitIdle(lab, 0);
    return connection;
  }

  private static void end(Connection connection, boolean isReset) throws Exception {
    if (isReset) {
      connection.reset();
    } else {
      connection.close();
    }
  }

  private static void awaitIdle(Lab lab, int loop) throws Exception {
    lab.awaitOnLoop(loop, "an idle connection", () -> idleCount(lab, loop) == 1);
  }

  private static int idleCount(Lab lab, int loop) {
    return lab.client(loop).idleCount("main");
  }
}
