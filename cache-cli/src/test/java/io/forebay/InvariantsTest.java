package io.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Everything that comments cite exists: invariants by number, the tests that guard them, documents
 * by name.
 */
class InvariantsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path DOCUMENT = ROOT.resolve("docs/INVARIANTS.md");
  private static final Path FAULTS = ROOT.resolve("docs/OPERATIONS.md");
  private static final Pattern DEFINED = Pattern.compile("(?m)^## (I\\d+) ");
  private static final Pattern CITED = Pattern.compile("[ (](I(?:10|[1-9]))(?=[),:. ]|$)");
  private static final Pattern TEST_CLASS = Pattern.compile("`(\\w+(?:Test|IT|Benchmark))`");
  private static final Pattern DOCUMENT_NAME = Pattern.compile("\\b([A-Z][A-Z_]{4,})\\.md\\b");

  @Test
  void everyCitedInvariantIsDefined() throws IOException {
    Set<String> defined = all(DEFINED, Files.readString(DOCUMENT));
    assertEquals(10, defined.size(), defined::toString);
    Set<String> undefined = new TreeSet<>();
    int citing = 0;
    for (Path file : texts()) {
      Set<String> cited = all(CITED, Files.readString(file));
      citing += cited.isEmpty() ? 0 : 1;
      cited.removeAll(defined);
      cited.forEach(number -> undefined.add(number + " in " + file));
    }
    assertEquals(Set.of(), undefined);
    assertTrue(citing > 20, "files that cite an invariant: " + citing);
  }

  @Test
  void theTestsThatGuardThemExist() throws IOException {
    Set<String> classes = classes();
    Set<String> named = all(TEST_CLASS, Files.readString(DOCUMENT));
    assertTrue(named.size() > 20, named::toString);
    named.removeAll(classes);
    assertEquals(Set.of(), named, "named in docs/INVARIANTS.md and not in the tree");
  }

  @Test
  void everyFaultHasATestThatExists() throws IOException {
    Set<String> classes = classes();
    boolean isFaults = false;
    for (String line : Files.readAllLines(FAULTS)) {
      isFaults = line.startsWith("| Fault") || (isFaults && line.startsWith("|"));
      if (isFaults && line.startsWith("| ") && !line.startsWith("| Fault")) {
        Set<String> named = all(TEST_CLASS, line);
        assertTrue(!named.isEmpty(), line);
        assertTrue(classes.containsAll(named), line);
      }
    }
  }

  private static Set<String> classes() throws IOException {
    return texts().stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> name.endsWith(".java"))
        .map(name -> name.substring(0, name.length() - ".java".length()))
        .collect(Collectors.toSet());
  }

  @Test
  void everyDocumentThatIsCitedIsInTheTree() throws IOException {
    Set<String> missing = new TreeSet<>();
    for (Path file : texts()) {
      String text = Files.readString(file);
      for (String name : all(DOCUMENT_NAME, text)) {
        if (!Files.exists(ROOT.resolve("docs").resolve(name + ".md"))
            && !Files.exists(ROOT.resolve(name + ".md"))) {
          missing.add(name + ".md in " + file);
        }
      }
      if (Pattern.compile("\\bDESIGN\\b").matcher(text).find()
          && !file.endsWith("InvariantsTest.java")) {
        missing.add("DESIGN in " + file);
      }
    }
    assertEquals(Set.of(), missing);
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Sources, tests, scripts and documents; nothing that a build made. */
  private static List<Path> texts() throws IOException {
    List<Path> texts = new ArrayList<>();
    for (String directory :
        List.of("cache-core", "cache-storage", "cache-server", "cache-cli", "benchmarks", "lab")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(directory).resolve("src"))) {
        files.filter(InvariantsTest::isText).forEach(texts::add);
      }
    }
    try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
      files.filter(InvariantsTest::isText).forEach(texts::add);
    }
    for (String name : List.of("README.md", "CHANGELOG.md")) {
      texts.add(ROOT.resolve(name));
    }
    return texts;
  }

  private static boolean isText(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java") || name.endsWith(".md") || name.endsWith(".script");
  }
}
