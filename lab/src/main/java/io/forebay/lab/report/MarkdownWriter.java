package io.forebay.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A report as Markdown, with plots as files beside it. */
final class MarkdownWriter {

  static final String NO_FIGURES = "There is no figure to plot.";

  private final StringBuilder out = new StringBuilder(1 << 14);
  private final Set<String> pictures;

  private MarkdownWriter(Set<String> pictures) {
    this.pictures = pictures;
  }

  /**
   * Writes a page.
   *
   * @param pictures names of charts that there is a PNG of; others are linked as SVG
   */
  static String page(String title, String lead, List<Section> sections, Set<String> pictures) {
    MarkdownWriter writer = new MarkdownWriter(pictures);
    writer.paragraph("# " + escaped(title));
    writer.paragraph(escaped(lead));
    for (Section section : sections) {
      writer.paragraph("## " + escaped(section.title()));
      section.blocks().forEach(writer::block);
    }
    return writer.out.toString().stripTrailing() + "\n";
  }

  /** What the numbers of marks mean. */
  static String marks(Chart.Timeline timeline) {
    List<String> marks = new ArrayList<>();
    for (int i = 0; i < timeline.marks().size(); i++) {
      marks.add((i + 1) + ": " + timeline.marks().get(i).name());
    }
    return "Steps: " + String.join("; ", marks) + ".";
  }

  private void paragraph(String text) {
    out.append(text).append("\n\n");
  }

  private void block(ReportBlock block) {
    switch (block) {
      case ReportBlock.Text text -> paragraph(escaped(text.text()));
      case ReportBlock.Command command -> paragraph("```sh\n" + command.text() + "\n```");
      case ReportBlock.Grid grid -> table(grid.table());
      case ReportBlock.Picture picture -> chart(picture.chart());
      case ReportBlock.Values values -> values(values);
    }
  }

  private void values(ReportBlock.Values values) {
    paragraph("**" + escaped(values.title()) + "**");
    values
        .values()
        .forEach((name, value) ->
            out.append("- ")
                .append(escaped(name))
                .append(": ")
                .append(escaped(value))
                .append('\n'));
    out.append('\n');
  }

  private void chart(Chart chart) {
    if (chart.panels().isEmpty()) {
      paragraph("**" + escaped(chart.title()) + "**: " + NO_FIGURES);
      return;
    }
    if (pictures.contains(chart.name())) {
      paragraph("![" + escaped(chart.title()) + "](plots/" + chart.name() + ".png)");
    } else {
      for (int i = 0; i < chart.panels().size(); i++) {
        paragraph(
            "!["
                + escaped(chart.panels().get(i).title())
                + "](plots/"
                + chart.panelName(i)
                + ".svg)");
      }
    }
    chart.panels().stream()
        .filter(Chart.Timeline.class::isInstance)
        .map(Chart.Timeline.class::cast)
        .forEach(timeline -> paragraph(escaped(marks(timeline))));
  }

  private void table(Table table) {
    paragraph("**" + escaped(table.title()) + "**");
    line(table.head());
    List<String> rules = new ArrayList<>();
    for (int i = 0; i < table.head().size(); i++) {
      rules.add(i < table.textColumns() ? ":--" : "--:");
    }
    out.append("| ").append(String.join(" | ", rules)).append(" |\n");
    for (Table.Row row : table.rows()) {
      List<String> cells = new ArrayList<>();
      for (String cell : row.cells()) {
        cells.add(
            switch (row.kind()) {
              case OURS -> escaped(cell);
              case PUBLISHED -> "*" + escaped(cell) + "*";
              case VOID -> "~~" + escaped(cell) + "~~";
            });
      }
      out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
    out.append('\n');
    List<String> items = new ArrayList<>();
    for (Table.Row row : table.rows()) {
      if (row.kind() == Table.Kind.VOID) {
        items.add(
            "VOID, "
                + String.join(", ", row.cells().subList(0, table.textColumns()))
                + ": "
                + String.join(" ", row.remarks()));
      }
    }
    items.addAll(table.notes());
    items.forEach(item -> out.append("- ").append(escaped(item)).append('\n'));
    if (!items.isEmpty()) {
      out.append('\n');
    }
  }

  private void line(List<String> cells) {
    out.append("| ")
        .append(String.join(" | ", cells.stream().map(MarkdownWriter::escaped).toList()))
        .append(" |\n");
  }

  /** Text that Markdown takes for nothing else. */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 8);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || c == '\r') {
        escaped.append(' ');
      } else {
        if ("\\`*_~|<>[]".indexOf(c) >= 0) {
          escaped.append('\\');
        }
        escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
