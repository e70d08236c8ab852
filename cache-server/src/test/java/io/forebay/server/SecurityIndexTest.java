package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/SECURITY.md} has each class of hostile input by its number, and tests that exist. */
class SecurityIndexTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| S(\\d+) \\|.*$");
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:IT|Test))(?:\\.(\\w+))?`");

  @Test
  void everyNumberHasItsRowWithTests() throws IOException {
    String index = Files.readString(ROOT.resolve("docs/SECURITY.md"));
    List<Integer> numbers = new ArrayList<>();
    Matcher rows = ROW.matcher(index);
    while (rows.find()) {
      int number = Integer.parseInt(rows.group(1));
      numbers.add(number);
      assertTrue(NAMED.matcher(rows.group()).find(), "S" + number);
    }
    assertEquals(IntStream.rangeClosed(1, 31).boxed().toList(), numbers);
  }

  @Test
  void everyTestItNamesIsThere() throws IOException {
    String index = Files.readString(ROOT.resolve("docs/SECURITY.md"));
    Matcher named = NAMED.matcher(index);
    int found = 0;
    while (named.find()) {
      found++;
      String method = named.group(2);
      String source = Files.readString(source(named.group(1)));
      assertTrue(method == null || source.contains("void " + method + "("), named.group());
    }
    assertTrue(found > 60, "" + found);
  }

  private static Path source(String type) throws IOException {
    for (String module : List.of("cache-server", "cache-cli", "cache-core", "cache-storage")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        List<Path> named = files.filter(file -> file.endsWith(type + ".java")).limit(1).toList();
        if (!named.isEmpty()) {
          return named.getFirst();
        }
      }
    }
    throw new AssertionError("no source of " + type);
  }
}
