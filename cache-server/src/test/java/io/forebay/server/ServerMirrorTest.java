package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of requests for a second origin. */
@Timeout(120)
@Tag("slow")
final class ServerMirrorTest {
  private static final byte[] BODY = TestOrigin.ascii("from main");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final TestOrigin shadow = new TestOrigin();
  private @Nullable Edge edge;

  private void start(String mirror) throws IOException {
    start(shadow.url(), mirror);
  }

  private void start(String shadowUrl, String mirror) throws IOException {
    for (String path : new String[] {"/a", "/b"}) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=60\r\n", BODY));
      shadow.on(path, TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("shadow")));
    }
    origin.on("/passed", TestOrigin.ok("cache-control: no-store\r\n", BODY));
    String yaml =
        """
        http3: {listeners: [secure]}
        origins:
          main: {url: "MAIN", keep-alive: 5s}
          shadow:
            {url: "SHADOW", host: shadow.example, keep-alive: 5s, max-connections: 2,
             timeouts: {connect: 60s}}
        routes:
          - origin: main
            rules:
              - name: copy
                mirror: MIRROR
              - when: {path: {is: /passed}}
                pass: true
        """
            .replace("MAIN", origin.url())
            .replace("SHADOW", shadowUrl)
            .replace("MIRROR", mirror);
    edge = Edge.start(directory, "32MiB", yaml);
  }

  private Edge edge() {
    return Objects.requireNonNull(edge, "started");
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
    shadow.close();
  }

  private void get(String target, String... fields) throws IOException {
    Response response = RawClient.get(edge().port(), target, fields);
    assertEquals(200, response.status(), response::toString);
    assertEquals("from main", response.text());
  }

  private void awaitCopies(String path, int count) {
    Await.until(count + " copies", () -> shadow.count(path) == count);
  }

  @Test
  void whatGoesToTheOriginIsCopiedOnceWithoutSecrets() throws IOException {
    start("shadow");
    get("/a?q=1", "Host: a.example");
    awaitCopies("/a", 1);
    get("/a?q=1", "Host: a.example");
    get("/passed", "Host: a.example", "Cookie: c=1", "Authorization: Basic eA==", "X-Y: z");
    awaitCopies("/passed", 1);
    assertEquals(1, shadow.count("/a"));

    TestOrigin.Request copy = shadow.requests("/passed").getFirst();
    assertEquals("shadow.example", copy.field("host"));
    assertEquals("1", copy.field("mirrored"));
    assertEquals("", copy.field("cookie"));
    assertEquals("", copy.field("authorization"));
    assertEquals("z", copy.field("x-y"));
    TestOrigin.Request sent = origin.requests("/passed").getFirst();
    assertEquals("a.example", sent.field("host"));
    assertEquals("", sent.field("mirrored"));
    assertEquals("c=1", sent.field("cookie"));
    assertEquals(sent.field("cdn-loop"), copy.field("cdn-loop"));
    assertEquals("/a?q=1", shadow.requests("/a").getFirst().target());
    edge().awaitSum(2, counters -> counters.mirrorsSent);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void allRequestsAreCopiedHitsToo(String protocol) throws Exception {
    start("{origin: shadow, requests: all, secrets: true}");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 1; i <= 3; i++) {
        assertEquals(200, client.ask("GET", "/a", "cookie", "c=1").status());
        awaitCopies("/a", i);
      }
      assertEquals("c=1", shadow.requests("/a").getFirst().field("cookie"));
      assertEquals(1, origin.count("/a"));
    }
  }

  @Test
  void aShareIsCopied() throws IOException {
    start("{origin: shadow, share: 50%, requests: all}");
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 200; i++) {
        assertEquals("from main", client.get("/a", "Host: a.example").text());
      }
    }
    long copies = edge().sum(counters -> counters.mirrorsSent + counters.mirrorsDropped);
    assertTrue(copies > 40 && copies < 160, "copies: " + copies);
  }

  @Test
  void aShadowThatHangsIsNoticedByNobodyAndBounded() throws IOException {
    start("{origin: shadow, requests: all}");
    CountDownLatch gate = new CountDownLatch(1);
    shadow.on("/a", (request, connection) -> TestOrigin.await(gate));
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 260; i++) {
        assertEquals("from main", client.get("/a", "Host: a.example").text());
      }
      get("/passed", "Host: a.example");
      assertEquals(256, edge().sum(counters -> counters.mirrorsSent));
      assertEquals(5, edge().sum(counters -> counters.mirrorsDropped));
      assertTrue(shadow.count("/a") <= 2);
    } finally {
      gate.countDown();
    }
  }

  @Test
  void aShadowThatIsDeadIsCounted() throws IOException {
    start("http://127.0.0.1:" + Ports.free(), "shadow");
    get("/a", "Host: a.example");
    get("/b", "Host: a.example");
    edge().awaitSum(2, counters -> counters.mirrorFailures);
  }

  @Test
  void aLongAnswerOfTheShadowIsCutOff() throws IOException {
    start("shadow");
    CountDownLatch cut = new CountDownLatch(1);
    shadow.on(
        "/a",
        (request, connection) -> {
          try {
            TestOrigin.sendHead(connection, "", 1L << 40);
            while (true) {
              connection.send(new byte[64 * 1024]);
            }
          } finally {
            cut.countDown();
          }
        });
    get("/a", "Host: a.example");
    TestOrigin.await(cut);
    get("/b", "Host: a.example");
    awaitCopies("/b", 1);
  }

  @Test
  void bodiesAndCopiesAreNotCopied() throws IOException {
    start("{origin: shadow, requests: all}");
    try (RawClient client = edge().connect()) {
      client.request(
          "POST", "/passed", TestOrigin.ascii("body"), "Host: a.example", "Content-Length: 4");
      assertEquals(200, client.reply().status());
    }
    get("/a", "Host: a.example", "Mirrored: 1");
    edge().awaitSum(2, counters -> counters.mirrorsDropped);
    get("/b", "Host: a.example");
    awaitCopies("/b", 1);
    assertEquals(0, shadow.count("/passed") + shadow.count("/a"));
  }

  @Test
  void explainNamesTheRule() throws Exception {
    start("{origin: shadow, share: 5%}");
    String explained = edge().explain(200, "{\"url\":\"" + edge().url("/a") + "\"}").toString();
    assertTrue(
        explained.contains("sends a copy of 5% of the requests to the origin to origin shadow"),
        explained);
  }
}
