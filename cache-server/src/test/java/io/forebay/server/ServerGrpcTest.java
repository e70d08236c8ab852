package io.forebay.server;

import static io.forebay.testing.RawHttp2.DATA;
import static io.forebay.testing.RawHttp2.END_HEADERS;
import static io.forebay.testing.RawHttp2.HEADERS;
import static io.forebay.testing.RawHttp2.RST_STREAM;
import static io.forebay.testing.RawHttp2.WINDOW_UPDATE;
import static io.forebay.testing.RawHttp2.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2.Frame;
import io.forebay.testing.RawHttp2.Message;
import io.forebay.testing.RawHttp2Origin;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of gRPC as frames: what reaches the server, and what the client gets. */
@Timeout(60)
@Tag("slow")
final class ServerGrpcTest {

  private final RawHttp2Origin origin = RawHttp2Origin.start();
  private Edge edge;
  private RawHttp2 client;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            "  - {name: h2c, address: \"127.0.0.1:0\", h2c: true}\n"
                + "threads: {loops: 1, pin: off}\n"
                + "origins: {main: {url: \""
                + origin.url()
                + "\", protocol: http2}}\n"
                + "routes: [{origin: main, cache: false, response-trailers: [\"*\"]}]\n");
    client = new RawHttp2(edge.port("h2c"));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    edge.close();
    origin.close();
  }

  private RawHttp2 call(int stream, String... more) {
    String[] fields = new String[more.length + 4];
    System.arraycopy(more, 0, fields, 4, more.length);
    fields[0] = "content-type";
    fields[1] = "application/grpc";
    fields[2] = "te";
    fields[3] = "trailers";
    return client.frame(
        HEADERS, END_HEADERS, stream, RawHttp2.block("POST", "/test.Echo/Call", fields));
  }

  private static String text(Frame frame) {
    return new String(frame.payload(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void aCallReachesTheServerAndItsStatusTheClient() throws IOException {
    call(1, "grpc-timeout", "5S", "x-meta-bin", "AAEC").data(1, true, "question").flush();
    RawHttp2 server = origin.accept();
    Message request = server.request();
    assertEquals("POST", request.field(":method"));
    assertEquals("/test.Echo/Call", request.field(":path"));
    assertEquals("a.example", request.field(":authority"));
    assertEquals("application/grpc", request.field("content-type"));
    assertEquals("trailers", request.field("te"));
    assertEquals("5S", request.field("grpc-timeout"));
    assertEquals("AAEC", request.field("x-meta-bin"));
    assertEquals("question", text(server.await(DATA)));
    server.respond(request.stream(), false, "200", "content-type", "application/grpc");
    server.data(request.stream(), false, "answer");
    server
        .trailers(
            request.stream(),
            "grpc-status",
            "0",
            "grpc-message",
            "fine",
            "x-own-bin",
            "AA",
            "set-cookie",
            "never=behind")
        .flush();
    Message head = client.response();
    assertEquals("200", head.field(":status"));
    assertEquals("application/grpc", head.field("content-type"));
    assertEquals("answer", text(client.await(DATA)));
    Message trailers = client.response();
    assertTrue(trailers.isEnd());
    assertEquals("0", trailers.field("grpc-status"));
    assertEquals("fine", trailers.field("grpc-message"));
    assertEquals("AA", trailers.field("x-own-bin"));
    assertEquals("", trailers.field("set-cookie"));
  }

  @Test
  void aResponseOfTrailersAloneEndsWithItsHead() throws IOException {
    call(1).data(1, true, "question").flush();
    RawHttp2 server = origin.accept();
    server
        .respond(
            server.request().stream(),
            true,
            "200",
            "content-type",
            "application/grpc",
            "grpc-status",
            "5")
        .flush();
    Message head = client.response();
    assertTrue(head.isEnd());
    assertEquals("5", head.field("grpc-status"));
  }

  @Test
  void aCallThatFailsBeforeItsMessagesHaveComeIsNoFailureOfTheNode() throws IOException {
    call(1).flush();
    RawHttp2 server = origin.accept();
    int stream = server.request().stream();
    server.respond(stream, true, "200", "grpc-status", "12").flush();
    Message head = client.response();
    assertTrue(head.isEnd());
    assertEquals("12", head.field("grpc-status"));
    assertEquals("reset CANCEL", server.endOf(stream));
    assertEquals(0, edge.sum(counters -> counters.originFailures));
  }

  @Test
  void messagesPassInBothDirectionsWhileBothAreOpen() throws IOException {
    call(1).flush();
    RawHttp2 server = origin.accept();
    Message request = server.request();
    assertFalse(request.isEnd());
    server.respond(request.stream(), false, "200").flush();
    assertEquals("200", client.response().field(":status"));
    for (int i = 0; i < 100; i++) {
      client.data(1, false, "ping" + i).flush();
      assertEquals("ping" + i, text(server.await(DATA)));
      server.data(request.stream(), false, "pong" + i).flush();
      assertEquals("pong" + i, text(client.await(DATA)));
    }
    client.data(1, true, "").flush();
    assertTrue(server.await(DATA).isEnd());
    server.trailers(request.stream(), "grpc-status", "0").flush();
    assertEquals("0", client.response().field("grpc-status"));
  }

  @Test
  void aServerThatEndsFirstEndsTheCall() throws IOException {
    call(1).data(1, false, "some").flush();
    RawHttp2 server = origin.accept();
    int stream = server.request().stream();
    server.respond(stream, false, "200").trailers(stream, "grpc-status", "8").flush();
    assertEquals("200", client.response().field(":status"));
    Message trailers = client.response();
    assertEquals("8", trailers.field("grpc-status"));
    assertEquals(Http2Error.NO_ERROR, client.await(RST_STREAM).resetError());
    assertEquals("reset CANCEL", server.endOf(stream));
  }

  @Test
  void aClientThatCancelsCancelsAtTheServer() throws IOException {
    call(1).flush();
    RawHttp2 server = origin.accept();
    int stream = server.request().stream();
    server.respond(stream, false, "200").data(stream, false, "first").flush();
    assertEquals("200", client.response().field(":status"));
    assertEquals("first", text(client.await(DATA)));
    client.frame(RST_STREAM, 0, 1, number((int) Http2Error.CANCEL.code())).flush();
    assertEquals("reset CANCEL", server.endOf(stream));
    // Its connection goes on.
    call(3).flush();
    server.respond(server.request().stream(), true, "200", "grpc-status", "0").flush();
    assertEquals("0", client.response().field("grpc-status"));
  }

  @Test
  void aServerThatResetsResetsAtTheClientAndNothingIsSentAgain() throws IOException {
    call(1).data(1, true, "question").flush();
    RawHttp2 server = origin.accept();
    int stream = server.request().stream();
    server.respond(stream, false, "200").data(stream, false, "first");
    server.frame(RST_STREAM, 0, stream, number((int) Http2Error.INTERNAL_ERROR.code())).flush();
    assertEquals("reset INTERNAL_ERROR", client.endOf(1));
    call(3).data(3, true, "question").flush();
    stream = server.request().stream();
    server.frame(RST_STREAM, 0, stream, number((int) Http2Error.INTERNAL_ERROR.code())).flush();
    assertEquals("502", client.response().field(":status"));
    assertEquals(1, origin.accepted());
  }

  @Test
  void aClientThatDoesNotReadStopsItsOwnCallOnly() throws IOException {
    call(1).flush();
    RawHttp2 server = origin.accept();
    int stream = server.request().stream();
    String message = "m".repeat(1000);
    server.respond(stream, false, "200");
    for (int i = 0; i < 200; i++) {
      server.data(stream, false, message);
    }
    server.flush();
    int got = 0;
    while (got < 65_535) {
      got += client.await(DATA).payload().length;
    }
    assertEquals(65_535, got);
    // The connection's window is shut for this client; another client's call goes on.
    try (RawHttp2 other = new RawHttp2(edge.port("h2c"))) {
      other
          .frame(HEADERS, END_HEADERS, 1, RawHttp2.block("POST", "/test.Echo/Other"))
          .data(1, true, "")
          .flush();
      server.respond(server.request().stream(), true, "200", "grpc-status", "0").flush();
      assertEquals("0", other.response().field("grpc-status"));
    }
    client.frame(WINDOW_UPDATE, 0, 0, number(1_000_000));
    client.frame(WINDOW_UPDATE, 0, 1, number(1_000_000)).flush();
    while (got < 200_000) {
      got += client.await(DATA).payload().length;
    }
    assertEquals(200_000, got);
    server.trailers(stream, "grpc-status", "0").flush();
    assertEquals("0", client.response().field("grpc-status"));
  }
}
