package io.forebay.server.fill;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers keys whose responses turned out not to be storable, so that requests for them go to the
 * origin side by side instead of queueing behind one another (I6). A direct-mapped table: a newer
 * key may push an older one out, which costs that one a single fill attempt more. Any thread.
 *
 * <p>Requests with Authorization have entries of their own: most responses to them may not be
 * stored for that reason alone, and a client that sends the field must not turn caching off for
 * those that do not.
 */
public final class HitForMiss {

  /** One word an entry: the upper bits of the key's hash, and the expiry in seconds below them. */
  private static final int EXPIRY_BITS = 32;

  private static final long EXPIRY_MASK = (1L << EXPIRY_BITS) - 1;

  /** Takes a key's slot elsewhere; any constant whose low bits are not zero would do. */
  private static final long AUTHORIZED = 0x9e3779b97f4a7c15L;

  private final AtomicLongArray entries;
  private final int mask;

  /**
   * A table of a fixed number of entries.
   *
   * @param entries a power of two
   */
  public HitForMiss(int entries) {
    if (Integer.bitCount(entries) != 1) {
      throw new IllegalArgumentException("not a power of two: " + entries);
    }
    this.entries = new AtomicLongArray(entries);
    this.mask = entries - 1;
  }

  public void remember(FillKey key, RequestView request, long nowMillis, long forMillis) {
    long expirySeconds = (nowMillis + forMillis + 999) / 1000;
    entries.setOpaque(
        slot(key, request), (key.hi() & ~EXPIRY_MASK) | (expirySeconds & EXPIRY_MASK));
  }

  public boolean isKnown(FillKey key, RequestView request, long nowMillis) {
    long entry = entries.getOpaque(slot(key, request));
    return (entry & ~EXPIRY_MASK) == (key.hi() & ~EXPIRY_MASK)
        && (entry & EXPIRY_MASK) > nowMillis / 1000;
  }

  /** Forgets a key, so that the next response for it is looked at anew. */
  public void forget(FillKey key, RequestView request) {
    entries.setOpaque(slot(key, request), 0);
  }

  private int slot(FillKey key, RequestView request) {
    long lo = request.has(KnownField.AUTHORIZATION) ? key.lo() ^ AUTHORIZED : key.lo();
    return (int) lo & mask;
  }
}
