package io.forebay.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A report as one HTML file: style sheet and plots inside, no scripts. It is well-formed XML, so
 * that any parser reads it.
 */
final class HtmlWriter {

  private static final Pattern ROOT = Pattern.compile("^.*?<svg\\b[^>]*>", Pattern.DOTALL);

  private final StringBuilder out = new StringBuilder(1 << 16);
  private final Map<String, PlotSvg.Drawing> drawings;

  private HtmlWriter(Map<String, PlotSvg.Drawing> drawings) {
    this.drawings = drawings;
  }

  /**
   * Writes a page.
   *
   * @param drawings of all panels, by their names
   */
  static String page(
      String title, String lead, List<Section> sections, Map<String, PlotSvg.Drawing> drawings) {
    HtmlWriter writer = new HtmlWriter(drawings);
    writer.head(title);
    writer.line("<header>");
    writer.line("<h1>" + Html.text(title) + "</h1>");
    writer.line("<p>" + Html.text(lead) + "</p>");
    writer.line("</header>");
    writer.line("<nav><ul>");
    for (Section section : sections) {
      writer.line(
          "<li><a href=\"#" + section.id() + "\">" + Html.text(section.title()) + "</a></li>");
    }
    writer.line("</ul></nav>");
    sections.forEach(writer::section);
    writer.line("</body>");
    writer.line("</html>");
    return writer.out.toString();
  }

  /** A page with one chart on white paper, to be made a picture of. */
  static String page(List<PlotSvg.Drawing> drawings) {
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"/><style>\n")
        .append("body { margin: 0; background: #ffffff; display: flex; flex-wrap: wrap; }\n")
        .append("svg { display: block; }\n</style></head><body>\n");
    drawings.forEach(
        drawing -> page.append(drawing.svg().substring(drawing.svg().indexOf("<svg"))));
    return page.append("</body></html>\n").toString();
  }

  private void line(String text) {
    out.append(text).append('\n');
  }

  private void head(String title) {
    line("<!DOCTYPE html>");
    line("<html lang=\"en\">");
    line("<head>");
    line("<meta charset=\"utf-8\"/>");
    line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    line("<meta name=\"color-scheme\" content=\"light dark\"/>");
    line("<title>" + Html.text(title) + "</title>");
    line("<style>");
    line(css().strip());
    line(":root { " + Palette.declarations(false) + " }");
    line("@media (prefers-color-scheme: dark) { :root { " + Palette.declarations(true) + " } }");
    line("@media print { :root { " + Palette.declarations(false) + " } }");
    line("</style>");
    line("</head>");
    line("<body>");
  }

  private static String css() {
    try (InputStream in =
        Objects.requireNonNull(HtmlWriter.class.getResourceAsStream("report.css"), "report.css")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void section(Section section) {
    line("<section id=\"" + section.id() + "\">");
    line("<h2>" + Html.text(section.title()) + "</h2>");
    section.blocks().forEach(this::block);
    line("</section>");
  }

  private void block(ReportBlock block) {
    switch (block) {
      case ReportBlock.Text text -> line("<p>" + Html.text(text.text()) + "</p>");
      case ReportBlock.Command command ->
          line("<pre><code>" + Html.text(command.text()) + "</code></pre>");
      case ReportBlock.Grid grid -> table(grid.table());
      case ReportBlock.Picture picture -> chart(picture.chart());
      case ReportBlock.Values values -> values(values);
    }
  }

  private void values(ReportBlock.Values values) {
    line(values.isFolded() ? "<details>" : "<div>");
    String tag = values.isFolded() ? "summary" : "h3";
    line("<" + tag + ">" + Html.text(values.title()) + "</" + tag + ">");
    line("<dl>");
    values
        .values()
        .forEach((name, value) ->
            line("<dt>" + Html.text(name) + "</dt><dd>" + Html.text(value) + "</dd>"));
    line("</dl>");
    line(values.isFolded() ? "</details>" : "</div>");
  }

  private void table(Table table) {
    line("<h3>" + Html.text(table.title()) + "</h3>");
    line("<div class=\"scroll\"><table>");
    out.append("<thead><tr>");
    for (int i = 0; i < table.head().size(); i++) {
      out.append(i < table.textColumns() ? "<th class=\"t\">" : "<th>")
          .append(Html.text(table.head().get(i)))
          .append("</th>");
    }
    line("</tr></thead>");
    line("<tbody>");
    table.rows().forEach(row -> row(table, row));
    line("</tbody>");
    line("</table></div>");
    if (!table.notes().isEmpty()) {
      line("<ul class=\"notes\">");
      table.notes().forEach(note -> line("<li>" + Html.text(note) + "</li>"));
      line("</ul>");
    }
  }

  private void row(Table table, Table.Row row) {
    String kind =
        switch (row.kind()) {
          case OURS -> "ours";
          case PUBLISHED -> "published";
          case VOID -> "void";
        };
    out.append("<tr class=\"").append(kind).append("\">");
    for (int i = 0; i < row.cells().size(); i++) {
      String cell = Html.text(row.cells().get(i));
      out.append(i < table.textColumns() ? "<td class=\"t\">" : "<td>")
          .append(row.kind() == Table.Kind.VOID ? "<s>" + cell + "</s>" : cell)
          .append("</td>");
    }
    line("</tr>");
    if (row.kind() == Table.Kind.VOID) {
      line(
          "<tr class=\"why\"><td colspan=\""
              + table.head().size()
              + "\">VOID: "
              + Html.text(String.join(" ", row.remarks()))
              + "</td></tr>");
    }
  }

  private void chart(Chart chart) {
    line("<figure>");
    line("<figcaption>" + Html.text(chart.title()) + "</figcaption>");
    if (chart.panels().isEmpty()) {
      line("<p>" + Html.text(MarkdownWriter.NO_FIGURES) + "</p>");
    } else {
      line("<div class=\"panels\">");
      for (int i = 0; i < chart.panels().size(); i++) {
        panel(chart.panels().get(i), Objects.requireNonNull(drawings.get(chart.panelName(i))));
      }
      line("</div>");
    }
    chart.panels().stream()
        .filter(Chart.Timeline.class::isInstance)
        .map(Chart.Timeline.class::cast)
        .forEach(timeline -> line("<p>" + Html.text(MarkdownWriter.marks(timeline)) + "</p>"));
    line("</figure>");
  }

  private void panel(Chart.Panel panel, PlotSvg.Drawing drawing) {
    String root =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
            + " role=\"img\" aria-label=\""
            + Html.text(panel.title())
            + "\" width=\""
            + drawing.width()
            + "\" height=\""
            + drawing.height()
            + "\" viewBox=\"0 0 "
            + drawing.width()
            + " "
            + drawing.height()
            + "\">";
    line(
        Palette.withVariables(
            ROOT.matcher(drawing.svg()).replaceFirst(Matcher.quoteReplacement(root))));
  }
}
