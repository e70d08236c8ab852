package io.forebay.storage.purge;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The births of the objects being stored, so that a purge is retired only when nothing that it
 * applies to can still be installed.
 *
 * <p>A lane stores its least birth (volatile) and then reads the floor; the sweeper stores the
 * floor (volatile) and then reads all lanes. So whatever was born before a purge that is about to
 * be forgotten is either seen by the sweeper or refused by the lane.
 */
public final class ActiveBirths {
  private static final int STRIDE = 16;

  private final AtomicLongArray least;
  private volatile long installFloor;

  public ActiveBirths(int lanes) {
    least = new AtomicLongArray(lanes * STRIDE);
    for (int lane = 0; lane < lanes; lane++) {
      least.set(lane * STRIDE, Long.MAX_VALUE);
    }
  }

  /** Owner of the lane only. */
  public void publish(int lane, long leastBirth) {
    least.set(lane * STRIDE, leastBirth);
  }

  /** Whether something born then may still be installed. Asked after its birth was published. */
  public boolean admits(long birth) {
    return birth >= installFloor;
  }

  /** The least birth of all. */
  public long least() {
    long result = Long.MAX_VALUE;
    for (int at = 0; at < least.length(); at += STRIDE) {
      result = Math.min(result, least.get(at));
    }
    return result;
  }

  /** Closes the door to what was born before; false if something like that is already inside. */
  public boolean close(long floor) {
    installFloor = Math.max(installFloor, floor);
    return least() >= floor;
  }
}
