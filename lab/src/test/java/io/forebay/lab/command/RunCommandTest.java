package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.scenario.Scenarios;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is wrong with a command line is said before anything is started. */
final class RunCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int lab(String... arguments) {
    CommandLine command = LabCommand.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    return command.execute(arguments);
  }

  private void assertUsage(String message, String... arguments) {
    assertEquals(LabExit.USAGE, lab(arguments), err.toString());
    assertTrue(err.toString().contains(message), err.toString());
  }

  @Test
  void aScenarioThatThereIsNotIsWrongUsage() {
    assertUsage("xeon7: is no scenario and no file; write one of xeon6-live", "run", "xeon7");
  }

  @Test
  void aProfileThatThereIsNotIsWrongUsage() {
    assertUsage(
        "--profile: is 'tiny'; write smoke, here or full", "run", "one-byte", "--profile", "tiny");
  }

  @Test
  void aPeerThatThereIsNotIsWrongUsage() {
    assertUsage("--peers: unknown program 'apache'", "run", "one-byte", "--peers", "apache");
  }

  @Test
  void aWrongScenarioFileIsNamedWithItsKey(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("a.yaml"), "name: a\ntitle: b\nsteps: 3\n");

    assertUsage(file + ": steps: must be a list of at least one step", "run", file.toString());
  }

  @Test
  void aWrongFileOfHostsIsNamedWithItsKey(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("hosts.yaml"), "clients: [{host: x}]\n");

    assertUsage(
        file + ": clients[0].ssh: is missing", "run", "one-byte", "--hosts", file.toString());
  }

  @Test
  void listNamesAllScenariosAndTheirTests() {
    assertEquals(0, lab("list"), err.toString());

    for (String name : Scenarios.names()) {
      assertTrue(out.toString().contains(name), name);
    }
    assertTrue(out.toString().contains("Varnish Enterprise on Xeon 6"), out.toString());
  }

  @Test
  void listAsJsonHasTheStepsOfEachProfile() {
    assertEquals(0, lab("list", "--json"), err.toString());

    JsonNode list = new JsonMapper().readTree(out.toString());
    assertEquals(Scenarios.names().size(), list.size());
    assertEquals(
        "live-2", list.get(0).path("profiles").path("smoke").path("steps").get(0).asString());
  }
}
