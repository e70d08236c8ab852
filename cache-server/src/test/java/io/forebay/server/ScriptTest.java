package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs every script over every protocol that it does not exclude; with {@code -Dtest.script=NAME}
 * only those whose name starts with it.
 */
@Tag("slow")
final class ScriptTest {

  private static final Path SCRIPTS = Path.of("src", "test", "scripts");

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicNode> scripts() throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(SCRIPTS)) {
      String name = System.getProperty("test.script", "");
      files =
          found
              .filter(file -> file.toString().endsWith(".script"))
              .filter(file -> file.getFileName().toString().startsWith(name))
              .sorted()
              .toList();
    }
    assertFalse(files.isEmpty());
    return files.stream().map(this::test);
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          expect 201;                 status
          expect 200\\n  X: b;         X
          expect 200\\n  X ~ b+;       X
          expect 200\\n  !X;           X
          expect 200\\n  | two;        body
          expect 200 begins\\nexpect breaks off; the response has its end
          """)
  void aScriptFailsWhereWhatHappensIsNotWhatItExpects(String wrong, String said) throws Exception {
    Path file = directory.resolve("wrong.script");
    Files.writeString(
        file,
        """
        client GET /a
        origin GET /a
        answer 200
          X: a
          | one
        """
            + wrong.replace("\\n", "\n")
            + "\n");
    AssertionError error = assertThrows(AssertionError.class, () -> play(file));
    assertTrue(String.valueOf(error.getMessage()).contains(said), error.getMessage());
  }

  private DynamicNode test(Path file) {
    return DynamicTest.dynamicTest(SCRIPTS.relativize(file).toString(), () -> play(file));
  }

  private void play(Path file) throws Exception {
    Script script = Script.read(file);
    try (ScriptRun run = new ScriptRun(script, Files.createTempDirectory(directory, "edge"))) {
      for (ScriptClient.Protocol protocol : ScriptClient.Protocol.values()) {
        if (protocol.isHttp1() || !script.isHttp1Only()) {
          run.over(protocol);
        }
      }
    }
  }
}
