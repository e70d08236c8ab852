package io.forebay.server.fill;

import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.ObjectWriter;

/**
 * How far a fill may be ahead of its followers, and what of the body it holds for them. A small
 * body is paced by nobody; one past a sixteenth of the memory tier by its fastest follower.
 *
 * <p>Owner: the fill's loop.
 */
final class FillPace {

  /** Slices that are held for those who are right behind the fastest follower. */
  private static final int NEAR_SLICES = 8;

  private final Followers followers;
  private final boolean isBackground;
  private final long windowBytes;
  private final long nearBytes;

  FillPace(LoopContext loop, Followers followers, boolean isBackground) {
    this.followers = followers;
    this.isBackground = isBackground;
    this.windowBytes = loop.paceAboveBytes();
    this.nearBytes = Math.min(NEAR_SLICES * (long) loop.store().sliceBytes(), windowBytes / 2);
  }

  /** Whether even the fastest follower is so far behind that the origin has to wait. */
  boolean isFarAhead(long writtenBytes) {
    return isFollowed()
        && writtenBytes > windowBytes
        && writtenBytes - followers.fastest() > windowBytes;
  }

  /**
   * A large body does not stay in memory for its fill: what the fastest follower has taken, but for
   * a few slices for those right behind it, may leave. Whoever comes to it later finds it where the
   * store has it by then, or fetches it by slice. So what is held is no more than what pacing lets
   * the origin be ahead.
   */
  void releasePassed(ObjectWriter writer) {
    long writtenBytes = writer.watermark();
    if (writtenBytes > windowBytes) {
      long passed = isFollowed() ? followers.fastest() : Long.MAX_VALUE;
      writer.release(Math.min(passed, writtenBytes - nearBytes));
    }
  }

  private boolean isFollowed() {
    return !isBackground && !followers.isEmpty();
  }
}
