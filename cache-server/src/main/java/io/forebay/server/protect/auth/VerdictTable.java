package io.forebay.server.protect.auth;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was found out lately, each for a while, in a table of bounded size. One that is full of what
 * still holds is emptied: everything is found out once more. Any thread.
 */
public final class VerdictTable<V> {
  private final int max;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<String, Entry<V>> entries = new ConcurrentHashMap<>();

  /**
   * An empty table.
   *
   * @param max entries
   * @param nanoTime a clock that never goes back
   */
  public VerdictTable(int max, LongSupplier nanoTime) {
    this.max = max;
    this.nanoTime = nanoTime;
  }

  private record Entry<V>(V value, long untilNanos) {

    boolean isOver(long nowNanos) {
      return untilNanos - nowNanos <= 0;
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** What is known of that, or null. */
  public @Nullable V get(String key) {
    Entry<V> entry = entries.get(key);
    return entry == null || entry.isOver(nanoTime.getAsLong()) ? null : entry.value();
  }

  /** Remembers that for so long. */
  public void put(String key, V value, long nanos) {
    long now = nanoTime.getAsLong();
    if (entries.size() >= max) {
      entries.values().removeIf(entry -> entry.isOver(now));
    }
    if (entries.size() >= max) {
      entries.clear();
    }
    entries.put(key, new Entry<>(value, now + nanos));
  }
}
