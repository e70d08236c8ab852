package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table of a run on a terminal, which is Markdown so that it can be pasted. Columns that do not
 * fit are left out, the least important ones first.
 */
public final class TerminalTable {

  private static final int DEFAULT_WIDTH = 100;
  private static final int MIN_WIDTH = 40;

  /**
   * A column.
   *
   * @param order those with a higher number are left out first; 0 never
   */
  private record Column(
      String head, int order, boolean isText, Function<MeasuredStep, String> cell) {
    static Column text(String head, int order, Function<MeasuredStep, String> cell) {
      return new Column(head, order, true, cell);
    }

    static Column number(String head, int order, Function<MeasuredStep, String> cell) {
      return new Column(head, order, false, cell);
    }
  }

  private static final List<Column> COLUMNS =
      List.of(
          Column.text("scenario", 5, step -> step.run().scenario()),
          Column.text("step", 0, MeasuredStep::step),
          Column.text("program", 4, step -> step.run().target()),
          Column.number("requests/s", 1, median(Figure.REQUESTS)),
          Column.number("Gbit/s", 1, median(Figure.GOODPUT)),
          Column.number("TTFB p99 ms", 6, median(Figure.FIRST_BYTE_P99)),
          Column.number("TTLB p50 ms", 8, median(Figure.LAST_BYTE_P50)),
          Column.number("TTLB p99 ms", 3, median(Figure.LAST_BYTE_P99)),
          Column.number("cores", 2, median(Figure.CORES)),
          Column.number("hits %", 2, step -> percent(step.spread(Figure.HIT_RATIO))),
          Column.number("errors", 7, median(Figure.ERRORS)),
          Column.text("", 0, step -> step.counts() ? "" : "VOID"));

  private TerminalTable() {}

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
    List<MeasuredStep> steps = MeasuredStep.of(runs);
    if (steps.isEmpty()) {
      return "No step has run.\n";
    }
    List<Column> columns = new ArrayList<>(COLUMNS);
    if (steps.stream().allMatch(MeasuredStep::counts)) {
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
    for (MeasuredStep step : steps) {
      if (!step.counts()) {
        wrap(out, "VOID " + step.step() + ": " + String.join(" ", step.sentences()), width);
      }
    }
    return out.toString();
  }

  private static Function<MeasuredStep, String> median(Figure figure) {
    return step -> Numbers.text(step.median(figure));
  }

  private static String percent(@Nullable Spread share) {
    return Numbers.text(share == null ? Double.NaN : share.median() * 100);
  }

  private static List<List<String>> rows(List<Column> columns, List<MeasuredStep> steps) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns.stream().map(Column::head).toList());
    for (MeasuredStep step : steps) {
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

  private static void line(
      StringBuilder out, List<String> row, int[] widths, List<Column> columns) {
    for (int i = 0; i < widths.length; i++) {
      String space = " ".repeat(widths[i] - row.get(i).length());
      out.append("| ");
      out.append(columns.get(i).isText() ? row.get(i) + space : space + row.get(i));
      out.append(' ');
    }
    out.append("|\n");
  }

  private static void rule(StringBuilder out, int[] widths, List<Column> columns) {
    for (int i = 0; i < widths.length; i++) {
      String dashes = "-".repeat(widths[i] + 1);
      out.append('|').append(columns.get(i).isText() ? ":" + dashes : dashes + ":");
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
