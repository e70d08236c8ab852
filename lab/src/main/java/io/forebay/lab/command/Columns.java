package io.forebay.lab.command;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/** A table for a terminal: texts to the left, such as the first column, numbers to the right. */
final class Columns {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final BitSet texts = new BitSet();

  Columns(String... heads) {
    rows.add(List.of(heads));
    texts.set(0);
  }

  /** A column of texts, counted from 0. */
  Columns text(int column) {
    texts.set(column);
    return this;
  }

  void row(String... cells) {
    rows.add(List.of(cells));
  }

  /** A number with so many digits behind the point. */
  static String number(double value, int digits) {
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  /** A share as a change in percent, with its sign. */
  static String change(double share) {
    return String.format(Locale.ROOT, "%+.0f %%", share * 100);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        String pad = " ".repeat(width(column) - cell.length());
        line.append(column == 0 ? "" : GAP);
        line.append(texts.get(column) ? cell + pad : pad + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream()
        .filter(row -> row.size() > column)
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }
}
