package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Commands.Finished;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.RawClient;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands and the code of docs/PLUGINS.md do what the page says, with the packaged jar. */
@Timeout(300)
@Tag("full")
final class PluginsDocumentIT {
  private static final Path EXAMPLE = Path.of("../examples/plugins");

  @TempDir Path directory;
  private Path example;

  /** A copy of the folder in which the page's commands are run. */
  @BeforeEach
  void copy() throws IOException {
    example = directory.resolve("examples/plugins");
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      for (Path file : files.toList()) {
        Path relative = EXAMPLE.relativize(file);
        boolean isMade = relative.startsWith("build") || relative.startsWith("plugins");
        if (Files.isRegularFile(file) && !isMade) {
          Path to = example.resolve(relative);
          Files.createDirectories(to.getParent());
          Files.copy(file, to);
        }
      }
    }
    Files.createSymbolicLink(example.resolve("forebay.jar"), Jar.file().toAbsolutePath());
  }

  private static String block(String language) throws IOException {
    List<MatchResult> found =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/PLUGINS.md")))
            .results()
            .toList();
    assertEquals(1, found.size(), "blocks of " + language);
    return found.getFirst().group(1);
  }

  private Finished shell(String script) throws Exception {
    String bin = Path.of(System.getProperty("java.home"), "bin").toString();
    return Commands.run(
            "sh",
            "-ec",
            "umask 022; export PATH=\"" + bin + ":$PATH\"; cd \"" + directory + "\"\n" + script)
        .orFail();
  }

  @Test
  void theCommandsBuildTestAndRunTheExample() throws Exception {
    Finished done = shell(block("sh"));

    assertTrue(done.out().contains("all as expected"), done.out());
    assertTrue(done.out().contains("4 steps as expected"), done.out());
    assertTrue(Files.isRegularFile(example.resolve("plugins/example.jar")));
  }

  @Test
  void theExampleServesAsAProcess() throws Exception {
    shell(block("sh").lines().limit(5).reduce("", (before, line) -> before + line + "\n"));
    shell(
        "cd examples/plugins; jar --create --file plugins/example.jar -C build . -C src META-INF");
    String link =
        Pattern.compile("(/films/1\\?\\S+)")
            .matcher(Files.readString(example.resolve("expectations.yaml")))
            .results()
            .findFirst()
            .orElseThrow()
            .group(1);
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      origin.serve(connection -> {
        while (true) {
          String head = connection.head();
          String device = ScriptedOrigin.Connection.fields(head, "x-device").getFirst();
          connection.send(
              "HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 7\r\n\r\n"
                  + (device + "-------").substring(0, 7));
        }
      });
      EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("edge"));
      String yaml =
          Files.readString(example.resolve("forebay.yaml"))
              .replaceAll("(?m)^listen:.*\n|^store:\n(  .*\n)+", "")
              .replace("http://10.0.0.5:8080", origin.url())
              .replace("directory: plugins", "directory: " + example.resolve("plugins"))
              .replace("partners.txt", example.resolve("partners.txt").toString());
      try (EdgeProcess edge = settings.memory("64MiB").config(yaml).start()) {
        try (RawClient client = new RawClient(settings.port())) {
          assertEquals(403, client.get("/films/1").status());
          assertEquals("desktop", client.get(link).text());
          assertEquals("phone--", client.get(link, "User-Agent: Mobile").text());
        }
      }
    }
  }

  @Test
  void theShortExampleCompilesAndIsTaken() throws Exception {
    Path first = Files.createDirectories(directory.resolve("first/META-INF/services"));
    Files.writeString(first.resolve("io.forebay.plugin.Plugin"), "NoRobots\n");
    Files.writeString(
        directory.resolve("first/NoRobots.java"),
        "import io.forebay.plugin.*;\n\n" + block("java"));
    Files.writeString(
        directory.resolve("forebay.yaml"),
        "origin: http://127.0.0.1:9\n" + block("yaml").replace("/etc/forebay/plugins", "first"));

    Finished done =
        shell(
            """
            javac -cp examples/plugins/forebay.jar -d first first/NoRobots.java
            jar --create --file first/no-robots.jar -C first NoRobots.class -C first META-INF
            java -jar examples/plugins/forebay.jar config check --config forebay.yaml
            """);

    assertEquals(0, done.exit());
  }
}
