package io.forebay.core.route;

import java.time.Duration;

/**
 * A route's settings for range requests.
 *
 * @param fetch what is fetched for a range of which nothing is stored
 * @param farBytes a range that begins so far beyond what has come of a body, or of a body of which
 *     nothing is stored so far from its beginning, is far
 * @param maxRanges a request for more ranges than this is answered with the whole body
 * @param patience how long a range that needs the length of a body waits for it to be known, before
 *     the whole body is the answer
 */
public record RangeSettings(Fetch fetch, long farBytes, int maxRanges, Duration patience) {

  /** Far ranges by slice, from 8 MiB on. */
  public static final RangeSettings DEFAULT =
      new RangeSettings(Fetch.FAR, 8 << 20, 16, Duration.ofSeconds(2));

  /** What is fetched for a range of which nothing is stored. */
  public enum Fetch {
    /** The whole body, from its beginning. */
    WHOLE,
    /** The slices of a far range, and of one counted from the end; the whole body for others. */
    FAR,
    /** The slices of the range. */
    SLICES
  }

  public RangeSettings {
    if (farBytes < 0 || maxRanges < 1 || patience.isNegative()) {
      throw new IllegalArgumentException(
          "negative: " + farBytes + ", " + maxRanges + ", " + patience);
    }
  }
}
