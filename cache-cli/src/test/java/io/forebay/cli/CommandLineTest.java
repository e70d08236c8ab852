package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What the command line says without a node, and its exit codes. */
final class CommandLineTest {
  @TempDir private Path directory;

  @Test
  void noCommandIsUsage() {
    Commands.Finished ended = InProcess.run();

    assertEquals(2, ended.exit());
    assertEquals("", ended.out());
    assertTrue(ended.err().contains("serve"), ended.err());
  }

  @Test
  void completionKnowsTheCommands() {
    Commands.Finished ended = InProcess.run("generate-completion");

    assertEquals(0, ended.exit());
    assertTrue(ended.out().contains("purge"));
    assertTrue(ended.out().contains("--listen-tls"));
  }

  @Test
  void badYamlIsOneLineWithItsPlaceAndCode78() throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9000\nstore:\n  memory: [1\n");

    Commands.Finished ended = InProcess.run("config", "check", "--config", file.toString());

    assertEquals(78, ended.exit());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().matches("forebay: .*forebay\\.yaml:[34]:\\d+: .*\\R"), ended.err());
  }

  @Test
  void wrongValuesAreALineEach() throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9000\nstore:\n  memory: lots\nroutez: []\n");

    Commands.Finished ended =
        InProcess.run("config", "check", "--json", "--config", file.toString());

    assertEquals(78, ended.exit());
    JsonNode problems = Output.mapper().readTree(ended.out()).path("problems");
    assertEquals(2, problems.size(), ended.out());
    assertTrue(ended.err().contains("forebay.yaml:3:11: store.memory: "), ended.err());
    assertTrue(ended.err().contains("forebay.yaml:4:1: routez: "), ended.err());
    assertEquals(2, ended.errLines().size(), ended.err());
  }

  @Test
  void whatIsDumpedCanBeLoadedAgain() throws IOException {
    Commands.Finished dump =
        InProcess.run("config", "dump", "--origin", "http://127.0.0.1:9000", "--pin", "off");
    assertEquals(0, dump.exit(), dump.err());
    Path file = directory.resolve("dumped.yaml");
    Files.writeString(file, dump.out());

    Commands.Finished check = InProcess.run("config", "check", "--config", file.toString());

    assertEquals(0, check.exit(), check.err());
    assertTrue(check.out().startsWith("good: "), check.out());
    assertTrue(dump.out().contains("pin: off") || dump.out().contains("pin: \"off\""), dump.out());
  }

  @Test
  void schemaIsJson() {
    Commands.Finished ended = InProcess.run("config", "schema");

    assertEquals(0, ended.exit());
    assertFalse(Output.mapper().readTree(ended.out()).path("properties").isEmpty());
  }
}
