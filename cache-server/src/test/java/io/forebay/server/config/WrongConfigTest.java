package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wrong configurations, and all that is said of each: the files of {@code wrong/}.
 *
 * <p>A line {@code ---} begins a configuration. Its first lines are comments with the problems, in
 * their order, as {@code LINE:COLUMN: KEY: MESSAGE}; lines are counted from the first comment, and
 * what follows {@code ...} is not compared. After a line {@code #= NAME} comes a file beside it,
 * and a problem in that begins with its name.
 */
final class WrongConfigTest {
  private static final Path DIRECTORY = Path.of("src", "test", "resources", "wrong");

  @TempDir Path directory;

  private record Wrong(String name, List<String> problems, Map<String, String> files) {}

  private static List<Wrong> all() throws IOException {
    List<Wrong> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      for (Path file : files.sorted().toList()) {
        List<String> cases = List.of(Files.readString(file).split("(?m)^---\\n", -1));
        for (String one : cases.subList(1, cases.size())) {
          all.add(wrong(file.getFileName() + " " + (all.size() + 1), one));
        }
      }
    }
    return all;
  }

  private static Wrong wrong(String name, String text) {
    List<String> problems =
        text.lines()
            .takeWhile(line -> line.startsWith("# "))
            .map(line -> line.substring(2))
            .toList();
    Map<String, String> files = new HashMap<>();
    String[] parts = text.split("(?m)^#= ", -1);
    files.put("forebay.yaml", parts[0]);
    for (int i = 1; i < parts.length; i++) {
      int end = parts[i].indexOf('\n');
      files.put(parts[i].substring(0, end), parts[i].substring(end + 1));
    }
    return new Wrong(name + ": " + problems.getFirst(), problems, files);
  }

  @TestFactory
  Stream<DynamicTest> eachIsRefusedWithItsPlace() throws IOException {
    return all().stream()
        .map(wrong -> DynamicTest.dynamicTest(wrong.name, () -> assertRefused(wrong)));
  }

  @Test
  void thereAreManyAndTheirMessagesDiffer() throws IOException {
    List<Wrong> all = all();
    assertTrue(all.size() >= 80, all.size() + " configurations");
    long messages =
        all.stream()
            .flatMap(wrong -> wrong.problems.stream())
            .map(problem -> problem.replaceFirst(".*?: .*?: ", ""))
            .distinct()
            .count();
    assertTrue(messages >= 80, messages + " messages");
  }

  private void assertRefused(Wrong wrong) throws IOException {
    Path own = Files.createTempDirectory(directory, "wrong");
    for (Map.Entry<String, String> file : wrong.files.entrySet()) {
      Files.writeString(own.resolve(file.getKey()), file.getValue());
    }
    ConfigOutcome outcome =
        new ConfigLoader(
                new ConfigEnvironment(
                    Map.of("SECRET", "a secret that is long enough"),
                    own,
                    own,
                    own,
                    own,
                    "forebay-test"))
            .load(own.resolve("forebay.yaml"), Map.of());
    List<String> said =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, wrong.name).problems().stream()
            .map(problem -> problem.text().replace(own + "/", ""))
            .map(problem -> problem.replaceFirst("^forebay\\.yaml:", ""))
            .toList();
    List<String> compared = new ArrayList<>();
    for (int i = 0; i < said.size(); i++) {
      String expected = i < wrong.problems.size() ? wrong.problems.get(i) : "";
      int end = expected.length() - 3;
      boolean isBegin =
          expected.endsWith("...") && said.get(i).startsWith(expected.substring(0, end));
      compared.add(isBegin ? expected : said.get(i));
    }
    assertEquals(String.join("\n", wrong.problems), String.join("\n", compared));
  }
}
