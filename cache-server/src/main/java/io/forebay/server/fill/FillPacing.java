package io.forebay.server.fill;

import io.forebay.server.fill.Fill.State;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.storage.lane.ObjectWriter;
import org.jspecify.annotations.Nullable;

/**
 * Limits how far a fill may be ahead of its followers, and how much of the body it keeps for them,
 * by pausing the origin. A small body is not paced. A body larger than a sixteenth of the memory
 * tier is paced by its fastest follower, and one larger than a quarter also by its slowest, if that
 * follower has no other source. Where there are many fills, smaller bodies are paced as well, so
 * that all of them together leave memory to what is stored.
 *
 * <p>Owner: the fill's loop.
 */
final class FillPacing {

  /** Slices that are retained for followers just behind the fastest one. */
  private static final int NEAR_SLICES = 8;

  /** All fills share this many windows, which are a quarter of the memory tier. */
  private static final int SHARED_WINDOWS = 4;

  private final FillTable fills;
  private final Fill fill;
  private final Followers followers;
  private final FillWriter intake;
  private final boolean isBackground;
  private final long windowBytes;
  private final long nearBytes;
  private final long leastWindowBytes;
  private final long mayKeepBytes;
  private @Nullable OriginFlowControl valve;

  FillPacing(
      FillContext loop, Fill fill, Followers followers, FillWriter intake, boolean isBackground) {
    this.fills = loop.fills();
    this.fill = fill;
    this.followers = followers;
    this.intake = intake;
    this.isBackground = isBackground;
    this.windowBytes = loop.paceAboveBytes();
    this.mayKeepBytes = loop.lane().mayKeepBytes();
    this.nearBytes = Math.min(NEAR_SLICES * (long) loop.store().sliceBytes(), windowBytes / 2);
    this.leastWindowBytes = 2 * nearBytes;
  }

  /** The request was sent; this call is paused from now on. */
  void begin(OriginCall call) {
    valve = new OriginFlowControl(call);
  }

  /**
   * Stops reading the origin while even the fastest follower is far behind, or the store has no
   * space yet, and releases the bytes that this follower has read. It does so also while there is
   * no space: otherwise a fill that waits for space after every burst would release nothing.
   */
  void onProgress() {
    ObjectWriter into = intake.writer();
    if (into != null) {
      releasePassed(into);
    }
    boolean isFar = into != null && fill.state() == State.STREAMING && isFarAhead(into);
    boolean isPaused = isFar || intake.isFull() || intake.isBehind();
    boolean begins = isPaused && !fill.isPaced();
    fill.isPaced(isPaused);
    OriginFlowControl current = valve;
    if (current != null) {
      current.set(isPaused);
    }
    if (begins) {
      // Followers that advanced before the fill was paced report their progress now.
      followers.wakeAll();
    }
  }

  /**
   * Another listener pauses the origin from now on.
   *
   * @param isEnded whether the whole response has arrived
   * @return whether it was paused
   */
  boolean handOver(boolean isEnded) {
    OriginFlowControl current = valve;
    return current != null && current.handOver(isEnded);
  }

  /**
   * Whether even the fastest follower is so far behind that the origin has to wait, or one who
   * could not have it from anywhere else is farther behind than may be kept.
   */
  private boolean isFarAhead(ObjectWriter writer) {
    long writtenBytes = writer.watermark();
    long window = window(writer);
    return isFollowed()
        && writtenBytes > window
        && (writtenBytes - followers.fastest() > window
            || (writer.retainsUnread() && writtenBytes - followers.floor() > mayKeepBytes));
  }

  /** What followers have passed: the fastest, or each of them where all depend on it. */
  private long passed(ObjectWriter writer) {
    long fastest = followers.fastest();
    return writer.retainsUnread() ? Math.min(followers.floor(), fastest) : fastest;
  }

  /**
   * A large body does not stay in memory for its fill: the bytes that the fastest follower has
   * read, except a few slices for followers just behind it, may be evicted. Later followers find
   * them in the store or fetch them by slice. A fill therefore retains no more than pacing allows
   * the origin to be ahead.
   */
  private void releasePassed(ObjectWriter writer) {
    long writtenBytes = writer.watermark();
    if (writer.isStreamOnly()) {
      writer.release(followers.floor());
    } else if (writtenBytes > window(writer)) {
      if (writer.retainsUnread()) {
        // Who comes now might miss its beginning for ever. Those who read have said so by now.
        writer.refuseNewReaders();
      }
      long passed = isFollowed() ? passed(writer) : Long.MAX_VALUE;
      writer.release(Math.min(passed, writtenBytes - nearBytes));
    }
  }

  /**
   * How far the origin may be ahead. Each fill has its share of what all of them may hold, if a
   * follower that falls behind can have released bytes fetched again.
   */
  private long window(ObjectWriter writer) {
    FillHead head = fill.head();
    boolean isShared =
        writer.watermark() > leastWindowBytes
            && !writer.retainsUnread()
            && head != null
            && head.totalLength() >= 0;
    return isShared
        ? Math.clamp(
            SHARED_WINDOWS * windowBytes / Math.max(1, fills.size()), leastWindowBytes, windowBytes)
        : windowBytes;
  }

  private boolean isFollowed() {
    return !isBackground && !followers.isEmpty();
  }
}
