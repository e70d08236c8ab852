package io.forebay.server.pacing;

/**
 * How fast responses are sent.
 *
 * @param bytesPerSecond of a connection, at most
 * @param burstBytes what of each response is sent at full speed first
 * @param bitRateFactor how many times its bit rate an object is sent at, where the player tells
 *     that; 0 where players are not asked
 */
public record Pacing(long bytesPerSecond, long burstBytes, int bitRateFactor) {

  /** A rate that no connection reaches. */
  public static final long UNPACED = Long.MAX_VALUE;

  /** The lowest rate, in bytes a second. */
  public static final long MIN_RATE = 16 * 1024;

  /**
   * The rate of one response.
   *
   * @param asked bytes a second that its player asks for; negative where it does not
   */
  public long rate(long asked) {
    return asked < 0
        ? bytesPerSecond
        : Math.clamp(asked, Math.min(MIN_RATE, bytesPerSecond), bytesPerSecond);
  }
}
