package io.forebay.core.conformance;

import java.util.List;

/** A chapter of the conformance table: the rows of one RFC, or of a part of one. */
record Chapter(String title, List<Row> rows) {

  Chapter(String title, Row... rows) {
    this(title, List.of(rows));
  }
}
