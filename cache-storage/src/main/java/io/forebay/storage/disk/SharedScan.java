package io.forebay.storage.disk;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Divides the regions of a {@link DeviceScan} among threads, a piece at a time: a large device has
 * half a million of them, and each waits for the device. Any thread.
 */
final class SharedScan {
  private static final int MAX_PIECE = 64;

  /** A small device has several pieces, too. */
  private static final int PIECES = 64;

  private final DeviceScan scan;
  private final int count;
  private final int piece;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  /** Where pieces begin that could not be read. */
  private final ConcurrentLinkedQueue<Integer> failed = new ConcurrentLinkedQueue<>();

  SharedScan(DeviceScan scan, int regionCount) {
    this.scan = scan;
    this.count = regionCount;
    this.piece = Math.clamp(regionCount / PIECES, 1, MAX_PIECE);
  }

  /** Reads a piece; false if all of them are read, or being read by others. */
  boolean step(DeviceDirectory by) throws IOException {
    Integer from = next();
    if (from == null) {
      return false;
    }
    int to = Math.min(count, from + piece);
    boolean isRead = false;
    try {
      scan.read(from, to, by);
      isRead = true;
    } finally {
      if (!isRead) {
        failed.add(from);
      }
    }
    done.addAndGet(to - from);
    return true;
  }

  private @Nullable Integer next() {
    Integer again = failed.poll();
    if (again != null) {
      return again;
    }
    int from = begun.get();
    while (from < count && !begun.compareAndSet(from, Math.min(count, from + piece))) {
      from = begun.get();
    }
    return from < count ? from : null;
  }

  boolean isDone() {
    return done.get() == count;
  }

  /** The share that has been read. */
  double fraction() {
    return (double) done.get() / count;
  }
}
