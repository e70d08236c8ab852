package io.forebay.server.protect.rate;

import io.forebay.server.counters.LoopCounters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * The token buckets of all rate limits, shared by the event loops without a lock: a fixed number of
 * slots, in sets of eight. A slot has the hash of a key and, by the generic cell rate algorithm,
 * the time at which its bucket will be full again; the lowest bit of that says that the key is in
 * its penalty. One number says all of a bucket, so a request is one compare-and-set.
 *
 * <pre>
 *   hash ──► set:  [key, full at] [key, full at] … 8
 *                   └ the slot of the key, else one that is empty or full again (nothing is lost),
 *                     else the one that is full again first (it begins anew: displaced)
 * </pre>
 *
 * <p>Error: a key that is displaced gets its burst once more, which is counted. Apart from that, a
 * race between a displacement and a request may lose the count of one request, or count it for the
 * other key.
 */
final class RateTable {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int WAYS = 8;
  private static final int SLOT = 2;
  private static final int MAX_TRIES = 8;
  private static final long PENALTY_MARK = 1;

  /** No bucket takes longer than that to be full again. */
  static final long MAX_DEBT_NANOS = Duration.ofDays(366).toNanos();

  private final long[] slots;
  private final int setMask;

  /**
   * A table.
   *
   * @param keys how many it can hold; a power of two, at least 8
   */
  RateTable(int keys) {
    if (Integer.bitCount(keys) != 1 || keys < WAYS) {
      throw new IllegalArgumentException("keys: " + keys);
    }
    slots = new long[keys * SLOT];
    setMask = keys / WAYS - 1;
  }

  /**
   * Takes a token out of the bucket of a key.
   *
   * @param now nanoseconds since a fixed time, not negative
   * @return 0 where there was one; else the nanoseconds until there will be one again
   */
  long take(long hash, RateLimit limit, long now, LoopCounters counters) {
    long key = hash == 0 ? 1 : hash;
    for (int i = 0; i < MAX_TRIES; i++) {
      int slot = find(key);
      if (slot < 0) {
        slot = claim(key, now, counters);
      }
      if (slot < 0) {
        continue;
      }
      long full = (long) LONGS.getVolatile(slots, slot + 1);
      if ((long) LONGS.getVolatile(slots, slot) != key) {
        continue;
      }
      long next = next(full, limit, now);
      long wait = next - now - limit.capacityNanos();
      boolean isPunished = wait > 0 && limit.penaltyNanos() > 0 && (full & PENALTY_MARK) == 0;
      if (isPunished) {
        long released = now + limit.penaltyNanos() + limit.capacityNanos() - limit.intervalNanos();
        next = released | PENALTY_MARK;
        wait = limit.penaltyNanos();
      } else if (wait > 0) {
        return wait;
      }
      if (LONGS.compareAndSet(slots, slot + 1, full, next)) {
        return Math.max(wait, 0);
      }
    }
    // So many requests for it at this moment that this one is not counted.
    return 0;
  }

  /** What {@link #take} would give, without taking anything. */
  long peek(long hash, RateLimit limit, long now) {
    int slot = find(hash == 0 ? 1 : hash);
    long full = slot < 0 ? 0 : (long) LONGS.getVolatile(slots, slot + 1);
    return Math.max(0, next(full, limit, now) - now - limit.capacityNanos());
  }

  /**
   * Takes what something that is under way has cost out of the bucket of a key, which may owe it.
   *
   * @param costNanos in which that much is earned; an even number
   */
  void charge(long hash, long costNanos, long now, LoopCounters counters) {
    long key = hash == 0 ? 1 : hash;
    for (int i = 0; i < MAX_TRIES; i++) {
      int slot = find(key);
      if (slot < 0) {
        slot = claim(key, now, counters);
      }
      if (slot < 0) {
        continue;
      }
      long full = (long) LONGS.getVolatile(slots, slot + 1);
      if ((long) LONGS.getVolatile(slots, slot) != key) {
        continue;
      }
      long from = Math.max(full, now & ~PENALTY_MARK);
      long next = Math.min(from + costNanos, (now & ~PENALTY_MARK) + MAX_DEBT_NANOS);
      if (LONGS.compareAndSet(slots, slot + 1, full, next)) {
        return;
      }
    }
    // So many charges for it at this moment that this one is not counted.
  }

  /** Nanoseconds until the bucket of a key that is {@link #charge charged} owes nothing. */
  long debt(long hash, RateLimit limit, long now) {
    int slot = find(hash == 0 ? 1 : hash);
    long full = slot < 0 ? 0 : (long) LONGS.getVolatile(slots, slot + 1);
    return Math.max(0, full - now - limit.capacityNanos() + 1);
  }

  private static long next(long full, RateLimit limit, long now) {
    return Math.max(full & ~PENALTY_MARK, now & ~PENALTY_MARK) + limit.intervalNanos();
  }

  private int base(long key) {
    return ((int) (key >>> Integer.SIZE) & setMask) * WAYS * SLOT;
  }

  private int find(long key) {
    int base = base(key);
    for (int slot = base; slot < base + WAYS * SLOT; slot += SLOT) {
      if ((long) LONGS.getVolatile(slots, slot) == key) {
        return slot;
      }
    }
    return -1;
  }

  /** Gives the key a slot of its set, or -1 where another thread was faster. */
  private int claim(long key, long now, LoopCounters counters) {
    int base = base(key);
    int victim = base;
    long first = Long.MAX_VALUE;
    for (int slot = base; slot < base + WAYS * SLOT; slot += SLOT) {
      long full = (long) LONGS.getVolatile(slots, slot + 1);
      if (full < first) {
        first = full;
        victim = slot;
      }
    }
    long former = (long) LONGS.getVolatile(slots, victim);
    if (former == key || !LONGS.compareAndSet(slots, victim + 1, first, 0L)) {
      return -1;
    }
    if (!LONGS.compareAndSet(slots, victim, former, key)) {
      return -1;
    }
    if (first > now) {
      counters.rateKeysDisplaced++;
    }
    return victim;
  }
}
