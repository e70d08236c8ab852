package io.forebay.lab.report;

import java.util.Map;

/** A part of a report, in the order of reading; written as HTML and as Markdown. */
sealed interface ReportBlock {

  /** A paragraph. */
  record Text(String text) implements ReportBlock {}

  record Grid(Table table) implements ReportBlock {}

  record Picture(Chart chart) implements ReportBlock {}

  /** What to type in a shell. */
  record Command(String text) implements ReportBlock {}

  /**
   * Names and values.
   *
   * @param isFolded whether a reader has to open them
   */
  record Values(String title, Map<String, String> values, boolean isFolded)
      implements ReportBlock {}
}
