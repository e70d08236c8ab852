package io.forebay.server.fill;

import io.forebay.server.counters.LimitKey;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one fetch: counted together, notified per event loop. Any loop joins and leaves
 * through its own {@link FollowerGroup}; the other methods belong to the loop that owns the fetch.
 */
final class Followers {

  /** Count of followers after the fetch was abandoned: none can join any more. */
  private static final int CLOSED = Integer.MIN_VALUE;

  private final int limit;
  private final Runnable onGroupAdvanced;

  /** Each loop creates its own group. */
  private final AtomicReferenceArray<@Nullable FollowerGroup> groups;

  private final AtomicInteger count = new AtomicInteger();

  /**
   * Nobody yet.
   *
   * @param limit followers at most
   * @param onGroupAdvanced called on a group's loop when its fastest follower has moved on
   */
  Followers(FillContext owner, int limit, Runnable onGroupAdvanced) {
    this.limit = limit;
    this.onGroupAdvanced = onGroupAdvanced;
    this.groups = new AtomicReferenceArray<>(owner.loops());
  }

  // --- any loop ---------------------------------------------------------------------------------

  /**
   * Joins. The follower must read the fetch's state afterwards, not before.
   *
   * @return false when there are too many followers already, or the fetch has just been given up
   */
  boolean join(Follower follower, FillContext own) {
    int before;
    do {
      before = count.get();
      if (before >= limit) {
        own.counters().hit(LimitKey.FOLLOWERS_PER_FILL);
        return false;
      }
      if (before < 0) {
        return false;
      }
    } while (!count.compareAndSet(before, before + 1));
    FollowerGroup group = groups.get(own.index());
    if (group == null) {
      group = new FollowerGroup(own.eventLoop(), onGroupAdvanced);
      groups.set(own.index(), group);
    }
    group.add(follower);
    return true;
  }

  /** Leaves; whether that was the last one, which the owner has to be told on its loop. */
  boolean leave(Follower follower, FillContext own) {
    FollowerGroup group = groups.get(own.index());
    return group != null && group.remove(follower) && count.decrementAndGet() == 0;
  }

  /** Lets the owner see how far the followers of a loop are; called on that loop. */
  void publish(FillContext own) {
    FollowerGroup group = groups.get(own.index());
    if (group != null) {
      group.publish();
    }
  }

  /** Lets the owner see that a follower depends on what follows a position; called on its loop. */
  void lowerFloor(FillContext own, long to) {
    FollowerGroup group = groups.get(own.index());
    if (group != null) {
      group.lowerFloor(to);
    }
  }

  /** Whether it was abandoned because no followers were left. */
  boolean isClosed() {
    return count.get() < 0;
  }

  // --- the owner's loop -------------------------------------------------------------------------

  boolean isEmpty() {
    return count.get() <= 0;
  }

  /** If there are no followers, none can join from now on. */
  boolean closeIfEmpty() {
    return count.compareAndSet(0, CLOSED);
  }

  /** First byte that the fastest of them has not taken yet. */
  long fastest() {
    long fastest = 0;
    for (int i = 0; i < groups.length(); i++) {
      FollowerGroup group = groups.get(i);
      fastest = group == null ? fastest : Math.max(fastest, group.fastest());
    }
    return fastest;
  }

  /** First byte on which a follower still depends; MAX_VALUE if there is none. */
  long floor() {
    long floor = Long.MAX_VALUE;
    for (int i = 0; i < groups.length(); i++) {
      FollowerGroup group = groups.get(i);
      floor = group == null ? floor : Math.min(floor, group.floor());
    }
    return floor;
  }

  /** Runs a task, on any loop, once all who follow now know what they were woken for. */
  void afterAllNotified(Runnable task) {
    // One for ourselves.
    AtomicInteger untold = new AtomicInteger(1);
    Runnable told =
        () -> {
          if (untold.decrementAndGet() == 0) {
            task.run();
          }
        };
    for (int i = 0; i < groups.length(); i++) {
      FollowerGroup group = groups.get(i);
      if (group != null) {
        untold.incrementAndGet();
        group.afterWakes(told);
      }
    }
    told.run();
  }

  void wakeAll() {
    for (int i = 0; i < groups.length(); i++) {
      FollowerGroup group = groups.get(i);
      if (group != null) {
        group.wake();
      }
    }
  }
}
