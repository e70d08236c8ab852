package io.forebay.server.config;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Kind;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.testing.JwtSigner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The keys of {@code protection}, and what is said of mistakes in them. */
final class ProtectionConfigTest {
  @TempDir Path directory;

  @BeforeEach
  void files() throws IOException {
    Files.writeString(
        directory.resolve("networks"), "192.0.2.0/24\n2001:db8::/32 # documentation\n");
    Files.writeString(
        directory.resolve("md5-users"),
        "a:$2y$05$" + "a".repeat(53) + "\nold:$apr1$xk.TFyVx$zudeq4SD61mdMBJfAVMwq1\n");
    Files.writeString(directory.resolve("sha-users"), "old:{SHA}GpHWL3ymc5liWkNopqtdSjuqYHM=\n");
    Files.writeString(directory.resolve("dear-users"), "a:$2b$15$" + "a".repeat(53) + "\n");
    Files.writeString(directory.resolve("no-users"), "# none\n");
    Files.writeString(directory.resolve("users"), "a:$2y$05$" + "a".repeat(53) + "\n");
    Files.writeString(directory.resolve("jwks"), JwtSigner.set(JwtSigner.of("k", "ES256")));
    Files.writeString(directory.resolve("no-jwks"), "{\"keys\":[{\"kty\":\"oct\"}]}");
    Files.writeString(directory.resolve("short-secret"), "0123456789abcdef\n");
    Files.writeString(directory.resolve("long-secret"), "0123456789abcdef".repeat(4) + "\n");
    Files.writeString(
        directory.resolve("no-key"),
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n");
    publicKey("key", "EC", 256);
    publicKey("weak-key", "RSA", 1024);
    Files.writeString(directory.resolve("bad-networks"), "192.0.2.0/24\n192.0.2.1/24\n");
  }

  private void publicKey(String name, String algorithm, int bits) throws IOException {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(bits);
      String base64 =
          Base64.getMimeEncoder()
              .encodeToString(generator.generateKeyPair().getPublic().getEncoded());
      Files.writeString(
          directory.resolve(name),
          "-----BEGIN PUBLIC KEY-----\n" + base64 + "\n-----END PUBLIC KEY-----\n");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private ConfigOutcome load(String yaml) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("forebay.yaml"),
            "origin: http://a\n" + yaml.replace("DIR", directory.toString()));
    return new ConfigLoader(
            new ConfigEnvironment(
                Map.of("SECRET", "a secret that is long enough"),
                directory,
                directory,
                directory,
                directory,
                "forebay-test"))
        .load(file, Map.of());
  }

  private ServerConfig loaded(String yaml) throws IOException {
    ConfigOutcome outcome = load(yaml);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString).config();
  }

  private ProtectionProfile profile(String keys) throws IOException {
    return loaded("protection:\n  p:\n" + keys.indent(4)).protections().getFirst();
  }

  @Test
  void aRouteNamesItsProfile() throws IOException {
    ServerConfig config =
        loaded(
            "protection: {office: {access: {allow: 10.0.0.0/8}}}\n"
                + "routes: [{match: {path: /a/}, protection: office}, {match: {path: /b/}}]\n");
    assertEquals("office", config.routes().get(0).protection());
    assertNull(config.routes().get(1).protection());
    assertEquals("office", config.protections().getFirst().name());
  }

  @Test
  void networksComeFromListsAndFiles() throws IOException {
    ProtectionProfile.AccessConfig access =
        profile(
                "access: {allow: [10.0.0.0/8, \"::1\"], allow-file: DIR/networks, deny: 10.1.0.0/16}")
            .access();
    assertEquals(List.of("10.0.0.0/8", "::1/128"), access.allow());
    assertEquals(4, requireNonNull(access.allowed()).networks());
    assertEquals(1, access.denied().networks());
  }

  @Test
  void withoutAllowEverybodyIsAllowedAndWithAnEmptyOneNobody() throws IOException {
    assertNull(profile("access: {deny: 10.0.0.0/8}").access().allowed());
    assertTrue(requireNonNull(profile("access: {allow: []}").access().allowed()).isEmpty());
    assertTrue(profile("access: {deny: []}").access().isOpen());
  }

  @Test
  void tokensHaveDefaults() throws IOException {
    JwtConfig jwt = requireNonNull(profile("jwt: {algorithms: ES256, keys-file: DIR/jwks}").jwt());
    assertEquals("[bearer]", jwt.from().toString());
    assertEquals(60, jwt.expected().skewSeconds());
    assertEquals("1 key", jwt.fileKeys().toString());
    assertFalse(jwt.isForwarded());
    JwtConfig all =
        requireNonNull(
            profile(
                    """
                    jwt:
                      algorithms: [HS256, HS512]
                      secret-file: DIR/long-secret
                      issuer: https://idp.example/
                      audiences: [a, "https://b/"]
                      required-claims: [email_verified, scope=read]
                      clock-skew: 0
                      from: [cookie session, query jwt, bearer]
                      claims-to-headers: [sub=X-User]
                      realm: API
                      forward: true
                    """)
                .jwt());
    assertEquals("[cookie session, query jwt, bearer]", all.from().toString());
    assertEquals("[email_verified, scope=read]", all.expected().claims().toString());
    assertEquals(List.of("a", "https://b/"), all.expected().audiences());
    assertEquals("[sub=x-user]", all.claimFields().toString());
    assertTrue(all.isForwarded());
  }

  @Test
  void forwardAuthenticationHasDefaults() throws IOException {
    ForwardAuthConfig auth =
        requireNonNull(profile("forward-auth: {origin: default}").forwardAuth());
    assertEquals(List.of("authorization", "cookie"), auth.requestFields());
    assertEquals(List.of(), auth.cacheBy());
    assertEquals("GET", auth.method());
    assertEquals("/", auth.path());
    assertEquals(Duration.ofSeconds(5), auth.timeout());
    assertFalse(auth.admitsOnError() || auth.passesRedirects() || auth.isForwarded());
    ForwardAuthConfig cached =
        requireNonNull(
            profile("forward-auth: {origin: default, cache-by: [header X-Key, cookie S, path]}")
                .forwardAuth());
    assertEquals("[header x-key, cookie S, path]", cached.cacheBy().toString());
    assertEquals(Duration.ofMinutes(1), cached.ttl());
  }

  @Test
  void rateLimitsHaveDefaults() throws IOException {
    ProtectionProfile profile =
        profile(
            """
            rate-limits:
              - {name: a, requests: 10}
              - {name: b, key: header X-Key, requests: 5, per: 1m, burst: 7, penalty: 10s}
              - {name: c, key: cookie Id, requests: 5}
              - {name: d, bytes: 1MiB}
              - {name: e, key: host, bytes: 10MiB, per: 1m, burst-bytes: 1GiB}
              - {name: f, key: client, in-flight: 20}
            """);
    Duration second = Duration.ofSeconds(1);
    Duration minute = Duration.ofMinutes(1);
    assertEquals(
        List.of(
            new RateLimitConfig("a", Kind.CLIENT_NETWORK, "", Unit.REQUESTS, 10, second, 10, null),
            new RateLimitConfig(
                "b", Kind.HEADER, "x-key", Unit.REQUESTS, 5, minute, 7, Duration.ofSeconds(10)),
            new RateLimitConfig("c", Kind.COOKIE, "Id", Unit.REQUESTS, 5, second, 5, null),
            new RateLimitConfig(
                "d", Kind.CLIENT_NETWORK, "", Unit.BYTES, 1 << 20, second, 1 << 20, null),
            new RateLimitConfig("e", Kind.HOST, "", Unit.BYTES, 10 << 20, minute, 1 << 30, null),
            new RateLimitConfig("f", Kind.CLIENT, "", Unit.IN_FLIGHT, 20, second, 20, null)),
        profile.rateLimits());
    assertEquals(List.of(), profile.fetchLimits());
  }

  @Test
  void fetchLimitsAreByRouteOrHost() throws IOException {
    ProtectionProfile profile =
        profile(
            """
            fetch-limits:
              - {name: a, in-flight: 10}
              - {name: b, key: host, requests: 5, per: 1m, burst: 7}
            """);
    assertEquals(
        List.of(
            new RateLimitConfig(
                "a", Kind.ROUTE, "", Unit.IN_FLIGHT, 10, Duration.ofSeconds(1), 10, null),
            new RateLimitConfig(
                "b", Kind.HOST, "", Unit.REQUESTS, 5, Duration.ofMinutes(1), 7, null)),
        profile.fetchLimits());
  }

  @Test
  void aFileWithOtherContentIsAChange() throws IOException {
    ReadFiles before = files("access: {deny-file: DIR/networks}");
    assertEquals(List.of(), files("access: {deny-file: DIR/networks}").changedSince(before));
    Files.writeString(directory.resolve("networks"), "192.0.2.0/25\n2001:db8::/32\n");
    assertEquals(
        List.of("protection.p.access.deny-file"),
        files("access: {deny-file: DIR/networks}").changedSince(before));
  }

  private ReadFiles files(String keys) throws IOException {
    return assertInstanceOf(
            ConfigOutcome.Loaded.class, load("protection:\n  p:\n" + keys.indent(4)))
        .files();
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of(
            "access: {deny-file: DIR/bad-networks}",
            "protection.p.access.deny-file: bad-networks line 2: \"192.0.2.1/24\" has bits set beyond"
                + " its prefix length"),
        Arguments.of(
            "access: {allow-file: DIR/missing}",
            "protection.p.access.allow-file: \"missing\" is not a file that can be read"),
        Arguments.of(
            "basic-auth: {file: DIR/md5-users}",
            "protection.p.basic-auth.file: md5-users line 2 has an MD5 hash, not a bcrypt hash"),
        Arguments.of("basic-auth: {file: DIR/sha-users}", "sha-users line 1 has a SHA-1 hash"),
        Arguments.of(
            "basic-auth: {file: DIR/dear-users}",
            "dear-users line 1 has a cost of 15, not 4 to 14"),
        Arguments.of("basic-auth: {file: DIR/no-users}", "no-users has no users"),
        Arguments.of("basic-auth: {file: DIR/networks}", "networks line 1 is not NAME:HASH"),
        Arguments.of(
            "jwt: {keys-file: DIR/jwks}", "protection.p.jwt.algorithms: is missing; list what"),
        Arguments.of(
            "jwt: {algorithms: [], keys-file: DIR/jwks}",
            "protection.p.jwt.algorithms: is empty; list what"),
        Arguments.of(
            "jwt: {algorithms: none, keys-file: DIR/jwks}",
            "protection.p.jwt.algorithms: \"none\" is not in a list of algorithms"),
        Arguments.of(
            "jwt: {algorithms: [ES256, HS256], keys-file: DIR/jwks}",
            "protection.p.jwt.algorithms: HS256 needs a secret, and the keys are public ones"),
        Arguments.of(
            "jwt: {algorithms: ES256, secret-file: DIR/long-secret}",
            "protection.p.jwt.algorithms: ES256 needs public keys, and secret-file is a secret"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/jwks, keys-url: \"https://a/\"}",
            "protection.p.jwt.algorithms: there is more than one of keys-file"),
        Arguments.of(
            "jwt: {algorithms: HS256, secret-file: DIR/short-secret}",
            "short-secret is too short for HS256, which needs 32 bytes"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/no-jwks}", "no-jwks key 1: is a secret"),
        Arguments.of(
            "jwt: {algorithms: RS256, keys-file: DIR/jwks}",
            "jwks has no key for the algorithms that are allowed"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/jwks, from: header}",
            "protection.p.jwt.from: \"header\" is not in a list of places"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/jwks, claims-to-headers: sub=Host}",
            "protection.p.jwt.claims-to-headers: \"sub=Host\" is not in a list of claims"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/jwks, claims-to-headers: [a=X-A, b=x-a]}",
            "protection.p.jwt.claims-to-headers: the field x-a is named twice"),
        Arguments.of(
            "jwt: {algorithms: ES256, keys-file: DIR/jwks, clock-skew: 1h}",
            "protection.p.jwt.clock-skew"),
        Arguments.of(
            "{jwt: {algorithms: ES256, keys-file: DIR/jwks}, basic-auth: {file: DIR/users}}",
            "protection.p.jwt.from: basic-auth reads the Authorization field as well"),
        Arguments.of(
            "{signed-urls: {type: cloudfront}, url-keys: [{id: a, public-key-file: DIR/networks}]}",
            "protection.p.url-keys.0.public-key-file: networks has no block BEGIN PUBLIC KEY"),
        Arguments.of(
            "{signed-urls: {type: cloudfront}, url-keys: [{id: a, public-key-file: DIR/no-key}]}",
            "no-key has no RSA or EC key"),
        Arguments.of(
            "{signed-urls: {type: cloudfront}, url-keys: [{id: a, public-key-file: DIR/weak-key}]}",
            "weak-key has neither an RSA key of 2048 to 4096 bits nor one on P-256"),
        Arguments.of(
            "{signed-urls: {type: cloudfront}, url-keys: [{id: a, public-key-file: DIR/missing}]}",
            "protection.p.url-keys.0.public-key-file: \"missing\" is not a file that can be read"),
        Arguments.of(
            "{signed-urls: {type: cloudfront, parameter: t}, url-keys: [{id: a, public-key-file:"
                + " DIR/key}]}",
            "protection.p.signed-urls.parameter: has no meaning for this type"),
        Arguments.of(
            "{signed-urls: {type: cloudfront}, url-keys: [{id: a, secret: \"${SECRET}\","
                + " public-key-file: DIR/key}]}",
            "protection.p.url-keys.0.secret: has no meaning for this type"),
        Arguments.of(
            "{signed-urls: {type: hmac}, url-keys: [{id: a, secret: \"${SECRET}\","
                + " public-key-file: DIR/key}]}",
            "protection.p.url-keys.0.public-key-file: has no meaning for this type"));
  }

  /** Mistakes in files, or beside them; the others are in {@code wrong/protection.yaml}. */
  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsNamedWithItsPlace(String keys, String expected) throws IOException {
    ConfigOutcome outcome = load("protection:\n  p:\n" + keys.indent(4));
    ConfigOutcome.Refused refused =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString);
    assertEquals(1, refused.problems().size(), refused.toString());
    String problem = refused.problems().getFirst().toString().replace(directory + "/", "");
    assertTrue(problem.contains(expected), problem);
    assertTrue(problem.startsWith("forebay.yaml:4:"), problem);
    assertFalse(problem.contains("a secret that is long"), problem);
  }

  @Test
  void aProfileThatIsNotThereIsNamedWithTheNearest() throws IOException {
    ConfigOutcome outcome = load("protection: {office: {}}\nroutes: [{protection: offices}]\n");
    String problems =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString)
            .problems()
            .toString();
    assertTrue(problems.contains("there is no profile named offices in protection"), problems);
    assertTrue(problems.contains("office"), problems);
  }
}
