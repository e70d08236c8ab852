package io.forebay.server.origin;

import io.forebay.server.origin.call.Priority;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait at an origin's limit on one loop, by {@link Priority}; those of one priority
 * in the order in which they came.
 *
 * <pre>
 *   CLIENT   ──► c3 c2 c1 ─┐
 *   REFRESH  ──►    r2 r1 ─┼─► the first that counts as having come first
 *   WARM_UP  ──►       w1 ─┘          PREFETCH never waits
 * </pre>
 *
 * <p>Confined to the loop.
 */
final class CallQueue {
  private final List<ArrayDeque<PooledCall>> byPriority =
      Stream.of(Priority.values()).map(priority -> new ArrayDeque<PooledCall>()).toList();

  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  void add(PooledCall call) {
    of(call).addLast(call);
    size++;
  }

  void remove(PooledCall call) {
    if (of(call).remove(call)) {
      size--;
    }
  }

  private ArrayDeque<PooledCall> of(PooledCall call) {
    return byPriority.get(call.request().priority().ordinal());
  }

  /** Whose turn it is; null if none waits. */
  @Nullable PooledCall first() {
    if (size == 0) {
      return null;
    }
    PooledCall first = null;
    for (ArrayDeque<PooledCall> queue : byPriority) {
      PooledCall head = queue.peekFirst();
      if (head != null
          && (first == null || head.waitingSinceNanos() - first.waitingSinceNanos() < 0)) {
        first = head;
      }
    }
    return first;
  }

  /** Whose turn it is among those that fit; null if none does. */
  @Nullable PooledCall first(Predicate<PooledCall> fits) {
    PooledCall first = null;
    for (ArrayDeque<PooledCall> queue : byPriority) {
      for (PooledCall call : queue) {
        if (fits.test(call)) {
          if (first == null || call.waitingSinceNanos() - first.waitingSinceNanos() < 0) {
            first = call;
          }
          break;
        }
      }
    }
    return first;
  }

  /** The last of the lowest priority, if that is below one; else null. */
  @Nullable PooledCall lastBelow(Priority priority) {
    for (int i = byPriority.size() - 1; i > priority.ordinal(); i--) {
      PooledCall last = byPriority.get(i).peekLast();
      if (last != null) {
        return last;
      }
    }
    return null;
  }
}
