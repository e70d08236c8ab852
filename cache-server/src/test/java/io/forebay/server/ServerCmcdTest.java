package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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

/** What players tell (CMCD) is counted, logged and kept out of keys; they are told CMSD. */
@Timeout(240)
@Tag("slow")
final class ServerCmcdTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/v/1.m4s", "/v/2.m4s", "/plain/1.m4s", "/pass/1.m4s", "/")) {
      origin.on(
          path,
          TestOrigin.ok(
              FRESH
                  + "cmsd-static: ot=v,d=2000\r\n"
                  + "cmsd-dynamic: \"origin\";rtt=9\r\n"
                  + "vary: CMCD-Request\r\n",
              TestOrigin.ascii("segment")));
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
                  - {name: video, match: {path: /v/}, cmcd: {enabled: on, cmsd: on}}
                  - {match: {path: /pass/}, cache: off, cmcd: on}
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

  private List<JsonNode> lines(ProtocolClient client) throws Exception {
    client.ask("GET", "/?end");
    Await.until("all is logged", () -> Files.readString(log()).contains("/?end"));
    return Files.readAllLines(log()).stream()
        .<JsonNode>map(line -> JsonMapper.shared().readTree(line))
        .filter(line -> !line.path("target").asString().equals("/?end"))
        .toList();
  }

  private String metrics() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void playersShareOneResponseWhateverTheyTell(String protocol) throws Exception {
    List<JsonNode> lines;
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer miss = client.ask("GET", "/v/1.m4s?a=1&CMCD=bl%3D2100%2Csu%2Csid%3D%22one%22");
      assertFalse(miss.isHit(), miss::toString);
      edge.awaitIdle();
      Answer hit = client.ask("GET", "/v/1.m4s?CMCD=bs%2Cbl%3D0&a=1");
      assertTrue(hit.isHit(), hit::toString);
      hit =
          client.ask(
              "GET",
              "/v/1.m4s?a=1",
              "cmcd-request",
              "bl=30100,mtp=25400",
              "cmcd-session",
              "sid=\"two\"");
      assertTrue(hit.isHit(), hit::toString);
      assertTrue(client.ask("GET", "/v/1.m4s?a=1&CMCD=bl%3D").isHit());
      lines = lines(client);
    }
    assertEquals(1, origin.count("/v/1.m4s"));
    TestOrigin.Request asked = origin.requests("/v/1.m4s").getFirst();
    assertEquals("/v/1.m4s?a=1", asked.target());
    assertEquals(4, lines.size());
    assertEquals(2100, lines.get(0).path("cmcd").path("bl").asInt());
    assertEquals("one", lines.get(0).path("cmcd").path("sid").asString());
    assertTrue(lines.get(1).path("cmcd").path("bs").asBoolean());
    assertEquals(25400, lines.get(2).path("cmcd").path("mtp").asInt());
    assertEquals("two", lines.get(2).path("cmcd").path("sid").asString());
    assertFalse(lines.get(3).has("cmcd"), lines.get(3)::toString);

    String metrics = metrics();
    assertTrue(metrics.contains("forebay_cmcd_requests_total{route=\"video\"} 4.0"), metrics);
    assertTrue(metrics.contains("forebay_cmcd_malformed_total{route=\"video\"} 1.0"));
    assertTrue(metrics.contains("forebay_cmcd_startups_total{route=\"video\"} 1.0"));
    assertTrue(metrics.contains("forebay_cmcd_starvations_total{route=\"video\"} 1.0"));
    assertTrue(metrics.contains("forebay_cmcd_buffer_seconds_count{route=\"video\"} 3"), metrics);
    assertTrue(metrics.contains("forebay_cmcd_buffer_seconds_sum{route=\"video\"} 32.2"), metrics);
    assertTrue(
        metrics.contains(
            "forebay_cmcd_throughput_bits_per_second_bucket{route=\"video\",le=\"3.0E7\"} 1"),
        metrics);
    assertFalse(metrics.contains("forebay_cmcd_requests_total{route=\"route-1\"}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void withoutTheSettingItIsAParameterLikeAnyOther(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      client.ask("GET", "/plain/1.m4s?CMCD=bl%3D1");
      Answer other = client.ask("GET", "/plain/1.m4s?CMCD=bl%3D2");
      assertFalse(other.isHit(), other::toString);
      assertEquals("\"origin\";rtt=9", String.join(", ", other.all("cmsd-dynamic")));
      assertFalse(lines(client).getFirst().has("cmcd"));
    }
    assertEquals("/plain/1.m4s?CMCD=bl%3D1", origin.requests("/plain/1.m4s").getFirst().target());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void whatIsPassedKeepsIt(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      client.ask("GET", "/pass/1.m4s?CMCD=bl%3D1", "cmcd-status", "bs");
      assertTrue(lines(client).getFirst().path("cmcd").path("bs").asBoolean());
    }
    TestOrigin.Request asked = origin.requests("/pass/1.m4s").getFirst();
    assertEquals("/pass/1.m4s?CMCD=bl%3D1", asked.target());
    assertEquals("bs", asked.field("cmcd-status"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void responsesHaveAnEntryOfThisNode(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer miss = client.ask("GET", "/v/2.m4s");
      assertEquals("ot=v,d=2000", String.join(", ", miss.all("cmsd-static")), miss::toString);
      String told = String.join(", ", miss.all("cmsd-dynamic"));
      assertTrue(told.matches("\"origin\";rtt=9, \"edge\";rd=\\d+"), told);
      edge.awaitIdle();
      Answer hit = client.ask("GET", "/v/2.m4s");
      assertTrue(hit.isHit());
      assertEquals("ot=v,d=2000", String.join(", ", hit.all("cmsd-static")));
      told = String.join(", ", hit.all("cmsd-dynamic"));
      assertTrue(told.matches("\"edge\";rd=\\d+"), told);
    }
  }

  @Test
  void hitsStayInTheFastLane() throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      client.ask("GET", "/v/1.m4s?CMCD=bl%3D1");
      edge.awaitIdle();
      // Which the loop of this connection then knows.
      client.ask("GET", "/v/1.m4s?CMCD=bl%3D2");
      long before = edge.sum(counters -> counters.fastHits);
      Answer hit = client.ask("GET", "/v/1.m4s?CMCD=bl%3D3", "cmcd-status", "bs");
      assertEquals("\"edge\";rd=0", String.join(", ", hit.all("cmsd-dynamic")), hit::toString);
      edge.awaitSum(before + 1, counters -> counters.fastHits);
    }
    JsonNode explained =
        edge.explain(
            200, "{\"url\": \"http://127.0.0.1:" + edge.port() + "/v/1.m4s?CMCD=bl%3D9\"}");
    assertTrue(explained.toString().contains("CMCD is counted"), explained::toString);
  }
}
