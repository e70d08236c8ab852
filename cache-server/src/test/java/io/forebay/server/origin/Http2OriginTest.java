package io.forebay.server.origin;

import static io.forebay.testing.RawHttp2.CONTINUATION;
import static io.forebay.testing.RawHttp2.DATA;
import static io.forebay.testing.RawHttp2.END_HEADERS;
import static io.forebay.testing.RawHttp2.END_STREAM;
import static io.forebay.testing.RawHttp2.GOAWAY;
import static io.forebay.testing.RawHttp2.HEADERS;
import static io.forebay.testing.RawHttp2.RST_STREAM;
import static io.forebay.testing.RawHttp2.number;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2.Frame;
import io.forebay.testing.RawHttp2.Message;
import io.forebay.testing.RawHttp2Origin;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses over HTTP/2 to an origin that writes single frames. */
@Timeout(60)
@Tag("slow")
class Http2OriginTest {

  private static OriginConfig http2(RawHttp2Origin origin) {
    return Lab.speaking(Lab.origin(origin.url()), OriginProtocol.HTTP2);
  }

  private static Lab lab(RawHttp2Origin origin) throws Exception {
    return Lab.of(http2(origin));
  }

  // Requests and responses.

  @Test
  void sendsARequestAndReadsItsResponse() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response =
          lab.send(
              new OriginRequest(
                  "GET",
                  "/a?b",
                  HeaderFields.of("host", "example.com", "x-one", "1", "connection", "x"),
                  RequestBody.NONE));
      RawHttp2 connection = origin.accept();
      Message request = connection.request();
      assertEquals("GET", request.field(":method"));
      assertEquals("/a?b", request.field(":path"));
      assertEquals("http", request.field(":scheme"));
      assertEquals("example.com", request.field(":authority"));
      assertEquals("1", request.field("x-one"));
      assertEquals("", request.field("connection"));
      assertEquals("", request.field("host"));
      assertEquals("", request.field("te"));
      assertTrue(request.isEnd());
      connection.respond(3, false, "200", "x-two", "2", "content-length", "5");
      connection.data(3, false, "he").data(3, true, "llo").flush();
      assertEquals("hello", response.body());
      assertEquals(200, response.status);
      assertEquals("2", response.field("x-two"));
      assertEquals(5, response.contentLength);
      assertFalse(response.isCloseDelimited);
    }
  }

  @Test
  void usesAConnectionAgain() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder first = lab.send(Lab.get("/1"));
      RawHttp2 connection = origin.accept();
      connection.answer(connection.request().stream(), "one").flush();
      assertEquals("one", first.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder second = lab.send(Lab.get("/2"));
      connection.answer(connection.request().stream(), "two").flush();
      assertEquals("two", second.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void aBurstOfCallsSharesOneConnection() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      RawHttp2 connection = origin.accept();
      List<Message> requests = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        requests.add(connection.request());
      }
      for (Message request : requests.reversed()) {
        connection.answer(request.stream(), request.field(":path"));
      }
      connection.flush();
      for (int i = 0; i < 20; i++) {
        assertEquals("/" + i, responses.get(i).body());
      }
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void passesTrailersOfAResponseAndSaysThatItTakesThem() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/").takingTrailers(true));
      RawHttp2 connection = origin.accept();
      assertEquals("trailers", connection.request().field("te"));
      connection.respond(3, false, "200").data(3, false, "x");
      connection.trailers(3, "grpc-status", "0").flush();
      assertEquals("x", response.body());
      HeaderFields trailers = response.trailers;
      assertNotNull(trailers);
      assertEquals("0", trailers.first("grpc-status"));
    }
  }

  @Test
  void aResponseThatEndsWithItsHeadHasNoBody() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.respond(connection.request().stream(), true, "200", "grpc-status", "5").flush();
      assertEquals("", response.body());
      assertEquals(0, response.contentLength);
      assertEquals("5", response.field("grpc-status"));
    }
  }

  @Test
  void passesInterimResponses() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      int stream = connection.request().stream();
      connection.respond(stream, false, "103").respond(stream, false, "102");
      connection.answer(stream, "x").flush();
      assertEquals("x", response.body());
      assertEquals(List.of(103, 102), response.interim);
    }
  }

  @ParameterizedTest
  @CsvSource({"HEAD,200", "GET,204", "GET,304"})
  void aResponseWithoutABodyMayNameALength(String method, String status) throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.request(method, "/", RequestBody.NONE));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.respond(3, true, status, "content-length", "7").flush();
      assertEquals("", response.body());
      assertEquals(0, response.contentLength);
      assertEquals("7", response.field("content-length"));
      Recorder second = lab.send(Lab.request(method, "/", RequestBody.NONE));
      connection.request();
      connection.respond(5, false, status).data(5, true, "x").flush();
      assertTrue(second.failure(Kind.INVALID_RESPONSE).contains("a body where none is allowed"));
    }
  }

  @Test
  void aResponseShorterOrLongerThanItsLengthIsBroken() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder shorter = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.respond(3, false, "200", "content-length", "3").data(3, true, "xx").flush();
      shorter.failure(Kind.INVALID_RESPONSE);
      Recorder longer = lab.send(Lab.get("/"));
      connection.request();
      connection.respond(5, false, "200", "content-length", "3").data(5, false, "xxxx").flush();
      longer.failure(Kind.INVALID_RESPONSE);
      Recorder empty = lab.send(Lab.get("/"));
      connection.request();
      connection.respond(7, true, "200", "content-length", "3").flush();
      empty.failure(Kind.INVALID_RESPONSE);
      Recorder fine = lab.send(Lab.get("/"));
      connection.request();
      connection.respond(9, false, "200", "content-length", "3").data(9, true, "xxx").flush();
      assertEquals("xxx", fine.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "connection: close",
        "keep-alive: timeout=5",
        "transfer-encoding: chunked",
        "upgrade: websocket",
        "Upper: case",
        ":path: /",
        "content-length: 1, 2",
        "x y: a blank",
      })
  void refusesFieldsThatHaveNoPlaceInAResponse(String line) throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder broken = lab.send(Lab.get("/broken"));
      RawHttp2 connection = origin.accept();
      connection.request();
      Recorder fine = lab.send(Lab.get("/fine"));
      connection.request();
      int colon = line.indexOf(": ");
      connection
          .respond(3, false, "200", line.substring(0, colon), line.substring(colon + 2))
          .flush();
      assertEquals("reset PROTOCOL_ERROR", connection.endOf(3));
      broken.failure(Kind.INVALID_RESPONSE);
      connection.answer(5, "fine").flush();
      assertEquals("fine", fine.body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"101", "99", "600", "2000", "abc"})
  void refusesWhatIsNoStatusOfAResponse(String status) throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder broken = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.respond(3, false, status).flush();
      broken.failure(Kind.INVALID_RESPONSE);
    }
  }

  @Test
  void boundsTheFieldsOfAResponse() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder many = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      String[] fields = new String[2 * 129];
      for (int i = 0; i < fields.length; i += 2) {
        fields[i] = "x";
        fields[i + 1] = "y";
      }
      connection.respond(3, true, "200", fields).flush();
      assertTrue(many.failure(Kind.INVALID_RESPONSE).contains("more than 128 field lines"));
      Recorder large = lab.send(Lab.get("/"));
      connection.request();
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      RawHttp2.literal(block, ":status", "200");
      for (int i = 0; i < 9; i++) {
        RawHttp2.literal(block, "x" + i, "v".repeat(4000));
      }
      byte[] bytes = block.toByteArray();
      connection.frame(HEADERS, END_STREAM, 5, Arrays.copyOfRange(bytes, 0, 16_000));
      connection.frame(CONTINUATION, 0, 5, Arrays.copyOfRange(bytes, 16_000, 32_000));
      connection.frame(
          CONTINUATION, END_HEADERS, 5, Arrays.copyOfRange(bytes, 32_000, bytes.length));
      connection.flush();
      large.failure(Kind.FIELDS_TOO_LARGE);
      Recorder next = lab.send(Lab.get("/"));
      connection.answer(connection.request().stream(), "fine").flush();
      assertEquals("fine", next.body());
    }
  }

  // Bodies of requests.

  @Test
  void sendsABodyWithItsLength() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, 10);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      Message request = connection.request();
      assertEquals("10", request.field("content-length"));
      assertFalse(request.isEnd());
      body.data("01234").data("56789").end();
      assertEquals("0123456789", bodyOf(connection, 3));
      connection.answer(3, "ok").flush();
      assertEquals("ok", response.body());
      assertFalse(body.isCancelled);
    }
  }

  private static String bodyOf(RawHttp2 connection, int stream) {
    StringBuilder text = new StringBuilder();
    while (true) {
      Frame frame = connection.await(DATA);
      assertEquals(stream, frame.stream());
      for (byte b : frame.payload()) {
        text.append((char) b);
      }
      if (frame.isEnd()) {
        return text.toString();
      }
    }
  }

  @Test
  void asksForNoMoreOfABodyThanTheOriginTakes() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      int total = 4 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      connection.request();
      // The first window, and not a byte more.
      for (int taken = 0; taken < 65_535; ) {
        taken += connection.await(DATA).payload().length;
      }
      connection.roundTrip();
      assertTrue(body.delivered <= 65_535 + 2 * 65_536 + 16_384, body.delivered + " delivered");
      Recorder other = lab.send(Lab.get("/other"));
      connection.answer(connection.request().stream(), "meanwhile").flush();
      assertEquals("meanwhile", other.body());
      connection.frame(RawHttp2.WINDOW_UPDATE, 0, 0, number(total));
      connection.frame(RawHttp2.WINDOW_UPDATE, 0, 3, number(total)).flush();
      for (int left = total - 65_535; left > 0; ) {
        left -= connection.await(DATA).payload().length;
      }
      connection.answer(3, "ok").flush();
      assertEquals("ok", response.body());
    }
  }

  @Test
  void givesUpWhenTheOriginTakesNothingOfABody() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withTimes(http2(origin), 5000, 5000, 150, 0, 5000))) {
      int total = 4 * 1024 * 1024;
      ScriptedBody body = new ScriptedBody(lab, total);
      body.feedOnDemand(total);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      response.failure(Kind.WRITE_TIMEOUT);
      assertTrue(body.isCancelled);
      assertEquals("reset CANCEL", connection.endOf(3));
    }
  }

  @Test
  void aResponseMayComeBeforeItsRequestIsWholeAndBothGoOn() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      assertEquals("", connection.request().field("content-length"));
      connection.respond(3, false, "200").flush();
      response.awaitHead();
      for (int i = 0; i < 5; i++) {
        body.data("ping");
        assertEquals(4, connection.await(DATA).payload().length);
        connection.data(3, false, "pong").flush();
        response.awaitBytes(4 * (i + 1));
      }
      body.end();
      assertTrue(connection.await(DATA).isEnd());
      connection.trailers(3, "x", "y").flush();
      assertEquals("pongpongpongpongpong", response.body());
    }
  }

  @Test
  void aResponseThatEndsFirstEndsTheRequest() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, -1);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept();
      body.data("some");
      connection.request();
      connection.answer(3, "enough").flush();
      assertEquals("enough", response.body());
      assertEquals("reset CANCEL", connection.endOf(3));
      assertTrue(body.isCancelled);
      Recorder second = lab.send(Lab.get("/"));
      connection.answer(connection.request().stream(), "x").flush();
      assertEquals("x", second.body());
    }
  }

  @Test
  void aBodyThatTheOriginIsAskedForWaitsForItsAnswer() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, 2);
      Recorder response =
          lab.send(
              new OriginRequest(
                  "POST", "/", HeaderFields.EMPTY, body, new OriginRequest.Hop(null, true, false)));
      RawHttp2 connection = origin.accept();
      Message request = connection.request();
      assertEquals("100-continue", request.field("expect"));
      assertEquals("127.0.0.1:" + origin.port(), request.field(":authority"));
      connection.respond(3, false, "100").flush();
      body.data("ab").end();
      assertEquals("ab", bodyOf(connection, 3));
      connection.answer(3, "ok").flush();
      assertEquals("ok", response.body());
      assertEquals(List.of(100), response.interim);
    }
  }

  // Flow control, and giving up.

  @Test
  void aSuspendedCallDoesNotStopTheOthers() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      AtomicReference<OriginCall> call = new AtomicReference<>();
      Recorder slow = new Recorder();
      lab.send(
          0,
          Lab.get("/slow"),
          slow,
          sent -> {
            call.set(sent);
            sent.suspend();
          });
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.roundTrip();
      connection.respond(3, false, "200");
      String piece = "x".repeat(16 * 1024);
      for (int i = 0; i < 15; i++) {
        connection.data(3, false, piece);
      }
      for (int i = 0; i < 16 * 1024; i += 2) {
        connection.data(3, false, "xy");
      }
      connection.roundTrip();
      assertEquals(0, slow.bytesSoFar());
      for (int i = 0; i < 10; i++) {
        Recorder other = lab.send(Lab.get("/" + i));
        int stream = connection.request().stream();
        connection.respond(stream, false, "200");
        for (int j = 0; j < 14; j++) {
          connection.data(stream, false, piece);
        }
        connection.data(stream, true, "").flush();
        assertEquals(14 * 16 * 1024, other.body().length());
      }
      assertTrue(
          lab.allocator.metric().usedDirectMemory() < 1024 * 1024,
          lab.allocator.metric().usedDirectMemory() + " bytes held");
      lab.onLoop(
          0,
          () -> {
            requireNonNull(call.get()).resume();
            return null;
          });
      slow.awaitBytes(256 * 1024);
      // Taken, so that the window opens again.
      assertEquals(3, awaitWindow(connection, 3));
      connection.data(3, true, "end").flush();
      assertEquals(256 * 1024 + 3, slow.body().length());
    }
  }

  private static int awaitWindow(RawHttp2 connection, int stream) {
    while (true) {
      Frame frame = connection.await(RawHttp2.WINDOW_UPDATE);
      if (frame.stream() == stream) {
        return frame.stream();
      }
    }
  }

  @Test
  void theEndOfASuspendedCallWaitsBehindItsData() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      AtomicReference<OriginCall> whole = new AtomicReference<>();
      AtomicReference<OriginCall> broken = new AtomicReference<>();
      Recorder first = new Recorder();
      Recorder second = new Recorder();
      lab.send(
          0,
          Lab.get("/1"),
          first,
          sent -> {
            whole.set(sent);
            sent.suspend();
          });
      lab.send(
          0,
          Lab.get("/2"),
          second,
          sent -> {
            broken.set(sent);
            sent.suspend();
          });
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.request();
      connection.roundTrip();
      connection.answer(3, "whole").respond(5, false, "200").data(5, false, "half");
      connection.frame(RST_STREAM, 0, 5, number(2)).roundTrip();
      assertFalse(first.isOver());
      assertFalse(second.isOver());
      lab.onLoop(
          0,
          () -> {
            requireNonNull(whole.get()).resume();
            requireNonNull(broken.get()).resume();
            return null;
          });
      assertEquals("whole", first.body());
      second.failure(Kind.TRUNCATED);
      assertEquals("half", second.bodySoFar());
    }
  }

  @Test
  void aCallThatIsGivenUpResetsItsStreamOnly() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      AtomicReference<OriginCall> call = new AtomicReference<>();
      Recorder gone = new Recorder();
      lab.send(0, Lab.get("/gone"), gone, call::set);
      Recorder stays = lab.send(Lab.get("/stays"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.request();
      connection.respond(3, false, "200").data(3, false, "some").flush();
      gone.awaitBytes(4);
      lab.onLoop(
          0,
          () -> {
            requireNonNull(call.get()).cancel();
            return null;
          });
      assertEquals("reset CANCEL", connection.endOf(3));
      // Late frames of it are dropped.
      connection.data(3, false, "more").answer(5, "there").flush();
      assertEquals("there", stays.body());
      assertEquals("some", gone.bodySoFar());
      assertEquals(0, gone.ends);
    }
  }

  @Test
  void aCallThatTheOriginResetsFailsAlone() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder before = lab.send(Lab.get("/before"));
      Recorder within = lab.send(Lab.get("/within"));
      Recorder stays = lab.send(Lab.get("/stays"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.request();
      connection.request();
      connection.respond(5, false, "200").data(5, false, "half");
      connection.frame(RST_STREAM, 0, 3, number((int) Http2Error.INTERNAL_ERROR.code()));
      connection.frame(RST_STREAM, 0, 5, number((int) Http2Error.CANCEL.code()));
      connection.answer(7, "there").flush();
      assertTrue(before.failure(Kind.CLOSED_BEFORE_RESPONSE).contains("INTERNAL_ERROR"));
      assertTrue(within.failure(Kind.TRUNCATED).contains("CANCEL"));
      assertEquals("there", stays.body());
      assertEquals(1, origin.accepted());
    }
  }

  // Time.

  @Tag("full")
  @Test
  void aConnectionThatStaysSilentGetsNoMoreCalls() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withTimes(http2(origin), 5000, 200, 5000, 0, 5000))) {
      Recorder silent = lab.send(Lab.get("/silent"));
      RawHttp2 connection = origin.accept();
      connection.request();
      silent.failure(Kind.FIRST_BYTE_TIMEOUT);
      assertEquals("reset CANCEL", connection.endOf(3));
      lab.awaitOnLoop(0, "closed", () -> lab.counters().originConnectionsOpen == 0);
      Recorder second = lab.send(Lab.get("/"));
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "alive").flush();
      assertEquals("alive", second.body());
    }
  }

  @Test
  void anIdleConnectionIsClosedWithAGoodbye() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(Lab.withTimes(http2(origin), 5000, 5000, 5000, 0, 100))) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.answer(connection.request().stream(), "x").flush();
      assertEquals("x", response.body());
      assertEquals(Http2Error.NO_ERROR, connection.await(GOAWAY).goAwayError());
      assertNull(connection.read());
      lab.awaitOnLoop(0, "closed", () -> lab.counters().originConnectionsOpen == 0);
    }
  }

  @Test
  void anOriginThatAReloadChangesGetsNoMoreCallsOnItsConnection() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder running = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      lab.reconfigure(Lab.withMost(http2(origin), 7));
      Recorder next = lab.send(Lab.get("/"));
      RawHttp2 another = origin.accept();
      another.answer(another.request().stream(), "new").flush();
      assertEquals("new", next.body());
      connection.answer(3, "old").flush();
      assertEquals("old", running.body());
      assertEquals(Http2Error.NO_ERROR, connection.await(GOAWAY).goAwayError());
    }
  }
}
