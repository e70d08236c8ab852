package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an edge's admin API answers, as JSON. */
final class Admin {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Admin() {}

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  private static JsonNode json(HttpResponse<String> response) {
    assertEquals(200, response.statusCode(), response::body);
    return json(response.body());
  }

  static JsonNode stats(EdgeProcess edge) throws IOException, InterruptedException {
    return json(edge.admin("/v1/stats"));
  }

  /** Purges, with members of the body as they stand there. */
  static JsonNode purge(EdgeProcess edge, Map<String, Object> order)
      throws IOException, InterruptedException {
    return json(edge.adminPost("/v1/purge", JSON.writeValueAsString(order)));
  }

  static void purgeUrl(EdgeProcess edge, String path) throws IOException, InterruptedException {
    purge(edge, Map.of("urls", List.of(edge.url(path))));
  }

  /**
   * Waits until a request would be answered from the store: the last client of a fill has all of
   * the body a moment before the object is in place.
   */
  static void awaitStored(EdgeProcess edge, String path) {
    String request = JSON.writeValueAsString(Map.of("url", edge.url(path)));
    Await.until(
        path + " is in place",
        () ->
            json(edge.adminPost("/v1/explain", request))
                .path("answer")
                .path("reason")
                .asString("")
                .equals("hit-fresh"));
  }
}
