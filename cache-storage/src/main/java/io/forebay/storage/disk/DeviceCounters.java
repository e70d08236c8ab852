package io.forebay.storage.disk;

import java.util.concurrent.atomic.AtomicLong;

/** What one device counts. Any thread. */
final class DeviceCounters {
  final AtomicLong reads = new AtomicLong();
  final AtomicLong readBytes = new AtomicLong();

  /** Of these, reads from page cache on event loops. */
  final AtomicLong cachedReads = new AtomicLong();

  final AtomicLong writes = new AtomicLong();
  final AtomicLong writtenBytes = new AtomicLong();

  /** Records that were lost because the device could not write all that it was offered. */
  final AtomicLong dropped = new AtomicLong();

  /** Loads that were not begun because too many waited. */
  final AtomicLong refused = new AtomicLong();

  final AtomicLong checksumFailures = new AtomicLong();
  final AtomicLong reclaimed = new AtomicLong();

  /** Of these, regions freed because the index was full. */
  final AtomicLong reclaimedForIndex = new AtomicLong();
}
