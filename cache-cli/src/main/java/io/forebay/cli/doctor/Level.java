package io.forebay.cli.doctor;

import java.util.Locale;

/** How bad a finding is. */
enum Level {
  OK,
  /** Could be better. */
  HINT,
  /** Slow, or fails under the load that is configured. */
  WARNING,
  /** A node does not start, or does not work. */
  ERROR;

  /** As programs read it. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
