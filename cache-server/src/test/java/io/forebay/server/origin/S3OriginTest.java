package io.forebay.server.origin;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.SigningConfig;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.sign.OriginSigner;
import io.forebay.server.origin.sign.SignableRequest;
import io.forebay.testing.RawClient;
import io.forebay.testing.S3Gateway;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against versitygw, an S3 server that checks signatures with the SDK for Go. */
@Timeout(120)
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class S3OriginTest {
  private static final String BUCKET = "media";

  private S3Gateway gateway;
  private Path bucket;

  @BeforeAll
  void start(@TempDir Path home) throws Exception {
    if (!S3Gateway.isInstalled()) {
      String why = "versitygw is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    bucket = Files.createDirectories(home.resolve("buckets").resolve(BUCKET));
    Files.createDirectories(home.resolve("buckets").resolve("other"));
    Files.writeString(home.resolve("buckets/other/secret"), "of another bucket");
    object("plain.txt");
    gateway = S3Gateway.start(home, home.resolve("buckets"));
  }

  @AfterAll
  void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  /** An object that holds its own key. */
  private void object(String key) throws IOException {
    Path file = bucket.resolve(key);
    Files.createDirectories(file.getParent());
    Files.writeString(file, key);
  }

  private static SigningConfig signing(String secret, Addressing addressing) {
    return new SigningConfig(
        List.of(),
        new S3Config(
            BUCKET,
            addressing,
            S3Gateway.REGION,
            S3Gateway.ACCESS_KEY,
            new Secret(secret),
            null,
            List.of()),
        null);
  }

  private OriginConfig origin() {
    return Lab.withSigning(
        Lab.origin(gateway.url()), signing(S3Gateway.SECRET_KEY, Addressing.PATH));
  }

  private static Recorder send(Lab lab, String method, String target, String... fields)
      throws Exception {
    HeaderFields.Builder all = HeaderFields.builder().add("host", "cdn.example");
    HeaderFields.of(fields).forEach(all::add);
    Recorder response = lab.send(new OriginRequest(method, target, all.build(), RequestBody.NONE));
    response.awaitOver();
    return response;
  }

  @ParameterizedTest
  @CsvSource({
    "a b.txt, /a%20b.txt",
    "a+b.txt, /a+b.txt",
    "a+b.txt, /a%2Bb.txt",
    "a%b.txt, /a%25b.txt",
    "a%2Fb.txt, /a%252Fb.txt",
    "deep/er/one.txt, /deep/er/one.txt",
    "deep/er/one.txt, /deep%2Fer/one.txt",
    "ä€.txt, /%C3%A4%E2%82%AC.txt",
    "!$&'()*=:@;~.txt, /!$&'()*=:@;~.txt",
    "q?#[].txt, /q%3F%23%5B%5D.txt",
    "..hidden/..a, /..hidden/..a",
  })
  void anObjectIsReadByItsKey(String key, String target) throws Exception {
    object(key);
    try (Lab lab = Lab.of(origin())) {
      Recorder response = send(lab, "GET", target);
      assertEquals(200, response.status, response.body());
      assertEquals(
          key,
          new String(
              response.body().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
      assertEquals(200, send(lab, "HEAD", target).status);
    }
  }

  /** A file system has no empty names: what counts is that the signature is accepted. */
  @ParameterizedTest
  @ValueSource(strings = {"/no-such-object", "/a//b", "//a", "/a/"})
  void aMissingObjectIs404AndNot403(String target) throws Exception {
    try (Lab lab = Lab.of(origin())) {
      assertEquals(404, send(lab, "GET", target).status);
    }
  }

  @Test
  void rangesAndConditionsMeanWhatTheyMean() throws Exception {
    try (Lab lab = Lab.of(origin())) {
      Recorder part = send(lab, "GET", "/plain.txt", "range", "bytes=2-4");
      assertEquals(206, part.status);
      assertEquals("ain", part.body());
      Recorder unmodified =
          send(lab, "GET", "/plain.txt", "if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT");
      assertTrue(unmodified.status == 304 || unmodified.status == 200, "" + unmodified.status);
    }
  }

  @Test
  void aVirtualHostIsSignedAndSent() throws Exception {
    OriginConfig config =
        Lab.withHost(
            Lab.withSigning(
                Lab.origin(gateway.url()), signing(S3Gateway.SECRET_KEY, Addressing.VIRTUAL_HOST)),
            BUCKET + ".s3.example:" + gateway.port());
    try (Lab lab = Lab.of(config)) {
      Recorder response = send(lab, "GET", "/plain.txt");
      assertEquals("plain.txt", response.body());
    }
  }

  @Test
  void aWrongSecretIsRefusedAndSaid() throws Exception {
    OriginConfig config =
        Lab.withSigning(Lab.origin(gateway.url()), signing("another-secret", Addressing.PATH));
    try (Lab lab = Lab.of(config)) {
      Recorder response = send(lab, "GET", "/plain.txt");
      assertEquals(403, response.status);
      assertTrue(response.body().contains("SignatureDoesNotMatch"), response.body());
      assertTrue(lab.notes().getLast().contains("check the key"), lab.notes().toString());
      assertTrue(lab.log.getFirst().contains("check the key"), lab.log.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-40, 40})
  void aClockThatIsWrongIsRefusedAndSaid(long minutes) throws Exception {
    try (Lab lab = Lab.of(origin())) {
      lab.wallAheadMillis.set(TimeUnit.MINUTES.toMillis(minutes));
      Recorder response = send(lab, "GET", "/plain.txt");
      assertEquals(403, response.status);
      assertTrue(response.body().contains("RequestTimeTooSkewed"), response.body());
      assertTrue(
          lab.log.getFirst().contains(minutes < 0 ? "min behind the" : "min ahead of the"),
          lab.log.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/?list-type=2", "/..%2Fother%2Fsecret", "/%2E%2E/other/secret"})
  void whatIsNotAnObjectOfTheBucketIsRefused(String target) throws Exception {
    try (Lab lab = Lab.of(origin())) {
      Recorder response = send(lab, "GET", target);
      assertTrue(response.status >= 400, response.status + " " + response.body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "DELETE"})
  void nobodyWritesWithTheKeyOfTheNode(String method) throws Exception {
    try (Lab lab = Lab.of(origin())) {
      Recorder response = send(lab, method, "/plain.txt");
      assertEquals(403, response.status, response.body());
      assertEquals("plain.txt", Files.readString(bucket.resolve("plain.txt")));
    }
  }

  /** So that the tests above can fail: the server checks each thing that is signed. */
  @ParameterizedTest
  @CsvSource({
    "none, 200",
    "method, 403",
    "path, 403",
    "query, 403",
    "host, 403",
    "x-amz-date, 403",
    "authorization, 403",
    "range, 206",
  })
  void aRequestThatWasAlteredIsRefused(String what, int status) throws Exception {
    OriginSigner signer = requireNonNull(OriginSigner.of(origin(), InstantSource.system()));
    String authority = "127.0.0.1:" + gateway.port();
    SignableRequest signed =
        signer.sign(
            new SignableRequest(
                "GET",
                "/plain.txt",
                HeaderFields.of("host", "cdn.example"),
                false,
                authority,
                false));
    List<String> lines = new ArrayList<>();
    HeaderFields fields = signed.fields();
    for (int i = 0; i < fields.size(); i++) {
      String value = fields.value(i);
      lines.add(
          fields.name(i) + ": " + (fields.name(i).equals(what) ? altered(what, value) : value));
    }
    if (what.equals("range")) {
      lines.add("range: bytes=0-1");
    }
    String target =
        signed.target() + (what.equals("path") ? "x" : what.equals("query") ? "?versionId=1" : "");
    String method = what.equals("method") ? "HEAD" : "GET";
    try (RawClient client = new RawClient(gateway.port())) {
      client.request(method, target, lines.toArray(new String[0]));
      assertEquals(status, client.reply(method.equals("HEAD")).status());
    }
  }

  private static String altered(String name, String value) {
    return switch (name) {
      case "host" -> "localhost" + value.substring(value.indexOf(':'));
      case "x-amz-date" -> value.substring(0, 14) + (value.charAt(14) == '0' ? "1Z" : "0Z");
      default -> value.substring(0, value.length() - 1) + (value.endsWith("0") ? "1" : "0");
    };
  }

  @Test
  void aFailoverSignsForTheServerThatIsUsed() throws Exception {
    try (ScriptedOrigin failing = ScriptedOrigin.start()) {
      OriginConfig config =
          Lab.withServers(
              origin(), OriginServerConfig.of(failing.url()), OriginServerConfig.of(gateway.url()));
      try (Lab lab = Lab.of(config)) {
        Recorder response = lab.send(Lab.get("/plain.txt"));
        ScriptedOrigin.Connection first = failing.accept();
        first.head();
        first.reset();
        response.awaitOver();
        assertEquals("plain.txt", response.body());
      }
    }
  }
}
