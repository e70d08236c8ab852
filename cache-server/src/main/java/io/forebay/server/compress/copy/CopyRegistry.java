package io.forebay.server.compress.copy;

import io.forebay.server.compress.ContentCoding;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which coded copies are being made on this node, and which are not worth making for a while. Any
 * thread; {@link #isRefused} neither locks nor allocates, as hits ask it.
 *
 * <p>Refusals lie in a table of fixed size, in which a later one may displace an earlier one: then
 * the copy is tried once more.
 */
public final class CopyRegistry {

  /** Jobs of the node at once; the compressors may have fewer places. */
  private static final int MAX_JOBS = 64;

  private static final int SLOTS = 1 << 13;
  private static final int MINUTE_BITS = 24;
  private static final long MINUTES = (1L << MINUTE_BITS) - 1;
  private static final int MILLIS_A_MINUTE = 60_000;

  private final long startMillis;
  private final DeltaLimits deltas = new DeltaLimits();
  private final Set<Long> active = ConcurrentHashMap.newKeySet();

  /** High bits: of the copy's number, mixed. Low bits: the minute until which it is refused. */
  private final AtomicLongArray refused = new AtomicLongArray(SLOTS);

  public CopyRegistry(long nowMillis) {
    startMillis = nowMillis;
  }

  /** How many deltas there may be. */
  DeltaLimits deltas() {
    return deltas;
  }

  /** Whether a copy of that object is not worth looking for. */
  boolean isRefused(long objectId, ContentCoding coding, int level, long nowMillis) {
    return isRefused(number(objectId, coding, level), nowMillis);
  }

  /** The same of what has that number. */
  public boolean isRefused(long number, long nowMillis) {
    long mixed = mixed(number);
    long entry = refused.getOpaque(slot(mixed));
    return ((entry ^ mixed) & ~MINUTES) == 0 && (entry & MINUTES) > minute(nowMillis);
  }

  void refuse(long objectId, ContentCoding coding, int level, long nowMillis, int minutes) {
    refuse(number(objectId, coding, level), nowMillis, minutes);
  }

  /** From now on what has that number is refused. */
  public void refuse(long number, long nowMillis, int minutes) {
    long mixed = mixed(number);
    // The minute that has begun is not a whole one.
    long until = Math.min(MINUTES, minute(nowMillis) + minutes + 1);
    refused.setOpaque(slot(mixed), (mixed & ~MINUTES) | until);
  }

  /** Begins a job; false where it is made already, or so many are. {@link #end} follows. */
  boolean begin(long objectId, ContentCoding coding, int level) {
    return begin(number(objectId, coding, level));
  }

  /** The same of what has that number. */
  public boolean begin(long number) {
    return active.size() < MAX_JOBS && active.add(number);
  }

  void end(long objectId, ContentCoding coding, int level) {
    end(number(objectId, coding, level));
  }

  /** The same of what has that number. */
  public void end(long number) {
    active.remove(number);
  }

  /** How many copies are being made now. */
  public int active() {
    return active.size();
  }

  private long minute(long nowMillis) {
    return Math.max(0, (nowMillis - startMillis) / MILLIS_A_MINUTE);
  }

  private static long number(long objectId, ContentCoding coding, int level) {
    return CopyForm.numberOf(objectId, CopyKeys.number(coding, level));
  }

  private static long mixed(long number) {
    long mixed = number * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
    return mixed ^ mixed >>> 32;
  }

  private static int slot(long mixed) {
    return (int) (mixed >>> MINUTE_BITS) & (SLOTS - 1);
  }
}
