package io.forebay.storage.evict;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bounded queue of sampled accesses from one lane to the reclaim thread. If it is full, samples
 * are dropped and counted. It neither blocks nor allocates.
 *
 * <pre>
 *  one event:  | object | part (-1: all of it) and length of the head or slice | length of the body, or up to the end of the slice |
 * </pre>
 */
public final class SampleRing {
  private static final int EVENTS = 1 << 10;
  private static final int STRIDE = 3;
  private static final int WHOLE = -1;

  static final long HEAP_BYTES = (long) EVENTS * STRIDE * Long.BYTES;

  private static final VarHandle WRITTEN;
  private static final VarHandle TAKEN;
  private static final VarHandle LOST;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      WRITTEN = lookup.findVarHandle(SampleRing.class, "written", long.class);
      TAKEN = lookup.findVarHandle(SampleRing.class, "taken", long.class);
      LOST = lookup.findVarHandle(SampleRing.class, "lost", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] events = new long[EVENTS * STRIDE];

  /** The lane's. Stored with release after the event; the reclaim thread reads it with acquire. */
  private long written;

  /** The lane's: how far it knows the other side to be. */
  private long knownTaken;

  /** The lane's; the other side wants no more than to see it some time. */
  private long lost;

  /** The reclaim thread's. Stored with release when the events before it have been read. */
  private long taken;

  private long knownLost;

  /**
   * Lane: a record was asked for and was there.
   *
   * @param bodyLength of the object; of a slice, what is known to precede its end
   */
  public void record(long object, int part, int length, long bodyLength) {
    put(object, part, length, bodyLength);
  }

  /** Lane: an object was written that was not there. */
  public void whole(long object, int headLength, long bodyLength) {
    put(object, WHOLE, headLength, bodyLength);
  }

  private void put(long object, int part, int length, long bodyLength) {
    long at = written;
    if (at - knownTaken == EVENTS) {
      knownTaken = (long) TAKEN.getAcquire(this);
      if (at - knownTaken == EVENTS) {
        LOST.setOpaque(this, lost + 1);
        return;
      }
    }
    int base = (int) (at & (EVENTS - 1)) * STRIDE;
    events[base] = object;
    events[base + 1] = (long) part << 32 | length;
    events[base + 2] = bodyLength;
    WRITTEN.setRelease(this, at + 1);
  }

  /** Reclaim thread: hands all events over that are there; returns how many. */
  int drain(ShadowTuner shadow) {
    long from = taken;
    long to = (long) WRITTEN.getAcquire(this);
    for (long at = from; at < to; at++) {
      int base = (int) (at & (EVENTS - 1)) * STRIDE;
      int part = (int) (events[base + 1] >> 32);
      int length = (int) events[base + 1];
      if (part == WHOLE) {
        shadow.onObject(events[base], length, events[base + 2]);
      } else {
        shadow.onRecord(events[base], part, length, events[base + 2]);
      }
    }
    TAKEN.setRelease(this, to);
    return (int) (to - from);
  }

  /** Reclaim thread: events lost since it last asked. */
  long newlyLost() {
    long now = (long) LOST.getOpaque(this);
    long result = now - knownLost;
    knownLost = now;
    return result;
  }
}
