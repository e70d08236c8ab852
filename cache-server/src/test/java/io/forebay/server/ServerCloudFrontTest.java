package io.forebay.server;

import static io.forebay.server.CloudFrontSigner.cookies;
import static io.forebay.server.CloudFrontSigner.policy;
import static io.forebay.server.CloudFrontSigner.until;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs and cookies signed for CloudFront, over sockets, by a wall clock that the test moves. */
@Timeout(240)
@Tag("slow")
final class ServerCloudFrontTest {
  private static final CloudFrontSigner RSA = CloudFrontSigner.rsa("KRSA", "SHA1");
  private static final CloudFrontSigner RSA_256 =
      new CloudFrontSigner("KRSA", RSA.keys(), "SHA256");
  private static final CloudFrontSigner EC = CloudFrontSigner.ecdsa("KEC", "SHA256");
  private static final CloudFrontSigner STRANGER = CloudFrontSigner.rsa("KRSA", "SHA1");
  private static final String SITE = "Host: www.example";
  private static final String HTTP = "http://www.example";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private @Nullable Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/a", "/v/1/x", "/w")) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=100000\r\n", TestOrigin.ascii("a")));
    }
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                + "protection: {p: {signed-urls: {type: cloudfront}, url-keys: ["
                + RSA.configured(directory)
                + ", "
                + EC.configured(directory)
                + "]}}\nroutes: [{protection: p}]\n"
                + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n"
                + "access-log: {output: \""
                + log()
                + "\"}\n",
            clock::get);
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

  private long inSeconds(long seconds) {
    return clock.get() / 1000 + seconds;
  }

  private int status(String target, String... fields) throws IOException {
    return get(target, fields).status();
  }

  private Response get(String target, String... fields) throws IOException {
    try (RawClient client = edge().connect()) {
      return client
          .request(
              "GET",
              target,
              Stream.concat(Stream.of(SITE), Arrays.stream(fields)).toArray(String[]::new))
          .reply();
    }
  }

  private String log(int lines) {
    Await.until("all is logged", () -> Files.readString(log()).lines().count() >= lines);
    try {
      return Files.readString(log());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void allKindsOfSignaturesAdmitAndShareOneResponse() throws Exception {
    int asked = 0;
    for (CloudFrontSigner signer : List.of(RSA, RSA_256, EC)) {
      String canned = signer.canned(HTTP + "/a", inSeconds(60));
      String custom = signer.custom(policy(HTTP + "/*", until(inSeconds(60))));
      for (String parameters : List.of(canned, custom)) {
        assertEquals(200, status("/a?" + parameters), parameters);
        assertEquals(200, status("/a", cookies(parameters)), parameters);
        assertEquals(403, status("/w?" + canned), "another URL");
        asked += 3;
      }
    }
    assertEquals(403, status("/a"));
    assertEquals(1, origin.count("/a"));
    TestOrigin.Request seen = origin.requests("/a").getFirst();
    assertEquals("/a", seen.target());
    assertEquals("", seen.field("cookie"));
    String logged = log(asked + 1);
    assertFalse(logged.contains("Signature"), logged);
    assertFalse(logged.contains("Policy"), logged);
    assertEquals(7, edge().sum(c -> c.refusals(ProtectionRule.SIGNED_URL)));
  }

  @Test
  void anExpiredUrlIsGoneAndOneThatIsNotYetValidIsRefused() throws Exception {
    String canned = RSA.canned(HTTP + "/a", inSeconds(60));
    String later =
        EC.custom(
            policy(
                HTTP + "/a",
                "\"DateGreaterThan\":{\"AWS:EpochTime\":"
                    + inSeconds(30)
                    + "},"
                    + until(inSeconds(60))));
    assertEquals(200, status("/a?" + canned));
    assertEquals(403, status("/a?" + later));
    clock.addAndGet(40_000);
    assertEquals(200, status("/a?" + later));
    clock.addAndGet(21_000);
    assertEquals(410, status("/a?" + canned));
    Response expired = get("/a?" + later);
    assertEquals(410, expired.status());
    assertTrue(expired.field("cache-status").contains("detail=expired"), expired.toString());
  }

  @Test
  void aPolicyIsForItsClients() throws Exception {
    String custom =
        RSA_256.custom(
            policy(
                "*",
                "\"IpAddress\":{\"AWS:SourceIp\":\"203.0.113.0/24\"}," + until(inSeconds(60))));
    assertEquals(403, status("/a?" + custom));
    assertEquals(200, status("/a?" + custom, "X-Forwarded-For: 203.0.113.9"));
    assertEquals(403, status("/a?" + custom, "X-Forwarded-For: 203.0.114.9"));
    assertEquals(403, status("/a?" + custom, "X-Forwarded-For: 2001:db8::1"));
  }

  @Test
  void theOwnQueryIsAPartOfTheUrlAndOfTheKey() throws Exception {
    String own = "size=large&x=%2F";
    String canned = EC.canned(HTTP + "/a?" + own, inSeconds(60));
    assertEquals(200, status("/a?" + own + "&" + canned));
    assertEquals(200, status("/a?" + canned + "&" + own), "in whichever place");
    assertEquals(403, status("/a?" + canned));
    assertEquals(403, status("/a?size=small&" + canned));
    assertEquals("/a?" + own, origin.requests("/a").getFirst().target());
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void cookiesOfOthersGoOnAndThoseOfTheSignatureDoNot() throws Exception {
    String custom = RSA.custom(policy(HTTP + "/v/*", until(inSeconds(60))));
    assertEquals(200, status("/v/1/x", cookies(custom) + "; session=7"));
    assertEquals("session=7", origin.requests("/v/1/x").getFirst().field("cookie"));
    assertEquals(403, status("/w", cookies(custom)));
    assertEquals(403, status("/v/1/x?Expires=5", cookies(custom)), "the query comes first");
  }

  @Test
  void whatIsNoSignatureIsRefused() throws Exception {
    long until = inSeconds(60);
    String good = RSA.canned(HTTP + "/a", until);
    String custom = RSA.custom(policy("*", until(until)));
    List<String> bad =
        List.of(
            STRANGER.canned(HTTP + "/a", until),
            good.replace("Expires=" + until, "Expires=" + (until + 1)),
            good.replace("Expires=" + until, "Expires=0" + until),
            good.replace("Expires=" + until, "Expires=x"),
            good.replace("KRSA", "KEC"),
            good.replace("KRSA", "KNONE"),
            good + "&Hash-Algorithm=SHA256",
            good + "&Hash-Algorithm=MD5",
            good + "&Hash-Algorithm=sha1",
            good + "&Key-Pair-Id=KRSA",
            good + "&Policy=" + custom.substring(custom.indexOf('=') + 1, custom.indexOf('&')),
            good.substring(0, good.indexOf("&Signature")) + "&Key-Pair-Id=KRSA",
            good.replace("Signature=", "Signature=AAAA"),
            good.replace("Signature=", "Signature=%2B"),
            good.replace("&Signature=", "&Signature=" + "A".repeat(1025)),
            custom.replace("Policy=", "Policy=" + "A".repeat(4096)),
            custom.replace("Policy=", "Policy=!"),
            RSA.custom("{}"),
            RSA.custom("not JSON"),
            RSA.custom(policy("*", "\"DateLessThan\":{\"AWS:EpochTime\":\"" + until + "\"}")));
    for (String parameters : bad) {
      assertEquals(403, status("/a?" + parameters), parameters);
    }
    assertEquals(200, status("/a?" + good + "&Hash-Algorithm=SHA1"));
    assertEquals(200, status("/a?" + custom));
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void aSignatureThatWasVerifiedIsStillOnlyForWhatItAdmits() throws Exception {
    String custom = RSA.custom(policy(HTTP + "/v/*", until(inSeconds(60))));
    for (int i = 0; i < 3; i++) {
      assertEquals(200, status("/v/1/x?" + custom));
      assertEquals(403, status("/w?" + custom));
      assertEquals(403, status("/v/1/x?" + custom.replace("Signature=", "Signature=A")));
    }
    clock.addAndGet(61_000);
    assertEquals(410, status("/v/1/x?" + custom));
  }

  @Test
  void hitsStayInTheFastLaneByUrl() throws Exception {
    String target = "/a?" + EC.canned(HTTP + "/a", inSeconds(60));
    assertEquals(200, status(target));
    edge().awaitIdle();
    assertEquals(200, status(target));
    long before = edge().sum(c -> c.fastHits);
    for (int i = 0; i < 5; i++) {
      assertEquals(200, status(target));
    }
    assertTrue(edge().sum(c -> c.fastHits) > before, "the second look finds it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLS", "HTTP/2", "HTTP/3"})
  void allProtocolsAreJudgedAlike(String protocol) throws Exception {
    String url = "https://a.example/a";
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      String canned = EC.canned(url, inSeconds(60));
      assertEquals(200, client.ask("GET", "/a?" + canned).status());
      assertEquals(
          200,
          client
              .ask("GET", "/a", "cookie", cookies(canned).substring("Cookie: ".length()))
              .status());
      assertEquals(403, client.ask("GET", "/a").status());
      assertEquals(
          403,
          client.ask("GET", "/a?" + EC.canned("http://a.example/a", inSeconds(60))).status(),
          "another scheme");
    }
  }

  @Test
  void aKeyFileIsReadAgainByAReload() throws Exception {
    String canned = STRANGER.canned(HTTP + "/a", inSeconds(60));
    assertEquals(403, status("/a?" + canned));
    String ignored = STRANGER.configured(directory);
    assertEquals(
        List.of("protection.p.url-keys.0.public-key-file"), edge().server().reload().changed());
    assertEquals(200, status("/a?" + canned));
    assertEquals(403, status("/a?" + RSA.canned(HTTP + "/a", inSeconds(60))));
    Files.writeString(directory.resolve("KRSA.pem"), "no key");
    String errors = edge().server().reload().errors().toString();
    assertTrue(errors.contains("has no block BEGIN PUBLIC KEY"), errors);
    assertEquals(200, status("/a?" + canned), "the last good one");
  }

  @Test
  void explainKnowsTheSignature() throws Exception {
    String explained =
        edge().explain(200, "{\"url\": \"" + HTTP + "/a?Expires=1&Signature=x\"}").toString();
    assertTrue(explained.contains("a valid signature"), explained);
  }
}
