package io.forebay.server.fill;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one fill on one event loop: one wake-up for all of them.
 *
 * <p>The list belongs to that loop; {@link #wake} may be called from the fill's loop. No wake-up is
 * lost: a follower first joins the list and then reads the fill's state; the fill first publishes
 * and then wakes. {@code isWoken} is cleared before the state is read, so that what is published
 * later wakes again.
 *
 * <p>A wake-up begins a round in which each follower is told once. So that thousands of them do not
 * hold up the loop, it goes on to other work after every {@link #BATCH} of them. A follower that
 * leaves meanwhile leaves a gap in the list, which is closed at the end of the round.
 */
final class FollowerGroup implements Runnable {

  static final int BATCH = 64;

  /** Up to here the effect of one that leaves is published at once, else together with others'. */
  private static final int SMALL = 64;

  private final EventLoop loop;
  private final Runnable onAdvanced;
  private final AtomicBoolean isWoken = new AtomicBoolean();

  /** Position of the group's fastest follower, written by the group's loop, read by the fill's. */
  private volatile long fastest;

  /** The lowest floor in the group, in the same way. */
  private volatile long floor = Long.MAX_VALUE;

  private final List<@Nullable Follower> followers = new ArrayList<>(2);

  private boolean isInRound;

  /** In a round: who is told next, and where the round ends. */
  private int next;

  private int roundEnd;
  private boolean hasGaps;

  /** Another round follows this one. */
  private boolean isWokenInRound;

  private boolean isPublishDue;

  /** What waits for the end of the rounds; null if nothing does. */
  private @Nullable ArrayDeque<Runnable> afterRounds;

  FollowerGroup(EventLoop loop, Runnable onAdvanced) {
    this.loop = loop;
    this.onAdvanced = onAdvanced;
  }

  void add(Follower follower) {
    followers.add(follower);
  }

  /** Takes a follower out; false when it was not in. */
  boolean remove(Follower follower) {
    int at = indexOf(follower);
    if (at < 0) {
      return false;
    }
    if (isInRound) {
      // Its end publishes.
      followers.set(at, null);
      hasGaps = true;
      return true;
    }
    followers.remove(at);
    if (followers.size() < SMALL) {
      publish();
    } else if (!isPublishDue) {
      isPublishDue = true;
      loop.execute(this::publishDue);
    }
    return true;
  }

  /** Most leave while they are told. */
  @SuppressWarnings("ReferenceEquality") // that very follower
  private int indexOf(Follower follower) {
    return isInRound && next > 0 && followers.get(next - 1) == follower
        ? next - 1
        : followers.indexOf(follower);
  }

  private void publishDue() {
    isPublishDue = false;
    publish();
    onAdvanced.run();
  }

  void wake() {
    if (isWoken.compareAndSet(false, true)) {
      loop.execute(this);
    }
  }

  @Override
  public void run() {
    isWoken.set(false);
    if (isInRound) {
      isWokenInRound = true;
    } else {
      beginRound();
    }
  }

  private void beginRound() {
    isInRound = true;
    next = 0;
    roundEnd = followers.size();
    tellBatch();
  }

  private void tellBatch() {
    int until = Math.min(roundEnd, next + BATCH);
    try {
      while (next < until) {
        Follower follower = followers.get(next++);
        if (follower != null) {
          follower.onFillProgress();
        }
      }
    } finally {
      if (next < roundEnd) {
        // Not executed: that would be before the loop looks at its sockets.
        loop.schedule(this::tellBatch, 1, TimeUnit.NANOSECONDS);
      } else {
        endRound();
      }
    }
  }

  private void endRound() {
    isInRound = false;
    if (hasGaps) {
      hasGaps = false;
      followers.removeIf(Objects::isNull);
    }
    publish();
    onAdvanced.run();
    if (isWokenInRound) {
      isWokenInRound = false;
      wake();
    } else {
      runAfterRounds();
    }
  }

  private void runAfterRounds() {
    ArrayDeque<Runnable> waiting = afterRounds;
    if (waiting != null) {
      afterRounds = null;
      waiting.forEach(Runnable::run);
    }
  }

  /** Lets the fill's loop see how far the followers are. */
  void publish() {
    long position = 0;
    long lowest = Long.MAX_VALUE;
    for (Follower follower : followers) {
      if (follower != null) {
        position = Math.max(position, follower.position());
        lowest = Math.min(lowest, follower.floor());
      }
    }
    floor = lowest;
    fastest = position;
  }

  /** Lets the fill's loop see that one of them depends on what follows a position. */
  void lowerFloor(long to) {
    if (to < floor) {
      floor = to;
    }
  }

  long floor() {
    return floor;
  }

  /** Runs on the loop once all have been told that the wake-ups so far were for. */
  void afterWakes(Runnable task) {
    loop.execute(() -> {
      // A wake-up that came between two rounds has its task behind this one.
      if (isInRound || isWoken.get()) {
        ArrayDeque<Runnable> waiting = afterRounds;
        if (waiting == null) {
          waiting = new ArrayDeque<>(1);
          afterRounds = waiting;
        }
        waiting.add(task);
      } else {
        task.run();
      }
    });
  }

  long fastest() {
    return fastest;
  }
}
