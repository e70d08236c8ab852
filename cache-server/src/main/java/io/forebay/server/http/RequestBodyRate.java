package io.forebay.server.http;

/**
 * Measures the rate of a request body while the node is ready to read; other time does not count
 * against the client. Owner: the event loop.
 */
public final class RequestBodyRate {

  private static final double SECOND_NANOS = 1e9;

  private final long idleNanos;
  private final double leastBytes;

  private boolean isWanted;
  private long wantedSinceNanos;
  private long lastByteNanos;

  // Of the stretch of idleNanos of wanted time that is being looked at.
  private long waitedNanos;
  private long broughtBytes;

  /** What is wrong with the pace. */
  public enum Verdict {
    FINE,
    SILENT,
    SLOW
  }

  /**
   * Of a body that is to bring so much.
   *
   * @param idleNanos the longest time between two bytes, and the time over which its rate counts
   * @param leastRate bytes a second; 0 for no minimum
   */
  public RequestBodyRate(long idleNanos, long leastRate) {
    this.idleNanos = idleNanos;
    leastBytes = leastRate * (idleNanos / SECOND_NANOS);
  }

  public void begin() {
    isWanted = false;
    waitedNanos = 0;
    broughtBytes = 0;
  }

  /** Bytes are wanted from now on, or are no longer. */
  public void wanted(boolean wanted, long nowNanos) {
    if (wanted == isWanted) {
      return;
    }
    isWanted = wanted;
    if (wanted) {
      wantedSinceNanos = nowNanos;
      lastByteNanos = nowNanos;
    } else {
      waitedNanos += nowNanos - wantedSinceNanos;
    }
  }

  public void onBytes(int lengthBytes, long nowNanos) {
    broughtBytes += lengthBytes;
    lastByteNanos = nowNanos;
  }

  /** Looks at the clock; once a stretch is over the next one begins. */
  public Verdict look(long nowNanos) {
    if (isWanted && nowNanos - lastByteNanos >= idleNanos) {
      return Verdict.SILENT;
    }
    long waited = waitedNanos + (isWanted ? nowNanos - wantedSinceNanos : 0);
    if (waited < idleNanos) {
      return Verdict.FINE;
    }
    // Not exactly one stretch has passed, but what was expected grows with it.
    boolean isSlow = broughtBytes < leastBytes * ((double) waited / idleNanos);
    waitedNanos = 0;
    broughtBytes = 0;
    wantedSinceNanos = nowNanos;
    return isSlow ? Verdict.SLOW : Verdict.FINE;
  }

  /** When to look again, at the latest. */
  public long nextLookNanos(long nowNanos) {
    if (!isWanted) {
      return idleNanos;
    }
    long toSilence = idleNanos - (nowNanos - lastByteNanos);
    long toStretch = idleNanos - waitedNanos - (nowNanos - wantedSinceNanos);
    return Math.max(1, Math.min(toSilence, toStretch));
  }
}
