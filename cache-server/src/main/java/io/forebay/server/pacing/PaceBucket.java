package io.forebay.server.pacing;

/**
 * The credit of a connection that paces itself: bytes may be written while there is some, and what
 * is written beyond it is waited for afterwards. Confined to the loop of its connection.
 */
public final class PaceBucket {
  /** What a connection that has not written for a while may have saved, in seconds of its rate. */
  private static final double DEPTH_SECONDS = 0.05;

  /** A wait is at least as long as this many seconds of the rate last. */
  private static final double STEP_SECONDS = 0.01;

  private static final double NANOS = 1e9;

  private double rate;
  private double credit;
  private long lastNanos;

  /**
   * A bucket that is full.
   *
   * @param nowNanos by the clock of all calls
   */
  public PaceBucket(long bytesPerSecond, long nowNanos) {
    rate = bytesPerSecond;
    credit = rate * DEPTH_SECONDS;
    lastNanos = nowNanos;
  }

  public void rate(long bytesPerSecond, long nowNanos) {
    refill(nowNanos);
    rate = bytesPerSecond;
    credit = Math.min(credit, rate * DEPTH_SECONDS);
  }

  /** Bytes have been written. */
  public void take(int lengthBytes, long nowNanos) {
    refill(nowNanos);
    credit -= lengthBytes;
  }

  /** How long to wait before anything may be written; 0 while there is credit. */
  public long waitNanos(long nowNanos) {
    refill(nowNanos);
    return credit > 0 ? 0 : (long) Math.ceil((STEP_SECONDS - credit / rate) * NANOS);
  }

  private void refill(long nowNanos) {
    double elapsed = (nowNanos - lastNanos) / NANOS;
    lastNanos = nowNanos;
    credit = Math.min(credit + Math.max(0, elapsed) * rate, rate * DEPTH_SECONDS);
  }
}
