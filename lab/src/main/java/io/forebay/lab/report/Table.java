package io.forebay.lab.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A table in the layout of a published test.
 *
 * @param textColumns how many columns at the left hold text; all others hold numbers
 * @param notes below it, each a sentence
 */
record Table(String title, int textColumns, List<String> head, List<Row> rows, List<String> notes) {

  Table {
    head = List.copyOf(head);
    rows = List.copyOf(rows);
    notes = List.copyOf(notes);
    for (Row row : rows) {
      if (row.cells().size() != head.size()) {
        throw new IllegalArgumentException(
            title + ": " + row.cells().size() + " cells under " + head.size() + " columns");
      }
    }
  }

  /** Whose figures a row has. */
  enum Kind {
    OURS,
    PUBLISHED,
    /** Ours, but they do not count. */
    VOID
  }

  /**
   * One row.
   *
   * @param remarks below it: why it is void
   */
  record Row(Kind kind, List<String> cells, List<String> remarks) {

    Row {
      cells = List.copyOf(cells);
      remarks = List.copyOf(remarks);
    }
  }

  /** Collects rows. */
  static final class Builder {
    private final String title;
    private final int textColumns;
    private final List<String> head;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    Builder(String title, int textColumns, String... head) {
      this.title = title;
      this.textColumns = textColumns;
      this.head = List.of(head);
    }

    /** Ours or void, by whether the repetitions count. */
    Builder measured(MeasuredStep measured, String... cells) {
      Kind kind = measured.counts() ? Kind.OURS : Kind.VOID;
      rows.add(new Row(kind, List.of(cells), measured.sentences()));
      return this;
    }

    Builder published(String... cells) {
      rows.add(new Row(Kind.PUBLISHED, List.of(cells), List.of()));
      return this;
    }

    Builder note(String note) {
      notes.add(note);
      return this;
    }

    Table build() {
      return new Table(title, textColumns, head, rows, notes);
    }
  }
}
