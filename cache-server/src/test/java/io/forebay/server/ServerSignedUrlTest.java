package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.TargetUri;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.config.Secret;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.protect.url.UrlToken;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed URLs over sockets, by a wall clock that the test moves. */
@Timeout(240)
@Tag("slow")
final class ServerSignedUrlTest {
  private static final UrlKey FIRST = key("k1", "the first secret of this test");
  private static final UrlKey SECOND = key("k2", "the second secret of this test");
  private static final String SITE = "Host: www.example";
  private static final String FRESH = "cache-control: max-age=100000\r\n";
  private static final String HMAC =
      "signed-urls: {type: hmac}, url-keys: [{id: k1, secret: the first secret of this test},"
          + " {id: k2, secret: the second secret of this test}]";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private @Nullable Edge edge;

  private static UrlKey key(String id, String secret) {
    return new UrlKey(id, new Secret(secret));
  }

  @BeforeEach
  void serve() {
    for (String path : List.of("/a", "/v/1/x", "/v/2", "/s/link", "/s/a%20b")) {
      origin.on(path, TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    }
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private Path log() {
    return directory.resolve("access.log");
  }

  private void start(String protection) throws IOException {
    start(protection, "");
  }

  private void start(String protection, String moreOfRoute) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "protection: {p: {"
                + protection
                + "}}\nroutes: [{protection: p"
                + moreOfRoute
                + "}]\n"
                + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n"
                + "access-log: {output: \""
                + log()
                + "\"}\n",
            clock::get);
  }

  private long inSeconds(long seconds) {
    return clock.get() / 1000 + seconds;
  }

  private String token(UrlKey key, String target, @Nullable String prefix, @Nullable String net) {
    TargetUri url = requireNonNull(TargetUri.parse("http://www.example" + target));
    return UrlToken.sign(key, url, "token", inSeconds(60), prefix, net);
  }

  private Response get(RawClient client, String target, String... fields) throws IOException {
    String[] all = new String[fields.length + 1];
    all[0] = SITE;
    System.arraycopy(fields, 0, all, 1, fields.length);
    return client.request("GET", target, all).reply();
  }

  @Test
  void tokensOfAllKeysShareOneResponseAndStayInTheFastLane() throws Exception {
    start(HMAC);
    try (RawClient client = edge().connect()) {
      assertEquals(403, get(client, "/a").status());
      String one = "/a?token=" + token(FIRST, "/a", null, null);
      assertEquals(200, get(client, one).status());
      edge().awaitIdle();
      assertTrue(get(client, one).isHit());
      assertTrue(get(client, "/a?token=" + token(SECOND, "/a", null, null)).isHit());
      long before = edge().sum(c -> c.fastHits);
      for (int i = 0; i < 5; i++) {
        assertTrue(get(client, one).isHit());
      }
      edge().awaitSum(before + 5, c -> c.fastHits);
      assertEquals(403, get(client, "/a").status());
      clock.addAndGet(61_000);
      Response expired = get(client, one);
      assertEquals(410, expired.status());
      assertTrue(expired.field("cache-status").contains("detail=expired"), expired.toString());
    }
    assertEquals(1, origin.count("/a"));
    assertEquals("/a", origin.requests("/a").getFirst().target());
    assertEquals(3, edge().sum(c -> c.refusals(ProtectionRule.SIGNED_URL)));
    Await.until("all is logged", () -> Files.readString(log()).lines().count() == 11);
    String logged = Files.readString(log());
    assertFalse(logged.contains("token"), logged);
  }

  @Test
  void whatTheNodeAnswersItselfIsLoggedWithoutTheToken() throws Exception {
    start(
        HMAC,
        ", rules: [{when: {path: /old}, redirect: '/new?$query'}, {when: {path: /no}, deny: 451},"
            + " {when: {path: /said}, respond: {text: x}}]");
    try (RawClient client = edge().connect()) {
      Response moved = get(client, "/old?token=" + token(FIRST, "/old", null, null));
      assertEquals(302, moved.status());
      // Who may have the old URL gets all of its query.
      assertTrue(moved.field("location").contains("token="), moved::toString);
      assertEquals(451, get(client, "/no?token=" + token(FIRST, "/no", null, null)).status());
      assertEquals(200, get(client, "/said?token=" + token(FIRST, "/said", null, null)).status());
      assertEquals(403, get(client, "/a?token=" + token(FIRST, "/no", null, null)).status());
    }
    Await.until("all is logged", () -> Files.readString(log()).lines().count() == 4);
    String logged = Files.readString(log());
    assertFalse(logged.contains("token"), logged);
    assertEquals(0, origin.count("/a"));
  }

  @Test
  void aTokenIsForItsHostAndQuery() throws Exception {
    start(HMAC);
    String token = token(FIRST, "/a?id=1&x=2", null, null);
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a?id=1&x=2&token=" + token).status());
      assertEquals(200, get(client, "/a?token=" + token + "&id=1&x=2").status());
      assertEquals("/a?id=1&x=2", origin.requests("/a").getFirst().target());
      assertEquals(403, get(client, "/a?id=2&x=2&token=" + token).status());
      assertEquals(403, get(client, "/a?x=2&id=1&token=" + token).status());
      assertEquals(403, get(client, "/a?token=" + token).status());
      assertEquals(403, get(client, "/a?id=1&x=2&token=" + token + "&token=" + token).status());
      assertEquals(
          403,
          client
              .request("GET", "/a?id=1&x=2&token=" + token, "Host: other.example")
              .reply()
              .status());
    }
  }

  @Test
  void aPassedRequestHasNoTokenEither() throws Exception {
    start(HMAC);
    String token = token(FIRST, "/a?id=1", null, null);
    try (RawClient client = edge().connect()) {
      Response posted =
          client.request("POST", "/a?id=1&token=" + token, SITE, "Content-Length: 0").reply();
      assertEquals(200, posted.status());
    }
    assertEquals("/a?id=1", origin.requests("/a").getFirst().target());
  }

  @Test
  void aPrefixAdmitsWhatIsBelowIt() throws Exception {
    start(HMAC);
    String token = token(FIRST, "/v/1/x", "/v/1/", null);
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/v/1/x?q=any&token=" + token).status());
      assertEquals(403, get(client, "/v/2?token=" + token).status());
      assertEquals(403, get(client, "/v/1/../2?token=" + token).status());
      // Another length with the same signature.
      assertEquals(403, get(client, "/v/1/x?token=" + token.replace("~5~", "~3~")).status());
    }
  }

  @Test
  void aNetworkAdmitsItsClientsOnly() throws Exception {
    start(HMAC);
    String token = token(FIRST, "/a", null, "198.51.100.0/24");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, "/a?token=" + token, "X-Forwarded-For: 198.51.100.1").status());
      assertEquals(403, get(client, "/a?token=" + token, "X-Forwarded-For: 203.0.113.1").status());
      assertEquals(403, get(client, "/a?token=" + token.replace("198.51.100.0/24", "-")).status());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "~~~~",
        "k1",
        "k1~1~-~-~",
        "k1~99999999999~-~-~",
        "k1~999999999999~-~-~x",
        "k9~1~-~-~x",
        "k1~-1~-~-~x",
        "k1~1~99999999999~-~x",
        "k1~1~0~-~x",
        "k1~1~-~300.0.0.0/8~x",
        "k1~1~-~-~x~y",
        "%6b1~1~-~-~x"
      })
  void whatIsNoTokenIsRefused(String token) throws Exception {
    start(HMAC);
    try (RawClient client = edge().connect()) {
      assertEquals(403, get(client, "/a?token=" + token).status());
      assertEquals(403, get(client, "/a?token=" + token + "x".repeat(1000)).status());
    }
    assertEquals(0, origin.count("/a"));
  }

  @Test
  void overHttp2Too() throws Exception {
    start(HMAC);
    String host = "127.0.0.1:" + edge().tlsPort();
    TargetUri url = requireNonNull(TargetUri.parse("https://" + host + "/a"));
    String token = UrlToken.sign(FIRST, url, "token", inSeconds(60), null, null);
    try (HttpClient http = edge().tlsClient(HttpClient.Version.HTTP_2)) {
      for (String query : List.of("?token=" + token, "")) {
        HttpResponse<String> answer =
            http.send(
                HttpRequest.newBuilder(URI.create("https://" + host + "/a" + query)).build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(query.isEmpty() ? 403 : 200, answer.statusCode());
      }
    }
  }

  /** The links are those of nginx's documentation and of openssl, by the recipe that it names. */
  @ParameterizedTest
  @CsvSource({
    "true, 200, /s/link?md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483647",
    "true, 403, /s/link?md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483646",
    "true, 403, /s/link?md5=_f4Nc3iduzkWRm01TBBNYw&expires=2147483647",
    "true, 403, /s/link?md5=_e4Nc3iduzkWRm01TBBNYw",
    "true, 403, /s/link?md5=!&expires=2147483647",
    "false, 403, /s/link?md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483647",
    "false, 200, /s/a%20b?md5=I03psk-Kf_EngQZ0xYLdjg&expires=2147483647",
    "true, 410, /s/link?md5=UIngCYIigrobPw-tBCrI1A&expires=1000000000"
  })
  void linksOfNginxAreTaken(boolean hasAddress, int status, String target) throws Exception {
    start(
        "signed-urls: {type: nginx-secure-link, nginx-address: "
            + hasAddress
            + "}, url-keys: [{id: new, secret: another}, {id: old, secret: secret}]");
    try (RawClient client = edge().connect()) {
      assertEquals(status, get(client, target).status());
    }
    if (status == 200) {
      String path = target.substring(0, target.indexOf('?'));
      assertEquals(path, origin.requests(path).getFirst().target());
    }
  }
}
