package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.AcmeConfig.Challenge;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code tls.acme} takes and refuses. */
final class AcmeConfigTest {
  @TempDir Path directory;

  private ConfigOutcome load(String tls) throws Exception {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origins: {main: {url: \"http://127.0.0.1:1\"}}\n" + tls + "\n");
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  @Test
  void hostsMakeTheShorthandListenerTls() throws Exception {
    ServerConfig config =
        assertInstanceOf(
                ConfigOutcome.Loaded.class,
                load(
                    """
                    listen: [":80"]
                    tls:
                      listen: ":443"
                      acme: {hosts: [WWW.example.com], agree-to-terms: true, challenges: [http-01]}
                    """))
            .config();
    assertEquals(List.of("www.example.com"), config.tls().acme().hosts());
    assertEquals(List.of(Challenge.HTTP_01), config.tls().acme().challenges());
    assertEquals(AcmeConfig.LETS_ENCRYPT, config.tls().acme().directory());
    assertFalse(config.listeners().get(0).isTls());
    assertTrue(config.listeners().get(1).isTls());
    assertEquals("https", config.listeners().get(1).name());
  }

  @Test
  void hostsNeedATlsListener() throws Exception {
    ConfigOutcome.Refused refused =
        assertInstanceOf(
            ConfigOutcome.Refused.class,
            load("tls:\n  acme: {hosts: [www.example.com], agree-to-terms: true}"));
    assertTrue(refused.problems().toString().contains("no listener serves TLS"));
  }

  @Test
  void secretsAreNotShown() throws Exception {
    ServerConfig config =
        assertInstanceOf(
                ConfigOutcome.Loaded.class,
                load("tls: {acme: {eab-key-id: k, eab-secret: c2VjcmV0c2VjcmV0c2VjcmV0}}"))
            .config();
    assertFalse(config.toString().contains("c2VjcmV0"));
  }
}
