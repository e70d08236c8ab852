package io.forebay.server.fill;

/** An exchange that waits for, or reads from, a fill. Called on the follower's event loop. */
public interface Follower {

  /** The fill's state or watermark has moved on since the last call. */
  void onFillProgress();

  /** First byte this follower has not taken yet; read by the fill's loop to pace the origin. */
  long position();

  /**
   * First byte that a retaining fill must keep for this follower; MAX_VALUE while it depends on
   * none.
   */
  default long floor() {
    return Long.MAX_VALUE;
  }
}
