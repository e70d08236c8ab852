package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LoopCounters.PurgeResult;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Purges by requests to the listeners, as sent by plugins of content management systems. */
@Timeout(240)
@Tag("slow")
final class ServerPurgeMethodTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String SITE = "Host: www.example";
  private static final String LOCAL = "purge: {from: 127.0.0.1}\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String more) throws IOException {
    edge = Edge.before(origin, directory, "32MiB", "http3: {listeners: [secure]}\n" + more);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private void serve(String path, String fields) {
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection, FRESH + fields, TestOrigin.ascii("v" + request.number())));
  }

  private Response plain(String method, String target, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      client.request(method, target, fields);
      return client.reply();
    }
  }

  private Response secure(String method, String target, String... fields) throws IOException {
    try (RawClient client = edge.connectTls()) {
      client.request(method, target, fields);
      return client.reply();
    }
  }

  /** Has something stored as a visitor would, and gives its text. */
  private String visited(boolean isSecure, String path, String host) throws IOException {
    String field = "Host: " + host;
    Response reply = isSecure ? secure("GET", path, field) : plain("GET", path, field);
    assertEquals(200, reply.status());
    edge.awaitIdle();
    return reply.text();
  }

  private long counted(PurgeResult result) {
    return edge.sum(c -> c.purgeRequests(result));
  }

  @Test
  void aPurgeOverPlainHttpTakesWhatVisitorsGetOverTlsAndOnEveryPort() throws IOException {
    start(LOCAL);
    serve("/a", "");
    for (String host : List.of("www.example", "www.example:9000")) {
      for (boolean isSecure : new boolean[] {false, true}) {
        String first = visited(isSecure, "/a", host);
        assertEquals(first, visited(isSecure, "/a", host));
      }
    }
    assertEquals(4, origin.count("/a"));
    serve("/b", "");
    assertEquals("v1", visited(true, "/b", "www.example"));
    Response purged = plain("PURGE", "/a", SITE);
    assertEquals(200, purged.status(), purged.text());
    assertTrue(purged.text().startsWith("purged: url http://www.example/a\n"), purged.text());
    assertEquals("no-store", purged.field("cache-control"));
    for (String host : List.of("www.example", "www.example:9000")) {
      for (boolean isSecure : new boolean[] {false, true}) {
        String ignored = visited(isSecure, "/a", host);
      }
    }
    assertEquals(8, origin.count("/a"));
    assertEquals("v1", visited(true, "/b", "www.example"));
    edge.awaitSum(1, c -> c.purgeRequests(PurgeResult.DONE));
  }

  /**
   * Absolute form, as MediaWiki sends it through a proxy; the scheme need not be the listener's.
   */
  @ParameterizedTest
  @ValueSource(strings = {"http://www.example/a", "https://www.example/a"})
  void aPurgeInAbsoluteFormIsOfThatUrl(String target) throws IOException {
    start(LOCAL);
    serve("/a", "");
    assertEquals("v1", visited(true, "/a", "www.example"));
    try (RawClient client = edge.connect()) {
      client.send(
          "PURGE "
              + target
              + " HTTP/1.1\r\nHost: www.example\r\nConnection: Keep-Alive\r\n"
              + "Proxy-Connection: Keep-Alive\r\n\r\n");
      assertEquals(200, client.reply().status());
      // The connection goes on.
      assertEquals("v2", client.get("/a", SITE).text());
    }
  }

  @Test
  void aPurgeOverHttp10IsAnswered() throws IOException {
    start(LOCAL);
    serve("/a", "");
    assertEquals("v1", visited(false, "/a?b=c", "www.example"));
    try (RawClient client = edge.connect()) {
      client.send("PURGE /a?b=c HTTP/1.0\r\nHost: www.example\r\nConnection: close\r\n\r\n");
      assertEquals(200, client.reply().status());
    }
    assertEquals("v2", visited(false, "/a?b=c", "www.example"));
  }

  @Test
  void aPurgeOverHttp2AndHttp3IsAnswered() throws Exception {
    start(LOCAL);
    serve("/a", "xkey: one two\r\n");
    String host = "127.0.0.1:" + edge.tlsPort();
    assertEquals("v1", visited(true, "/a", host));
    HttpClient http = edge.tlsClient(HttpClient.Version.HTTP_2);
    HttpResponse<String> two =
        http.send(
            HttpRequest.newBuilder(URI.create("https://" + host + "/a"))
                .method("PURGE", HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(200, two.statusCode(), two.body());
    assertEquals(HttpClient.Version.HTTP_2, two.version());
    assertEquals("v2", visited(true, "/a", host));
    try (Http3Client three = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Headers purge = Http3Client.request("PURGE", "/");
      purge.set("xkey", "two");
      Http3Client.Answer answer = three.open(purge, true);
      assertEquals("200", answer.status());
      assertEquals("end", answer.end());
      assertTrue(answer.body.toString().startsWith("purged: tag two\n"), answer.body.toString());
    }
    assertEquals("v3", visited(true, "/a", host));
    http.close();
  }

  @Test
  void tagsOfMagentoDrupalAndOthersAreThoseOfTheirResponses() throws IOException {
    start(LOCAL);
    List<List<String>> systems =
        List.of(
            List.of(
                "X-Magento-Tags: cat_p_1,cms_b_2", "X-Magento-Tags-Pattern: ((^|,)cms_b_2(,|$))"),
            List.of("Cache-Tags: node:1 node_list", "Cache-Tags: node:1|user:7"),
            List.of("X-Cache-Tags: pages_7,tt_content_5", "X-Cache-Tags: tt_content_5"),
            List.of("xkey: c52 l2", "xkey-purge: l2"),
            List.of("Surrogate-Key: a b", "Surrogate-Key: b c"),
            // The compressed form of an extension of TYPO3: only an expression can name that.
            List.of(
                "X-Cache-Tags: tt_content{,5,6,},pages{,7,}",
                "X-Cache-Tags: (^|,)tt_content\\{[^}]*,5,"));
    for (int i = 0; i < systems.size(); i++) {
      String path = "/" + i;
      serve(path, systems.get(i).getFirst() + "\r\n");
      serve(path + "/other", "xkey: other\r\n");
      assertEquals("v1", visited(false, path, "www.example"));
      assertEquals("v1", visited(false, path + "/other", "www.example"));
      String method = i == 1 || i == 2 ? "BAN" : i == 3 ? "PURGEKEYS" : "PURGE";
      Response purged = plain(method, "/", "Host: cache.internal", systems.get(i).getLast());
      assertEquals(200, purged.status(), purged.text());
      assertEquals("v2", visited(false, path, "www.example"), path);
      assertEquals("v1", visited(false, path + "/other", "www.example"), path);
    }
  }

  @Test
  void aSoftPurgeMakesStale() throws IOException {
    start(LOCAL + "routes: [{origin: main, stale-while-revalidate: 1000s}]\n");
    serve("/a", "xkey: one\r\n");
    assertEquals("v1", visited(false, "/a", "www.example"));
    assertEquals(200, plain("PURGE", "/a", SITE, "Fastly-Soft-Purge: 1").status());
    assertEquals("v1", visited(false, "/a", "www.example"));
    Await.until("it is refreshed", () -> origin.count("/a") == 2);
    edge.awaitIdle();
    assertEquals("v2", visited(false, "/a", "www.example"));
    assertEquals(200, plain("PURGEKEYS", "/", SITE, "xkey-softpurge: one").status());
    assertEquals("v2", visited(false, "/a", "www.example"));
  }

  @Test
  void theWholeSiteOfAWordPressGoesAndNoOther() throws IOException {
    start(LOCAL);
    serve("/a", "");
    serve("/shop/b", "");
    for (String host : List.of("www.example", "other.example")) {
      String ignored = visited(true, "/a", host);
      ignored = visited(true, "/shop/b", host);
    }
    Response part = plain("PURGE", "/shop/.*", SITE, "X-Purge-Method: regex");
    assertEquals(200, part.status(), part.text());
    assertEquals("v1", visited(true, "/a", "www.example"));
    assertEquals("v3", visited(true, "/shop/b", "www.example"));
    assertEquals(200, plain("PURGE", "/.*", SITE, "X-Purge-Method: regex").status());
    assertEquals("v3", visited(true, "/a", "www.example"));
    assertEquals("v2", visited(true, "/a", "other.example"));
    assertEquals("v2", visited(true, "/shop/b", "other.example"));
  }

  @Test
  void byDefaultThereIsNoPurge() throws IOException {
    start("");
    serve("/a", "");
    assertEquals("v1", visited(false, "/a", "www.example"));
    for (String method : List.of("PURGE", "BAN", "PURGEKEYS")) {
      assertEquals(405, plain(method, "/a", SITE, "xkey: a").status(), method);
    }
    assertEquals("v1", visited(false, "/a", "www.example"));
    assertEquals(1, origin.count("/a"));
    assertEquals(0, counted(PurgeResult.DENIED));
  }

  @Test
  void fromElsewhereItIs405AsWhereItIsOff() throws IOException {
    start("purge: {from: [192.0.2.0/24, \"2001:db8::/32\"]}\n");
    serve("/a", "");
    assertEquals("v1", visited(false, "/a", "www.example"));
    assertEquals(405, plain("PURGE", "/a", SITE).status());
    // What a stranger says of others does not count.
    for (String field :
        List.of("X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "X-Real-IP: 192.0.2.1")) {
      assertEquals(405, plain("PURGE", "/a", SITE, field).status(), field);
    }
    assertEquals("v1", visited(false, "/a", "www.example"));
    edge.awaitSum(4, c -> c.purgeRequests(PurgeResult.DENIED));
  }

  /** A visitor that comes through a proxy on the machine has not the proxy's address. */
  @Test
  void aProxyThatIsNotTrustedPurgesForNobody() throws IOException {
    start(LOCAL);
    serve("/a", "");
    assertEquals("v1", visited(false, "/a", "www.example"));
    for (String field : List.of("X-Forwarded-For: 127.0.0.1", "Via: 1.1 proxy")) {
      assertEquals(405, plain("PURGE", "/a", SITE, field).status(), field);
    }
    assertEquals("v1", visited(false, "/a", "www.example"));
    assertEquals(200, plain("PURGE", "/a", SITE).status());
    assertEquals("v2", visited(false, "/a", "www.example"));
  }

  @Test
  void behindATrustedProxyTheClientsAddressDecides() throws IOException {
    start("forwarding: {node-id: edge, trusted: 127.0.0.1}\npurge: {from: 192.0.2.0/24}\n");
    serve("/a", "");
    assertEquals("v1", visited(false, "/a", "www.example"));
    for (String said : List.of("198.51.100.1", "192.0.2.1, 198.51.100.1", "192.0.2.1, x", "")) {
      Response refused = plain("PURGE", "/a", SITE, "X-Forwarded-For: " + said);
      assertEquals(405, refused.status(), said);
    }
    assertEquals(405, plain("PURGE", "/a", SITE).status());
    assertEquals("v1", visited(false, "/a", "www.example"));
    Response purged = plain("PURGE", "/a", SITE, "X-Forwarded-For: 198.51.100.1, 192.0.2.1");
    assertEquals(200, purged.status(), purged.text());
    assertEquals("v2", visited(false, "/a", "www.example"));
  }

  @Test
  void aReloadTurnsItOnAndOff() throws IOException {
    start("");
    serve("/a", "");
    assertEquals(405, plain("PURGE", "/a", SITE).status());
    edge.configure(Edge.origins(origin.url()) + "http3: {listeners: [secure]}\n" + LOCAL);
    assertEquals(List.of(), edge.server().reload().needsRestart());
    assertEquals(200, plain("PURGE", "/a", SITE).status());
  }

  @Test
  void whatCannotBeFollowedIs400AndPurgesNothing() throws IOException {
    start(LOCAL);
    serve("/a", "xkey: a\r\n");
    assertEquals("v1", visited(false, "/a", "www.example"));
    List<List<String>> wrong =
        List.of(
            List.of("/a", "X-Pool: a"),
            List.of("/a", "X-Purge-Method: everything"),
            List.of("/a", "Fastly-Soft-Purge: maybe"),
            List.of("/a", "xkey:"),
            List.of("/a", "X-Ban-Regex: (a"),
            List.of("/a", "X-Cache-Tags: " + "(a){9}".repeat(200)),
            List.of("/" + "a".repeat(8000) + "/" + "b".repeat(8100), "Accept: */*"));
    for (List<String> one : wrong) {
      Response refused = plain("PURGE", one.getFirst(), SITE, one.getLast());
      boolean isTooLong = one.getFirst().length() > 8000;
      assertEquals(isTooLong ? 414 : 400, refused.status(), one + " " + refused.text());
    }
    try (RawClient client = edge.connect()) {
      client.send("PURGE /a HTTP/1.1\r\n" + SITE + "\r\nContent-Length: 7\r\n\r\nxkey: a");
      Response refused = client.reply();
      assertEquals(400, refused.status());
      assertTrue(refused.text().contains("a purge has no content"), refused.text());
    }
    assertEquals("v1", visited(false, "/a", "www.example"));
    edge.awaitSum(7, c -> c.purgeRequests(PurgeResult.MALFORMED));
  }

  @Test
  void itStandsInTheAccessLogAndHasAReceipt() throws Exception {
    Path log = directory.resolve("access.log");
    start(LOCAL + "access-log: {output: \"" + log + "\"}\n");
    assertEquals(200, plain("PURGE", "/", SITE, "xkey: a b c").status());
    assertEquals(405, plain("PURGE", "/x", SITE, "X-Forwarded-For: 192.0.2.1").status());
    edge.stop();
    List<String> lines = new ArrayList<>(Files.readAllLines(log));
    lines.removeIf(line -> !line.contains("\"PURGE\""));
    assertEquals(2, lines.size(), lines.toString());
    String all = String.join("\n", lines);
    assertTrue(all.contains("\"purged\""), all);
    assertTrue(all.contains("forwarding.trusted"), all);
    edge.start();
    var latest = edge.server().latestPurges(10);
    assertEquals(1, latest.size());
    assertEquals(PurgeKind.TAG, latest.getFirst().kind());
    assertEquals("a b c", latest.getFirst().text());
  }

  /** The admin API: a URL as it is, with both schemes, on every port; and where else it is. */
  @Test
  void aPurgeByUrlTakesOtherSchemesAndPortsWhereItSaysSo() throws Exception {
    start("");
    serve("/a", "");
    assertEquals("v1", visited(true, "/a", "www.example"));
    assertEquals("v2", visited(false, "/a", "www.example:" + edge.port()));
    String url = "http://www.example/a";
    PurgeOrder order = new PurgeOrder(PurgeKind.URL, url, false);
    assertEquals(0, edge.server().purge(order).matched().orElseThrow());
    assertEquals(
        List.of("http://www.example:" + edge.port() + "/a", "https://www.example/a"),
        edge.server().storedElsewhere(url));
    PurgeDone schemes =
        edge.server().purge(new PurgeOrder(PurgeKind.URL, url, false, Reach.ANY_SCHEME));
    assertEquals(1, schemes.matched().orElseThrow());
    assertEquals(
        List.of("http://www.example:" + edge.port() + "/a"), edge.server().storedElsewhere(url));
    PurgeDone ports =
        edge.server().purge(new PurgeOrder(PurgeKind.URL, url, false, Reach.ANY_PORT));
    assertFalse(ports.matched().isPresent());
    assertEquals(List.of(), edge.server().storedElsewhere(url));
    assertEquals("v3", visited(false, "/a", "www.example:" + edge.port()));
    assertEquals("v4", visited(true, "/a", "www.example"));
  }

  @Test
  void aPurgeOnAnyPortTakesWhatARouteKeepsUnderAnotherHostOrQuery() throws IOException {
    start(
        LOCAL
            + "routes:\n"
            + "  - {origin: main}\n"
            + "  - {name: shared, origin: main, match: {host: \"*.shared\"}, key: {host: one,"
            + " port: false, scheme: false, strip: [utm_*]}}\n");
    serve("/a", "");
    assertEquals("v1", visited(true, "/a?x=1&utm_a=2", "a.shared"));
    assertEquals("v1", visited(false, "/a?x=1", "b.shared:81"));
    assertEquals(200, plain("PURGE", "/a?utm_b=3&x=1", "Host: b.shared").status());
    assertEquals("v2", visited(true, "/a?x=1", "a.shared"));
  }
}
