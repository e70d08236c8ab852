package io.forebay.server.fill.history;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers keys whose responses were not storable or not shareable, so that requests for them go
 * to the origin in parallel instead of waiting for one another (I6). A direct-mapped table: a newer
 * key may replace an older one, which costs one additional fill. Any thread.
 *
 * <p>Requests with Authorization have entries of their own: most responses to them may not be
 * stored for that reason alone, and a client that sends the field must not turn caching off for
 * those that do not. The same holds for cookies, but what is known of requests without them counts
 * for requests with them too.
 */
public final class HitForMiss {

  /** What the requests for a key do that is remembered. */
  public enum Kind {
    /** They pass: nothing is stored. */
    UNCACHEABLE,
    /** Each asks the origin for itself: what is stored can be validated, but not shared. */
    NEVER_FRESH
  }

  /**
   * One word an entry: the upper bits of the key's hash, a bit for the kind, and the expiry in
   * seconds below them.
   */
  private static final int EXPIRY_BITS = 32;

  private static final long EXPIRY_MASK = (1L << EXPIRY_BITS) - 1;
  private static final long NEVER_FRESH = 1L << EXPIRY_BITS;
  private static final long KEY_MASK = -1L << (EXPIRY_BITS + 1);

  /** Takes a key's slot elsewhere; any constant whose low bits are not zero would do. */
  private static final long AUTHORIZED = 0x9e3779b97f4a7c15L;

  private static final long WITH_COOKIES = 0xd1b54a32d192ed03L;

  private final AtomicLongArray entries;

  /**
   * Why each entry was made, one more than the ordinal; read by people only, so it is no part of
   * the entry's word.
   */
  private final AtomicIntegerArray reasons;

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
    this.reasons = new AtomicIntegerArray(entries);
    this.mask = entries - 1;
  }

  /**
   * Remembers a key for a time, or forgets it where that is 0.
   *
   * @param why the response was not stored; null where it was
   * @return whether another key was pushed out for it before its time
   */
  public boolean remember(
      FillKey key,
      RequestView request,
      long nowMillis,
      long forMillis,
      Kind kind,
      @Nullable Reason why) {
    if (forMillis == 0) {
      forget(key, request);
      return false;
    }
    int slot = slot(key, request);
    long before = entries.getOpaque(slot);
    reasons.setOpaque(slot, why == null ? 0 : why.ordinal() + 1);
    long expirySeconds = (nowMillis + forMillis + 999) / 1000;
    entries.setOpaque(
        slot,
        (key.hi() & KEY_MASK)
            | (kind == Kind.NEVER_FRESH ? NEVER_FRESH : 0)
            | (expirySeconds & EXPIRY_MASK));
    return !isOf(before, key) && isLive(before, nowMillis);
  }

  /** Stands for a key where what is remembered is true of requests with cookies alone. */
  public static FillKey withCookies(FillKey key) {
    return new FillKey(key.hi(), key.lo() ^ WITH_COOKIES);
  }

  /**
   * Whether what is remembered of the response to one request is found for another one, with the
   * same key: not if only the former had credentials that may be the reason.
   */
  public static boolean concerns(RequestView remembered, RequestView other) {
    return isAlike(remembered, other, KnownField.AUTHORIZATION)
        && isAlike(remembered, other, KnownField.COOKIE);
  }

  private static boolean isAlike(RequestView remembered, RequestView other, KnownField field) {
    return !remembered.has(field) || other.has(field);
  }

  /** What is remembered of a key, or null. */
  public @Nullable Kind find(FillKey key, RequestView request, long nowMillis) {
    Kind known = findOne(key, request, nowMillis);
    return known == null && request.has(KnownField.COOKIE)
        ? findOne(withCookies(key), request, nowMillis)
        : known;
  }

  private @Nullable Kind findOne(FillKey key, RequestView request, long nowMillis) {
    long entry = entries.getOpaque(slot(key, request));
    if (!isOf(entry, key) || !isLive(entry, nowMillis)) {
      return null;
    }
    return (entry & NEVER_FRESH) != 0 ? Kind.NEVER_FRESH : Kind.UNCACHEABLE;
  }

  /**
   * Why a key is remembered, and for how long still.
   *
   * @param reason the response was not stored for; null where it was stored
   */
  public record Memory(Kind kind, @Nullable Reason reason, long leftMillis) {}

  /** What is remembered of a key as it is shown to people, or null. */
  public @Nullable Memory explain(FillKey key, RequestView request, long nowMillis) {
    Memory known = explainOne(key, request, nowMillis);
    return known == null && request.has(KnownField.COOKIE)
        ? explainOne(withCookies(key), request, nowMillis)
        : known;
  }

  private @Nullable Memory explainOne(FillKey key, RequestView request, long nowMillis) {
    Kind kind = findOne(key, request, nowMillis);
    if (kind == null) {
      return null;
    }
    int slot = slot(key, request);
    int reason = reasons.getOpaque(slot);
    long left = (entries.getOpaque(slot) & EXPIRY_MASK) * 1000 - nowMillis;
    return new Memory(kind, reason == 0 ? null : Reason.values()[reason - 1], Math.max(0, left));
  }

  /** Whether requests for a key pass. */
  public boolean isKnown(FillKey key, RequestView request, long nowMillis) {
    return find(key, request, nowMillis) == Kind.UNCACHEABLE;
  }

  /** Forgets a key, so that the next response for it is looked at anew. */
  public void forget(FillKey key, RequestView request) {
    forgetOne(key, request);
    if (request.has(KnownField.COOKIE)) {
      forgetOne(withCookies(key), request);
    }
  }

  private void forgetOne(FillKey key, RequestView request) {
    int slot = slot(key, request);
    if (isOf(entries.getOpaque(slot), key)) {
      entries.setOpaque(slot, 0);
    }
  }

  private static boolean isOf(long entry, FillKey key) {
    return (entry & KEY_MASK) == (key.hi() & KEY_MASK);
  }

  private static boolean isLive(long entry, long nowMillis) {
    return (entry & EXPIRY_MASK) > nowMillis / 1000;
  }

  private int slot(FillKey key, RequestView request) {
    long lo = request.has(KnownField.AUTHORIZATION) ? key.lo() ^ AUTHORIZED : key.lo();
    return (int) lo & mask;
  }
}
