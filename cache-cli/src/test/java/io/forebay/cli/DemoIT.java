package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code forebay demo}: the main job, on this machine, from the packaged jar. */
@Tag("full")
final class DemoIT {

  @Test
  void everyStepIsAsPromisedAndNothingIsLeftBehind() throws Exception {
    Set<Path> before = leftovers();

    Commands.Finished ended = Jar.with().run("demo", "--once", "--json");

    assertEquals(0, ended.exit(), ended.out() + ended.err());
    List<String> steps = new ArrayList<>();
    for (String line : ended.out().lines().toList()) {
      JsonNode step = Output.mapper().readTree(line);
      assertTrue(step.path("ok").asBoolean(), line);
      steps.add(step.path("step").asString());
    }
    assertEquals(List.of("start", "miss", "hit", "range", "join", "purge", "crash", "end"), steps);
    assertEquals(before, leftovers());
  }

  @Test
  void theStepsOfAClusterAreAsPromisedAndNothingIsLeftBehind() throws Exception {
    Set<Path> before = leftovers();

    Commands.Finished ended = Jar.with().run("demo", "--cluster", "--once", "--json");

    assertEquals(0, ended.exit(), ended.out() + ended.err());
    List<String> steps = new ArrayList<>();
    for (String line : ended.out().lines().toList()) {
      JsonNode step = Output.mapper().readTree(line);
      assertTrue(step.path("ok").asBoolean(), line);
      steps.add(step.path("step").asString());
    }
    assertEquals(
        List.of("start", "warm", "purge", "kill", "return", "drain", "config", "readers", "end"),
        steps);
    assertEquals(before, leftovers());
  }

  @Test
  void itIsWrittenForPeopleWithoutColoursOffATerminal() throws Exception {
    Commands.Finished ended = Jar.with().run("demo", "--once");

    assertEquals(0, ended.exit(), ended.out() + ended.err());
    assertTrue(ended.out().contains("Every step succeeded."), ended.out());
    assertTrue(ended.out().indexOf('\u001b') < 0, ended.out());
    ended.out().lines().forEach(line -> assertTrue(line.length() <= 160, line));
  }

  @Test
  void withoutOnceItStaysUpUntilItIsToldToStop() throws Exception {
    Set<Path> before = leftovers();
    Process demo = Jar.with().start("demo");
    boolean isUp = false;
    try (var out = demo.inputReader()) {
      for (String line = out.readLine(); line != null && !isUp; line = out.readLine()) {
        isUp = line.contains("until Ctrl-C");
      }
      assertTrue(isUp, "it ended by itself");
      assertEquals(1, demo.children().count(), "the edge is a process of its own");
      ProcessHandle edge = demo.children().findFirst().orElseThrow();

      demo.destroy();

      assertTrue(demo.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, demo.exitValue());
      assertTrue(edge.onExit().get(60, TimeUnit.SECONDS) != null);
    } finally {
      demo.destroyForcibly();
    }
    assertEquals(before, leftovers());
  }

  @Test
  void theOriginAloneServesTheChannelUntilItIsToldToStop() throws Exception {
    Process origin = Jar.with().start("demo", "origin", "--port", "0", "--json");
    try (var out = origin.inputReader();
        HttpClient http = HttpClient.newHttpClient()) {
      JsonNode started = Output.mapper().readTree(out.readLine());
      URI master = URI.create(started.path("origin").asString() + started.path("path").asString());

      HttpResponse<String> playlist =
          http.send(HttpRequest.newBuilder(master).build(), HttpResponse.BodyHandlers.ofString());

      assertEquals(200, playlist.statusCode());
      assertTrue(playlist.body().startsWith("#EXTM3U"), playlist.body());
      origin.destroy();
      assertTrue(origin.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, origin.exitValue());
    } finally {
      origin.destroyForcibly();
    }
  }

  private static Set<Path> leftovers() throws Exception {
    Set<Path> found = new TreeSet<>();
    for (Path place : List.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of("/dev/shm"))) {
      if (Files.isDirectory(place)) {
        try (Stream<Path> files = Files.list(place)) {
          files
              .filter(file -> String.valueOf(file.getFileName()).startsWith("forebay-demo-"))
              .forEach(found::add);
        }
      }
    }
    return found;
  }
}
