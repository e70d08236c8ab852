package io.forebay.server.origin;

import static io.forebay.testing.RawHttp2.GOAWAY;
import static io.forebay.testing.RawHttp2.HEADERS;
import static io.forebay.testing.RawHttp2.RST_STREAM;
import static io.forebay.testing.RawHttp2.SETTINGS;
import static io.forebay.testing.RawHttp2.number;
import static io.forebay.testing.RawHttp2.setting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2.Frame;
import io.forebay.testing.RawHttp2Origin;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * Calls on two loops to an origin that answers, refuses, resets, pauses, says goodbye and hangs up
 * at random. Each call ends exactly once, and nothing is left: no permit, no connection, no buffer.
 */
@Timeout(120)
@Tag("slow")
class Http2ChaosTest {
  private static final int ROUNDS = 40;
  private static final int CALLS = 25;

  @RepeatedTest(3)
  void everyCallEndsOnceAndNothingIsLeft() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab =
            new Lab(
                2,
                false,
                Lab.withMost(
                    Lab.speaking(
                        Lab.withTimes(Lab.origin(origin.url()), 2000, 2000, 2000, 0, 50),
                        OriginProtocol.HTTP2),
                    3))) {
      SplittableRandom ofOrigin = random.split();
      Thread.ofVirtual().start(() -> serve(origin, ofOrigin));
      int answered = 0;
      for (int round = 0; round < ROUNDS; round++) {
        List<Recorder> responses = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
          String method = random.nextInt(3) == 0 ? "POST" : "GET";
          responses.add(
              lab.send(random.nextInt(2), Lab.request(method, "/" + i, RequestBody.NONE)));
        }
        for (int i = 0; i < CALLS; i++) {
          Recorder response = responses.get(i).awaitOver();
          OriginFailure failure = response.failure;
          if (failure == null) {
            assertEquals("/" + i, response.bodySoFar());
            answered++;
          } else {
            assertNotEquals(Kind.DEFECT, failure.kind());
          }
        }
      }
      assertTrue(answered > ROUNDS * CALLS / 4, answered + " answered");
    }
  }

  private static void serve(RawHttp2Origin origin, SplittableRandom random) {
    while (true) {
      try {
        RawHttp2 connection = origin.accept(setting(3, 1 + random.nextInt(30)));
        SplittableRandom own = random.split();
        Thread.ofVirtual().start(() -> answer(connection, own));
      } catch (IOException | AssertionError e) {
        if (e instanceof IOException) {
          // The test is over.
          return;
        }
      }
    }
  }

  private static void answer(RawHttp2 connection, SplittableRandom random) {
    while (true) {
      Frame frame = connection.read();
      if (frame == null) {
        return;
      }
      if (frame.type() != HEADERS) {
        continue;
      }
      RawHttp2.Message request = connection.request(frame);
      int stream = request.stream();
      switch (random.nextInt(40)) {
        case 0 ->
            connection.frame(RST_STREAM, 0, stream, number((int) Http2Error.REFUSED_STREAM.code()));
        case 1 ->
            connection.frame(RST_STREAM, 0, stream, number((int) Http2Error.INTERNAL_ERROR.code()));
        case 2 -> connection.frame(GOAWAY, 0, 0, goAway(stream - 2));
        case 3 ->
            connection.frame(GOAWAY, 0, 0, goAway(stream)).answer(stream, request.field(":path"));
        case 4 -> {
          try {
            connection.close();
          } catch (IOException e) {
            // It is closed.
          }
          return;
        }
        case 5 ->
            connection
                .frame(SETTINGS, 0, 0, setting(3, 0))
                .answer(stream, request.field(":path"))
                .frame(SETTINGS, 0, 0, setting(3, 10));
        case 6 -> connection.respond(stream, false, "200").respond(stream, false, "200");
        default -> connection.answer(stream, request.field(":path"));
      }
      connection.flush();
    }
  }

  private static byte[] goAway(int lastStream) {
    return ByteBuffer.allocate(8).putInt(Math.max(0, lastStream)).putInt(0).array();
  }
}
