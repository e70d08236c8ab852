package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.Await;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class OriginBodyTest {

  // Request bodies.

  @Test
  void sendsABodyOfKnownLengthWithItsLength() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, 10);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      String head = connection.head();
      assertTrue(head.contains("\r\ncontent-length: 10\r\n"), head);
      assertFalse(head.contains("transfer-encoding"), head);
      body.data("01234").data("56789").end();
      assertEquals("0123456789", new String(connection.bytes(10), StandardCharsets.US_ASCII));
      connection.respond("ok");
      assertEquals("ok", response.body());
      awaitIdle(lab);
      assertFalse(body.isCancelled);
    }
  }

  @Test
  void sendsABodyOfUnknownLengthInChunks() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder response = lab.send(Lab.request("PUT", "/", body));
      Connection connection = origin.accept();
      String head = connection.head();
      assertTrue(head.contains("\r\ntransfer-encoding: chunked\r\n"), head);
      assertFalse(head.contains("content-length"), head);
      body.data("hello, ").data("you").end();
      assertEquals("hello, you", new String(connection.chunkedBody(), StandardCharsets.US_ASCII));
      connection.respond("ok");
      assertEquals("ok", response.body());
      awaitIdle(lab);
    }
  }

  @Test
  void sendsAnEmptyBodyOfUnknownLength() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      body.end();
      assertEquals(0, connection.chunkedBody().length);
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void asksForNoMoreOfTheBodyThanTheOriginTakes() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      int total = 32 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      // Nothing is read here: what the client holds must stop growing far below the body's length.
      awaitStandstill(lab, body);
      long held = lab.allocator.metric().usedDirectMemory();
      assertTrue(held < 1024 * 1024, held + " bytes held");
      assertTrue(body.delivered < total, "everything was demanded");
      connection.bytes(total);
      connection.respond("ok");
      assertEquals("ok", response.body());
      assertEquals(total, body.delivered);
    }
  }

  @Test
  void givesUpWhenTheOriginTakesNothingOfTheBody() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 150, 0, 5000))) {
      int total = 64 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      origin.accept().head();
      response.failure(Kind.WRITE_TIMEOUT);
      assertTrue(body.isCancelled);
    }
  }

  @Test
  void waitsForASlowClientAsLongAsItTakes() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 60, 60, 0, 5000))) {
      ScriptedBody body = new ScriptedBody(lab, 4);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      body.data("ab");
      connection.bytes(2);
      lab.loop(0).schedule(() -> body.give("cd"), 200, TimeUnit.MILLISECONDS).sync();
      assertFalse(response.isOver());
      connection.bytes(2);
      body.end();
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void anAnswerBeforeTheBodyIsCompleteEndsTheBody() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, 1000);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      body.data("some");
      connection.bytes(4);
      connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\n");
      response.awaitHead();
      assertTrue(lab.onLoop(0, () -> body.isCancelled), "the rest is still wanted");
      connection.send("no!");
      assertEquals("no!", response.body());
      assertEquals(413, response.status);
      connection.awaitClose();
      // What the client still sends must go nowhere, and not leak.
      body.data("more");
    }
  }

  @Test
  void anEarlySuccessLetsTheBodyGoOn() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, 4);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
      response.awaitHead();
      body.data("abcd").end();
      connection.send(connection.bytes(4));
      assertEquals("abcd", response.body());
      awaitIdle(lab);
    }
  }

  @Test
  void anAnswerIsReadThoughTheOriginStoppedReading() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      int total = 64 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno");
      assertEquals("no", response.body());
      connection.awaitClose();
      assertTrue(body.isCancelled);
    }
  }

  @RepeatedTest(10)
  void anAnswerIsReadThoughTheOriginClosedWithTheBodyUnread() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      int total = 64 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      awaitStandstill(lab, body);
      // Its unread bytes turn the close into a reset right behind the answer. The loop is kept
      // from looking in between, so that it finds both and a socket that takes no more.
      lab.onLoop(
          0,
          () -> {
            connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno!");
            connection.close();
            return null;
          });
      assertEquals("no!", response.body());
      assertEquals(413, response.status);
      assertTrue(body.isCancelled);
    }
  }

  @Test
  void aClientThatGoesAwayFailsTheCall() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, 10);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      body.data("some").fail("the client reset its stream");
      String detail = response.failure(Kind.REQUEST_BODY_FAILED);
      assertTrue(detail.contains("reset its stream"), detail);
      connection.awaitClose();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "abcde"})
  void aBodyThatIsNotOfItsLengthFailsTheCall(String wrong) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      ScriptedBody body = new ScriptedBody(lab, 4);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      Connection connection = origin.accept();
      connection.head();
      body.data(wrong).end();
      response.failure(Kind.REQUEST_BODY_FAILED);
      connection.awaitClose();
    }
  }

  @Test
  void aBodyThatFailsAtItsFirstDemandIsReportedAfterSend() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      RequestBody broken =
          new RequestBody() {
            @Override
            public long lengthBytes() {
              return 5;
            }

            @Override
            public void receiver(Receiver receiver) {
              receiver.onFailure("already gone");
            }

            @Override
            public void demand(long bytes) {}

            @Override
            public void cancel() {}
          };
      lab.send(Lab.request("POST", "/", broken)).failure(Kind.REQUEST_BODY_FAILED);
      // And once more over a connection that is there already.
      Recorder warm = lab.send(Lab.get("/"));
      Connection unused = origin.accept();
      Connection connection = origin.accept();
      connection.head();
      connection.respond("");
      warm.body();
      awaitIdle(lab);
      lab.send(Lab.request("POST", "/", broken)).failure(Kind.REQUEST_BODY_FAILED);
      unused.close();
    }
  }

  @Test
  void cancellingTheCallCancelsTheBody() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      ScriptedBody body = new ScriptedBody(lab, 10);
      Recorder response =
          lab.send(0, Lab.request("POST", "/", body), new Recorder(), call -> calls[0] = call);
      Connection connection = origin.accept();
      connection.head();
      body.data("abc");
      connection.bytes(3);
      onLoop(lab, calls[0]::cancel);
      connection.awaitClose();
      assertTrue(body.isCancelled);
      assertFalse(response.isOver());
    }
  }

  @Test
  void doesNotRetryOnceTheBodyWasBegun() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection used = origin.accept();
      used.head();
      used.respond("one");
      first.body();
      awaitIdle(lab);
      ScriptedBody body = new ScriptedBody(lab, 3);
      Recorder second = lab.send(Lab.request("PUT", "/2", body));
      used.head();
      body.awaitReceiver();
      used.close();
      second.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(0, lab.counters().originRetries);
    }
  }

  // Response bodies with suspended reading.

  @ParameterizedTest(name = "nio {0}")
  @ValueSource(booleans = {false, true})
  void readsNothingWhileSuspended(boolean isNio) throws Exception {
    int total = 64 * 1024 * 1024;
    try (ScriptedOrigin origin =
            ScriptedOrigin.start()
                .serve(connection -> {
                  connection.head();
                  connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + total + "\r\n\r\n");
                  byte[] piece = new byte[64 * 1024];
                  for (int sent = 0; sent < total; sent += piece.length) {
                    connection.send(piece);
                  }
                });
        Lab lab = new Lab(1, isNio, Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = new Recorder();
      lab.send(
          0,
          Lab.get("/"),
          response,
          call -> {
            calls[0] = call;
            response.onDataRun = call::suspend;
          });
      response.awaitBytes(1);
      int atSuspension = response.bytesSoFar();
      // Many rounds of the loop, in which Netty would read if it were going to.
      for (int i = 0; i < 200; i++) {
        lab.onLoop(0, () -> null);
      }
      assertEquals(atSuspension, response.bytesSoFar());
      long held = lab.allocator.metric().usedDirectMemory();
      assertTrue(held < 1024 * 1024, held + " bytes held");

      response.onDataRun = null;
      onLoop(lab, calls[0]::resume);
      assertEquals(total, response.body().length());
      awaitIdle(lab);
    }
  }

  @Test
  void aCloseWhileSuspendedIsToldAfterTheDataBeforeIt() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = sendAndSuspend(lab, calls);
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n");
      response.awaitHead();
      connection.send("x".repeat(200_000));
      connection.close();
      for (int i = 0; i < 50; i++) {
        lab.onLoop(0, () -> null);
      }
      assertEquals(0, response.bytesSoFar());
      assertFalse(response.isOver());
      onLoop(lab, calls[0]::resume);
      response.failure(Kind.TRUNCATED);
      assertEquals(200_000, response.bytesSoFar());
    }
  }

  /** Epoll tells of a connection that is gone though nobody reads. */
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void whatCameBeforeTheConnectionWasGoneIsToldOnResume(boolean isWhole, boolean isReset)
      throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = sendAndSuspend(lab, calls);
      Connection connection = origin.accept();
      connection.head();
      String length = isWhole ? "4" : "8";
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\nbody");
      response.awaitHead();
      if (isReset) {
        connection.reset();
      } else {
        connection.close();
      }
      Await.until(
          "the connection is gone",
          () -> lab.onLoop(0, () -> lab.counters().originConnectionsOpen) == 0);
      assertEquals("", response.bodySoFar());
      assertFalse(response.isOver());
      onLoop(lab, calls[0]::resume);
      if (isWhole) {
        assertEquals("body", response.body());
      } else {
        response.failure(Kind.TRUNCATED);
        assertEquals("body", response.bodySoFar());
      }
    }
  }

  @Test
  void anEndWhileSuspendedIsToldOnResume() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = sendAndSuspend(lab, calls);
      Connection connection = origin.accept();
      connection.head();
      // Head, body and end in one piece: the suspension comes in the middle of a burst.
      connection.respond("body");
      response.awaitHead();
      lab.onLoop(0, () -> null);
      assertEquals("", response.bodySoFar());
      assertFalse(response.isOver());
      onLoop(lab, calls[0]::resume);
      assertEquals("body", response.body());
      awaitIdle(lab);
      Recorder second = lab.send(Lab.get("/2"));
      connection.head();
      connection.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void suspendingAtEveryPieceAndResumingLosesNothing() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      StringBuilder expected = new StringBuilder();
      StringBuilder chunks = new StringBuilder();
      for (int i = 0; i < 500; i++) {
        String piece = "piece " + i + ";";
        expected.append(piece);
        chunks.append(Integer.toHexString(piece.length())).append("\r\n");
        chunks.append(piece).append("\r\n");
      }
      Recorder response = new Recorder();
      lab.send(
          0,
          Lab.get("/"),
          response,
          call ->
              response.onDataRun =
                  () -> {
                    call.suspend();
                    lab.loop(0).execute(call::resume);
                  });
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      connection.send(chunks.toString());
      connection.send("0\r\n\r\n");
      assertEquals(expected.toString(), response.body());
      awaitIdle(lab);
    }
  }

  @Test
  void readsNothingWhenSuspendedAtTheEndOfWhatWasHeld() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = sendAndSuspend(lab, calls);
      Connection connection = origin.accept();
      connection.head();
      // In one piece: the suspension comes in the middle of a burst, the rest of which is queued.
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100004\r\n\r\nheld");
      response.awaitHead();
      response.onReadCompleteRun = calls[0]::suspend;
      onLoop(lab, calls[0]::resume);
      response.awaitBytes(4);
      long before = lab.onLoop(0, () -> lab.counters().bytesFromOrigins);
      connection.send("x".repeat(100_000));
      // Many rounds of the loop, in which Netty would read if it were going to.
      for (int i = 0; i < 200; i++) {
        lab.onLoop(0, () -> null);
      }
      assertEquals(before, lab.onLoop(0, () -> lab.counters().bytesFromOrigins));
      response.onReadCompleteRun = null;
      onLoop(lab, calls[0]::resume);
      assertEquals("held" + "x".repeat(100_000), response.body());
      awaitIdle(lab);
    }
  }

  @Test
  void cancellingASuspendedCallReleasesWhatIsHeld() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = sendAndSuspend(lab, calls);
      Connection connection = origin.accept();
      connection.head();
      connection.respond("held back");
      response.awaitHead();
      onLoop(lab, calls[0]::cancel);
      connection.awaitClose();
      assertEquals("", response.bodySoFar());
      assertFalse(response.isOver());
    }
  }

  /** Asks for something with a call that is put into the array and suspends itself at the head. */
  private static Recorder sendAndSuspend(Lab lab, OriginCall[] calls) throws Exception {
    Recorder response = new Recorder();
    return lab.send(
        0,
        Lab.get("/"),
        response,
        call -> {
          calls[0] = call;
          response.onHead = call::suspend;
        });
  }

  private static void onLoop(Lab lab, Runnable what) throws Exception {
    lab.onLoop(
        0,
        () -> {
          what.run();
          return null;
        });
  }

  private static void awaitStandstill(Lab lab, ScriptedBody body) throws Exception {
    int quiet = 0;
    long before = -1;
    while (quiet < 100) {
      long now = lab.onLoop(0, () -> body.delivered);
      quiet = now == before ? quiet + 1 : 0;
      before = now;
    }
  }

  private static void awaitIdle(Lab lab) throws Exception {
    lab.awaitOnLoop(0, "an idle connection", () -> lab.client(0).idleCount("main") == 1);
  }
}
