package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table of a run on a terminal, as Markdown that can be pasted. Columns that do not fit are
 * left out, the least important ones first.
 */
public final class MarkdownTables {

  private static final int DEFAULT_WIDTH = 100;
  private static final int MIN_WIDTH = 40;

  /** A column; those with a higher number are left out first. */
  private record Column(String head, int order, Function<Measured, String> cell) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("scenario", 5, step -> step.run().scenario()),
          new Column("step", 0, Measured::step),
          new Column("program", 4, step -> step.run().target()),
          new Column("requests/s", 1, median(Figure.REQUESTS)),
          new Column("Gbit/s", 1, median(Figure.GOODPUT)),
          new Column("TTFB p99 ms", 6, median(Figure.FIRST_BYTE_P99)),
          new Column("TTLB p50 ms", 8, median(Figure.LAST_BYTE_P50)),
          new Column("TTLB p99 ms", 3, median(Figure.LAST_BYTE_P99)),
          new Column("cores", 2, median(Figure.CORES)),
          new Column("hits %", 2, step -> percent(step.spread(Figure.HIT_RATIO))),
          new Column("errors", 7, median(Figure.ERRORS)),
          new Column("", 0, step -> step.counts() ? "" : "VOID"));

  private MarkdownTables() {}

  /** The width of the terminal by {@code COLUMNS}; 100 where it is not set. */
  public static int width(@Nullable String columns) {
    try {
      return columns == null
          ? DEFAULT_WIDTH
          : Math.max(MIN_WIDTH, Math.min(1_000, Integer.parseInt(columns.strip())));
    } catch (NumberFormatException e) {
      return DEFAULT_WIDTH;
    }
  }

  /** Medians of all steps, and below them why steps are void. */
  public static String of(List<RunResult> runs, int width) {
    List<Measured> steps = Results.measured(runs);
    if (steps.isEmpty()) {
      return "No step has run.\n";
    }
    List<Column> columns = new ArrayList<>(COLUMNS);
    if (steps.stream().allMatch(Measured::counts)) {
      columns.removeLast();
    }
    List<List<String>> rows = rows(columns, steps);
    while (width(rows) > width && columns.stream().anyMatch(column -> column.order() > 0)) {
      int least = columns.stream().mapToInt(Column::order).max().orElse(0);
      columns.removeIf(column -> column.order() == least);
      rows = rows(columns, steps);
    }
    StringBuilder out = new StringBuilder();
    int[] widths = widths(rows);
    for (int i = 0; i < rows.size(); i++) {
      line(out, rows.get(i), widths, columns);
      if (i == 0) {
        rule(out, widths, columns);
      }
    }
    for (Measured step : steps) {
      if (!step.counts()) {
        wrap(out, "VOID " + step.step() + ": " + String.join(" ", step.sentences()), width);
      }
    }
    return out.toString();
  }

  private static Function<Measured, String> median(Figure figure) {
    return step -> Numbers.text(step.median(figure));
  }

  private static String percent(@Nullable Spread share) {
    return Numbers.text(share == null ? Double.NaN : share.median() * 100);
  }

  private static List<List<String>> rows(List<Column> columns, List<Measured> steps) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns.stream().map(Column::head).toList());
    for (Measured step : steps) {
      rows.add(columns.stream().map(column -> column.cell().apply(step)).toList());
    }
    return rows;
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static int width(List<List<String>> rows) {
    int width = 1;
    for (int column : widths(rows)) {
      width += column + 3;
    }
    return width;
  }

  private static boolean isText(Column column) {
    return column.head().equals("scenario")
        || column.head().equals("step")
        || column.head().equals("program")
        || column.head().isEmpty();
  }

  private static void line(
      StringBuilder out, List<String> row, int[] widths, List<Column> columns) {
    for (int i = 0; i < widths.length; i++) {
      String space = " ".repeat(widths[i] - row.get(i).length());
      out.append("| ");
      out.append(isText(columns.get(i)) ? row.get(i) + space : space + row.get(i));
      out.append(' ');
    }
    out.append("|\n");
  }

  private static void rule(StringBuilder out, int[] widths, List<Column> columns) {
    for (int i = 0; i < widths.length; i++) {
      String dashes = "-".repeat(widths[i] + 1);
      out.append('|').append(isText(columns.get(i)) ? ":" + dashes : dashes + ":");
    }
    out.append("|\n");
  }

  private static void wrap(StringBuilder out, String text, int width) {
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > width) {
        out.append("\n  ");
        column = 2;
      } else if (column > 0) {
        out.append(' ');
        column++;
      }
      out.append(word);
      column += word.length();
    }
    out.append('\n');
  }
}
