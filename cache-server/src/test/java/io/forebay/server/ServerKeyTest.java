package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keys by the recipes of routes: which requests share an object, and what fills send to the origin.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerKeyTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

  private static final String ROUTES =
      """
      routes:
        - {match: {path: /}, key: {}}
        - {match: {path: /strip}, key: {strip: [utm_*, fbclid], query: sort}}
        - {match: {path: /ignore}, key: {query: ignore}}
        - {match: {path: /shared}, key: {host: shared.example, port: no, fold-path-case: yes}}
        - {match: {path: /SHARED}, key: {host: shared.example, port: no, fold-path-case: yes}}
        - match: {path: /fields}
          key: {headers: [X-Country], cookies: [kind], ignore-headers: [X-Noise]}
        - {match: {path: /device}, key: {device: yes, languages: [en, de]}}
      """;

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.before(origin, directory, "32MiB", ROUTES);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Answers with what it was asked, and what it says beyond. */
  private void echo(String path, String fields) {
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + fields,
                TestOrigin.ascii(request.number() + " " + request.target())));
  }

  private static Response hit(RawClient client, String path, String... fields) {
    Response[] last = new Response[1];
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            last[0] = client.get(path, fields);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  @Test
  void strippedAndSortedParametersShareAnObjectAndNeverReachTheOrigin() throws IOException {
    echo("/strip", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /strip?a=1&b=2", client.get("/strip?utm_x=evil&b=2&fbclid=9&a=1").text());
      assertEquals("1 /strip?a=1&b=2", hit(client, "/strip?b=2&a=1").text());
      assertEquals("1 /strip?a=1&b=2", hit(client, "/strip?a=1&b=2&utm_source=other").text());
      assertEquals("2 /strip?a=1", client.get("/strip?a=1&utm_x=evil").text());
    }
    assertEquals(2, origin.count("/strip"));
  }

  @Test
  void aPurgeOfAnyUrlThatHasTheKeyKillsTheObject() throws IOException {
    echo("/strip/p", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /strip/p?b=1", client.get("/strip/p?b=1").text());
      assertEquals("1 /strip/p?b=1", hit(client, "/strip/p?b=1&utm_x=1").text());
      edge.purgeUrl("/strip/p?b=1&utm_x=2");
      assertEquals("2 /strip/p?b=1", client.get("/strip/p?b=1").text());
    }
  }

  /** RFC 9111 §4.4. */
  @Test
  void anUnsafeRequestInvalidatesWhatSharesTheKeyOfItsUrl() throws IOException {
    echo("/strip/i", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /strip/i?b=1", client.get("/strip/i?b=1").text());
      assertEquals("1 /strip/i?b=1", hit(client, "/strip/i?b=1").text());
      Response posted = client.request("POST", "/strip/i?utm_x=2&b=1", "Content-Length: 0").reply();
      assertEquals("2 /strip/i?utm_x=2&b=1", posted.text(), "passed as the client wrote it");
      assertEquals("3 /strip/i?b=1", client.get("/strip/i?b=1").text());
    }
  }

  @Test
  void aQueryThatIsIgnoredNeverReachesTheOrigin() throws IOException {
    echo("/ignore", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /ignore", client.get("/ignore?x=evil").text());
      assertEquals("1 /ignore", hit(client, "/ignore?y").text());
      assertEquals("1 /ignore", hit(client, "/ignore").text());
    }
  }

  @Test
  void hostsShareWhatIsKeptUnderAFixedName() throws IOException {
    echo("/shared/x", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /shared/x", client.get("/shared/X", "Host: a.example").text());
      assertEquals("1 /shared/x", hit(client, "/SHARED/x", "Host: b.example:99").text());
      assertEquals("shared.example", origin.requests("/shared/x").getFirst().field("host"));
      assertEquals(
          "shared.example", origin.requests("/shared/x").getFirst().field("x-forwarded-host"));
      edge.purge(PurgeKind.HOST, "b.example", false);
      assertEquals("2 /shared/x", client.get("/shared/x", "Host: a.example").text());
      assertEquals("2 /shared/x", hit(client, "/shared/x", "Host: c.example").text());
      edge.purge(PurgeKind.PREFIX, "d.example/Shared/", false);
      assertEquals("3 /shared/x", client.get("/shared/x", "Host: a.example").text());
    }
  }

  /** RFC 9111 §4.1: what the route maps is in the key, so Vary by it is no obstacle. */
  @Test
  void namedCookiesAndFieldsSelectAndNoOthersReachTheOrigin() throws IOException {
    origin.on(
        "/fields",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + "vary: Cookie, X-Country, X-Noise\r\n",
                TestOrigin.ascii(
                    request.number()
                        + " "
                        + request.field("cookie")
                        + " "
                        + request.field("x-country")
                        + request.field("x-noise"))));
    try (RawClient client = edge.connect()) {
      String a = "Cookie: session=secret; kind=a";
      assertEquals("1 kind=a se", client.get("/fields", a, "X-Country: se", "X-Noise: 1").text());
      assertEquals(
          "1 kind=a se",
          hit(client, "/fields", "Cookie: kind=a; session=other", "X-Country:  se").text());
      assertEquals("2 kind=b se", client.get("/fields", "Cookie: kind=b", "X-Country: se").text());
      assertEquals("3  se", client.get("/fields", "X-Country: se", "Cookie: x=y").text());
      assertEquals("4  ", client.get("/fields").text());
      assertEquals("1 kind=a se", hit(client, "/fields", a, "X-Country: se").text());
      edge.purgeUrl("/fields");
      for (String kind : List.of("a", "b")) {
        Response reply = client.get("/fields", "Cookie: kind=" + kind, "X-Country: se");
        assertFalse(reply.isHit(), "a purge by URL takes all: " + reply.text());
      }
    }
  }

  @Test
  void whatARouteHasComeToIgnoreSelectsNoLonger() throws IOException {
    echo("/reload", "vary: X-Noise\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /reload", client.get("/reload", "X-Noise: 1").text());
      assertEquals("1 /reload", hit(client, "/reload", "X-Noise: 1").text());
      edge.configure(
          Edge.origins(origin.url())
              + ROUTES
              + "  - {match: {path: /reload}, key: {ignore-headers: [X-Noise]}}\n");
      assertTrue(edge.server().reload().errors().isEmpty());
      assertEquals("2 /reload", client.get("/reload", "X-Noise: 2").text());
      assertEquals("2 /reload", hit(client, "/reload", "X-Noise: 3").text());
      assertEquals("", origin.requests("/reload").getLast().field("x-noise"));
    }
  }

  @Test
  void classesOfDevicesAndLanguagesSelect() throws IOException {
    origin.on(
        "/device",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + "vary: User-Agent, Accept-Language\r\n",
                TestOrigin.ascii(
                    request.field("forebay-device") + " " + request.field("accept-language"))));
    try (RawClient client = edge.connect()) {
      String phone = "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Mobile/15E148";
      assertEquals(
          "mobile de", client.get("/device", phone, "Accept-Language: de-CH, fr;q=0.9").text());
      assertEquals(
          "mobile de",
          hit(client, "/device", "Sec-CH-UA-Mobile: ?1", "Accept-Language: it, DE;q=0.1").text());
      assertEquals("mobile en", client.get("/device", phone).text());
      assertEquals("desktop en", client.get("/device", "User-Agent: curl/8").text());
      assertEquals("desktop en", hit(client, "/device", "Accept-Language: xx").text());
    }
    assertEquals(3, origin.count("/device"));
    assertTrue(
        origin.requests("/device").stream()
            .noneMatch(request -> request.field("user-agent").contains("iPhone")),
        "nobody's own User-Agent gets into what is stored for all");
  }
}
