package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Http2Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code Expect: 100-continue} from end to end (RFC 9110 §10.1.1). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerContinueTest {

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.before(origin, directory);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void theClientIsToldWhenTheOriginAsksForTheBody() throws Exception {
    CountDownLatch mayContinue = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/asked",
        (request, connection) -> {
          assertEquals(List.of("100-continue"), request.fields("expect"));
          asked.countDown();
          TestOrigin.await(mayContinue);
          connection.send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
          connection.respond(text(connection.bytes(4)));
        });
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/asked", "Expect: 100-continue", "Content-Length: 4");
      TestOrigin.await(asked);
      mayContinue.countDown();
      List<Integer> heads = List.of(client.head().status(), client.head().status());
      assertEquals(List.of(100, 102), heads.stream().sorted().toList());
      client.send("body");
      assertEquals("body", client.reply().text());
    }
  }

  @Test
  void whatTheOriginRefusesIsNotSentAtAll() throws Exception {
    origin.on(
        "/refused",
        (request, connection) -> {
          connection.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
          connection.awaitClose();
        });
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/refused", "Expect: 100-continue", "Content-Length: 4000000");
      Response head = client.head();
      assertEquals(413, head.status());
      // Whether the body comes now is the client's to say, so nothing can follow.
      assertEquals("close", head.field("connection"));
      assertEquals("no", text(client.body(head)));
      assertEquals(0, client.upTo(1).length);
    }
  }

  @Test
  void anExpectationThatTheOriginDoesNotMeetIsPassedBack() throws Exception {
    origin.on(
        "/unmet",
        (request, connection) -> {
          if (request.field("expect").isEmpty()) {
            connection.respond(text(connection.bytes(4)));
          } else {
            connection.send("HTTP/1.1 417 No\r\ncontent-length: 0\r\n\r\n");
            connection.awaitClose();
          }
        });
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/unmet", "Expect: 100-continue", "Content-Length: 4");
      assertEquals(417, client.reply().status());
    }
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/unmet", "Content-Length: 4").send("body");
      assertEquals("body", client.reply().text());
    }
  }

  @Test
  void anOriginThatSaysNothingGetsTheBodyAfterAWhile() throws Exception {
    origin.on("/silent", (request, connection) -> connection.respond(text(connection.bytes(4))));
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/silent", "Expect: 100-continue", "Content-Length: 4");
      assertEquals(100, client.head().status());
      client.send("body");
      assertEquals("body", client.reply().text());
    }
  }

  @Test
  void aClientOfHttp10ExpectsNothing() throws Exception {
    origin.on("/old", (request, connection) -> connection.respond(text(connection.bytes(4))));
    try (RawClient client = edge.connect()) {
      client.send(
          "PUT /old HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody");
      assertEquals("body", client.reply().text());
    }
    assertEquals(List.of(), origin.requests("/old").getFirst().fields("expect"));
  }

  @Test
  void worksOverHttp2() throws Exception {
    origin.on(
        "/h2",
        (request, connection) -> {
          assertEquals(List.of("100-continue"), request.fields("expect"));
          connection.send("HTTP/1.1 100 Continue\r\n\r\n");
          connection.respond(text(connection.bytes(4)));
        });
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer =
          client.open(
              Http2Client.request("PUT", "/h2")
                  .add("expect", "100-continue")
                  .add("content-length", "4"),
              false);
      assertEquals("100", answer.head().status().toString());
      client.data(answer, "body", true);
      assertEquals("200", answer.head().status().toString());
      assertEquals("end", answer.end());
      assertEquals("body", answer.body.toString());
    }
  }
}
