package io.forebay.core.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every row, and checks that {@code docs/CONFORMANCE.md} is up to date. */
final class ConformanceTest {

  /** In the order of the document. */
  static final List<Chapter> CHAPTERS =
      List.of(
          Rfc9111Storing.CHAPTER,
          Rfc9111Reuse.CHAPTER,
          Rfc9111Validation.CHAPTER,
          Rfc9111Fields.CHAPTER,
          Rfc9110.CHAPTER,
          Rfc9110Ranges.CHAPTER,
          Rfc5861.CHAPTER,
          Rfc8246.CHAPTER,
          Rfc8441.CHAPTER,
          Rfc9220.CHAPTER,
          Rfc8586.CHAPTER,
          Rfc9209.CHAPTER,
          Rfc9211.CHAPTER,
          Rfc9213.CHAPTER,
          Rfc9875.CHAPTER,
          Rfc10008.CHAPTER,
          NoVarySearchField.CHAPTER,
          OwnClocks.CHAPTER);

  private static final Path DOCUMENT = Path.of("..", "docs", "CONFORMANCE.md");

  @TestFactory
  Stream<DynamicContainer> everyRowIsTrue() {
    return CHAPTERS.stream()
        .map(chapter ->
            DynamicContainer.dynamicContainer(
                chapter.title(),
                chapter.rows().stream()
                    .map(row ->
                        DynamicTest.dynamicTest(
                            "§" + row.section() + " " + row.requirement(), row.check()::run))));
  }

  @Test
  void theDocumentIsUpToDate() throws IOException {
    String expected = ConformanceDocument.markdown(CHAPTERS);
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertEquals(
        expected,
        Files.readString(DOCUMENT),
        "docs/CONFORMANCE.md is stale; its first comment says how to write it again");
  }

  @Test
  void noRowStandsTwice() {
    List<String> seen = new ArrayList<>();
    for (Chapter chapter : CHAPTERS) {
      for (Row row : chapter.rows()) {
        String key = chapter.title() + row.section() + row.requirement();
        assertEquals(false, seen.contains(key), key);
        seen.add(key);
      }
    }
  }
}
