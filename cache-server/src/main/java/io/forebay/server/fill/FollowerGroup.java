package io.forebay.server.fill;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The followers of one fill on one event loop: one wake-up for all of them.
 *
 * <p>The list belongs to that loop; {@link #wake} may be called from the fill's loop. No wake-up is
 * lost: a follower first joins the list and then reads the fill's state; the fill first publishes
 * and then wakes. {@code isWoken} is cleared before the state is read, so that what is published
 * later wakes again.
 */
final class FollowerGroup implements Runnable {

  private final EventLoop loop;
  private final Runnable onAdvanced;
  private final AtomicBoolean isWoken = new AtomicBoolean();

  /** Position of the group's fastest follower, written by the group's loop, read by the fill's. */
  private volatile long fastest;

  /** The lowest floor in the group, in the same way. */
  private volatile long floor = Long.MAX_VALUE;

  private final List<Follower> followers = new ArrayList<>(2);

  FollowerGroup(EventLoop loop, Runnable onAdvanced) {
    this.loop = loop;
    this.onAdvanced = onAdvanced;
  }

  void add(Follower follower) {
    followers.add(follower);
  }

  /** Takes a follower out; false when it was not in. */
  boolean remove(Follower follower) {
    boolean wasIn = followers.remove(follower);
    publish();
    return wasIn;
  }

  void wake() {
    if (isWoken.compareAndSet(false, true)) {
      loop.execute(this);
    }
  }

  @Override
  public void run() {
    isWoken.set(false);
    // A follower may leave while it is being told.
    for (Follower follower : List.copyOf(followers)) {
      follower.onFillProgress();
    }
    publish();
    onAdvanced.run();
  }

  /** Lets the fill's loop see how far the followers are. */
  void publish() {
    long position = 0;
    long lowest = Long.MAX_VALUE;
    for (Follower follower : followers) {
      position = Math.max(position, follower.position());
      lowest = Math.min(lowest, follower.floor());
    }
    floor = lowest;
    fastest = position;
  }

  long floor() {
    return floor;
  }

  /** Runs on the loop after the wake-ups there were so far. */
  void afterWakes(Runnable task) {
    loop.execute(task);
  }

  long fastest() {
    return fastest;
  }
}
