package io.forebay.server.fill;

import java.util.concurrent.TimeUnit;

/**
 * Retries a fetch that found no space in the store: after a refusal without a spare region it is
 * retried soon, until nothing has changed for too long. Fast turnover of a small tier takes the
 * reclaimer milliseconds, while an aborted fetch costs the origin another. The origin is paused
 * meanwhile, and the number of concurrent waits is limited, so that the bytes already read are
 * bounded (I5).
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

  /** Continues to wait without a limit. */
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
