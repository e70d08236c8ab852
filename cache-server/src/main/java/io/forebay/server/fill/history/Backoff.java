package io.forebay.server.fill.history;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Exponential backoff per key after wasted attempts, until one is useful. A direct-mapped table: a
 * newer key may replace an older one, which costs one additional attempt (I5). Any thread; of two
 * concurrent writes one may be lost.
 *
 * <p>As in {@link HitForMiss}, requests with Authorization and requests with cookies have entries
 * of their own: what a client with a wrong password, or one that is logged in, gets must not hold
 * back what the others are served.
 */
public final class Backoff {

  /**
   * One word per entry: the upper bits of the key's hash, the number of wasted attempts, and the
   * end of the backoff.
   *
   * <pre>
   *   63          40 39     36 35                              0
   *  +--------------+---------+---------------------------------+
   *  | key          | wasted  | until, in tenths of a second     |
   *  +--------------+---------+---------------------------------+
   * </pre>
   */
  private static final int UNTIL_BITS = 36;

  private static final long UNTIL_MASK = (1L << UNTIL_BITS) - 1;
  private static final int MAX_WASTED = 15;
  private static final long KEY_MASK = -1L << (UNTIL_BITS + 4);
  private static final long TICK_MILLIS = 100;

  /** Takes a key's slot elsewhere; any constant whose low bits are not zero would do. */
  private static final long AUTHORIZED = 0x9e3779b97f4a7c15L;

  private static final long WITH_COOKIES = 0xd1b54a32d192ed03L;

  private final AtomicLongArray entries;
  private final int mask;
  private final int free;
  private final long firstMillis;
  private final long longestMillis;

  /**
   * A table of a fixed number of entries.
   *
   * @param entries a power of two
   * @param free number of consecutive wasted attempts without backoff
   * @param firstMillis first backoff; each further one is twice as long
   * @param longestMillis maximum backoff
   */
  public Backoff(int entries, int free, long firstMillis, long longestMillis) {
    if (Integer.bitCount(entries) != 1) {
      throw new IllegalArgumentException("not a power of two: " + entries);
    }
    this.entries = new AtomicLongArray(entries);
    this.mask = entries - 1;
    this.free = free;
    this.firstMillis = firstMillis;
    this.longestMillis = longestMillis;
  }

  /**
   * Records a wasted attempt.
   *
   * @return whether it replaced another key that was still in backoff
   */
  public boolean wasted(FillKey key, RequestView request, long nowMillis) {
    int slot = slot(key, request);
    long before = entries.getOpaque(slot);
    int times = Math.min(isOf(before, key) ? times(before) + 1 : 1, MAX_WASTED);
    long until = (nowMillis + delayMillis(times) + TICK_MILLIS - 1) / TICK_MILLIS;
    entries.setOpaque(
        slot, (key.hi() & KEY_MASK) | ((long) times << UNTIL_BITS) | (until & UNTIL_MASK));
    return !isOf(before, key) && (before & UNTIL_MASK) * TICK_MILLIS > nowMillis;
  }

  private long delayMillis(int times) {
    int doublings = times - free - 1;
    return doublings < 0 ? 0 : Math.min(firstMillis << doublings, longestMillis);
  }

  /** Records a useful attempt: ends the backoff. */
  public void useful(FillKey key) {
    forget(key, slot(key, false, false));
    forget(key, slot(key, true, false));
    forget(key, slot(key, false, true));
    forget(key, slot(key, true, true));
  }

  private void forget(FillKey key, int slot) {
    long entry = entries.getOpaque(slot);
    if (entry != 0 && isOf(entry, key)) {
      entries.setOpaque(slot, 0);
    }
  }

  /** For how long it is still held back; 0 when it may be tried. */
  public long heldMillis(FillKey key, RequestView request, long nowMillis) {
    long entry = entries.getOpaque(slot(key, request));
    if (entry == 0 || !isOf(entry, key)) {
      return 0;
    }
    long left = (entry & UNTIL_MASK) * TICK_MILLIS - nowMillis;
    // More than was ever given: the clock has been set back since.
    return left > longestMillis + TICK_MILLIS ? 0 : Math.max(0, left);
  }

  /** The number of consecutive wasted attempts, as far as it is remembered. */
  public int wastedTimes(FillKey key, RequestView request) {
    long entry = entries.getOpaque(slot(key, request));
    return isOf(entry, key) ? times(entry) : 0;
  }

  private static int times(long entry) {
    return (int) (entry >>> UNTIL_BITS) & MAX_WASTED;
  }

  private static boolean isOf(long entry, FillKey key) {
    return (entry & KEY_MASK) == (key.hi() & KEY_MASK);
  }

  private int slot(FillKey key, RequestView request) {
    return slot(key, request.has(KnownField.AUTHORIZATION), request.has(KnownField.COOKIE));
  }

  private int slot(FillKey key, boolean isAuthorized, boolean hasCookies) {
    long lo = key.lo() ^ (isAuthorized ? AUTHORIZED : 0) ^ (hasCookies ? WITH_COOKIES : 0);
    return (int) lo & mask;
  }
}
