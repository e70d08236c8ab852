package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Every request has one line in the access log, whichever part of the node answered it. */
@Tag("slow")
final class ServerAccessLogTest {

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private Path log;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    log = directory.resolve("access.log");
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            "access-log: {output: \"" + log + "\"}\n" + "limits: {request-body: 1000}\n");
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private List<JsonNode> lines() throws IOException {
    edge.awaitIdle();
    edge.stop();
    return Files.readAllLines(log).stream().map(JsonMapper.shared()::readTree).toList();
  }

  @Tag("full")
  @Test
  void aBodyThatGrowsTooLargeIsOneLineWithTheStatusSent() throws Exception {
    origin.on("/a", (request, connection) -> TestOrigin.await(gate));
    try (RawClient client = edge.connect()) {
      client.request("POST", "/a", "Transfer-Encoding: chunked");
      Await.until("the exchange has begun", () -> edge.sum(c -> c.originFetches) == 1);
      client.send("400\r\n" + "x".repeat(1024) + "\r\n");
      assertEquals(413, client.reply().status());
    }
    gate.countDown();
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size(), lines.toString());
    JsonNode line = lines.getFirst();
    assertEquals(413, line.get("status").asInt());
    assertEquals("refused", line.get("cache").asString());
    assertEquals("POST", line.get("method").asString());
    assertEquals("/a", line.get("target").asString());
    assertTrue(line.get("reason").asString().contains("larger"), line.toString());
    assertFalse(line.has("abort"));
  }

  @Test
  void anUploadThatTheClientGivesUpIsNoFailureOfTheOrigin() throws Exception {
    origin.on("/a", (request, connection) -> TestOrigin.await(gate));
    try (RawClient client = edge.connect()) {
      client.request("POST", "/a", "Content-Length: 100");
      Await.until("the exchange has begun", () -> edge.sum(c -> c.originFetches) == 1);
      client.send("half of it");
    }
    Await.until("its end is seen", () -> edge.sum(c -> c.clientAborts) == 1);
    gate.countDown();
    JsonNode line = lines().getFirst();
    assertEquals(0, line.get("status").asInt());
    assertEquals("CLIENT_GONE", line.get("abort").asString());
  }

  @Tag("full")
  @Test
  void aLineOfTlsSaysWhatTheHandshakeCameToAndOneOfPlainTextNothing() throws Exception {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("a")));
    Path session = directory.resolve("session");
    String[] first = {"-servername", "a.example", "-tls1_2", "-sess_out", session.toString()};
    String[] again = {"-servername", "a.example", "-tls1_2", "-sess_in", session.toString()};
    assertTrue(OpensslClient.run(edge.tlsPort(), first).contains("New, TLSv1.2"));
    assertTrue(OpensslClient.run(edge.tlsPort(), again).contains("Reused, TLSv1.2"));
    var _ = OpensslClient.run(edge.tlsPort(), "-noservername", "-tls1_3");
    try (RawClient plain = edge.connect()) {
      assertEquals(200, plain.get("/a").status());
    }
    assertEquals(
        List.of(
            "TLSv1.2 ECDHE a.example false",
            "TLSv1.2 ECDHE a.example true",
            "TLSv1.3 TLS_AE absent false",
            "absent absent absent absent"),
        lines().stream()
            .map(line ->
                text(line, "tls")
                    + " "
                    + text(line, "cipher")
                        .replaceAll("^TLS_ECDHE.*|^ECDHE.*", "ECDHE")
                        .replaceAll("^TLS_AE.*", "TLS_AE")
                    + " "
                    + text(line, "sni")
                    + " "
                    + text(line, "resumed"))
            // Connections may be of different loops, whose lines have no order among them.
            .sorted()
            .toList());
  }

  private static String text(JsonNode line, String field) {
    JsonNode value = line.get(field);
    return value == null ? "absent" : value.asString();
  }

  /** The full lane has whatever has a field that the fast one does not know. */
  @Test
  void bothLanesWriteTheSameOfAHit() throws Exception {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("abc")));
    String[] fields = {
      "User-Agent: tester",
      "Referer: http://example.com/",
      "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    };
    try (RawClient client = edge.connectTls()) {
      for (int i = 0; i < 3; i++) {
        assertEquals(200, client.get("/a?b", fields).status());
      }
      String[] more = Arrays.copyOf(fields, fields.length + 1);
      more[fields.length] = "X-Unknown: 1";
      assertEquals(200, client.get("/a?b", more).status());
    }
    assertTrue(edge.sum(c -> c.fastHits) >= 1);
    List<JsonNode> hits = lines().stream().skip(1).map(ServerAccessLogTest::withoutTimes).toList();
    assertEquals(3, hits.size());
    assertEquals("tester", hits.getFirst().get("user_agent").asString());
    assertEquals("hit", hits.getFirst().get("cache").asString());
    assertTrue(hits.getFirst().has("tls"));
    assertEquals(1, Set.copyOf(hits).size(), hits.toString());
  }

  /** Without what is another for every request, but with the names of it all. */
  private static JsonNode withoutTimes(JsonNode line) {
    ObjectNode same = (ObjectNode) line;
    for (String name : List.of("ts", "request_id", "duration_us", "ttfb_us", "first_byte_us")) {
      if (same.has(name)) {
        same.put(name, "");
      }
    }
    return same;
  }

  @Test
  void servedAndRefusedRequestsStandInTheOrderTheyCame() throws Exception {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("a")));
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/a").status());
      assertEquals(200, client.get("/a").status());
      assertEquals(405, client.request("PURGE", "/a").reply().status());
    }
    assertEquals(
        List.of("200 miss", "200 hit", "405 refused"),
        lines().stream()
            .map(line -> line.get("status").asInt() + " " + line.get("cache").asString())
            .toList());
  }
}
