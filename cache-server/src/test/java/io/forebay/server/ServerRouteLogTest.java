package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the access log says of single routes. */
@Timeout(240)
@Tag("slow")
final class ServerRouteLogTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/", "/fields", "/bare", "/silent", "/none", "/some", "/sent")) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    }
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + """
                http3: {listeners: [secure]}
                access-log: {output: "LOG"}
                routes:
                  - {match: {path: /}}
                  - {match: {path: /fields}, access-log: {request-headers: [X-Country, X-None, Accept]}}
                  - match: {path: /bare}
                    access-log: {drop: [client, host, query, referer, user_agent, traceparent, tls]}
                  - match: {path: /sent}
                    access-log: {response-headers: [X-Kind, X-Long, Cache-Control, X-Added, X-None]}
                    rules: [{response-headers: {set: {X-Added: yes, Cache-Control: no-cache}}}]
                  - {match: {path: /sent/plain}, access-log: {response-headers: [Cache-Control]}}
                  - {match: {path: /silent}, access-log: {lines: off}}
                  - {match: {path: /none}, access-log: {hits: 0%}}
                  - {match: {path: /some}, access-log: {hits: 10%}}
                """
                    .replace("LOG", log().toString()));
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Path log() {
    return directory.resolve("access.log");
  }

  /** The lines so far; the last request of {@code client} is among them. */
  private List<JsonNode> lines(ProtocolClient client) throws Exception {
    client.ask("GET", "/?end");
    Await.until("all is logged", () -> Files.readString(log()).contains("/?end"));
    return Files.readAllLines(log()).stream()
        .<JsonNode>map(line -> JsonMapper.shared().readTree(line))
        .filter(line -> !line.path("target").asString().equals("/?end"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void linesHaveTheFieldsOfTheirRoute(String protocol) throws Exception {
    List<JsonNode> lines;
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (int i = 0; i < 3; i++) {
        client.ask(
            "GET", "/fields", "x-country", "\"DE\"", "accept", "a".repeat(300), "x-other", "no");
      }
      lines = lines(client);
    }
    assertEquals(3, lines.size());
    for (JsonNode line : lines) {
      JsonNode headers = line.path("request_headers");
      assertEquals(List.of("x-country", "accept"), List.copyOf(headers.propertyNames()));
      assertEquals("\"DE\"", headers.path("x-country").asString());
      assertEquals("a".repeat(256), headers.path("accept").asString());
      assertTrue(line.path("truncated").asBoolean());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void linesHaveTheFieldsOfTheResponseAsItIsSent(String protocol) throws Exception {
    String own =
        "cache-control: max-age=1000\r\nx-kind: \"a\"\r\nx-kind: b\r\nx-long: "
            + "l".repeat(300)
            + "\r\n";
    origin.on("/sent", TestOrigin.ok(own, TestOrigin.ascii("a")));
    origin.on("/sent/plain", TestOrigin.ok(own, TestOrigin.ascii("a")));
    List<JsonNode> lines;
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (int i = 0; i < 3; i++) {
        client.ask("GET", "/sent");
        client.ask("GET", "/sent/plain");
      }
      client.ask("POST", "/sent");
      client.ask("GET", "/sent/plain/none");
      lines = lines(client);
    }
    assertEquals(8, lines.size());
    for (JsonNode line : lines) {
      JsonNode headers = line.path("response_headers");
      switch (line.path("target").asString()) {
        case "/sent" -> {
          assertEquals(
              List.of("x-kind", "x-long", "cache-control", "x-added"),
              List.copyOf(headers.propertyNames()));
          assertEquals("\"a\"", headers.path("x-kind").asString());
          assertEquals("l".repeat(256), headers.path("x-long").asString());
          assertEquals("no-cache", headers.path("cache-control").asString(), "after rules");
          assertTrue(line.path("truncated").asBoolean());
        }
        case "/sent/plain" ->
            assertEquals("max-age=1000", headers.path("cache-control").asString());
        default -> assertNull(line.get("response_headers"), line::toString);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void whatARouteDropsIsInNoLine(String protocol) throws Exception {
    List<JsonNode> lines;
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (int i = 0; i < 3; i++) {
        client.ask("GET", "/bare?secret", "referer", "r", "user-agent", "u");
      }
      lines = lines(client);
    }
    assertEquals(3, lines.size());
    for (JsonNode line : lines) {
      assertEquals("/bare", line.path("target").asString());
      for (String dropped :
          List.of("client", "host", "referer", "user_agent", "traceparent", "tls", "cipher")) {
        assertNull(line.get(dropped), dropped);
      }
      assertNotNull(line.get("status"));
      assertNotNull(line.get("cache"));
    }
  }

  @Test
  void aRouteMayHaveNoLines() throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      client.ask("GET", "/silent");
      client.ask("GET", "/silent");
      assertEquals(List.of(), lines(client));
    }
  }

  @Test
  void hitsAreLoggedByTheirShareAndAllElseIsLogged() throws Exception {
    int hits = 1000;
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      client.ask("GET", "/none");
      client.ask("GET", "/some");
      for (int i = 0; i < hits; i++) {
        assertTrue(client.ask("GET", "/none").isHit());
        assertTrue(client.ask("GET", "/some").isHit());
      }
      client.ask("POST", "/some");
      List<JsonNode> lines = lines(client);
      List<JsonNode> ofNone = lines.stream().filter(line -> isOf(line, "/none")).toList();
      assertEquals(1, ofNone.size());
      assertEquals("miss", ofNone.getFirst().path("cache").asString());
      List<JsonNode> ofSome = lines.stream().filter(line -> isOf(line, "/some")).toList();
      List<JsonNode> sampled = ofSome.stream().filter(line -> line.has("sampled")).toList();
      // Ten standard deviations on either side of a tenth.
      assertTrue(sampled.size() > 5 && sampled.size() < 195, sampled.size() + " lines");
      assertTrue(sampled.stream().allMatch(line -> line.path("sampled").asInt() == 10));
      assertTrue(sampled.stream().allMatch(line -> line.path("cache").asString().equals("hit")));
      assertEquals(sampled.size() + 2, ofSome.size());
    }
  }

  private static boolean isOf(JsonNode line, String target) {
    return line.path("target").asString().equals(target);
  }
}
