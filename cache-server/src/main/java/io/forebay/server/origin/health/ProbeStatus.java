package io.forebay.server.origin.health;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What probes have found of an address.
 *
 * @param isUsable whether requests may go there, as far as probes are concerned
 * @param sinceMillis when the verdict came, wall clock
 * @param lastFailure why the latest failed probe failed, or null
 * @param lastFailureMillis when that was, wall clock; 0 without one
 */
public record ProbeStatus(
    Verdict verdict,
    boolean isUsable,
    long sinceMillis,
    @Nullable String lastFailure,
    long lastFailureMillis) {

  /** The outcome of as many probes as the configuration asks for. */
  public enum Verdict {
    UNTESTED,
    PASSING,
    FAILING;

    /** As in reports. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Of an address that was not probed yet. */
  public static ProbeStatus untested(boolean isUsable, long nowMillis) {
    return new ProbeStatus(Verdict.UNTESTED, isUsable, nowMillis, null, 0);
  }
}
