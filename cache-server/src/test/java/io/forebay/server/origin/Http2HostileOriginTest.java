package io.forebay.server.origin;

import static io.forebay.testing.RawHttp2.ACK;
import static io.forebay.testing.RawHttp2.CONTINUATION;
import static io.forebay.testing.RawHttp2.DATA;
import static io.forebay.testing.RawHttp2.END_HEADERS;
import static io.forebay.testing.RawHttp2.HEADERS;
import static io.forebay.testing.RawHttp2.PING;
import static io.forebay.testing.RawHttp2.PRIORITY;
import static io.forebay.testing.RawHttp2.PUSH_PROMISE;
import static io.forebay.testing.RawHttp2.RST_STREAM;
import static io.forebay.testing.RawHttp2.SETTINGS;
import static io.forebay.testing.RawHttp2.WINDOW_UPDATE;
import static io.forebay.testing.RawHttp2.number;
import static io.forebay.testing.RawHttp2.setting;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2Origin;
import io.netty.handler.codec.http2.Http2Error;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins that break HTTP/2 or send frames without end: bounded, and without harm for others. */
@Timeout(60)
@Tag("slow")
class Http2HostileOriginTest {
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int FRAMES = 2_000;

  private static Lab lab(RawHttp2Origin origin) throws Exception {
    return Lab.of(Lab.speaking(Lab.origin(origin.url()), OriginProtocol.HTTP2));
  }

  /** One frame of a flood, by its name; stream 3 is open. */
  private static final Map<String, BiConsumer<RawHttp2, Integer>> FLOODS =
      Map.of(
          "SETTINGS", (c, i) -> c.frame(SETTINGS, 0, 0),
          "SETTINGS ACK", (c, i) -> c.frame(SETTINGS, ACK, 0),
          "PING", (c, i) -> c.frame(PING, 0, 0, new byte[8]),
          "PING ACK", (c, i) -> c.frame(PING, ACK, 0, new byte[8]),
          "empty DATA", (c, i) -> c.frame(DATA, 0, 3),
          "WINDOW_UPDATE", (c, i) -> c.frame(WINDOW_UPDATE, 0, 0, number(1)),
          "WINDOW_UPDATE of a stream", (c, i) -> c.frame(WINDOW_UPDATE, 0, 3, number(1)),
          "PRIORITY", (c, i) -> c.frame(PRIORITY, 0, 3, new byte[5]),
          "unknown", (c, i) -> c.frame(77, 0, 0, new byte[8]));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SETTINGS",
        "SETTINGS ACK",
        "PING",
        "PING ACK",
        "empty DATA",
        "WINDOW_UPDATE",
        "WINDOW_UPDATE of a stream",
        "PRIORITY",
        "unknown"
      })
  void endsAConnectionThatIsFlooded(String frames) throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.respond(3, false, "200");
      for (int i = 0; i < FRAMES; i++) {
        requireNonNull(FLOODS.get(frames)).accept(connection, i);
      }
      connection.flush();
      response.failure(Kind.INVALID_RESPONSE);
      String ending = connection.ending();
      assertTrue(ending.equals("ENHANCE_YOUR_CALM") || ending.equals("closed"), ending);
      worksAgain(origin, lab);
    }
  }

  private static void worksAgain(RawHttp2Origin origin, Lab lab) throws Exception {
    Recorder next = lab.send(Lab.get("/next"));
    RawHttp2 another = origin.accept();
    another.answer(another.request().stream(), "fine").flush();
    assertEquals("fine", next.body());
  }

  @Test
  void endsAConnectionThatResetsClosedStreamsWithoutEnd() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder first = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.answer(connection.request().stream(), "x").flush();
      assertEquals("x", first.body());
      Recorder second = lab.send(Lab.get("/"));
      connection.request();
      for (int i = 0; i < FRAMES; i++) {
        connection.frame(RST_STREAM, 0, 3, number(8));
      }
      connection.flush();
      second.failure(Kind.INVALID_RESPONSE);
    }
  }

  @Test
  void endsAConnectionWithAHeaderBlockThatNeverEnds() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.frame(HEADERS, 0, 3, (byte) 0x88);
      for (int i = 0; i < 100; i++) {
        connection.frame(CONTINUATION, 0, 3);
      }
      connection.flush();
      response.failure(Kind.INVALID_RESPONSE);
      worksAgain(origin, lab);
    }
  }

  @Test
  void endsAConnectionWithAPush() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.frame(PUSH_PROMISE, END_HEADERS, 3, (byte) 0, (byte) 0, (byte) 0, (byte) 2);
      connection.flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("PROTOCOL_ERROR", connection.ending());
    }
  }

  @Test
  void endsAConnectionWithAFrameThatIsTooLong() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.respond(3, false, "200").frame(DATA, 0, 3, new byte[16 * 1024 + 1]).flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("FRAME_SIZE_ERROR", connection.ending());
    }
  }

  @Test
  void endsAConnectionWhoseWindowOverflows() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.frame(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE)).flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("FLOW_CONTROL_ERROR", connection.ending());
    }
  }

  @Test
  void aWindowOfAStreamThatOverflowsEndsThatStream() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.frame(WINDOW_UPDATE, 0, 3, number(Integer.MAX_VALUE)).flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("reset FLOW_CONTROL_ERROR", connection.endOf(3));
      Recorder other = lab.send(Lab.get("/"));
      connection.answer(connection.request().stream(), "x").flush();
      assertEquals("x", other.body());
    }
  }

  @Test
  void aStreamThatSendsMoreThanItsWindowEnds() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      AtomicReference<OriginCall> call = new AtomicReference<>();
      lab.send(
          0,
          Lab.get("/"),
          new Recorder(),
          sent -> {
            call.set(sent);
            sent.suspend();
          });
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.roundTrip();
      connection.respond(3, false, "200");
      for (int i = 0; i < 17; i++) {
        connection.frame(DATA, 0, 3, new byte[16 * 1024]);
      }
      connection.flush();
      assertEquals("reset FLOW_CONTROL_ERROR", connection.endOf(3));
      assertTrue(lab.allocator.metric().usedDirectMemory() < 1024 * 1024);
      lab.onLoop(
          0,
          () -> {
            requireNonNull(call.get()).cancel();
            return null;
          });
    }
  }

  @Test
  void changesOfTheWindowHoldForStreamsThatAreOpen() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      ScriptedBody body = new ScriptedBody(lab, 6);
      Recorder response = lab.send(Lab.request("POST", "/", body));
      RawHttp2 connection = origin.accept(setting(INITIAL_WINDOW_SIZE, 0));
      connection.request();
      connection.roundTrip();
      body.data("abc").data("def").end();
      connection.roundTrip();
      connection.frame(SETTINGS, 0, 0, setting(INITIAL_WINDOW_SIZE, 4)).flush();
      assertEquals("abcd", text(connection, 4));
      connection.frame(SETTINGS, 0, 0, setting(INITIAL_WINDOW_SIZE, 100)).flush();
      assertEquals("ef", text(connection, 2));
      connection.answer(3, "x").flush();
      assertEquals("x", response.body());
    }
  }

  private static String text(RawHttp2 connection, int length) {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append(new String(connection.await(DATA).payload(), StandardCharsets.US_ASCII));
    }
    return text.toString();
  }

  @Test
  void refusesSettingsThatAreNotAllowed() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.frame(SETTINGS, 0, 0, setting(INITIAL_WINDOW_SIZE, -1)).flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("FLOW_CONTROL_ERROR", connection.ending());
    }
  }

  @Test
  void anOriginThatNeverAcknowledgesSettingsIsServedAndBounded() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.acceptSilently();
      connection.readPreface().frame(SETTINGS, 0, 0).flush();
      connection.request();
      connection.answer(3, "fine").flush();
      assertEquals("fine", response.body());
      // The limit of header sections holds although it was not acknowledged.
      Recorder large = lab.send(Lab.get("/"));
      connection.request();
      String[] fields = new String[2 * 129];
      for (int i = 0; i < fields.length; i += 2) {
        fields[i] = "f";
        fields[i + 1] = "v";
      }
      connection.respond(5, true, "200", fields).flush();
      large.failure(Kind.INVALID_RESPONSE);
    }
  }

  @Test
  void anAnswerWithoutARequestEndsTheConnection() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.answer(5, "unasked").flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("PROTOCOL_ERROR", connection.ending());
    }
  }

  @Test
  void anOriginThatDoesNotSpeakHttp2IsNamedAsTheCause() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      try (Socket socket = origin.acceptSocket()) {
        socket
            .getOutputStream()
            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertTrue(
            response.failure(Kind.INVALID_RESPONSE).contains("the origin does not speak HTTP/2"));
      }
    }
  }

  @Test
  void dataBeforeTheHeadIsNoResponse() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      connection.data(3, true, "x").flush();
      response.failure(Kind.INVALID_RESPONSE);
      assertEquals("reset " + Http2Error.PROTOCOL_ERROR, connection.endOf(3));
    }
  }

  @Test
  void tooManyInterimResponsesAreNoResponse() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = lab(origin)) {
      Recorder response = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.request();
      for (int i = 0; i < 17; i++) {
        connection.respond(3, false, "103");
      }
      connection.flush();
      assertTrue(response.failure(Kind.INVALID_RESPONSE).contains("16 interim responses"));
    }
  }
}
