package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names and passwords over sockets, with hashes that htpasswd wrote. */
@Timeout(240)
@Tag("slow")
final class ServerBasicAuthTest {
  // htpasswd -nbB -C 5 alice "open sesame"
  private static final String ALICE =
      "alice:$2y$05$Kx6wE4xNpXt7GuwDcVVD3eLESf/iuSrl3tsBKB0IcbrNWoi717ihq";
  // htpasswd -nbB -C 4 jürgen pässword
  private static final String JUERGEN =
      "j\u00fcrgen:$2y$04$V2cKXftbq7iQ18p2odciauyEht/V4RW4qL.0yuhxmzQ/hs/1rotN.";
  private static final String FRESH = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() throws IOException {
    origin.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    users(ALICE, JUERGEN);
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void users(String... lines) throws IOException {
    Path ignored = Files.writeString(directory.resolve("users"), String.join("\n", lines) + "\n");
  }

  private void start(String more) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "protection: {p: {basic-auth: {file: "
                + directory.resolve("users")
                + more
                + "}}}\nroutes: [{protection: p}]\n"
                + "forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n");
  }

  private static String basic(String text) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private Response get(RawClient client, String... fields) throws IOException {
    return client.request("GET", "/a", fields).reply();
  }

  private long refused() {
    return edge().sum(c -> c.refusals(ProtectionRule.BASIC_AUTH));
  }

  @Test
  void whoHasThePasswordGetsHitsAndNobodyBehindTheCheckSeesIt() throws Exception {
    start(", realm: Staff only");
    try (RawClient client = edge().connect()) {
      Response asked = get(client);
      assertEquals(401, asked.status());
      assertEquals(
          "Basic realm=\"Staff only\", charset=\"UTF-8\"", asked.field("www-authenticate"));
      assertEquals("no-store", asked.field("cache-control"));
      assertTrue(asked.field("cache-status").contains("detail=credentials"), asked.toString());
      assertEquals(200, get(client, basic("alice:open sesame")).status());
      edge().awaitIdle();
      Response hit = get(client, basic("alice:open sesame"));
      assertEquals(200, hit.status());
      assertTrue(hit.isHit(), hit.toString());
      assertTrue(get(client, basic("j\u00fcrgen:p\u00e4ssword")).isHit());
      // The stored response is no way past the check, not even in the fast lane.
      assertEquals(401, get(client).status());
      assertEquals(401, get(client, basic("alice:open sesam")).status());
    }
    assertEquals(1, origin.count("/a"));
    assertEquals("", origin.requests("/a").getFirst().field("authorization"));
    assertEquals(3, refused());
  }

  private static long passwordThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("credentials-"))
        .count();
  }

  @Test
  void theThreadsAreThereBeforeALoopNeedsOne() throws Exception {
    start("");
    assertTrue(passwordThreads() > 0, "a thread that a loop starts would inherit its CPU");
  }

  @Test
  void overHttp2Too() throws Exception {
    start("");
    try (HttpClient http = edge().tlsClient(HttpClient.Version.HTTP_2)) {
      URI uri = URI.create("https://127.0.0.1:" + edge().tlsPort() + "/a");
      HttpResponse<String> asked =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertEquals(401, asked.statusCode());
      String[] field = basic("alice:open sesame").split(": ", 2);
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(uri).header(field[0], field[1]).build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(200, answer.statusCode());
      assertEquals(HttpClient.Version.HTTP_2, answer.version());
    }
  }

  @Test
  void credentialsThatAreNoneAreRefusedWithoutAHash() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      for (String value :
          List.of(
              "Basic",
              "Basic ",
              "Basic !!!!",
              "Basic YWxpY2U=",
              "Basic Og==",
              "Bearer YWxpY2U6b3BlbiBzZXNhbWU=",
              "Basic " + "A".repeat(3000),
              "Basic YWxpY2U6b3BlbgBzZXNhbWU=")) {
        assertEquals(401, get(client, "Authorization: " + value).status(), value);
      }
      String right = basic("alice:open sesame");
      assertEquals(401, get(client, right, right).status(), "two fields");
      assertEquals(200, get(client, right).status());
      // In any case of letters (RFC 9110 §11.1).
      assertEquals(200, get(client, right.replace("Basic", "bASIC")).status());
    }
  }

  @Test
  void wrongPasswordsOfOneNetworkAreBoundedAndOthersAreNotAffected() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      String guesser = "X-Forwarded-For: 198.51.100.1";
      for (int i = 0; i < 10; i++) {
        String user = i % 2 == 0 ? "alice" : "nobody";
        assertEquals(401, get(client, guesser, basic(user + ":guess" + i)).status());
      }
      Response refused = get(client, guesser, basic("alice:open sesame"));
      assertEquals(429, refused.status());
      assertTrue(refused.has("retry-after"), refused.toString());
      String other = "X-Forwarded-For: 198.51.100.2";
      assertEquals(200, get(client, other, basic("alice:open sesame")).status());
      // Verified lately: no guess.
      assertEquals(200, get(client, guesser, basic("alice:open sesame")).status());
    }
  }

  @Test
  void aClientThatLeavesDuringTheCheckLeavesNothingBehind() throws Exception {
    start("");
    for (int i = 0; i < 20; i++) {
      try (RawClient client = edge().connect()) {
        client.request("GET", "/a", basic("alice:open sesame" + (i % 2 == 0 ? "" : i)));
      }
    }
    try (RawClient client = edge().connect()) {
      assertEquals(
          200, get(client, "X-Forwarded-For: 198.51.100.9", basic("alice:open sesame")).status());
    }
  }

  @Test
  void aReloadTakesAUserAwayAtOnce() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, basic("alice:open sesame")).status());
      users(JUERGEN);
      assertEquals(List.of("protection.p.basic-auth.file"), edge().server().reload().changed());
      assertEquals(401, get(client, basic("alice:open sesame")).status());
      users("alice:plain");
      String errors = edge().server().reload().errors().toString();
      assertTrue(errors.contains("line 1 has a crypt hash or a plain password"), errors);
      assertFalse(errors.contains("alice:plain"), errors);
      assertEquals(200, get(client, basic("j\u00fcrgen:p\u00e4ssword")).status());
    }
  }

  @Test
  void anOriginThatARuleChoosesDoesNotGetThePassword() throws Exception {
    edge =
        Edge.start(
            directory,
            "32MiB",
            "origins: {main: {url: \"http://127.0.0.1:1\"}, other: {url: \""
                + origin.url()
                + "\", keep-alive: 5s}}\n"
                + "protection: {p: {basic-auth: {file: "
                + directory.resolve("users")
                + "}}}\nroutes: [{origin: main, protection: p, rules: [{origin: other}]}]\n");
    try (RawClient client = edge().connect()) {
      assertEquals(200, get(client, basic("alice:open sesame")).status());
    }
    assertEquals("", origin.requests("/a").getFirst().field("authorization"));
  }

  @Test
  void aFieldThatIsForwardedMakesTheAnswerPrivate() throws Exception {
    start(", forward: true");
    try (RawClient client = edge().connect()) {
      String right = basic("alice:open sesame");
      assertEquals(200, get(client, right).status());
      edge().awaitIdle();
      assertFalse(get(client, right).isHit());
      assertEquals(2, origin.count("/a"));
      assertEquals(
          right, "Authorization: " + origin.requests("/a").getFirst().field("authorization"));
    }
  }
}
