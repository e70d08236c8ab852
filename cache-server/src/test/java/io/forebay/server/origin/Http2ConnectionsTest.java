package io.forebay.server.origin;

import static io.forebay.testing.RawHttp2.DATA;
import static io.forebay.testing.RawHttp2.GOAWAY;
import static io.forebay.testing.RawHttp2.RST_STREAM;
import static io.forebay.testing.RawHttp2.SETTINGS;
import static io.forebay.testing.RawHttp2.WINDOW_UPDATE;
import static io.forebay.testing.RawHttp2.number;
import static io.forebay.testing.RawHttp2.setting;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2Origin;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which HTTP/2 connection a call goes to, and where it goes if that takes it no longer. */
@Timeout(60)
@Tag("slow")
class Http2ConnectionsTest {
  private static final int MAX_CONCURRENT_STREAMS = 3;

  private static OriginConfig http2(RawHttp2Origin origin) {
    return Lab.speaking(Lab.origin(origin.url()), OriginProtocol.HTTP2);
  }

  private static Lab lab(RawHttp2Origin origin) throws Exception {
    return Lab.of(http2(origin));
  }

  private static byte[] most(int streams) {
    return setting(MAX_CONCURRENT_STREAMS, streams);
  }

  private static byte[] goAway(int lastStream, Http2Error error) {
    return ByteBuffer.allocate(8).putInt(lastStream).putInt((int) error.code()).array();
  }

  /** Sends a request and answers it, so that the connection is idle and its settings are known. */
  private static RawHttp2 warm(RawHttp2Origin origin, Lab lab, byte... settings) throws Exception {
    Recorder response = lab.send(Lab.get("/warm"));
    RawHttp2 connection = origin.accept(settings);
    connection.answer(connection.request().stream(), "warm").flush();
    assertEquals("warm", response.body());
    lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
    return connection;
  }

  // How many at a time.

  @Test
  void opensAnotherConnectionForMoreStreamsThanTheOriginAllows() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 first = warm(origin, lab, most(2));
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      first.answer(first.request().stream(), "0");
      first.answer(first.request().stream(), "1");
      RawHttp2 second = origin.accept(most(2));
      second.answer(second.request().stream(), "2").flush();
      assertEquals("2", responses.get(2).body());
      first.flush();
      assertEquals("0", responses.get(0).body());
      assertEquals("1", responses.get(1).body());
    }
  }

  @Test
  void callsWaitForAStreamWhereNoMoreConnectionsAreAllowed() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withMost(http2(origin), 1))) {
      RawHttp2 connection = warm(origin, lab, most(1));
      Recorder first = lab.send(Lab.get("/1"));
      Recorder second = lab.send(Lab.get("/2"));
      connection.answer(connection.request().stream(), "1").flush();
      assertEquals("1", first.body());
      connection.answer(connection.request().stream(), "2").flush();
      assertEquals("2", second.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void waitsWhileTheOriginAllowsNoStreams() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab, most(10));
      Recorder running = lab.send(Lab.get("/running"));
      int stream = connection.request().stream();
      connection.frame(SETTINGS, 0, 0, most(0)).roundTrip();
      Recorder waiting = lab.send(Lab.get("/waiting"));
      connection.answer(stream, "finishes").flush();
      assertEquals("finishes", running.body());
      connection.roundTrip();
      assertTrue(!waiting.isOver());
      connection.frame(SETTINGS, 0, 0, most(10)).flush();
      connection.answer(connection.request().stream(), "goes on").flush();
      assertEquals("goes on", waiting.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void anIdleConnectionThatIsPausedAndResumedServesWhoWaits() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab, most(10));
      connection.frame(SETTINGS, 0, 0, most(0)).roundTrip();
      Recorder waiting = lab.send(Lab.get("/waiting"));
      connection.roundTrip();
      connection.frame(SETTINGS, 0, 0, most(1)).flush();
      connection.answer(connection.request().stream(), "served").flush();
      assertEquals("served", waiting.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void aCallThatFindsNoStreamInTimeFails() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withTimes(http2(origin), 200, 5000, 5000, 0, 5000))) {
      RawHttp2 connection = warm(origin, lab, most(10));
      connection.frame(SETTINGS, 0, 0, most(0)).roundTrip();
      lab.send(Lab.get("/")).failure(Kind.TOO_MANY_CONNECTIONS);
      assertEquals(1, origin.accepted());
    }
  }

  @Test
  void aConnectionWithoutCallsIsGivenUpForAnotherLoopThatWaits() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = new Lab(2, false, Lab.withMost(http2(origin), 1))) {
      Recorder held = lab.send(0, Lab.get("/held"));
      RawHttp2 connection = origin.accept();
      connection.request();
      Recorder other = lab.send(1, Lab.get("/other"));
      connection.answer(3, "over").flush();
      assertEquals("over", held.body());
      RawHttp2 second = origin.accept();
      second.answer(second.request().stream(), "other").flush();
      assertEquals("other", other.body());
    }
  }

  // Connections that end.

  @Test
  void whatAGoodbyeExcludesIsSentAgainAndTheRestFinishes() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab);
      Recorder below = lab.send(Lab.get("/below"));
      Recorder above = lab.send(Lab.request("DELETE", "/above", RequestBody.NONE));
      Recorder unsafe = lab.send(Lab.request("POST", "/unsafe", RequestBody.NONE));
      int stream = connection.request().stream();
      connection.request();
      connection.request();
      connection.frame(GOAWAY, 0, 0, goAway(stream, Http2Error.NO_ERROR)).flush();
      RawHttp2 another = origin.accept();
      for (int i = 0; i < 2; i++) {
        RawHttp2.Message request = another.request();
        another.answer(request.stream(), request.field(":path")).flush();
      }
      assertEquals("/above", above.body());
      assertEquals("/unsafe", unsafe.body());
      connection.answer(stream, "finishes").flush();
      assertEquals("finishes", below.body());
      assertEquals(Http2Error.NO_ERROR, connection.await(GOAWAY).goAwayError());
      assertNull(connection.read());
      assertEquals(2, lab.counters().originRetries);
    }
  }

  @Test
  void aGoodbyeWithAnErrorExcludesAsWell() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab);
      Recorder begun = lab.send(Lab.get("/begun"));
      Recorder above = lab.send(Lab.request("POST", "/above", RequestBody.NONE));
      int stream = connection.request().stream();
      connection.request();
      connection.respond(stream, false, "200").data(stream, false, "half").flush();
      begun.awaitBytes(4);
      connection.frame(GOAWAY, 0, 0, goAway(stream, Http2Error.INTERNAL_ERROR)).flush();
      connection.close();
      assertTrue(begun.failure(Kind.TRUNCATED).contains("GOAWAY: INTERNAL_ERROR"));
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "again").flush();
      assertEquals("again", above.body());
    }
  }

  @Test
  void anIdleConnectionThatSaysGoodbyeIsUsedNoMore() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab);
      connection.frame(GOAWAY, 0, 0, goAway(1, Http2Error.NO_ERROR)).flush();
      lab.awaitOnLoop(0, "closed", () -> lab.counters().originConnectionsOpen == 0);
      Recorder next = lab.send(Lab.get("/"));
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "new").flush();
      assertEquals("new", next.body());
    }
  }

  @Test
  void aRefusedStreamIsSentAgainOnAnotherConnection() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab);
      Recorder refused = lab.send(Lab.request("POST", "/refused", RequestBody.NONE));
      Recorder stays = lab.send(Lab.get("/stays"));
      int stream = connection.request().stream();
      int other = connection.request().stream();
      connection
          .frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()))
          .flush();
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "taken").flush();
      assertEquals("taken", refused.body());
      connection.answer(other, "stays").flush();
      assertEquals("stays", stays.body());
      assertEquals(Http2Error.NO_ERROR, connection.await(GOAWAY).goAwayError());
    }
  }

  @Test
  void aBodyThatWasBegunIsSentAgainFromItsBeginning() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      int stream = connection.request().stream();
      body.data("begun, ");
      assertEquals(7, connection.await(DATA).payload().length);
      connection
          .frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()))
          .flush();
      RawHttp2 another = origin.accept();
      another.request();
      assertEquals("begun, ", new String(another.await(DATA).payload(), US_ASCII));
      body.data("went on").end();
      assertEquals("went on", new String(another.await(DATA).payload(), US_ASCII));
      assertTrue(another.await(DATA).isEnd());
      another.answer(3, "whole").flush();
      assertEquals("whole", response.body());
    }
  }

  @Test
  void aBodyThatHasEndedIsSentAgainAfterAGoodbye() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, 5);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      connection.request();
      body.data("whole").end();
      connection.await(DATA);
      connection.frame(GOAWAY, 0, 0, goAway(1, Http2Error.NO_ERROR)).flush();
      RawHttp2 another = origin.accept();
      assertEquals("5", another.request().field("content-length"));
      assertEquals("whole", new String(another.await(DATA).payload(), US_ASCII));
      another.answer(3, "taken").flush();
      assertEquals("taken", response.body());
    }
  }

  @Test
  void aBodyThatIsTooLongToKeepIsNotSentAgain() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      int total = 2_000_000;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      int stream = connection.request().stream();
      connection.frame(WINDOW_UPDATE, 0, 0, number(total));
      connection.frame(WINDOW_UPDATE, 0, stream, number(total)).flush();
      for (int taken = 0; taken < 300_000; ) {
        taken += connection.await(DATA).payload().length;
      }
      connection
          .frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()))
          .flush();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(1, origin.accepted());
    }
  }

  @Test
  void aCallThatIsGivenUpWhileItWaitsToBeSentAgainGivesUpItsBody() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withMost(http2(origin), 1))) {
      AtomicReference<OriginCall> call = new AtomicReference<>();
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder held = lab.send(Lab.get("/held"));
      Recorder response = new Recorder();
      lab.send(0, Lab.request("POST", "/", body), response, call::set);
      RawHttp2 connection = origin.accept();
      connection.request();
      int stream = connection.request().stream();
      body.data("begun");
      connection.await(DATA);
      connection
          .frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()))
          .roundTrip();
      // The connection takes no more calls, and no other one is allowed.
      lab.onLoop(
          0,
          () -> {
            requireNonNull(call.get()).cancel();
            return null;
          });
      assertTrue(body.isCancelled);
      connection.answer(3, "held").flush();
      assertEquals("held", held.body());
    }
  }

  @Test
  void aStreamThatIsRefusedAgainFails() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder refused = lab.send(Lab.request("POST", "/", RequestBody.NONE));
      for (int i = 0; i < 2; i++) {
        RawHttp2 connection = origin.accept();
        int stream = connection.request().stream();
        connection
            .frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()))
            .flush();
      }
      assertTrue(refused.failure(Kind.CLOSED_BEFORE_RESPONSE).contains("refused"));
      assertEquals(2, origin.accepted());
    }
  }

  @Test
  void aSafeCallIsSentAgainIfAConnectionThatWasUsedBreaks() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      RawHttp2 connection = warm(origin, lab);
      Recorder safe = lab.send(Lab.get("/safe"));
      Recorder unsafe = lab.send(Lab.request("POST", "/unsafe", RequestBody.NONE));
      connection.request();
      connection.request();
      connection.close();
      unsafe.failure(Kind.CLOSED_BEFORE_RESPONSE);
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "again").flush();
      assertEquals("again", safe.body());
    }
  }

  @Test
  void aBrokenConnectionCountsOnceAgainstTheServer() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        responses.add(lab.send(Lab.request("POST", "/" + i, RequestBody.NONE)));
      }
      RawHttp2 connection = origin.accept();
      for (int i = 0; i < 10; i++) {
        connection.request();
      }
      connection.close();
      for (Recorder response : responses) {
        response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      }
      assertEquals(1, lab.status().servers().getFirst().endpoints().getFirst().failuresInARow());
    }
  }

  @Test
  void aSafeCallGoesToAnotherServerIfItsOwnFails() throws Exception {
    try (RawHttp2Origin one = RawHttp2Origin.start();
        RawHttp2Origin two = RawHttp2Origin.start();
        Lab lab =
            Lab.of(
                Lab.withServers(
                    http2(one),
                    OriginServerConfig.of(one.url()),
                    OriginServerConfig.of(two.url())))) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = one.accept();
      int stream = connection.request().stream();
      connection
          .frame(RST_STREAM, 0, stream, number((int) Http2Error.INTERNAL_ERROR.code()))
          .flush();
      RawHttp2 another = two.accept();
      another.answer(another.request().stream(), "other").flush();
      assertEquals("other", response.body());
    }
  }

  @Test
  void callsThatWaitForAConnectionThatFailsOpenTheirOwn() throws Exception {
    try (RawHttp2Origin dead = RawHttp2Origin.start();
        RawHttp2Origin alive = RawHttp2Origin.start();
        Lab lab =
            Lab.of(
                Lab.withServers(
                    http2(dead),
                    OriginServerConfig.of(dead.url()),
                    new OriginServerConfig(alive.url(), 1, true, 0)))) {
      dead.close();
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      // How many connections there are depends on who was first.
      Thread answering = Thread.ofVirtual().start(() -> answer(alive, 3));
      for (int i = 0; i < 3; i++) {
        assertEquals("/" + i, responses.get(i).body());
      }
      answering.interrupt();
    }
  }

  /** Answers so many requests, on as many connections as they come by. */
  private static void answer(RawHttp2Origin origin, int requests) {
    AtomicInteger left = new AtomicInteger(requests);
    while (left.get() > 0) {
      try {
        RawHttp2 connection = origin.accept();
        Thread.ofVirtual()
            .start(() -> {
              while (true) {
                RawHttp2.Message request = connection.request();
                left.decrementAndGet();
                connection.answer(request.stream(), request.field(":path")).flush();
              }
            });
      } catch (IOException e) {
        // The test is over.
        return;
      }
    }
  }
}
