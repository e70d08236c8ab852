package io.forebay.storage.disk;

import io.forebay.storage.layout.Layouts;

/**
 * Which objects a device takes while more leaves memory than it can write: a share of them, by
 * their numbers, so that an object is written as a whole or not at all. If each record took its
 * chance, every object would lose some slices, and each later request would fetch those from the
 * origin.
 *
 * <pre>
 *   share   1    all objects
 *           1/2  records that were requested again, of all objects
 *           1/4  the same of half of the objects
 * </pre>
 *
 * <p>The share falls with the bytes that are lost, and rises with those that are offered while half
 * of the write buffers are free. Any thread.
 */
final class WriteShedding {
  /** From here on it rises again in a moment. */
  private static final double MIN_SHARE = 1.0 / 64;

  /**
   * It falls this many times slower than the buffers fill: an object may be longer than they are.
   */
  private static final int FALL = 4;

  /** It rises from none to all over this many times the bytes that the buffers hold. */
  private static final int RISE = 32;

  private final double bufferBytes;
  private volatile double share = 1;

  /**
   * Takes all at first.
   *
   * @param bufferBytes of all write buffers of the device
   */
  WriteShedding(long bufferBytes) {
    this.bufferBytes = bufferBytes;
  }

  boolean isOn() {
    return share < 1;
  }

  /** Whether records of an object are written. */
  boolean admits(long objectId, boolean isRequestedAgain) {
    double rank = (Layouts.mix(objectId) >>> 11) * 0x1.0p-53;
    return (isRequestedAgain ? rank : 1 + rank) / 2 < share;
  }

  /** No buffer was free for a record, which is lost. */
  synchronized void lost(int length) {
    share = Math.max(MIN_SHARE, share * Math.exp(-length / (FALL * bufferBytes)));
  }

  /** A record was offered while at least half of the buffers were free. */
  synchronized void hadRoom(int length) {
    share = Math.min(1, share + length / (RISE * bufferBytes));
  }
}
