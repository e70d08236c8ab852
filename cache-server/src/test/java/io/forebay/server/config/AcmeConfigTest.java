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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{hosts: ['*.example.com'], agree-to-terms: true} | requires the challenge dns-01",
        "{hosts: [www.example.com]} | only after you agree",
        "{hosts: [192.0.2.1], agree-to-terms: true} | no certificate can be ordered for 192.0.2.1",
        "{hosts: [localhost], agree-to-terms: true} | no certificate can be ordered for localhost",
        "{hosts: ['../../x.de'], agree-to-terms: true} | is not in a list of hosts",
        "{hosts: [www.example.com], agree-to-terms: true, challenges: dns-01} | not in a list of"
            + " challenges",
        "{hosts: [www.example.com], agree-to-terms: true, directory: 'http://ca.example/'} | not"
            + " over https",
        "{hosts: [www.example.com], agree-to-terms: true, eab-key-id: x} | needs eab-key-id and"
            + " eab-secret",
        "{on-demand: ['*.com_x'], agree-to-terms: true} | no certificate can be ordered",
        "{hosts: [www.example.com], agree-to-terms: true, email: nobody} | not a plain address"
      })
  void whatCannotWorkIsRefused(String acme, String message) throws Exception {
    ConfigOutcome.Refused refused =
        assertInstanceOf(
            ConfigOutcome.Refused.class,
            load("tls:\n  listen: \"127.0.0.1:443\"\n  acme: " + acme));
    assertTrue(
        refused.problems().stream().anyMatch(one -> one.toString().contains(message)),
        refused.problems()::toString);
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
