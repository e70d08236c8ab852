package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Every configuration of {@code examples} does what its expectations in {@code examples/tests} say,
 * by the command that users run, and docs/COOKBOOK.md agrees with the files.
 */
@Timeout(120)
final class CookbookTest {
  private static final Path EXAMPLES = Path.of("../examples");
  private static final Path COOKBOOK = Path.of("../docs/COOKBOOK.md");

  static List<String> examples() throws IOException {
    return namesIn(EXAMPLES);
  }

  private static List<String> namesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .sorted()
          .toList();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("examples")
  void doesWhatIsExpected(String example) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Forebay.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));

    int code =
        line.execute("config", "test", EXAMPLES.resolve("tests").resolve(example).toString());

    assertEquals(0, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("steps as expected"), out.toString());
  }

  @Test
  void everyExampleHasExpectations() throws IOException {
    List<String> examples = examples();
    assertEquals(examples, namesIn(EXAMPLES.resolve("tests")));
    assertTrue(examples.size() >= 25, () -> examples.size() + " examples");
  }

  private static List<String> found(String pattern) throws IOException {
    return Pattern.compile(pattern, Pattern.DOTALL)
        .matcher(Files.readString(COOKBOOK))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  @Test
  void everyExampleHasItsSection() throws IOException {
    assertEquals(
        examples(),
        found("\\(\\.\\./examples/([a-z0-9-]+\\.yaml)\\)").stream().distinct().sorted().toList());
  }

  /** What the page shows of a configuration stands in the file that its section names. */
  @Test
  void whatIsShownStandsInTheExamples() throws IOException {
    int shown = 0;
    for (String section : found("\n### (.*?)(?=\n##|\\z)")) {
      List<String> files =
          Pattern.compile("\\(\\.\\./examples/([a-z0-9-]+\\.yaml)\\)")
              .matcher(section)
              .results()
              .map(match -> match.group(1))
              .toList();
      for (MatchResult block :
          Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
              .matcher(section)
              .results()
              .toList()) {
        StringBuilder text = new StringBuilder();
        for (String file : files) {
          text.append(Files.readString(EXAMPLES.resolve(file)));
        }
        assertTrue(text.toString().contains(block.group(1)), () -> files + ":\n" + block.group(1));
        shown++;
      }
    }
    assertTrue(shown >= 15, shown + " parts of configurations");
  }

  @Test
  void everyCommandShownParses() throws IOException {
    int commands = 0;
    for (String block : found("```sh\n(.*?)```")) {
      for (String line : block.lines().toList()) {
        if (line.startsWith("./forebay ")) {
          String command = line.replaceFirst("\\s+#.*", "");
          String[] words = command.substring("./forebay ".length()).split("\\s+", -1);
          assertNotNull(Forebay.commandLine().parseArgs(words).subcommand(), command);
          commands++;
        }
      }
    }
    assertTrue(commands >= 5, commands + " commands");
  }
}
