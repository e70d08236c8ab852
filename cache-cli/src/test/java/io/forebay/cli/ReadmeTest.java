package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the README are valid. */
final class ReadmeTest {
  private static final Path ROOT = Path.of("..");

  @TempDir private Path directory;

  @Test
  void everyCommandShownParses() throws Exception {
    List<String> commands =
        Stream.of("README.md", "docs/CLI.md")
            .flatMap(file -> blocks(file, "sh"))
            .flatMap(String::lines)
            .filter(line -> line.startsWith("./forebay "))
            .map(line -> line.replaceFirst("\\s+#.*", ""))
            .toList();

    assertFalse(commands.isEmpty());
    for (String command : commands) {
      String[] words = command.substring("./forebay ".length()).split("\\s+");
      assertNotNull(Forebay.commandLine().parseArgs(words).subcommand(), command);
    }
  }

  @Test
  void theConfigurationShownIsAccepted() throws Exception {
    List<String> shown = blocks("README.md", "yaml").toList();
    assertEquals(1, shown.size());
    Path file = directory.resolve("forebay.yaml");
    Files.createFile(directory.resolve("fullchain.pem"));
    Files.createFile(directory.resolve("key.pem"));
    Files.writeString(file, shown.getFirst().replace("/etc/forebay/", directory + "/"));
    ConfigEnvironment machine =
        new ConfigEnvironment(Map.of(), directory, file, directory, directory, "test");

    ConfigOutcome outcome = new ConfigLoader(machine).load(file, Map.of());

    assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome.toString());
  }

  private static Stream<String> blocks(String file, String language) {
    Pattern block = Pattern.compile("```" + language + "\\R(.*?)```", Pattern.DOTALL);
    try {
      return block
          .matcher(Files.readString(ROOT.resolve(file)))
          .results()
          .map(found -> found.group(1))
          .toList()
          .stream();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
