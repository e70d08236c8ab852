package io.forebay.lab.origin;

import java.time.Instant;

/**
 * Which segments of a channel exist. In live mode segment {@code n} covers the seconds from {@code
 * n * seconds} on since 1970; it exists once it is over, and until {@code segments} younger ones
 * do. So origins with the same clock agree, and a restart changes nothing.
 *
 * <pre>
 *   n              n+1            n+2                          n+1+segments
 *   ├──────────────┼──────────────┼── … ─────────────────────────┼────►
 *     is recorded  │ exists ──────────────────────────────────── │ gone
 * </pre>
 *
 * @param isLive false for segments that always exist
 * @param seconds of a segment
 * @param segments that exist at a time; without live mode, those in a playlist
 */
public record SegmentWindow(boolean isLive, int seconds, int segments) {
  private static final int AT_T_SECONDS = 6;
  private static final int AT_T_SEGMENTS = 60;

  /** AT&amp;T's: 6 s, and 6 minutes of them. */
  public static final SegmentWindow LIVE = new SegmentWindow(true, AT_T_SECONDS, AT_T_SEGMENTS);

  public static final SegmentWindow ALWAYS = new SegmentWindow(false, AT_T_SECONDS, AT_T_SEGMENTS);

  private static final int MAX_SECONDS = 3600;
  private static final int MAX_SEGMENTS = 10_000;

  public SegmentWindow {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new IllegalArgumentException("segment of " + seconds + " s: write 1 to " + MAX_SECONDS);
    }
    if (segments < 1 || segments > MAX_SEGMENTS) {
      throw new IllegalArgumentException(segments + " segments: write 1 to " + MAX_SEGMENTS);
    }
  }

  /** Number of the youngest that exists. */
  long newest(Instant now) {
    return isLive ? now.getEpochSecond() / seconds - 1 : segments - 1;
  }

  /** Number of the oldest that exists. */
  long oldest(Instant now) {
    return newest(now) - segments + 1;
  }

  /** When a segment begins to exist. */
  Instant begin(long number) {
    return Instant.ofEpochSecond((number + 1) * seconds);
  }

  /** When it is gone. */
  Instant end(long number) {
    return begin(number + segments);
  }
}
