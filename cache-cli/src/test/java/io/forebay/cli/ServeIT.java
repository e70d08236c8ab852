package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code serve} as a process: how it stops, and what it prints when it cannot start. */
final class ServeIT {
  @TempDir Path directory;

  private List<String> serve(Path data) {
    return List.of(
        "serve",
        "--json",
        "--origin=http://127.0.0.1:9",
        "--listen=127.0.0.1:0",
        "--admin=127.0.0.1:0",
        "--memory=32MiB",
        "--memory-dir=" + directory.resolve("memory"),
        "--data=" + data,
        "--threads=1",
        "--pin=off");
  }

  private static String[] with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
  }

  private static int status(String url) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(url)).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  @Test
  @Tag("full")
  void afterTheSignalItAcceptsWhileItIsNotReadyAndThenEnds() throws Exception {
    Process process =
        Jar.with()
            .env("FOREBAY_TIMEOUTS_LAME_DUCK", "8s")
            .start(with(serve(directory.resolve("data"))));
    try (BufferedReader out = process.inputReader()) {
      JsonNode started = Output.mapper().readTree(out.readLine());
      String admin = started.path("admin").asString("");
      String site = "http://127.0.0.1:" + started.at("/listening/0/port").asInt(0) + "/";
      assertEquals(200, status(admin + "/readyz"));
      // Process.destroy would close the output that is read below.
      assertTrue(process.toHandle().destroy());
      Await.until("not ready", Duration.ofSeconds(7), () -> status(admin + "/readyz") == 503);
      // The origin is dead: what matters is that a new connection is served.
      assertEquals(502, status(site));
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
      assertEquals("{\"event\":\"stopped\"}", out.readLine());
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Tag("full")
  @Test
  void whatKeepsItFromStartingIsOneLineAndCode69() throws Exception {
    Path file = Files.writeString(directory.resolve("a-file"), "text");
    Commands.Finished log =
        Jar.with()
            .run(with(serve(directory.resolve("data")), "--access-log=" + file.resolve("log")));
    assertEquals(69, log.exit(), log.err());
    assertTrue(log.err().contains("forebay: access-log: cannot write " + file), log.err());
    assertTrue(log.err().endsWith("or set access-log.output\n"), log.err());

    Commands.Finished data = Jar.with().run(with(serve(file)));
    assertEquals(69, data.exit(), data.err());
    assertTrue(data.err().contains(file + " is a file where a directory is needed"), data.err());
    assertTrue(!log.err().contains("\tat ") && !data.err().contains("\tat "), data.err());
  }
}
