package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images in several formats: stored once for each class of Accept, on routes that say so. */
@Tag("slow")
final class ServerAcceptClassesTest {
  private static final String FRESH = "content-type: image/png\r\ncache-control: max-age=1000\r\n";
  private static final String VARIES = FRESH + "vary: Accept\r\n";

  private static final List<String> AVIF =
      List.of(
          "image/avif,image/webp,image/apng,image/*,*/*;q=0.8",
          "image/webp, image/avif;q=0.5",
          "text/html,image/avif,image/webp,*/*;q=0.7");
  private static final List<String> WEBP =
      List.of("image/webp,*/*", "image/avif;q=0, image/webp;q=0.2", "IMAGE/WEBP");
  private static final List<String> OTHER =
      List.of("*/*", "image/*", "image/png, image/svg+xml", "image/webp;q=0");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            """
            http3: {listeners: [secure]}
            routes:
              - {match: {path: /}}
              - {match: {path: /img/}, key: {accept-classes: [avif, webp]}}
              - {match: {path: /pass/}, cache: false, key: {accept-classes: [avif, webp]}}
            """);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** An origin that sends the best format that it is asked for. */
  private void image(String path, String fields) {
    origin.on(
        path,
        (request, connection) -> {
          String accept = request.field("accept");
          asked.add(accept);
          String format =
              accept.contains("image/avif")
                  ? "avif"
                  : accept.contains("image/webp") ? "webp" : "png";
          TestOrigin.sendOk(connection, fields, TestOrigin.ascii(format));
        });
  }

  private static Answer hit(ProtocolClient client, String path, String accept) {
    Answer[] last = new Answer[1];
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            last[0] = client.ask("GET", path, "accept", accept);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void anImageIsStoredOnceForEachClassOverEveryProtocol(String protocol) throws Exception {
    image("/img/a", VARIES);
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (List<String> texts : List.of(AVIF, WEBP, OTHER)) {
        String format = texts.equals(AVIF) ? "avif" : texts.equals(WEBP) ? "webp" : "png";
        for (String text : texts) {
          Answer answer = hit(client, "/img/a", text);
          assertEquals(format, answer.body(), text);
          assertEquals(List.of("Accept"), answer.all("vary"), text);
        }
      }
    }
    assertEquals(3, origin.count("/img/a"));
    assertEquals(
        List.of("image/avif,image/webp,*/*;q=0.8", "image/webp,*/*;q=0.8", "*/*"),
        List.copyOf(asked));
  }

  @Test
  void hitsOfClassesAreAnsweredInTheFastLane() throws Exception {
    image("/img/fast", VARIES);
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      hit(client, "/img/fast", AVIF.getFirst());
      long fast = edge.sum(c -> c.fastHits);
      Await.until(
          "a hit in the fast lane",
          () -> {
            assertEquals("avif", hit(client, "/img/fast", AVIF.getLast()).body());
            return edge.sum(c -> c.fastHits) > fast;
          });
    }
    assertEquals(1, origin.count("/img/fast"));
  }

  @Test
  void aResponseThatDoesNotVaryIsStoredOnceForAll() throws Exception {
    image("/img/same", FRESH);
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      assertEquals("webp", client.ask("GET", "/img/same", "accept", WEBP.getFirst()).body());
      for (String text : List.of(AVIF.getFirst(), OTHER.getFirst())) {
        assertEquals("webp", hit(client, "/img/same", text).body());
      }
    }
    assertEquals(1, origin.count("/img/same"));
  }

  @Test
  void otherRoutesAndPassedRequestsKeepTheFieldOfTheClient() throws Exception {
    image("/a", VARIES);
    image("/pass/a", VARIES);
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      for (String path : List.of("/a", "/pass/a")) {
        for (String text : AVIF) {
          Answer answer = client.ask("GET", path, "accept", text);
          assertEquals("avif", answer.body());
        }
      }
    }
    assertEquals(2L * AVIF.size(), asked.size());
    assertEquals(AVIF, List.copyOf(asked).subList(3, 6));
    // Blanks around commas do not count, but each text is a variant.
    assertEquals(3, origin.count("/a"));
  }

  @Tag("full")
  @Test
  void aRequestWithoutAcceptIsOfTheClassOfNoFormat() throws IOException {
    image("/img/none", VARIES);
    try (RawClient client = edge.connect()) {
      assertEquals("png", client.get("/img/none").text());
      Await.until(
          "a hit",
          () -> {
            try {
              return client.get("/img/none", "Accept: */*").isHit();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }
    assertEquals(List.of("*/*"), List.copyOf(asked));
  }

  @Test
  void onePurgeRemovesAllClassesAndExplainNamesTheOneOfARequest() throws Exception {
    image("/img/p", VARIES);
    try (ProtocolClient client = ProtocolClient.connect(edge, "plain")) {
      hit(client, "/img/p", AVIF.getFirst());
      hit(client, "/img/p", OTHER.getFirst());
      String order =
          """
          {"url": "http://a.example/img/p", "fields": [["accept", "image/avif;q=0.1,image/webp"]]}
          """;
      String explained = edge.explain(200, order).toString();
      assertTrue(explained.contains("image/avif,image/webp,*/*;q=0.8"), explained);
      edge.purge(PurgeKind.URL, "http://a.example/img/p", false);
      assertEquals("avif", client.ask("GET", "/img/p", "accept", AVIF.getFirst()).body());
      assertEquals("png", client.ask("GET", "/img/p", "accept", OTHER.getFirst()).body());
    }
    assertEquals(4, origin.count("/img/p"));
  }
}
