package io.forebay.lab.scenario;

import java.util.Locale;

/** How large a run is. */
public enum Profile {
  /** All scenarios in some minutes: shows that all works. */
  SMOKE,
  /** Two cores and 24 GB; all scenarios within an hour. */
  HERE,
  /** The published figures. */
  FULL;

  /** As in {@code --profile} and in scenario files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
