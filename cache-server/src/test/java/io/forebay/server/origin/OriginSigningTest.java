package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.SigningConfig;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.HmacConfig;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.config.SigningConfig.StaticField;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.Await;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests are marked and signed as they are written, each attempt anew. */
@Timeout(60)
@Tag("slow")
class OriginSigningTest {
  private static final SigningConfig S3 =
      new SigningConfig(
          List.of(),
          new S3Config(
              "media",
              Addressing.PATH,
              "eu-central-1",
              "AKIAEXAMPLE",
              new Secret("a-secret-key"),
              null,
              List.of()),
          null);
  private static final SigningConfig HMAC =
      new SigningConfig(List.of(), null, new HmacConfig("edge", new Secret("0123456789abcdef")));

  private final ScriptedOrigin failing = ScriptedOrigin.start();
  private final ScriptedOrigin other = ScriptedOrigin.start();

  @AfterEach
  void stop() throws Exception {
    failing.close();
    other.close();
  }

  private OriginConfig group(SigningConfig signing) {
    return Lab.withSigning(
        Lab.withServers(
            Lab.origin(failing.url()),
            OriginServerConfig.of(failing.url()),
            OriginServerConfig.of(other.url())),
        signing);
  }

  private static String field(String head, String name) {
    List<String> values = Connection.fields(head, name);
    assertEquals(1, values.size(), name + " in " + head);
    return values.getFirst();
  }

  @Test
  void aRequestThatGoesToAnotherServerHasTheSignatureOfThatServerAndTime() throws Exception {
    try (Lab lab = Lab.of(group(S3))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection first = failing.accept();
      String failed = first.head();
      lab.wallAheadMillis.set(TimeUnit.HOURS.toMillis(30));
      first.reset();
      Connection second = other.accept();
      String sent = second.head();
      second.respond("other");
      response.awaitOver();

      assertTrue(sent.startsWith("GET /media/a HTTP/1.1\r\n"), sent);
      assertEquals("127.0.0.1:" + failing.port(), field(failed, "host"));
      assertEquals("127.0.0.1:" + other.port(), field(sent, "host"));
      assertNotEquals(field(failed, "x-amz-date"), field(sent, "x-amz-date"));
      assertNotEquals(field(failed, "authorization"), field(sent, "authorization"));
      assertTrue(
          field(sent, "authorization")
              .contains("/" + field(sent, "x-amz-date").substring(0, 8) + "/eu-central-1/s3/"),
          sent);
    }
  }

  @Test
  void theBasePathOfAServerIsSigned() throws Exception {
    assertEquals(
        field(sent(HMAC, "", "/v1/a?q=1"), "signature"),
        field(sent(HMAC, "/v1", "/a?q=1"), "signature"));
    String inBucket = sent(S3, "/v1", "/a");
    assertTrue(inBucket.startsWith("GET /media/v1/a HTTP/1.1\r\n"), inBucket);
    assertEquals(field(sent(S3, "", "/v1/a"), "authorization"), field(inBucket, "authorization"));
  }

  /** The head of a request to a server with that base path. */
  private String sent(SigningConfig signing, String base, String target) throws Exception {
    OriginConfig config =
        Lab.withHost(Lab.withSigning(Lab.origin(failing.url() + base), signing), "example.com");
    try (Lab lab = Lab.of(config)) {
      lab.wallAt = Instant.EPOCH;
      Recorder response = lab.send(Lab.get(target));
      Connection connection = failing.accept();
      String head = connection.head();
      connection.respond("ok");
      response.awaitOver();
      return head;
    }
  }

  @Test
  void aRequestOnAnIdleConnectionThatDiedIsSignedAgain() throws Exception {
    try (Lab lab = Lab.of(Lab.withSigning(Lab.origin(failing.url()), HMAC))) {
      Recorder first = lab.send(Lab.get("/a"));
      Connection kept = failing.accept();
      kept.head();
      kept.respond("one");
      first.awaitOver();
      Recorder second = lab.send(Lab.get("/a"));
      String before = field(kept.head(), "signature-input");
      lab.wallAheadMillis.set(5_000);
      kept.close();
      Connection fresh = failing.accept();
      assertNotEquals(before, field(fresh.head(), "signature-input"));
      fresh.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void fieldsOfTheConfigurationReplaceTheClients() throws Exception {
    SigningConfig fields =
        new SigningConfig(
            List.of(
                new StaticField("x-origin-secret", new Secret("of the node")),
                new StaticField("authorization", new Secret("Basic abc="))),
            null,
            null);
    try (Lab lab = Lab.of(Lab.withSigning(Lab.origin(failing.url()), fields))) {
      OriginRequest request =
          new OriginRequest(
              "POST",
              "/a",
              HeaderFields.of(
                  "host", "h", "x-origin-secret", "x", "x-origin-secret", "y", "z", "1"),
              RequestBody.NONE);
      Recorder response = lab.send(request);
      Connection connection = failing.accept();
      String head = connection.head();
      connection.respond("ok");
      response.awaitOver();
      assertEquals("of the node", field(head, "x-origin-secret"));
      assertEquals("Basic abc=", field(head, "authorization"));
      assertEquals("h", field(head, "host"));
      assertEquals("1", field(head, "z"));
      assertEquals(
          List.of("the node sets x-origin-secret, authorization of the request to the origin"),
          lab.notes());
    }
  }

  @Test
  void anOriginWithoutASignerGetsTheRequestAsItIs() throws Exception {
    try (Lab lab = Lab.of(Lab.origin(failing.url()))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection connection = failing.accept();
      assertEquals("GET /a HTTP/1.1\r\nhost: example.com\r\n\r\n", connection.head());
      connection.respond("ok");
      response.awaitOver();
      assertEquals(List.of(), lab.notes());
    }
  }

  @Test
  void aRefusalBecauseOfTheClockIsLoggedAndExplained() throws Exception {
    try (Lab lab = Lab.of(Lab.withSigning(Lab.origin(failing.url()), S3))) {
      Recorder response = lab.send(Lab.get("/a"));
      Connection connection = failing.accept();
      connection.head();
      connection.send(
          "HTTP/1.1 403 Forbidden\r\ndate: Thu, 01 Jan 2015 00:00:00 GMT\r\n"
              + "content-length: 0\r\n\r\n");
      response.awaitOver();
      assertEquals(403, response.status);
      Await.until("a line in the log", () -> !lab.log.isEmpty());
      assertTrue(
          lab.log.getFirst().contains("answered a signed request with status 403: the clock"),
          lab.log.toString());
      assertTrue(lab.notes().getLast().contains("ahead of the origin's"), lab.notes().toString());
      assertFalse(lab.log.toString().contains("a-secret-key"), lab.log.toString());
      assertFalse(lab.notes().toString().contains("a-secret-key"), lab.notes().toString());
    }
  }

  @Test
  void aReloadWithAnotherKeySignsWithThat() throws Exception {
    OriginConfig before = Lab.withSigning(Lab.origin(failing.url()), HMAC);
    OriginConfig after =
        Lab.withSigning(
            before,
            new SigningConfig(
                List.of(), null, new HmacConfig("other", new Secret("fedcba9876543210"))));
    try (Lab lab = Lab.of(before)) {
      lab.reconfigure(after);
      Recorder response = lab.send(Lab.get("/a"));
      Connection connection = failing.accept();
      assertTrue(field(connection.head(), "signature-input").contains("keyid=\"other\""));
      connection.respond("ok");
      response.awaitOver();
    }
  }
}
