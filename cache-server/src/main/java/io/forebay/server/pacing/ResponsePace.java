package io.forebay.server.pacing;

/**
 * How far one response is in its pacing. Reused where responses follow each other. Confined to the
 * loop of its connection.
 */
public final class ResponsePace {
  private static final int MIN_CHUNK_BYTES = 16 * 1024;

  /** Chunks that a connection takes in this part of a second. */
  private static final int CHUNKS_PER_SECOND = 20;

  private long bytesPerSecond = Pacing.UNPACED;
  private long burstLeft;

  public ResponsePace() {}

  /** The next response has no pacing. */
  public void clear() {
    bytesPerSecond = Pacing.UNPACED;
    burstLeft = 0;
  }

  /** The next response has this rate, behind its burst. */
  public void begin(long rate, long burstBytes) {
    bytesPerSecond = rate;
    burstLeft = burstBytes;
  }

  /**
   * The rate that it may be sent at now, {@link Pacing#UNPACED} in its burst and without a pacing.
   */
  public long rate() {
    return burstLeft > 0 ? Pacing.UNPACED : bytesPerSecond;
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
    return bytesPerSecond != Pacing.UNPACED;
  }

  /**
   * How many bytes to hand over at once, where {@code usual} is what a response without pacing has:
   * few, because what waits for the pace has to be kept somewhere.
   */
  public int chunkBytes(int usual) {
    return isPaced()
        ? Math.clamp(bytesPerSecond / CHUNKS_PER_SECOND, Math.min(MIN_CHUNK_BYTES, usual), usual)
        : usual;
  }
}
