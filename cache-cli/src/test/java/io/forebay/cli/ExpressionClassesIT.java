package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has no expression in a rule does not pay for the library that checks them. */
@Tag("full")
final class ExpressionClassesIT {
  private static final List<String> LIBRARY =
      List.of("dev.cel.", "com.google.protobuf.", "com.google.common.", "org.antlr.");

  @TempDir Path directory;

  /** The classes of the library that the JVM has loaded to check a configuration. */
  private List<String> loadedWith(String condition) throws IOException, InterruptedException {
    Path log = directory.resolve("classes");
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(
        file,
        "origin: http://127.0.0.1:9\nroutes:\n  - rules:\n      - {when: {"
            + condition
            + "}, deny: 403}\n");
    Commands.Finished ended =
        Jar.command(
                Jar.java().toString(),
                "-Xshare:auto",
                "-Xlog:class+load:file=" + log,
                "-jar",
                Jar.file().toString(),
                "config",
                "check",
                "--config",
                file.toString())
            .run();
    assertEquals(0, ended.exit(), ended::err);
    try (Stream<String> lines = Files.lines(log)) {
      List<String> names = lines.map(ExpressionClassesIT::name).toList();
      assertTrue(names.contains("io.forebay.server.rule.Rule"), "the log names what was loaded");
      return names.stream().filter(name -> LIBRARY.stream().anyMatch(name::startsWith)).toList();
    }
  }

  /** The name in {@code [0.012s][info][class,load] NAME source: …}. */
  private static String name(String line) {
    String behind = line.substring(line.lastIndexOf(']', line.indexOf(" source:") + 1) + 1).strip();
    int end = behind.indexOf(' ');
    return end < 0 ? behind : behind.substring(0, end);
  }

  /** A part of the library is in the jar; that is enough for right and for wrong expressions. */
  @Test
  void theJarHasWhatExpressionsNeed() throws Exception {
    for (String[] one :
        new String[][] {
          {
            "request.headers.exists(n, n.matches('^x-') && size(request.headers[n]) > 1.5)"
                + " || request.time - timestamp('2026-01-01T00:00:00Z') > duration('1h')"
                + " || [1, 2].map(n, n * 2).filter(n, n in [2, 3]) == [2]"
                + " || has(request.query.a) && int(request.query.a) % 2 == 0",
            "found no matching overload for '_>_'"
          },
          {"request.pth == 'a'", "did you mean request.path?"},
          {"request.path == ", "mismatched input"},
          {"google.protobuf.Duration{seconds: 1} == 1", "undeclared reference to"},
          {"(".repeat(900) + "true" + ")".repeat(900), "recursion limit"},
        }) {
      Path file = directory.resolve("forebay.yaml");
      Files.writeString(
          file,
          "origin: http://127.0.0.1:9\nroutes:\n  - rules:\n      - {when: {expression: \""
              + one[0]
              + "\"}, deny: 403}\n");
      Commands.Finished ended = Jar.quick().run("config", "check", "--config", file.toString());
      assertTrue(ended.err().contains(one[1]) || ended.out().contains(one[1]), ended::toString);
      assertTrue(!ended.err().contains("\tat "), ended::err);
    }
  }

  @Test
  void theLibraryIsLoadedWithTheFirstExpressionOnly() throws Exception {
    assertEquals(List.of(), loadedWith("path: {regex: \"^/a\"}"));
    assertTrue(loadedWith("expression: 'request.path == \"/a\"'").size() > 100);
  }
}
