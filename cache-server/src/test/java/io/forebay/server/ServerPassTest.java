package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Methods, request bodies, and what is said of clients towards origins. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerPassTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final int MIB = 1 << 20;

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

  private void numbered(String path) {
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                request.method().equals("GET") ? FRESH : "",
                TestOrigin.ascii(request.method() + request.number())));
  }

  private void awaitHit(RawClient client, String path, String text) {
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            Response reply = client.get(path);
            assertEquals(text, reply.text());
            return reply.isHit();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void unsafeMethodsInvalidateWhatTheyMayHaveChanged() throws IOException {
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      String path = "/unsafe/" + method;
      numbered(path);
      try (RawClient client = edge.connect()) {
        assertEquals("GET1", client.get(path).text());
        awaitHit(client, path, "GET1");
        assertEquals(
            method + "2", client.request(method, path, "Content-Length: 0").reply().text());
        assertEquals("GET3", client.get(path).text(), method);
      }
    }
  }

  @Test
  void anUnsafeMethodThatFailsInvalidatesNothing() throws IOException {
    origin.on(
        "/unsafe/failed",
        (request, connection) -> {
          if (request.method().equals("GET")) {
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("kept"));
          } else {
            connection.send("HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      client.get("/unsafe/failed");
      awaitHit(client, "/unsafe/failed", "kept");
      assertEquals(
          403, client.request("POST", "/unsafe/failed", "Content-Length: 0").reply().status());
      assertTrue(client.get("/unsafe/failed").isHit());
    }
  }

  @Test
  void anUnsafeMethodOvertakesAFillInProgress() throws IOException {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/unsafe/race",
        (request, connection) -> {
          if (request.number() == 1) {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("old"));
          } else {
            TestOrigin.sendOk(
                connection, request.method().equals("GET") ? FRESH : "", TestOrigin.ascii("new"));
          }
        });
    try (RawClient early = edge.connect();
        RawClient writer = edge.connect();
        RawClient late = edge.connect()) {
      early.request("GET", "/unsafe/race");
      TestOrigin.await(asked);
      assertEquals(
          "new", writer.request("POST", "/unsafe/race", "Content-Length: 0").reply().text());
      late.request("GET", "/unsafe/race");
      gate.countDown();
      assertEquals("old", early.reply().text());
      assertEquals("new", late.reply().text());
      awaitHit(late, "/unsafe/race", "new");
    }
  }

  @Test
  void aLargeUploadWaitsForTheOriginToBeAskedAndArrivesWhole() throws IOException {
    byte[] body = Edge.bytes(1, 10 * MIB);
    AtomicReference<byte[]> received = new AtomicReference<>(new byte[0]);
    origin.on(
        "/upload",
        (request, connection) -> {
          connection.send("HTTP/1.1 100 Continue\r\n\r\n");
          received.set(connection.bytes(Integer.parseInt(request.field("content-length"))));
          TestOrigin.sendOk(connection, "", TestOrigin.ascii("thanks"));
        });
    try (RawClient client = edge.connect()) {
      client.request("POST", "/upload", "Expect: 100-continue", "Content-Length: " + body.length);
      assertEquals(100, client.head().status());
      client.send(body);
      Response reply = client.reply();
      assertEquals(200, reply.status());
      assertEquals("thanks", reply.text());
    }
    Bytes.assertEquals(body, received.get());
    assertEquals(List.of("100-continue"), origin.requests("/upload").getFirst().fields("expect"));
  }

  @Test
  void aRequestThatHasBeenHereBeforeIsALoop() throws IOException {
    numbered("/loop");
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/loop", "CDN-Loop: other, edge; v=1");
      assertEquals(508, reply.status());
      assertEquals("edge; detail=loop", reply.field("cache-status"));
      assertEquals(200, client.get("/loop", "CDN-Loop: edge2, other").status());
    }
    assertEquals(1, origin.count("/loop"));
    assertEquals("edge2, other, edge", origin.requests("/loop").getFirst().field("cdn-loop"));
  }

  @Test
  void fillsSendNothingThatFitsOneClientOnly() throws IOException {
    numbered("/fill");
    try (RawClient client = edge.connect()) {
      Response reply =
          client.get(
              "/fill",
              "Range: bytes=0-1",
              "If-None-Match: \"x\"",
              "If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT",
              "Accept-Encoding: br;q=0.9, GZIP, junk",
              "Connection: keep-alive, X-Hop",
              "X-Hop: 1",
              "Keep-Alive: timeout=5",
              "TE: trailers",
              "Proxy-Connection: keep-alive",
              "X-End: 2");
      assertEquals(206, reply.status());
      assertEquals("GE", reply.text());
    }
    TestOrigin.Request sent = origin.requests("/fill").getFirst();
    for (String name :
        List.of(
            "range",
            "if-none-match",
            "if-modified-since",
            "x-hop",
            "keep-alive",
            "te",
            "proxy-connection")) {
      assertEquals(List.of(), sent.fields(name), name);
    }
    assertEquals(List.of("2"), sent.fields("x-end"));
    assertEquals(1, sent.fields("accept-encoding").size());
    assertTrue(sent.field("accept-encoding").contains("gzip"), sent.head());
    assertTrue(!sent.field("accept-encoding").contains("junk"), sent.head());
  }

  @Test
  void passesWhatAClientSaysAboutItsRangeAndConditions() throws IOException {
    origin.on(
        "/pass",
        (request, connection) ->
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", new byte[0]));
    try (RawClient client = edge.connect()) {
      client.get("/pass");
      client.get("/pass", "Range: bytes=0-1", "If-None-Match: \"x\"", "Accept-Encoding: junk");
    }
    TestOrigin.Request sent = origin.requests("/pass").get(1);
    assertEquals("bytes=0-1", sent.field("range"));
    assertEquals("\"x\"", sent.field("if-none-match"));
    assertEquals("junk", sent.field("accept-encoding"));
  }

  @Test
  void saysToTheOriginWhoAskedAndBelievesNoStranger() throws IOException {
    numbered("/who");
    try (RawClient client = edge.connect()) {
      Response reply =
          client.get(
              "/who",
              "Host: www.example",
              "X-Forwarded-For: 1.2.3.4",
              "X-Forwarded-Proto: https",
              "X-Forwarded-Host: evil.example",
              "Forwarded: for=1.2.3.4",
              "Via: 1.1 before");
      assertEquals("1.1 edge", reply.field("via"));
    }
    TestOrigin.Request sent = origin.requests("/who").getFirst();
    assertEquals(List.of("127.0.0.1"), sent.fields("x-forwarded-for"));
    assertEquals(List.of("http"), sent.fields("x-forwarded-proto"));
    assertEquals(List.of("www.example"), sent.fields("x-forwarded-host"));
    assertEquals(List.of(), sent.fields("forwarded"));
    assertEquals("1.1 before, 1.1 edge", sent.field("via"));
    assertEquals("edge", sent.field("cdn-loop"));
    assertEquals("www.example", sent.field("host"));
  }

  @Test
  void appendsToWhatATrustedNetworkSays(@TempDir Path other) throws IOException {
    numbered("/trusted");
    try (Edge trusting =
            Edge.start(
                other,
                "16MiB",
                Edge.origins(origin.url())
                    + "forwarding: {node-id: edge, trusted: [127.0.0.0/8], forwarded: true}\n");
        RawClient client = trusting.connect()) {
      client.get(
          "/trusted",
          "Host: www.example",
          "X-Forwarded-For: 1.2.3.4",
          "X-Forwarded-Proto: https",
          "Forwarded: for=1.2.3.4");
    }
    TestOrigin.Request sent = origin.requests("/trusted").getFirst();
    assertEquals(List.of("1.2.3.4, 127.0.0.1"), sent.fields("x-forwarded-for"));
    assertEquals(List.of("https"), sent.fields("x-forwarded-proto"));
    assertEquals(
        List.of("for=1.2.3.4, for=127.0.0.1;host=\"www.example\";proto=http"),
        sent.fields("forwarded"));
  }

  @Test
  void dropsHopByHopFieldsOfTheResponseStoredOrNot() throws IOException {
    for (String control : List.of(FRESH, "cache-control: no-store\r\n")) {
      String path = "/hop/" + control.length();
      origin.on(
          path,
          TestOrigin.ok(
              control
                  + "connection: x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=60\r\n"
                  + "proxy-authenticate: Basic\r\nx-end: 2\r\n",
              TestOrigin.ascii("body")));
      try (RawClient client = edge.connect()) {
        for (int i = 0; i < 3; i++) {
          Response reply = client.get(path);
          assertEquals("body", reply.text());
          for (String name : List.of("connection", "x-hop", "keep-alive")) {
            assertEquals(List.of(), reply.all(name), name);
          }
          assertEquals("2", reply.field("x-end"));
        }
      }
    }
  }
}
