package io.forebay.server.fill;

import java.util.concurrent.TimeUnit;

/**
 * A fetch's wait for room in the store: what was refused for want of a spare region is tried again
 * soon, until nothing has moved for too long. A fast turnover of a small tier is a matter of
 * milliseconds to the reclaimer, and a fetch given up costs the origin another. The origin is held
 * meanwhile, and so few wait at once that what had been read of it by then is bounded (I5).
 *
 * <p>Owner: the loop of the fetch.
 */
final class SpaceRetry {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RETRY_MICROS = 2_000;

  private final FillContext loop;
  private final Runnable onRoomHoped;
  private boolean isOn;
  private long sinceNanos;

  /**
   * No wait yet.
   *
   * @param onRoomHoped tries again; called also when the wait has ended meanwhile
   */
  SpaceRetry(FillContext loop, Runnable onRoomHoped) {
    this.loop = loop;
    this.onRoomHoped = onRoomHoped;
  }

  boolean isOn() {
    return isOn;
  }

  /**
   * Begins to wait, or goes on.
   *
   * @return false when nothing has moved for too long, or too many wait already; a wait that was on
   *     is on still, and to be ended
   */
  boolean goOn() {
    long now = now();
    if (!isOn) {
      if (!loop.fills().tryBeginSpaceWait()) {
        return false;
      }
      isOn = true;
      sinceNanos = now;
    } else if (now - sinceNanos > PATIENCE_NANOS) {
      return false;
    }
    loop.eventLoop().schedule(onRoomHoped, RETRY_MICROS, TimeUnit.MICROSECONDS);
    return true;
  }

  /** Waits on, however long it takes and whoever else waits. */
  void waitIndefinitely() {
    if (!isOn) {
      isOn = true;
      loop.fills().beginSpaceWait();
    }
    sinceNanos = now();
    loop.eventLoop().schedule(onRoomHoped, RETRY_MICROS, TimeUnit.MICROSECONDS);
  }

  /** Something found room: patience begins anew. */
  void moved() {
    sinceNanos = now();
  }

  void end() {
    if (isOn) {
      isOn = false;
      loop.fills().endSpaceWait();
    }
  }

  private long now() {
    return loop.eventLoop().ticker().nanoTime();
  }
}
