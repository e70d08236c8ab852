package io.forebay.storage.disk;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a device that regions hold nothing, if that is wanted. Only regions that are free: readers
 * look at a region's state after they have read, so none takes the zeros for a record, and at a
 * start a directory of zeros names nothing. The writer's: nobody else writes to a region, so what
 * it opened meanwhile is not written yet.
 */
final class RegionTrim {
  private static final Logger LOG = LoggerFactory.getLogger(RegionTrim.class);

  private final DeviceSettings settings;
  private final BlockFile file;
  private final AtomicLong bytes = new AtomicLong();
  private boolean isPossible = true;

  RegionTrim(DeviceSettings settings, BlockFile file) {
    this.settings = settings;
    this.file = file;
  }

  /** How much was trimmed. Any thread. */
  long bytes() {
    return bytes.get();
  }

  /** A region was freed. */
  void freed(int region) {
    trim(DeviceDirectory.base(region, settings.regionBytes()), settings.regionBytes());
  }

  /** All regions are free. */
  void allFreed() {
    trim(
        DeviceDirectory.base(0, settings.regionBytes()),
        (long) settings.regionCount() * settings.regionBytes());
  }

  private void trim(long at, long length) {
    if (!settings.isTrimming() || !isPossible) {
      return;
    }
    try {
      isPossible = file.trim(at, length);
      if (isPossible) {
        bytes.addAndGet(length);
      } else {
        LOG.warn("disk {} cannot be trimmed: its file system does not permit it", settings.name());
      }
    } catch (IOException e) {
      isPossible = false;
      LOG.warn("disk {} is not trimmed any more: {}", settings.name(), e.toString());
    }
  }
}
