package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
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

/** A whole node before origins to which it proves itself. */
@Timeout(120)
@Tag("slow")
final class ServerSigningTest {
  private static final String PLAIN = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    Files.writeString(directory.resolve("secret"), "a-secret-of-a-file\n");
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
            origins:
              bucket:
                url: URL
                s3:
                  bucket: media
                  region: eu-central-1
                  access-key: AKIAEXAMPLE
                  secret-key-file: DIR/secret
              marked:
                url: URL
                headers: [{name: X-Origin-Secret, value-file: DIR/secret}]
              plain: URL
            routes:
              - {match: {path: /bucket/}, origin: bucket}
              - {match: {path: /marked/}, origin: marked}
              - {origin: plain}
            """
                .replace("URL", origin.url())
                .replace("DIR", directory.toString()));
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Response get(String path, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      return client.get(path, fields);
    }
  }

  /** RFC 9111 §3.5 is for what an origin answers to someone's Authorization; this one gets none. */
  @Test
  void anAuthorizationThatABucketDoesNotGetNeitherPreventsStoringNorPermitsIt() throws Exception {
    origin.on("/media/bucket/a", TestOrigin.ok(PLAIN, TestOrigin.ascii("a")));
    origin.on(
        "/media/bucket/private",
        TestOrigin.ok("cache-control: private, max-age=9\r\n", TestOrigin.ascii("p")));
    String[] client = {"Authorization: Basic b2Y6Y2xpZW50"};

    assertFalse(get("/bucket/a", client).isHit());
    edge.awaitIdle();
    assertTrue(get("/bucket/a").isHit());
    assertTrue(get("/bucket/a", client).isHit());
    TestOrigin.Request sent = origin.requests("/media/bucket/a").getFirst();
    assertEquals(1, sent.fields("authorization").size());
    assertTrue(sent.field("authorization").startsWith("AWS4-HMAC-SHA256 "), sent.head());

    assertFalse(get("/bucket/private", client).isHit());
    edge.awaitIdle();
    assertFalse(get("/bucket/private", client).isHit());
  }

  /** The rule itself is as it was where the origin gets the client's Authorization. */
  @Test
  void anAuthorizationThatAnOriginGetsPreventsStoring() throws Exception {
    for (String path : List.of("/plain", "/marked/a")) {
      origin.on(path, TestOrigin.ok(PLAIN, TestOrigin.ascii("a")));
      assertFalse(get(path, "Authorization: Basic x").isHit());
      edge.awaitIdle();
      assertFalse(get(path).isHit(), path);
      assertEquals("Basic x", origin.requests(path).getFirst().field("authorization"));
    }
  }

  @Test
  void aClientsFieldOfTheSameNameIsNotForwardedAndChoosesNoVariant() throws Exception {
    origin.on(
        "/marked/v", TestOrigin.ok(PLAIN + "vary: X-Origin-Secret\r\n", TestOrigin.ascii("v")));
    assertFalse(get("/marked/v", "X-Origin-Secret: guessed").isHit());
    edge.awaitIdle();
    assertTrue(get("/marked/v", "X-Origin-Secret: other").isHit());
    assertEquals(
        List.of("a-secret-of-a-file"),
        origin.requests("/marked/v").getFirst().fields("x-origin-secret"));
  }

  @Test
  void explainSaysWhatIsDoneAndShowsNoSecret() throws Exception {
    origin.on(
        "/media/bucket/refused",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 403 Forbidden\r\ndate: Thu, 01 Jan 2015 00:00:00 GMT\r\n"
                    + "content-length: 0\r\n\r\n"));
    assertEquals(403, get("/bucket/refused").status());
    String told = edge.explain(200, "{\"url\":\"" + edge.url("/bucket/refused") + "\"}").toString();
    assertTrue(told.contains("signed for S3 (bucket media, region eu-central-1"), told);
    assertTrue(told.contains("the clock of this node is"), told);
    String marked = edge.explain(200, "{\"url\":\"" + edge.url("/marked/x") + "\"}").toString();
    assertTrue(marked.contains("the node sets x-origin-secret"), marked);
    assertFalse((told + marked).contains("a-secret-of-a-file"), told + marked);
  }
}
