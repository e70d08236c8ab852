package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.Secret;
import io.forebay.server.protect.url.DebugToken;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client with a token sees of its responses, and that nobody else sees it or the token. */
@Timeout(120)
@Tag("slow")
final class ServerDebugFieldsTest {
  private static final String SECRET = "a secret that is long enough";
  private static final byte[] BODY = TestOrigin.ascii("0123456789");
  private static final String FIELD = "forebay-debug";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private final DebugToken tokens = new DebugToken(new Secret(SECRET));
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on("/stored", TestOrigin.ok("cache-control: max-age=60\r\netag: \"1\"\r\n", BODY));
    origin.on("/passed", TestOrigin.ok("cache-control: no-store\r\n", BODY));
    origin.on("/broken", (request, connection) -> connection.close());
    edge =
        Edge.start(
            directory,
            "32MiB",
            "http3: {listeners: [secure]}\n"
                + "debug: {secret: \""
                + SECRET
                + "\"}\n"
                + "access-log: {output: \""
                + directory.resolve("access.log")
                + "\"}\n"
                + Edge.origins(origin.url())
                + """
                routes:
                  - name: plain
                    rules:
                      - {name: first, response-headers: {set: {x-a: b}}}
                      - {name: refuse, when: {path: /denied}, deny: 403}
                  - name: bare
                    match: {path: /stored}
                    key: {headers: [Forebay-Debug]}
                """,
            clock::get);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private String token() {
    return tokens.sign(clock.get() / 1000 + 60);
  }

  private static void expect(String reason, Answer answer) {
    List<String> told = answer.all(FIELD);
    assertEquals(1, told.size(), answer::toString);
    assertTrue(told.getFirst().startsWith("reason=" + reason + ", request-id=\""), told::toString);
    List<String> timing = answer.all("server-timing");
    assertEquals(1, timing.size(), answer::toString);
    assertTrue(
        timing.getFirst().matches("total;dur=[0-9.]+(, origin;dur=[0-9.]+)?"), timing::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void whoHasATokenSeesHowAResponseCameAbout(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer fetched = client.ask("GET", "/stored", FIELD, token());
      expect("miss-uri", fetched);
      assertTrue(fetched.all("server-timing").getFirst().contains("origin;dur="));
      edge.awaitIdle();
      Answer hit = client.ask("GET", "/stored", FIELD, token());
      expect("hit-fresh", hit);
      String told = hit.all(FIELD).getFirst();
      assertTrue(hit.isHit(), "the token is in no key: " + hit);
      assertTrue(
          told.contains("route=\"bare\", origin=\"main\", key=\"")
              && told.contains("/stored")
              && told.contains("age=0, ttl=60, tier=memory"),
          told);
      assertFalse(hit.all("server-timing").getFirst().contains("origin"), hit::toString);
      expect("hit-fresh", client.ask("HEAD", "/stored", FIELD, token()));
      expect("hit-fresh", client.ask("GET", "/stored", FIELD, token(), "range", "bytes=0-1"));
      expect("hit-fresh", client.ask("GET", "/stored", FIELD, token(), "if-none-match", "\"1\""));
      Answer passed = client.ask("POST", "/passed", FIELD, token());
      expect("pass-method", passed);
      assertTrue(passed.all(FIELD).getFirst().contains("rules=(\"first "), passed::toString);
      assertTrue(passed.all(FIELD).getFirst().contains("forebay.yaml:"), passed::toString);
      assertEquals(List.of("b"), passed.all("x-a"), "rules apply as ever");
      expect("rule-deny", client.ask("GET", "/denied", FIELD, token()));
      Answer broken = client.ask("GET", "/broken", FIELD, token());
      assertEquals(502, broken.status());
      expect("origin-broken", broken);

      assertEquals(List.of(), client.ask("GET", "/stored").all(FIELD), "nothing is stored of it");
    }
    for (String path : List.of("/stored", "/passed", "/broken")) {
      origin.requests(path).forEach(request -> assertEquals("", request.field(FIELD)));
    }
  }

  @Test
  void whoHasNoneSeesNothing() throws Exception {
    String expired = tokens.sign(clock.get() / 1000);
    String forged = new DebugToken(new Secret("another secret, also long")).sign(expires());
    try (RawClient client = edge.connect()) {
      client.get("/stored", "Host: a");
      edge.awaitIdle();
      long fast = edge.sum(c -> c.fastHits);
      for (String token : List.of("", "x", expired, forged)) {
        RawClient.Response answer = client.get("/stored", "Host: a", "Forebay-Debug: " + token);
        assertTrue(answer.isHit(), answer::toString);
        assertFalse(answer.has(FIELD), answer::toString);
        assertFalse(answer.has("server-timing"), answer::toString);
      }
      String valid = token();
      assertFalse(
          client
              .get("/stored", "Host: a", "Forebay-Debug: " + valid, "Forebay-Debug: " + valid)
              .has(FIELD),
          "two are none");
      assertEquals(fast, edge.sum(c -> c.fastHits), "such requests leave the fast lane");
      assertTrue(client.get("/stored", "Host: a").isHit());
      assertEquals(fast + 1, edge.sum(c -> c.fastHits), "all others stay there");
      client.request("POST", "/passed", "Host: a", "Forebay-Debug: " + forged);
      client.reply();
      assertEquals("", origin.requests("/passed").getFirst().field(FIELD));
    }
    Path log = directory.resolve("access.log");
    Await.until(
        "all requests are logged", () -> Files.exists(log) && Files.readAllLines(log).size() >= 8);
    assertFalse(Files.readString(log).contains("~"), "a token is in the log");
  }

  private long expires() {
    return clock.get() / 1000 + 60;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{secret: short} | debug.secret: the secret has fewer than 16 characters; use a long random one",
        "{secret-file: /does/not/exist} | debug.secret-file: \"/does/not/exist\" is not a text file",
        "{secret: 'a secret that is long', secret-file: /x} | debug.secret-file: secret is given as well",
        "{secrt: a} | debug.secrt: unknown key; did you mean secret?",
      })
  void whatIsWrongOfTheSecretIsSaid(String debug, String expected) throws IOException {
    Path file = directory.resolve("other.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9\ndebug: " + debug + "\n");
    ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
    String problems = assertInstanceOf(ConfigOutcome.Refused.class, outcome).problems().toString();
    assertTrue(problems.contains(expected), problems);
  }
}
