package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.resume.ResumingOriginClient;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a body that breaks off. */
@Timeout(60)
class OriginResumeTest {
  private final ScriptedOrigin failing = ScriptedOrigin.start();
  private final ScriptedOrigin other = ScriptedOrigin.start();

  @AfterEach
  void stop() throws Exception {
    failing.close();
    other.close();
  }

  @Test
  void aBodyThatBreaksOffGoesOnAtAnotherServer() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = other.accept();
      String head = second.head().toLowerCase(Locale.ROOT);
      assertTrue(head.startsWith("get /a http/1.1\r\n"), head);
      assertTrue(head.contains("\r\nrange: bytes=4-9\r\n"), head);
      assertTrue(head.contains("\r\nif-range: \"x\"\r\n"), head);
      second.send(
          part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 6", "-whole"));
      assertEquals("half-whole", response.body());
      assertEquals(200, response.status);
      assertEquals(10, response.contentLength);
      assertEquals(1, lab.counters().originBodiesResumed);
      assertEquals(1, lab.counters().originRetries);
    }
  }

  @Test
  void aBodyOfUnknownLengthGoesOn() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "transfer-encoding: chunked\r\netag: \"x\"", "4\r\nhalf\r\n", 4);
      Connection second = other.accept();
      assertTrue(second.head().toLowerCase(Locale.ROOT).contains("range: bytes=4-\r\n"));
      second.send(
          part(
              "content-range: bytes 4-9/10\r\netag: \"x\"\r\ntransfer-encoding: chunked",
              "6\r\n-whole\r\n0\r\n\r\n"));
      assertEquals("half-whole", response.body());
    }
  }

  @Test
  void aPartThatBreaksOffGoesOnWithinItsBounds() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response =
          send(
              lab,
              new OriginRequest(
                  "GET",
                  "/a",
                  HeaderFields.of(
                      "host", "example.com", "range", "bytes=100-109", "if-match", "\"x\""),
                  RequestBody.NONE));
      Connection first = failing.accept();
      first.head();
      first.send(
          part("content-range: bytes 100-109/500\r\netag: \"x\"\r\ncontent-length: 10", "half"));
      response.awaitBytes(4);
      first.reset();
      Connection second = other.accept();
      String head = second.head().toLowerCase(Locale.ROOT);
      assertTrue(head.contains("\r\nrange: bytes=104-109\r\n"), head);
      assertFalse(head.contains("if-match"), head);
      second.send(
          part("content-range: bytes 104-109/500\r\netag: \"x\"\r\ncontent-length: 6", "-whole"));
      assertEquals("half-whole", response.body());
      assertEquals(206, response.status);
    }
  }

  @Test
  void aBodyGoesOnAtTheSameServerWhereThereIsNoOther() throws Exception {
    try (Lab lab = Lab.of(Lab.origin(failing.url()))) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = failing.accept();
      second.head();
      second.send(
          part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 6", "-whole"));
      assertEquals("half-whole", response.body());
    }
  }

  @Test
  void aBodyMayBreakOffAgain() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = other.accept();
      second.head();
      second.send(part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 6", "-wh"));
      response.awaitBytes(7);
      second.reset();
      Connection third = failing.accept();
      assertTrue(third.head().toLowerCase(Locale.ROOT).contains("range: bytes=7-9\r\n"));
      third.send(part("content-range: bytes 7-9/10\r\netag: \"x\"\r\ncontent-length: 3", "ole"));
      assertEquals("half-whole", response.body());
      assertEquals(2, lab.counters().originBodiesResumed);
    }
  }

  @Test
  void aServerThatSendsNoMoreIsReplacedAfterTheIdleTimeout() throws Exception {
    try (Lab lab = Lab.of(Lab.withTimes(group(), 5000, 5000, 1500, 0, 5000))) {
      Recorder response = send(lab, Lab.get("/a"));
      Connection first = failing.accept();
      first.head();
      first.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\netag: \"x\"\r\n\r\nhalf");
      Connection second = other.accept();
      second.head();
      second.send(
          part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 6", "-whole"));
      assertEquals("half-whole", response.body());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Another representation, or none that can be told.
        "HTTP/1.1 200 OK\r\netag: \"y\"\r\ncontent-length: 10\r\n\r\n0123456789",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/10\r\netag: \"y\"\r\ncontent-length: 6\r\n\r\n-whole",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/10\r\netag: W/\"x\"\r\ncontent-length: 6\r\n\r\n-whole",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/10\r\ncontent-length: 6\r\n\r\n-whole",
        // Another part.
        "HTTP/1.1 206 P\r\ncontent-range: bytes 3-9/10\r\netag: \"x\"\r\ncontent-length: 7\r\n\r\nf-whole",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-8/10\r\netag: \"x\"\r\ncontent-length: 5\r\n\r\n-whol",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/11\r\netag: \"x\"\r\ncontent-length: 6\r\n\r\n-whole",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/*\r\netag: \"x\"\r\ncontent-length: 6\r\n\r\n-whole",
        "HTTP/1.1 206 P\r\netag: \"x\"\r\ncontent-length: 6\r\n\r\n-whole",
        "HTTP/1.1 206 P\r\ncontent-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 5\r\n\r\n-whol",
        // None at all.
        "HTTP/1.1 416 Range Not Satisfiable\r\netag: \"x\"\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy"
      })
  void anAnswerThatIsNotTheRestLeavesTheBodyBrokenOff(String answer) throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = other.accept();
      second.head();
      second.send(answer);
      response.failure(Kind.TRUNCATED);
      assertEquals("half", response.bodySoFar());
      assertEquals(0, lab.counters().originBodiesResumed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"6\r\n-whole\r\n1\r\n!\r\n0\r\n\r\n", "5\r\n-whol\r\n0\r\n\r\n"})
  void aRestOfAnotherLengthThanItsRangeFails(String chunks) throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = other.accept();
      second.head();
      second.send(
          part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ntransfer-encoding: chunked", chunks));
      response.failure(Kind.INVALID_RESPONSE);
      assertTrue(response.bytesSoFar() <= 10, response.bodySoFar());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "etag: W/\"x\"", "etag: x", "etag: \"x\"\r\netag: \"y\""})
  void aBodyWithoutAStrongEntityTagDoesNotGoOn(String etag) throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10" + (etag.isEmpty() ? "" : "\r\n" + etag), "half");
      response.failure(Kind.TRUNCATED);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void aResponseToPostDoesNotGoOn() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = send(lab, Lab.request("POST", "/a", RequestBody.NONE));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      response.failure(Kind.TRUNCATED);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void nothingGoesOnWithoutABudget() throws Exception {
    try (Lab lab = Lab.of(Lab.withRetries(group(), 1, 0))) {
      Recorder response = send(lab, Lab.get("/a"));
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      response.failure(Kind.TRUNCATED);
      assertEquals(0, other.accepted());
    }
  }

  @Test
  void aSuspendedCallStaysSuspendedAtTheOtherServer() throws Exception {
    try (Lab lab = Lab.of(Lab.withTimes(group(), 5000, 5000, 5000, 0, 5000))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = new Recorder();
      response.onDataRun = () -> calls[0].suspend();
      lab.sendBy(client(lab), Lab.get("/a"), response, call -> calls[0] = call);
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      // The loss is told once reading goes on.
      resume(lab, calls[0]);
      Connection second = other.accept();
      second.head();
      second.send(
          part("content-range: bytes 4-9/10\r\netag: \"x\"\r\ncontent-length: 6", "-whole"));
      response.awaitBytes(10);
      resume(lab, calls[0]);
      assertEquals("half-whole", response.body());
    }
  }

  @Test
  void aCancelledCallIsCancelledAtTheOtherServer() throws Exception {
    try (Lab lab = Lab.of(group())) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = new Recorder();
      lab.sendBy(client(lab), Lab.get("/a"), response, call -> calls[0] = call);
      breakOff(response, "content-length: 10\r\netag: \"x\"", "half");
      Connection second = other.accept();
      second.head();
      lab.onLoop(
          0,
          () -> {
            calls[0].cancel();
            return null;
          });
      second.awaitClose();
      assertFalse(response.isOver());
    }
  }

  private static void resume(Lab lab, OriginCall call) throws Exception {
    lab.onLoop(
        0,
        () -> {
          call.resume();
          return null;
        });
  }

  private OriginConfig group() {
    return Lab.withServers(
        Lab.origin(failing.url()),
        OriginServerConfig.of(failing.url()),
        OriginServerConfig.of(other.url()));
  }

  private static ResumingOriginClient client(Lab lab) {
    return new ResumingOriginClient(lab.client(0), (name, request) -> true, lab.counters());
  }

  private static Recorder send(Lab lab, OriginRequest request) throws Exception {
    return lab.sendBy(client(lab), request);
  }

  private void breakOff(Recorder response, String fields, String body) throws Exception {
    breakOff(response, fields, body, body.length());
  }

  private void breakOff(Recorder response, String fields, String sent, int bodyBytes)
      throws Exception {
    Connection first = failing.accept();
    first.head();
    first.send("HTTP/1.1 200 OK\r\n" + fields + "\r\n\r\n" + sent);
    response.awaitBytes(bodyBytes);
    first.reset();
  }

  private static String part(String fields, String body) {
    return "HTTP/1.1 206 Partial Content\r\n" + fields + "\r\n\r\n" + body;
  }
}
