package io.forebay.server.pacing;

import org.jspecify.annotations.Nullable;

/**
 * How far one response is in its pacing. Reused where responses follow each other. Confined to the
 * loop of its connection.
 */
public final class ResponsePace {
  private @Nullable Pacing pacing;
  private long burstLeft;

  public ResponsePace() {}

  /** The next response has no pacing. */
  public void clear() {
    pacing = null;
    burstLeft = 0;
  }

  public void begin(Pacing by) {
    pacing = by;
    burstLeft = by.burstBytes();
  }

  /**
   * The rate that it may be sent at now, {@link Pacing#UNPACED} in its burst and without a pacing.
   */
  public long rate() {
    Pacing by = pacing;
    return by == null || burstLeft > 0 ? Pacing.UNPACED : by.bytesPerSecond();
  }

  /** Body bytes go out; says whether the burst ends with them. */
  public boolean onBytes(int lengthBytes) {
    if (burstLeft <= 0) {
      return false;
    }
    burstLeft -= lengthBytes;
    return burstLeft <= 0;
  }

  /** Whether it has a pacing, be it in its burst. */
  public boolean isPaced() {
    return pacing != null;
  }

  /**
   * How many bytes to hand over at once, where {@code usual} is what a response without pacing has.
   */
  public int chunkBytes(int usual) {
    Pacing by = pacing;
    return by == null ? usual : by.chunkBytes(usual);
  }
}
