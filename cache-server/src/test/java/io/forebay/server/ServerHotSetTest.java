package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a node says it is asked for most. */
@Timeout(120)
@Tag("slow")
final class ServerHotSetTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String HOST = "Host: www.example";

  @Test
  void hasUrlsThatEverybodyMayAskForTheHottestFirst(@TempDir Path directory) throws Exception {
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.before(
                origin,
                directory,
                "32MiB",
                """
                routes:
                  - {match: {path: /}}
                  - {match: {path: /members/}, protection: members}
                protection: {members: {access: {allow: 127.0.0.0/8}}}
                """);
        RawClient client = edge.connect()) {
      origin.on("/small", TestOrigin.ok(FRESH, Edge.bytes(1, 500)));
      origin.on("/large", TestOrigin.ok(FRESH, Edge.bytes(2, 3_000_000)));
      origin.on("/private", TestOrigin.ok("cache-control: private\r\n", new byte[9]));
      origin.on("/members/page", TestOrigin.ok(FRESH, new byte[9]));
      origin.on("/varies", TestOrigin.ok(FRESH + "vary: accept-language\r\n", new byte[10]));
      for (String path : List.of("/large", "/members/page", "/small", "/private")) {
        assertEquals(200, client.get(path, HOST).status());
      }
      assertEquals(200, client.get("/varies", HOST, "Accept-Language: de").status());
      assertEquals(200, client.get("/varies", HOST, "Accept-Language: en").status());
      assertEquals(404, client.get("/missing", HOST).status());
      edge.awaitIdle();
      List<String> names =
          List.of(
              "http://www.example/large", "http://www.example/small", "http://www.example/varies");
      assertEquals(Set.copyOf(names), Set.copyOf(urls(edge, "")), "variants are one URL");
      assertEquals(3, urls(edge, "").size());
      assertEquals(1, urls(edge, "?limit=1").size());

      // Requests count from the time on that the region of an object is full.
      int[] others = {0};
      Await.until(
          "the hottest to be the first",
          () -> {
            String other = "/other" + others[0]++;
            origin.on(other, TestOrigin.ok(FRESH, new byte[100_000]));
            client.get(other, HOST);
            client.get("/large", HOST);
            client.get("/large", HOST);
            client.get("/small", HOST);
            client.get("/members/page", HOST);
            return urls(edge, "").subList(0, 2).equals(names.subList(0, 2))
                && hot(edge, "").at("/objects/0/touches").asInt(0) > 1;
          });
      assertFalse(hot(edge, "").toString().contains("/members"), "of a protected route");

      edge.purge(PurgeKind.URL, "http://www.example/large", false);
      assertFalse(hot(edge, "").toString().contains("/large"), "purged");
    }
  }

  private static List<String> urls(Edge edge, String query) throws Exception {
    JsonNode hot = hot(edge, query);
    assertTrue(hot.path("complete").asBoolean(false));
    List<String> urls = new ArrayList<>();
    hot.path("objects").forEach(one -> urls.add(one.path("url").asString("")));
    return urls;
  }

  private static JsonNode hot(Edge edge, String query) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/v1/store/hot" + query))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(200, response.statusCode(), response.body());
      return JsonMapper.shared().readTree(response.body());
    }
  }
}
