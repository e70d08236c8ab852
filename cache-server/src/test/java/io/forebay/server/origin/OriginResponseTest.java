package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class OriginResponseTest {

  static Stream<Arguments> invalidResponses() {
    String ok = "HTTP/1.1 200 OK\r\n";
    return Stream.of(
        bad("status 99", "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n"),
        bad("status 99 in two digits", "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n"),
        bad("status 1000", "HTTP/1.1 1000 High\r\nContent-Length: 0\r\n\r\n"),
        bad("status 600", "HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n"),
        bad("status with a sign", "HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("status not a number", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("HTTP/9.9", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("not HTTP", "SSH-2.0-OpenSSH\r\n\r\n"),
        bad("a blank first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("NUL first", "\0HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        bad("reason with NUL", "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n"),
        bad("reason with CR", "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n"),
        bad("reason with ESC", "HTTP/1.1 200 O\u001bK\r\nContent-Length: 0\r\n\r\n"),
        bad("64 KiB reason", "HTTP/1.1 200 " + "x".repeat(65_536) + "\r\n\r\n"),
        bad("value with NUL", ok + "X: a\0b\r\nContent-Length: 0\r\n\r\n"),
        bad("value with CR", ok + "X: a\rb\r\nContent-Length: 0\r\n\r\n"),
        bad("name with NUL", ok + "X\0Y: a\r\nContent-Length: 0\r\n\r\n"),
        bad("name with CR", ok + "X\rY: a\r\nContent-Length: 0\r\n\r\n"),
        bad("empty name", ok + ": a\r\nContent-Length: 0\r\n\r\n"),
        bad("tab within a name", ok + "X\tA: b\r\nContent-Length: 0\r\n\r\n"),
        bad("blank within a name", ok + "X A: b\r\nContent-Length: 0\r\n\r\n"),
        bad("blank within a name and before the colon", ok + "X  A : b\r\n\r\n"),
        bad("length with a blank within its name", ok + "Content-Length x: 0\r\n\r\n"),
        bad("blank within the last name", ok + "Content-Length: 0\r\nX A: b\r\n\r\n"),
        bad("blank before the first field", ok + " X: a\r\nContent-Length: 0\r\n\r\n"),
        bad(
            "blank within a name of an interim response",
            "HTTP/1.1 103 Early Hints\r\nX A: b\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n"),
        bad(
            "blank within a name after an interim response",
            "HTTP/1.1 103 Early Hints\r\n\r\n" + ok + "X A: b\r\nContent-Length: 0\r\n\r\n"),
        bad("129 field lines", ok + "X: a\r\n".repeat(128) + "Content-Length: 0\r\n\r\n"),
        bad(
            "129 field lines of an interim response",
            "HTTP/1.1 103 Early Hints\r\n" + "X: a\r\n".repeat(129) + "\r\n"),
        bad("33 KiB of fields", ok + ("X: " + "y".repeat(1000) + "\r\n").repeat(34) + "\r\n"),
        bad("line without a colon", ok + "nonsense\r\nContent-Length: 0\r\n\r\n"),
        bad("64 KiB of fields", ok + ("X: " + "y".repeat(1000) + "\r\n").repeat(70) + "\r\n"),
        bad("one endless field", ok + "X: " + "y".repeat(100_000)),
        bad("gzip coding", ok + "Transfer-Encoding: gzip\r\n\r\nabc"),
        bad("gzip, chunked", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        bad("chunked, gzip", ok + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        bad("identity coding", ok + "Transfer-Encoding: identity\r\n\r\nabc"),
        bad("chunked twice", ok + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        bad(
            "chunked in two lines",
            ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        bad(",chunked", ok + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n"),
        bad("xchunked", ok + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        bad(
            "length and chunks",
            ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        bad("chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        bad("two lengths", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        bad("two lengths in a line", ok + "Content-Length: 3, 4\r\n\r\nabcd"),
        bad("negative length", ok + "Content-Length: -1\r\n\r\n"),
        bad("signed length", ok + "Content-Length: +3\r\n\r\nabc"),
        bad("empty length", ok + "Content-Length:\r\n\r\nabc"),
        bad("length of words", ok + "Content-Length: three\r\n\r\nabc"),
        bad("length past 63 bits", ok + "Content-Length: 9223372036854775808\r\n\r\nabc"),
        bad("unsolicited 101", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nraw bytes"),
        bad(
            "17 interim responses",
            "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17) + ok + "Content-Length: 0\r\n\r\n"));
  }

  /** Too much is told apart from what is wrong. */
  private static Kind kindOf(String name) {
    return name.startsWith("129 field lines")
            || name.endsWith("KiB of fields")
            || name.equals("one endless field")
            || name.startsWith("64 KiB")
        ? Kind.FIELDS_TOO_LARGE
        : Kind.INVALID_RESPONSE;
  }

  private static Arguments bad(String name, String bytes) {
    return Arguments.of(name, bytes);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalidResponses")
  void refusesAResponseThatBreaksTheRules(String name, String bytes) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      sendDespiteClose(connection, bytes);
      String detail = response.failure(kindOf(name));
      assertTrue(detail.contains("127.0.0.1:" + origin.port()), detail);
      assertTrue(detail.chars().allMatch(c -> c >= 0x20 && c < 0x7f), detail);
      assertTrue(detail.length() < 400, detail);
      connection.awaitClose();
      assertEquals(1, lab.counters().originFailures);
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "0x2\r\nab\r\n0\r\n\r\n",
        "-1\r\nab\r\n0\r\n\r\n",
        "+2\r\nab\r\n0\r\n\r\n",
        "\r\nab\r\n0\r\n\r\n",
        " 2\r\nab\r\n0\r\n\r\n",
        "fffffffffffffffff\r\nab\r\n0\r\n\r\n",
        "2\r\nabc\r\n0\r\n\r\n",
        "2\r\nabX\n0\r\n\r\n",
        "2;x=\"\r\n\"\r\nab\r\n0\r\n\r\n",
        "2\nab\r\n0\r\n\r\n",
      })
  void refusesChunksThatBreakTheRules(String chunks) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
      response.failure(Kind.INVALID_RESPONSE);
      connection.awaitClose();
    }
  }

  @Test
  void takesFoldedLinesAndBlanksInValuesAndAsManyLinesAsAreAllowed() throws Exception {
    String head =
        "HTTP/1.1 200 OK\r\nX: a b\r\n c: d\r\nZ \t: before the colon\r\n"
            + "Y: z\r\n".repeat(125)
            + "Content-Length: 2\r\n\r\nab";
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      // Also when it comes byte by byte, interim responses first.
      connection.sendPieces(("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" + head).split(""));
      assertEquals("ab", response.body());
      assertEquals("before the colon", response.field("z"));
    }
  }

  @Test
  void refusesMoreTrailerLinesThanFieldLines() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
              + "X: a\r\n".repeat(129)
              + "\r\n");
      String detail = response.failure(Kind.INVALID_RESPONSE);
      assertTrue(detail.contains("more than 128 trailer lines"), detail);
      connection.awaitClose();
    }
  }

  @Test
  void refusesAnEndlessChunkExtension() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;");
      sendDespiteClose(connection, "x".repeat(100_000));
      response.failure(Kind.INVALID_RESPONSE);
    }
  }

  @Test
  void acceptsEqualContentLengthsAsOne() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
      assertEquals("abc", response.body());
      assertEquals(3, response.contentLength);
      assertEquals("3", response.field("content-length"));
    }
  }

  @Test
  void readsAResponseThatComesByteByByte() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      String bytes =
          String.join(
              "\r\n",
              List.of(
                  "HTTP/1.1 103 Early",
                  "link: x",
                  "",
                  "HTTP/1.1 200 OK",
                  "Transfer-Encoding: Chunked",
                  "",
                  "5;a=b",
                  "hello",
                  "A",
                  ", dear you",
                  "0",
                  "x-trailer: t",
                  "",
                  ""));
      for (byte b : bytes.getBytes(StandardCharsets.ISO_8859_1)) {
        connection.send(new byte[] {b});
      }
      assertEquals("hello, dear you", response.body());
      assertEquals(List.of(103), response.interim);
      assertEquals(-1, response.contentLength);
      assertFalse(response.isCloseDelimited);
      assertEquals("x-trailer: t\n", String.valueOf(response.trailers));
      assertTrue(response.readCompletes > 0);
      awaitIdle(lab);
    }
  }

  @Test
  void keepsEachResponseWithItsRequestThroughInterimOnes() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(Lab.origin(origin.url()), 1))) {
      Recorder get = lab.send(Lab.get("/1"));
      Recorder head = lab.send(Lab.request("HEAD", "/2", RequestBody.NONE));
      Recorder last = lab.send(Lab.get("/3"));
      Connection connection = origin.accept();
      assertTrue(connection.head().startsWith("GET /1 "));
      connection.sendPieces(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
      assertTrue(connection.head().startsWith("HEAD /2 "));
      connection.send(
          "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n");
      assertTrue(connection.head().startsWith("GET /3 "));
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree");
      assertEquals("one", get.body());
      assertEquals(List.of(100, 103), get.interim);
      assertEquals("", head.body());
      assertEquals(0, head.contentLength);
      assertEquals("999", head.field("content-length"));
      assertEquals(List.of(103), head.interim);
      assertEquals("three", last.body());
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  static Stream<Arguments> surplus() {
    return Stream.of(
        Arguments.of("GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "surplus"),
        Arguments.of(
            "GET",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"),
        Arguments.of("GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "\r\n"),
        Arguments.of(
            "GET",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "x"),
        Arguments.of("GET", "HTTP/1.1 204 No Content\r\n\r\n", "body"),
        Arguments.of("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n", "body"),
        Arguments.of("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", "body"),
        Arguments.of("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "body"));
  }

  @ParameterizedTest
  @MethodSource("surplus")
  void discardsTheConnectionWhenBytesFollowTheResponse(
      String method, String response, String surplus) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder first = lab.send(Lab.request(method, "/1", RequestBody.NONE));
      Connection connection = origin.accept();
      connection.head();
      connection.send(response + surplus);
      assertEquals(response.contains("ok") ? "ok" : "", first.body());
      connection.awaitClose();

      Recorder second = lab.send(Lab.get("/2"));
      Connection fresh = origin.accept();
      assertTrue(fresh.head().startsWith("GET /2 "));
      fresh.respond("two");
      assertEquals("two", second.body());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
      })
  void endsAtTheHeadWhereTheStatusAllowsNoBody(String bytes) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send(bytes);
      assertEquals("", response.body());
      assertEquals(0, response.contentLength);
      assertFalse(response.isCloseDelimited);
      awaitIdle(lab);
    }
  }

  @ParameterizedTest(name = "reset {0}")
  @ValueSource(booleans = {false, true})
  void aBodyShorterThanItsLengthIsTruncated(boolean isReset) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
      response.awaitBytes(4);
      end(connection, isReset);
      response.failure(Kind.TRUNCATED);
      assertEquals("half", response.bodySoFar());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"4\r\nha", "4\r\nhalf", "4\r\nhalf\r\n", "4\r\nhalf\r\n0\r\n", "4\r\nhalf\r\n0"})
  void aChunkedBodyCutOffIsTruncated(String cut) throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + cut);
      connection.close();
      response.failure(Kind.TRUNCATED);
    }
  }

  @Test
  void aHeadCutOffIsNoResponse() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Le");
      connection.close();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
    }
  }

  @Test
  void flagsABodyThatOnlyTheCloseEnds() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\nuntil the close");
      response.awaitBytes(15);
      assertTrue(response.isCloseDelimited);
      assertEquals(-1, response.contentLength);
      connection.close();
      assertEquals("until the close", response.body());
      assertNull(response.failure);
    }
  }

  @Test
  void aCloseDelimitedBodyThatEndsInAResetIsTruncated() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\n\r\nuntil the close");
      response.awaitBytes(15);
      connection.reset();
      response.failure(Kind.TRUNCATED);
    }
  }

  @Test
  void toleratesLinesThatEndInLfAlone() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url()))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\nContent-Length: 3\nX-Folded: a\n\tb\n\nabc");
      assertEquals("abc", response.body());
      assertEquals("a b", response.field("x-folded"));
    }
  }

  private static void end(Connection connection, boolean isReset) throws Exception {
    if (isReset) {
      connection.reset();
    } else {
      connection.close();
    }
  }

  /** The client may close before it has taken all of it. */
  private static void sendDespiteClose(Connection connection, String bytes) {
    try {
      connection.send(bytes);
    } catch (java.io.IOException e) {
      // What matters is what the client made of it.
    }
  }

  private static void awaitIdle(Lab lab) throws Exception {
    lab.awaitOnLoop(0, "an idle connection", () -> lab.client(0).idleCount("main") == 1);
  }
}
