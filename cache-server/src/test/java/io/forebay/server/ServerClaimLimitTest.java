package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.JwtSigner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate limits by a claim of the verified token. */
@Timeout(240)
@Tag("slow")
final class ServerClaimLimitTest {
  private static final JwtSigner SIGNER = JwtSigner.of("k1", "ES256");
  private static final JwtSigner STRANGER = JwtSigner.of("k1", "ES256");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() throws IOException {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=1000\r\n", Edge.bytes(1, 2000)));
    Path ignored = Files.writeString(directory.resolve("jwks.json"), JwtSigner.set(SIGNER));
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String limits) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            "http3: {listeners: [secure]}\n"
                + Edge.origins(origin.url())
                + "protection: {p: {jwt: {algorithms: ES256, keys-file: DIR/jwks.json},"
                    .replace("DIR", directory.toString())
                + " rate-limits: ["
                + limits
                + "]}}\nroutes: [{protection: p}]\n");
  }

  private static String token(JwtSigner signer, String more) {
    long expires = System.currentTimeMillis() / 1000 + 600;
    return "Bearer " + signer.token("{\"exp\":" + expires + more + "}");
  }

  private static Answer ask(ProtocolClient client, String token) throws Exception {
    return client.ask("GET", "/a", "authorization", token);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void eachValueOfTheClaimHasItsOwnBucket(String protocol) throws Exception {
    start("{name: per-user, key: claim sub, requests: 2, per: 1d}");
    String alice = token(SIGNER, ",\"sub\":\"alice\"");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertEquals(200, ask(client, alice).status());
      // The same user with another token.
      assertEquals(200, ask(client, token(SIGNER, ",\"sub\":\"alice\",\"jti\":\"2\"")).status());
      Answer beyond = ask(client, alice);
      assertEquals(429, beyond.status(), beyond::toString);
      assertEquals(
          "\"per-user\";q=2;w=86400", beyond.all("ratelimit-policy").getFirst(), beyond::toString);
      assertEquals(200, ask(client, token(SIGNER, ",\"sub\":\"bob\"")).status());
      assertEquals(200, ask(client, token(SIGNER, "")).status(), "without the claim");
      assertEquals(200, ask(client, token(SIGNER, ",\"sub\":{}")).status(), "together");
      assertEquals(429, ask(client, token(SIGNER, "")).status());
    }
    assertEquals(2, edge().sum(c -> c.refusals(ProtectionRule.RATE_LIMIT)));
  }

  @Test
  void tokensThatAreNotVerifiedCountForNobody() throws Exception {
    start("{name: per-user, key: claim sub, requests: 1, per: 1d}");
    String alice = token(SIGNER, ",\"sub\":\"alice\"");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      for (int i = 0; i < 3; i++) {
        assertEquals(401, ask(client, token(STRANGER, ",\"sub\":\"alice\"")).status());
        assertEquals(401, client.ask("GET", "/a").status());
      }
      assertEquals(200, ask(client, alice).status());
      assertEquals(429, ask(client, alice).status());
    }
  }

  @Test
  void limitsByOtherKeysAreAskedFirst() throws Exception {
    start(
        "{name: per-user, key: claim sub, requests: 1, per: 1d},"
            + "{name: per-client, key: client, requests: 3, per: 1d}");
    String alice = token(SIGNER, ",\"sub\":\"alice\"");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      assertEquals(200, ask(client, alice).status());
      Answer ofUser = ask(client, alice);
      assertTrue(ofUser.all("ratelimit").getFirst().startsWith("\"per-user\""), ofUser::toString);
      assertEquals(401, client.ask("GET", "/a").status());
      Answer ofClient = ask(client, alice);
      assertTrue(
          ofClient.all("ratelimit").getFirst().startsWith("\"per-client\""), ofClient::toString);
    }
  }

  @Test
  void bytesOfBodiesAreChargedToTheClaim() throws Exception {
    start(
        "{name: by-client, key: client, bytes: 1MiB, per: 1d},"
            + "{name: by-user, key: claim sub, bytes: 1KiB, per: 1d}");
    String alice = token(SIGNER, ",\"sub\":\"alice\"");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      assertEquals(200, ask(client, alice).status());
      edge().awaitIdle();
      Answer beyond = ask(client, alice);
      assertEquals(429, beyond.status());
      assertTrue(beyond.all("ratelimit").getFirst().startsWith("\"by-user\""), beyond::toString);
      assertEquals(200, ask(client, token(SIGNER, ",\"sub\":\"bob\"")).status());
    }
  }

  @Test
  void requestsInFlightAreCountedByTheClaimUntilTheirEnd() throws Exception {
    start("{name: slots, key: claim sub, in-flight: 1}");
    String alice = token(SIGNER, ",\"sub\":\"alice\"");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      for (int i = 0; i < 5; i++) {
        assertEquals(200, ask(client, alice).status());
        edge().awaitIdle();
      }
    }
  }
}
