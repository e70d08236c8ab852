package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which requests of a whole node have a line, and how it is written. */
@Timeout(240)
@Tag("slow")
final class ServerLogSamplingTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String accessLog) throws IOException {
    for (String path : List.of("/", "/a", "/private", "/end")) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    }
    origin.on(
        "/broken",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 503 No\r\ncontent-length: 0\r\ncache-control: no-store\r\n\r\n"));
    edge = Edge.start(directory, "32MiB", yaml(accessLog));
  }

  private String yaml(String accessLog) {
    return Edge.origins(origin.url())
        + "http3: {listeners: [secure]}\n"
        + "access-log:\n  output: \""
        + log()
        + "\"\n"
        + accessLog.indent(2);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Path log() {
    return directory.resolve("access.log");
  }

  private List<String> lines(ProtocolClient client) throws Exception {
    client.ask("POST", "/end");
    Await.until("all is logged", () -> Files.readString(log()).contains("/end"));
    return Files.readAllLines(log()).stream().filter(line -> !line.contains("/end")).toList();
  }

  private static final String RULES =
      """
      sample:
        - {status: 5xx, keep: 100%}
        - {when: {path: {prefix: /private}}, keep: 0%}
        - {when: {header: {X-Debug: "1"}}, keep: 100%}
        - {cache: [hit], keep: 0.01%}
      """;

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void allErrorsAndFewHitsHaveALine(String protocol) throws Exception {
    start(RULES);
    List<String> lines;
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      client.ask("GET", "/a");
      for (int i = 0; i < 20; i++) {
        client.ask("GET", "/a");
        client.ask("GET", "/private");
      }
      client.ask("GET", "/a", "x-debug", "1");
      client.ask("GET", "/broken");
      client.ask("GET", "/broken");
      lines = lines(client);
    }
    List<JsonNode> read =
        lines.stream().<JsonNode>map(line -> JsonMapper.shared().readTree(line)).toList();
    // Of the hits one in ten thousand is chosen, so that none may be.
    List<JsonNode> whole = read.stream().filter(line -> !line.has("sampled")).toList();
    assertEquals(
        List.of("/a miss", "/a hit", "/broken miss", "/broken miss"),
        whole.stream()
            .map(line -> line.get("target").asString() + " " + line.get("cache").asString())
            .map(line -> line.replace("pass", "miss"))
            .toList(),
        lines.toString());
    for (JsonNode line : read) {
      assertFalse(line.get("target").asString().equals("/private"), line.toString());
      if (line.has("sampled")) {
        assertEquals(0.01, line.get("sampled").asDouble());
      }
    }
  }

  @Test
  void aReloadChangesWhatIsChosen() throws Exception {
    start("sample: [{cache: hit, keep: 0%}]\n");
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      client.ask("GET", "/a");
      client.ask("GET", "/a?1");
      client.ask("GET", "/a");
      edge.configure("MEMORY=32MiB\n" + yaml("sample: [{cache: miss, keep: 0%}]\n"));
      assertEquals(List.of(), edge.server().reload().errors());
      client.ask("GET", "/a");
      client.ask("GET", "/a?2");
      List<String> lines = lines(client);
      assertEquals(3, lines.size(), lines.toString());
      assertTrue(lines.getLast().contains("\"hit\""), lines.toString());
    }
  }

  @Test
  void conditionsThatTheFastLaneCannotTellHoldAllTheSame() throws Exception {
    start("sample: [{when: {expression: 'request.path == \"/a\"'}, cache: hit, keep: 0%}]\n");
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      for (int i = 0; i < 5; i++) {
        client.ask("GET", "/a");
        client.ask("GET", "/");
      }
      Await.until("the fast lane answers some", () -> edge.sum(c -> c.fastHits) >= 4);
      List<String> lines = lines(client);
      assertEquals(6, lines.size(), lines.toString());
    }
  }

  @Test
  void linesOfTextHaveNeitherSecretsNorWholeAddresses() throws Exception {
    start(
        """
        format: '{client} "{method} {target}" {status} {cache} "{user_agent}"'
        client-ipv4: 24
        """);
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      for (int i = 0; i < 2; i++) {
        client.ask("GET", "/a?Token=abc&b=1", "user-agent", "a\" 200 \"b");
      }
      assertEquals(
          List.of(
              "127.0.0.0 \"GET /a?Token=***&b=1\" 200 miss \"a\\x22 200 \\x22b\"",
              "127.0.0.0 \"GET /a?Token=***&b=1\" 200 hit \"a\\x22 200 \\x22b\""),
          lines(client));
    }
  }

  @Test
  void fieldsOfProxiesHaveShortenedAddresses() throws Exception {
    for (String path : List.of("/", "/end")) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    }
    edge =
        Edge.start(
            directory,
            "32MiB",
            yaml("client-ipv4: 24\n")
                + "routes: [{origin: main,"
                + " access-log: {request-headers: [X-Forwarded-For, Forwarded]}}]\n");
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      client.ask(
          "GET", "/", "x-forwarded-for", "192.0.2.77, junk", "forwarded", "for=\"192.0.2.77:1\"");
      String line = lines(client).getFirst();
      assertTrue(line.contains("\"x-forwarded-for\":\"192.0.2.0, *\""), line);
      assertTrue(line.contains("\"forwarded\":\"for=192.0.2.0\""), line);
      assertFalse(line.contains("192.0.2.77"), line);
    }
  }

  @Test
  void whatTheListenerRefusesIsMaskedToo() throws Exception {
    start("");
    try (RawClient client = edge.connect()) {
      client.send("GET /a?token=abc HTTP/1.1\r\nHost: a b\r\n\r\n");
      assertEquals(400, client.reply().status());
    }
    Await.until("it is logged", () -> Files.readString(log()).contains("\"status\":400"));
    String all = Files.readString(log());
    assertFalse(all.contains("abc"), all);
    assertTrue(all.contains("token=***"), all);
  }
}
