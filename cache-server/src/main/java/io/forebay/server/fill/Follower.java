package io.forebay.server.fill;

/** An exchange that waits for, or reads from, a fill. Called on the follower's own loop. */
public interface Follower {

  /** The fill's state or watermark has moved on since the last call. */
  void onFillProgress();

  /** First byte this follower has not taken yet; read by the fill's loop to pace the origin. */
  long position();
}
