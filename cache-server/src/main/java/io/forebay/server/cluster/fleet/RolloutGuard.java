package io.forebay.server.cluster.fleet;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How much worse nodes with a new document may be than others.
 *
 * @param errors percentage points by which their share of 5xx responses may be higher
 * @param hits percentage points by which their hit ratio may be lower
 */
public record RolloutGuard(double errors, double hits) {
  public static final RolloutGuard DEFAULT = new RolloutGuard(1, 10);

  /** With fewer requests nothing is compared. */
  static final long MIN_REQUESTS = 200;

  static final long MIN_ERRORS = 10;
  static final long MIN_LOOKUPS = 500;

  /** Limit of the share of 5xx responses where there is nothing to compare with. */
  private static final double MAX_ERROR_SHARE = 0.5;

  /**
   * Why the nodes of a stage break the guard; null where they do not, or there are too few
   * requests.
   *
   * @param stage traffic of the nodes that have the document
   * @param others traffic of nodes without it; {@link TrafficCounts#NONE} where there are none
   */
  @Nullable String violation(TrafficCounts stage, TrafficCounts others) {
    if (stage.requests() >= MIN_REQUESTS && stage.errors() >= MIN_ERRORS) {
      boolean isCompared = others.requests() >= MIN_REQUESTS;
      double most = isCompared ? others.errorShare() + errors / 100 : MAX_ERROR_SHARE;
      if (stage.errorShare() > most) {
        return String.format(
            Locale.ROOT,
            "%.1f %% of responses are 5xx, and %s",
            100 * stage.errorShare(),
            isCompared
                ? String.format(
                    Locale.ROOT, "%.1f %% without the document", 100 * others.errorShare())
                : "there is nothing to compare with");
      }
    }
    if (stage.lookups() >= MIN_LOOKUPS
        && others.lookups() >= MIN_LOOKUPS
        && others.hitRatio() - stage.hitRatio() > hits / 100) {
      return String.format(
          Locale.ROOT,
          "the hit ratio is %.1f %%, and %.1f %% without the document",
          100 * stage.hitRatio(),
          100 * others.hitRatio());
    }
    return null;
  }
}
