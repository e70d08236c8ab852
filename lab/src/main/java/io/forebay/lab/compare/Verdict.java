package io.forebay.lab.compare;

import java.util.Locale;

/** What a comparison says of one figure. */
public enum Verdict {
  /** No change that is both certain and large enough to matter. */
  SAME,
  BETTER,
  WORSE,
  /** Fewer than three repetitions that count on one side. */
  TOO_FEW;

  /** As users read it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
