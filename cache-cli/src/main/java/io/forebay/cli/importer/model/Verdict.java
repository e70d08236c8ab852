package io.forebay.cli.importer.model;

import java.util.Locale;

/** What an import made of a directive. */
public enum Verdict {
  /** The configuration does the same. */
  TAKEN,
  /** The configuration does nearly the same; the text says what differs. */
  ADAPTED,
  /** Nothing has to be configured for it. */
  UNNEEDED,
  /** The configuration does not do it. */
  LEFT;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
