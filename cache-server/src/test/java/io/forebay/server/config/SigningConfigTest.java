package io.forebay.server.config;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.HmacConfig;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.config.SigningConfig.StaticField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields and signatures of origins: how they are configured, and that no secret is shown. */
final class SigningConfigTest {
  @TempDir private Path directory;
  private final Map<String, String> variables = new HashMap<>();

  private ConfigOutcome load(String origin) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("forebay.yaml"),
            "origins:\n  main:\n    url: http://127.0.0.1:9000\n"
                + origin.indent(4).replace("DIR", directory.toString()));
    return new ConfigLoader(
            new ConfigEnvironment(
                variables,
                directory,
                directory.resolve("system.yaml"),
                directory.resolve("lib"),
                directory.resolve("home"),
                "node"))
        .load(file, Map.of());
  }

  private ConfigOutcome.Loaded loaded(String origin) throws IOException {
    ConfigOutcome outcome = load(origin);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome.toString());
  }

  private SigningConfig signing(String origin) throws IOException {
    return loaded(origin).config().origins().getFirst().signing();
  }

  private String problem(String origin) throws IOException {
    ConfigOutcome.Refused refused = assertInstanceOf(ConfigOutcome.Refused.class, load(origin));
    assertEquals(1, refused.problems().size(), refused.toString());
    return refused.problems().getFirst().toString().replace(directory + "/", "");
  }

  @Test
  void anOriginWithoutAnyOfItHasNoSigning() throws IOException {
    assertEquals(SigningConfig.NONE, signing("host: a.example"));
  }

  @Test
  void valuesComeFromKeysVariablesAndFiles() throws IOException {
    variables.put("ORIGIN_SECRET", "from a variable");
    Files.writeString(directory.resolve("key"), "  from a file\nsecond line\n");
    assertEquals(
        List.of(
            new StaticField("x-origin-secret", new Secret("from a variable")),
            new StaticField("x-api-key", new Secret("from a file"))),
        signing(
                """
                headers:
                  - {name: X-Origin-Secret, value: "${ORIGIN_SECRET}"}
                  - {name: X-Api-Key, value-file: DIR/key}
                """)
            .fields());
  }

  @Test
  void aBucketHasItsKey() throws IOException {
    Files.writeString(directory.resolve("key"), "a/secret+key\n");
    assertEquals(
        new S3Config(
            "media",
            Addressing.PATH,
            "auto",
            "AKIAEXAMPLE",
            new Secret("a/secret+key"),
            null,
            List.of()),
        signing(
                "s3: {bucket: media, region: auto, access-key: AKIAEXAMPLE,"
                    + " secret-key-file: DIR/key}")
            .s3());
  }

  @Test
  void aKeyForSignaturesHasAnId() throws IOException {
    assertEquals(
        new HmacConfig("edge-1", new Secret("0123456789abcdef")),
        signing("hmac: {key-id: edge-1, key: 0123456789abcdef}").hmac());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "headers: [{name: X-A, value-file: DIR/none}] | forebay.yaml:4:39:"
            + " origins.main.headers.0.value-file: \"none\" is not a text file",
        "headers: [{name: X-A, value: a, value-file: DIR/none}] |"
            + " origins.main.headers.0.value-file: value is given as well",
        "hmac: {key-id: edge, key-file: DIR/none} | origins.main.hmac.key-file: \"none\" is not",
      })
  void aMistakeIsNamedWithItsPlace(String origin, String expected) throws IOException {
    String problem = problem(origin);
    assertTrue(problem.contains(expected), problem);
  }

  @Test
  void twoSignaturesAreOneTooMany() throws IOException {
    String problem =
        problem(
            """
            s3: {bucket: media, region: auto, access-key: A, secret-key: b}
            hmac: {key-id: edge, key: 0123456789abcdef}
            """);
    assertTrue(problem.contains("origins.main.hmac: s3 is given as well"), problem);
  }

  @Test
  void aFieldOfTheSignatureCannotBeSet() throws IOException {
    String problem =
        problem(
            """
            s3: {bucket: media, region: auto, access-key: A, secret-key: b}
            headers: [{name: X-Amz-Request-Payer, value: requester}]
            """);
    assertTrue(problem.contains("x-amz-request-payer is set by the signature"), problem);
  }

  @Test
  void theHostOfABucketCanBeSigned() throws IOException {
    String s3 = "s3: {bucket: media, region: auto, access-key: A, secret-key: b}\n";
    assertEquals(
        "media", requireNonNull(signing(s3 + "host: media.s3.example:9000").s3()).bucket());
    String problem = problem(s3 + "host: \"media:port\"");
    assertTrue(problem.contains("origins.main.host: not a host that can be signed"), problem);
  }

  @Test
  void aWrongSecretIsNotPrinted() throws IOException {
    Files.writeString(directory.resolve("key"), "too short");
    String problem = problem("hmac: {key-id: edge, key-file: DIR/key}");
    assertTrue(problem.contains("key: the secret is not 16 to 512"), problem);
    assertFalse(problem.contains("too short"), problem);
    problem = problem("hmac: {key-id: edge, key: too-short}");
    assertFalse(problem.contains("too-short"), problem);
  }

  @Test
  void noSecretIsShown() throws IOException {
    Files.writeString(directory.resolve("key"), "top-secret-of-a-file");
    variables.put("FOREBAY_ADMIN_TOKEN", "top-secret-of-the-admin-api");
    ConfigOutcome.Loaded loaded =
        loaded(
            """
            headers:
              - {name: X-A, value: top-secret-one}
              - {name: X-B, value-file: DIR/key}
            s3:
              bucket: media
              region: auto
              access-key: AKIAEXAMPLE
              secret-key: top-secret-two
              session-token: top-secret-three
            """);
    List<String> shown =
        List.of(
            ConfigView.yaml(loaded),
            ConfigView.json(loaded),
            ConfigView.json(loaded.config()),
            loaded.toString(),
            loaded("hmac: {key-id: edge, key: top-secret-number-four}").config().toString());
    for (String text : shown) {
      assertFalse(text.contains("top-secret"), text);
    }
    assertTrue(shown.getFirst().contains("name: x-a"), shown.getFirst());
    assertTrue(shown.getFirst().contains("value: \"***\""), shown.getFirst());
    assertTrue(shown.getFirst().contains("forebay.yaml:6"), shown.getFirst());
  }

  @Test
  void aFileIsReadAgainAndTheChangeIsNamed() throws IOException {
    String origin = "hmac: {key-id: edge, key-file: DIR/key}";
    Files.writeString(directory.resolve("key"), "0123456789abcdef");
    ServerConfig before = loaded(origin).config();
    assertEquals(
        List.of(), ConfigView.diff(before, loaded(origin).config()).changed(), "unchanged");
    Files.writeString(directory.resolve("key"), "fedcba9876543210");
    ServerConfig after = loaded(origin).config();
    assertEquals(List.of("origins.main.hmac.key"), ConfigView.diff(before, after).changed());
    assertEquals(List.of(), ConfigView.diff(before, after).needsRestart());
  }
}
