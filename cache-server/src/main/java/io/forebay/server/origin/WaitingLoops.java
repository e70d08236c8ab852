package io.forebay.server.origin;

import io.netty.channel.EventLoop;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those of all event loops whose requests may wait for the same thing, and who has waited longest.
 * Any thread.
 */
final class WaitingLoops<T extends WaitingLoops.Member> {
  private final CopyOnWriteArrayList<T> members = new CopyOnWriteArrayList<>();

  /** One of them; it is confined to its loop but for these two. */
  interface Member {

    EventLoop loop();

    /** Since when its oldest request counts as waiting, or {@link WaitingCalls#NOT_WAITING}. */
    long waitingSinceNanos();
  }

  void join(T member) {
    members.add(member);
  }

  void leave(T member) {
    members.remove(member);
  }

  Iterable<T> all() {
    return members;
  }

  /** The one, other than that, whose oldest request has waited longest; null if none waits. */
  @SuppressWarnings("ReferenceEquality") // it is one of them that is left out
  @Nullable T longest(@Nullable T except) {
    T longest = null;
    long longestSince = 0;
    for (T member : members) {
      long since = member.waitingSinceNanos();
      if (member != except
          && since != WaitingCalls.NOT_WAITING
          && (longest == null || since - longestSince < 0)) {
        longest = member;
        longestSince = since;
      }
    }
    return longest;
  }

  /** Does something on the loop of who has waited longest; false if none waits. */
  boolean tellLongest(Consumer<T> what) {
    T waiting = longest(null);
    while (waiting != null && !tell(waiting, what)) {
      waiting = longest(null);
    }
    return waiting != null;
  }

  /** Does something on a member's loop; false if that has stopped. */
  boolean tell(T member, Consumer<T> what) {
    try {
      member.loop().execute(() -> what.accept(member));
      return true;
    } catch (RejectedExecutionException e) {
      // Nothing waits on a loop that has stopped.
      members.remove(member);
      return false;
    }
  }
}
