package io.forebay.server.prefetch;

import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the node may fetch ahead, and what became of it. Fetches that clients caused earn a share of
 * their bytes; bytes that were fetched ahead and not used yet, or wasted, use it up; bytes that
 * were used give it back. So the share bounds what is wasted, not what is useful. Earnings and
 * waste are halved each minute. Any thread; no locks.
 */
public final class PrefetchBudget {

  /** An object that no client was served by then counts as wasted. */
  public static final long UNUSED_MILLIS = 60_000;

  static final int MAX_OBJECTS = 16_384;
  private static final long HALF_LIFE_MILLIS = 60_000;

  private final AtomicInteger running = new AtomicInteger();

  /** Of bytes that were fetched for clients, times percent. */
  private final AtomicLong earned = new AtomicLong();

  private final AtomicLong unused = new AtomicLong();
  private final AtomicLong wasted = new AtomicLong();
  private final AtomicLong halvedMillis = new AtomicLong(Long.MIN_VALUE);

  private final ConcurrentHashMap<Key, Entry> objects = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Entry> byAge = new ConcurrentLinkedQueue<>();

  /** Entries of {@link #byAge}, those of objects that were used included. */
  private final AtomicInteger remembered = new AtomicInteger();

  /** A key of the store. */
  private record Key(long hi, long lo) {}

  private record Entry(Key key, long bytes, long untilMillis) {}

  /**
   * Takes room for a fetch; {@link #end} gives it back.
   *
   * @param bytes the most that it may bring
   */
  public boolean tryBegin(long bytes, PrefetchSettings settings, long nowMillis) {
    halve(nowMillis);
    if (running.incrementAndGet() > settings.concurrent() || remembered.get() >= MAX_OBJECTS) {
      running.decrementAndGet();
      return false;
    }
    if ((unused.addAndGet(bytes) + wasted.get()) * 100 > earned.get()) {
      end(bytes);
      return false;
    }
    return true;
  }

  /** The fetch is over; what it brought is accounted for elsewhere. */
  public void end(long bytes) {
    running.decrementAndGet();
    unused.addAndGet(-bytes);
  }

  /** An object was fetched that no client has asked for yet. */
  public void fetched(long hi, long lo, long bytes, long nowMillis) {
    Entry entry = new Entry(new Key(hi, lo), bytes, nowMillis + UNUSED_MILLIS);
    unused.addAndGet(bytes);
    Entry before = objects.put(entry.key, entry);
    if (before != null) {
      unused.addAndGet(-before.bytes);
      wasted.addAndGet(before.bytes);
    }
    remembered.incrementAndGet();
    byAge.add(entry);
  }

  /** So many bytes were fetched, and stay without use. */
  public void wasted(long bytes) {
    wasted.addAndGet(bytes);
  }

  /** So many bytes were fetched because clients asked for them. */
  public void earned(long bytes, int sharePercent) {
    earned.addAndGet(bytes * sharePercent);
  }

  /** A client is served an object; gives its bytes if it was fetched ahead and not used before. */
  public long served(long hi, long lo) {
    if (objects.isEmpty()) {
      return 0;
    }
    Entry entry = objects.remove(new Key(hi, lo));
    if (entry == null) {
      return 0;
    }
    unused.addAndGet(-entry.bytes);
    return entry.bytes;
  }

  /** Gives the bytes of objects whose time has passed without use. */
  public long expired(long nowMillis) {
    long bytes = 0;
    Iterator<Entry> oldest = byAge.iterator();
    while (oldest.hasNext()) {
      Entry entry = oldest.next();
      if (nowMillis < entry.untilMillis) {
        return bytes;
      }
      // Another thread may have taken it: only one removes it from the map.
      if (objects.remove(entry.key, entry)) {
        unused.addAndGet(-entry.bytes);
        wasted.addAndGet(entry.bytes);
        bytes += entry.bytes;
      }
      if (byAge.remove(entry)) {
        remembered.decrementAndGet();
      }
    }
    return bytes;
  }

  /** Fetches in progress. */
  public int running() {
    return running.get();
  }

  private void halve(long nowMillis) {
    long last = halvedMillis.get();
    if (last == Long.MIN_VALUE) {
      boolean ignored = halvedMillis.compareAndSet(last, nowMillis);
    } else if (nowMillis - last >= HALF_LIFE_MILLIS
        && halvedMillis.compareAndSet(last, nowMillis)) {
      earned.updateAndGet(value -> value / 2);
      wasted.updateAndGet(value -> value / 2);
    }
  }
}
