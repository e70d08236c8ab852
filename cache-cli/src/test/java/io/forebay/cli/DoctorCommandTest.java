package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code doctor} on the machine that runs the test. */
final class DoctorCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private Path config(int port, int adminPort) throws IOException {
    return Files.writeString(
        directory.resolve("forebay.yaml"),
        """
        origin: http://127.0.0.1:9
        listen: 127.0.0.1:%d
        admin: {address: "127.0.0.1:%d"}
        store: {memory: 64MiB, data: %s}
        limits: {connections: 100}
        """
            .formatted(port, adminPort, directory.resolve("data")));
  }

  private static JsonNode check(JsonNode json, String name) {
    for (JsonNode check : json.path("checks")) {
      if (check.path("check").asString("").equals(name)) {
        return check;
      }
    }
    throw new AssertionError(name + " is not in " + json);
  }

  @Test
  void thisMachineIsExaminedAndNotChanged() throws Exception {
    int port = Ports.free();
    Path file = config(port, Ports.free());
    int code = run("doctor", "--json", "--config", file.toString());

    assertEquals("", err.toString());
    JsonNode json = Output.mapper().readTree(out.toString());
    assertEquals(
        List.of("ok", "errors", "warnings", "hints", "checks"), List.copyOf(json.propertyNames()));
    assertEquals(json.path("ok").asBoolean(false) ? 0 : 1, code, out.toString());
    assertEquals(
        List.of("check", "level", "found", "why", "fix"),
        List.copyOf(check(json, "open-files").propertyNames()));
    assertEquals(file.toString(), check(json, "configuration").path("found").asString(""));
    assertTrue(check(json, "data").path("found").asString("").startsWith(directory.toString()));
    assertEquals("ok", check(json, "java").path("level").asString(""));
    assertEquals(List.of(file), listed(directory));
  }

  private static List<Path> listed(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void aTakenPortIsAnErrorWithTheCommandThatHelps() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path file = config(other.getLocalPort(), Ports.free());

      assertEquals(1, run("doctor", "--no-color", "--config", file.toString()), out.toString());
    }
    assertTrue(out.toString().contains("error   ports"), out.toString());
    assertTrue(out.toString().contains("ss -lntup"), out.toString());
    String last = out.toString().lines().toList().getLast();
    assertTrue(last.matches("[1-9] errors, \\d+ warnings, \\d+ hints, \\d+ ok"), last);
  }

  @Test
  void aConfigurationThatIsRefusedIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("forebay.yaml"), "store: {memory: lots}\n");

    assertEquals(78, run("doctor", "--json", "--config", file.toString()));
    JsonNode json = Output.mapper().readTree(out.toString());
    assertEquals(false, json.path("ok").asBoolean(true));
    assertTrue(
        json.path("problems").path(0).asString("").contains("store.memory"), json.toString());
    assertTrue(err.toString().contains("forebay.yaml:1:"), err.toString());
  }
}
