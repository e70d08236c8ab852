package io.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lines of documents fit into a window: all but those of tables and of what was printed. */
final class DocumentLinesTest {
  private static final Path ROOT = Path.of("..");
  private static final int MOST = 120;

  @Test
  void haveAtMost120Characters() throws IOException {
    List<Path> documents = documents();
    assertTrue(documents.size() > 20, documents::toString);
    List<String> tooLong = new ArrayList<>();
    for (Path document : documents) {
      boolean isPrinted = false;
      int number = 0;
      for (String line : Files.readAllLines(document)) {
        number++;
        String text = line.strip();
        if (text.startsWith("```")) {
          isPrinted = !isPrinted;
        } else if (!isPrinted
            && !text.startsWith("|")
            && line.codePointCount(0, line.length()) > MOST) {
          tooLong.add(ROOT.relativize(document) + ":" + number);
        }
      }
    }
    assertEquals(List.of(), tooLong);
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(file -> file.getFileName().toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }
}
