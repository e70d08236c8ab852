package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.JwtSigner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/PROTECTION.md are configurations that load and protect a route. */
final class ProtectionDocTest {
  private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void everyExampleLoads() throws Exception {
    Files.writeString(
        directory.resolve("members.htpasswd"), "alice:$2y$10$" + "a".repeat(53) + "\n");
    Files.writeString(directory.resolve("url-key-2026"), "0123456789abcdef0123456789abcdef\n");
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    Files.writeString(
        directory.resolve("cloudfront.pem"),
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder()
                .encodeToString(generator.generateKeyPair().getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n");
    Files.writeString(
        directory.resolve("keys.json"), JwtSigner.set(JwtSigner.of("key-1", "ES256")));
    Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/PROTECTION.md")));
    int count = 0;
    while (examples.find()) {
      count++;
      String yaml = examples.group(1).replaceAll("(file: )([a-z])", "$1" + directory + "/$2");
      Path file = Files.writeString(directory.resolve("forebay.yaml"), yaml);
      ConfigOutcome outcome =
          new ConfigLoader(
                  new ConfigEnvironment(
                      Map.of("NGINX_SECRET", "secret"),
                      directory,
                      directory,
                      directory,
                      directory,
                      "forebay-test"))
              .load(file, Map.of());
      ServerConfig config =
          assertInstanceOf(ConfigOutcome.Loaded.class, outcome, yaml + outcome).config();
      if (yaml.contains("protection")) {
        assertNotNull(config.routes().getLast().protection(), yaml);
      }
    }
    assertTrue(count >= 4, count + " examples");
  }
}
