package io.forebay.core.conformance;

import java.util.List;
import java.util.stream.Collectors;

/** The tables as a page. */
final class ConformanceDocument {

  private static final String INTRODUCTION =
      """
      # Conformance

      <!-- Made from the tables in the tests of cache-core, package io.forebay.core.conformance; ConformanceTest fails
           when it is stale. `./dev docs` writes it again. -->

      What HTTP asks of a shared cache, in our words, and what this one does. *Level* is the word the RFC
      uses: MUST, SHOULD, MAY, or none. *Shown by* is a row of `ConformanceTest` where only the rules are
      asked (it runs with every build), or else the tests over real sockets that show it. Rows with a
      star are deliberate deviations; their reasons are at the end.
      """;

  private ConformanceDocument() {}

  static String markdown(List<Chapter> chapters) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    for (Chapter chapter : chapters) {
      page.append("\n## ").append(chapter.title()).append("\n\n");
      page.append("| § | Level | What is asked | Our answer | Shown by |\n|---|---|---|---|---|\n");
      for (Row row : chapter.rows()) {
        page.append("| ")
            .append(row.section())
            .append(" | ")
            .append(row.level() == Row.Level.TEXT ? "–" : row.level().name())
            .append(row.deviationReason().isEmpty() ? "" : " *")
            .append(" | ")
            .append(cell(row.requirement()))
            .append(" | ")
            .append(cell(row.answer()))
            .append(" | ")
            .append(shownBy(row.check()))
            .append(" |\n");
      }
    }
    page.append("\n## Deliberate deviations\n\n");
    for (Chapter chapter : chapters) {
      for (Row row : chapter.rows()) {
        if (!row.deviationReason().isEmpty()) {
          page.append("- **")
              .append(chapter.title().replaceAll(":.*", ""))
              .append(" §")
              .append(row.section())
              .append("**: ")
              .append(row.requirement())
              .append(". ")
              .append(row.deviationReason())
              .append('\n');
        }
      }
    }
    return page.toString();
  }

  private static String shownBy(Check check) {
    return switch (check) {
      case Check.OfRules rules -> "its row";
      case Check.Elsewhere elsewhere ->
          elsewhere.tests().stream().collect(Collectors.joining("`, `", "`", "`"));
      case Check.All all ->
          all.checks().stream()
              .map(ConformanceDocument::shownBy)
              .distinct()
              .collect(Collectors.joining(", "));
    };
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
