package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Certificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code cluster.secret-file} takes and refuses. */
final class ClusterSecretConfigTest {
  private static final String KEY = base64(32, 1);
  private static final String NEXT_KEY = base64(32, 2);

  @TempDir Path directory;
  private Path secret;
  private Certificates certificates;

  private static String base64(int length, int filling) {
    byte[] key = new byte[length];
    Arrays.fill(key, (byte) filling);
    return Base64.getEncoder().encodeToString(key);
  }

  @BeforeEach
  void open() throws Exception {
    secret = directory.resolve("secret");
    certificates = Certificates.in(directory);
    var ignored = certificates.ecdsa("edge-1", "edge-1");
  }

  private ConfigOutcome load() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("forebay.yaml"),
            """
            origin: http://127.0.0.1:9
            forwarding: {node-id: edge-1}
            cluster:
              name: eu
              advertise: edge-1.example:7443
              tls: {ca: "%s", certificate: "%s", key: "%s"}
              log: {endpoints: "http://127.0.0.1:2379"}
              secret-file: "%s"
            """
                .formatted(
                    certificates.authorityPem(),
                    certificates.pem("edge-1"),
                    certificates.key("edge-1"),
                    secret));
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  private String problem() throws Exception {
    List<ConfigProblem> problems = assertInstanceOf(ConfigOutcome.Refused.class, load()).problems();
    assertEquals(1, problems.size(), problems::toString);
    String text = problems.getFirst().text();
    assertTrue(text.contains("cluster.secret-file: \"" + secret + "\" "), text);
    assertTrue(text.contains("copy the file of another node"), text);
    assertTrue(text.contains("openssl rand -base64 32"), text);
    return text;
  }

  private void assertRefused(String content, String why) throws Exception {
    Files.writeString(secret, content);
    String text = problem();
    assertTrue(text.contains(why), text);
    for (String line : content.lines().filter(line -> line.length() > 4).toList()) {
      assertFalse(text.contains(line), "it quotes the file: " + text);
    }
  }

  @Test
  void theFirstKeyEncryptsAndOthersFollow() throws Exception {
    Files.writeString(secret, "# eu\n" + KEY + "  \n\n" + NEXT_KEY + "\n");
    ConfigOutcome.Loaded loaded = assertInstanceOf(ConfigOutcome.Loaded.class, load());
    ClusterConfig.SharedSecret read =
        Objects.requireNonNull(Objects.requireNonNull(loaded.config().cluster()).secret());
    assertEquals(List.of(new Secret(KEY), new Secret(NEXT_KEY)), read.keys());
    assertEquals(secret, read.file());
  }

  @Test
  void noViewOfTheConfigurationShowsAKey() throws Exception {
    Files.writeString(secret, KEY + "\n");
    ConfigOutcome.Loaded loaded = assertInstanceOf(ConfigOutcome.Loaded.class, load());
    assertFalse(loaded.config().toString().contains(KEY));
    assertFalse(ConfigView.yaml(loaded).contains(KEY));
    assertFalse(ConfigView.json(loaded).contains(KEY));
    assertTrue(ConfigView.yaml(loaded).contains(secret.toString()));
  }

  @Test
  void withoutTheKeyThereIsNoSecret() throws Exception {
    Files.writeString(secret, KEY + "\n");
    ConfigOutcome ignored = load();
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, Files.readString(file).replaceAll("(?m)^ *secret-file.*$", ""));
    ConfigOutcome.Loaded loaded =
        assertInstanceOf(
            ConfigOutcome.Loaded.class,
            new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of()));
    assertNull(Objects.requireNonNull(loaded.config().cluster()).secret());
  }

  @Test
  void aFileThatIsMissingIsRefused() throws Exception {
    assertTrue(problem().contains("is not a file that can be read"));
  }

  @Test
  void aDirectoryIsRefused() throws Exception {
    Files.createDirectory(secret);
    assertTrue(problem().contains("is not a file that can be read"));
  }

  @Test
  void anEmptyFileIsRefused() throws Exception {
    assertRefused("", "has 0 keys");
    assertRefused("\n# nothing\n", "has 0 keys");
  }

  @Test
  void aKeyThatIsTooShortOrTooLongIsRefusedWithItsLine() throws Exception {
    assertRefused(base64(16, 7) + "\n", "has a key of 16 bytes in line 1; a key has 32");
    assertRefused(KEY + "\n\n" + base64(33, 7) + "\n", "has a key of 33 bytes in line 3");
  }

  @Test
  void aLineThatIsNotBase64IsRefusedAndNotQuoted() throws Exception {
    assertRefused(KEY + "\nmy own password\n", "has no base64 in line 2");
  }

  @Test
  void aFileWithTooManyKeysOrTooLargeIsRefused() throws Exception {
    assertRefused((KEY + "\n").repeat(17), "has 17 keys; 1 to 16 are allowed");
    assertRefused(("#" + "x".repeat(99) + "\n").repeat(700), "is larger than 64KiB");
  }
}
