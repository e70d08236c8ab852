package io.forebay.core.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The evidence for a row: a check that runs here, or the names of tests elsewhere. */
sealed interface Check {

  void run();

  /** Runs the cache rules directly. */
  record OfRules(Runnable body) implements Check {
    @Override
    public void run() {
      body.run();
    }
  }

  /**
   * Tests elsewhere, of what the rules alone cannot show, each as {@code Class.method} or as the
   * place of a script: they are looked for in the sources, since this module cannot run them.
   */
  record Elsewhere(List<String> tests) implements Check {

    private static final Path SCRIPTS = Path.of("../cache-server/src/test/scripts");

    /** Relative, because Surefire runs tests in the module's directory. */
    private static final List<Path> SOURCES =
        List.of(
            Path.of("src/test/java"),
            Path.of("../cache-storage/src/test/java"),
            Path.of("../cache-server/src/test/java"),
            Path.of("../cache-cli/src/test/java"));

    @Override
    public void run() {
      for (String test : tests) {
        if (test.endsWith(".script")) {
          assertTrue(Files.exists(SCRIPTS.resolve(test)), "no script " + test);
          continue;
        }
        int dot = test.indexOf('.');
        String source = source(test.substring(0, dot));
        assertTrue(source.contains("void " + test.substring(dot + 1) + "("), "no test " + test);
      }
    }

    private static String source(String className) {
      for (Path root : SOURCES) {
        try (Stream<Path> files = Files.walk(root)) {
          List<Path> found =
              files.filter(file -> file.endsWith(className + ".java")).limit(2).toList();
          if (!found.isEmpty()) {
            assertEquals(1, found.size(), "several " + className);
            return Files.readString(found.getFirst());
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      throw new AssertionError("no test class " + className);
    }
  }

  static Check shownBy(String... tests) {
    return new Elsewhere(List.of(tests));
  }

  static <T> Check same(T expected, Supplier<T> actual) {
    return new OfRules(() -> assertEquals(expected, actual.get()));
  }

  /** Several of them. */
  record All(List<Check> checks) implements Check {
    @Override
    public void run() {
      checks.forEach(Check::run);
    }
  }

  static Check all(Check... checks) {
    return new All(List.of(checks));
  }
}
