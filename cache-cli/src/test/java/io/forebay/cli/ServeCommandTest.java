package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.ExitCode;
import io.forebay.testing.Commands;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Configurations that {@code serve} refuses, each in one line; {@code BadStartIT} sees the process
 * end, and resources that are missing.
 */
final class ServeCommandTest {
  private static final String ORIGIN = "http://127.0.0.1:9";

  @TempDir private Path directory;

  @Test
  void aValueThatIsNoneIsNamed() {
    assertRefused("ftp://x/", "--origin", "ftp://x/");
    assertRefused("lots", "--origin", ORIGIN, "--memory", "lots");
    assertRefused("origin");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          header-count: [1, 2; forebay.yaml:4:1
          header-cuont: 100;   forebay.yaml:3:3
          header-count: many;  forebay.yaml:3:17
          """)
  void badYamlNamesLineAndColumn(String limit, String place) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: " + ORIGIN + "\nlimits:\n  " + limit + "\n");
    assertRefused(place, "--config", file.toString());
  }

  @Test
  void aConfigurationFileThatIsNotThereIsNamed() {
    assertRefused("absent.yaml", "--config", directory.resolve("absent.yaml").toString());
  }

  @Test
  void aCertificateThatIsNotThereIsNamed() throws IOException {
    Path key = Files.writeString(directory.resolve("key.pem"), "");
    assertRefused(
        "absent.pem",
        "--origin",
        ORIGIN,
        "--listen-tls",
        "127.0.0.1:" + Ports.free(),
        "--cert",
        directory.resolve("absent.pem").toString(),
        "--key",
        key.toString());
  }

  /** S26: an open admin API is a decision that has to be written down. */
  @Test
  void anAdminApiForTheWorldNeedsAToken() throws IOException {
    assertRefused("token", "--origin", ORIGIN, "--admin", "0.0.0.0:" + Ports.free());
  }

  private void assertRefused(String reason, String... arguments) {
    Path data = directory.resolve("data");
    Commands.Finished ended =
        InProcess.run(
            Stream.concat(
                    Stream.of("serve", "--pin", "off", "--data", data.toString()),
                    Stream.of(arguments))
                .toArray(String[]::new));
    assertEquals(ExitCode.BAD_CONFIGURATION, ended.exit(), ended::toString);
    assertEquals(1, ended.errLines().size(), ended::err);
    assertTrue(ended.err().startsWith("forebay: "), ended::err);
    assertTrue(ended.err().contains(reason), ended::err);
    assertFalse(ended.err().contains("Exception"), ended::err);
    assertEquals("", ended.out(), "no start screen");
  }
}
