package io.forebay.storage.disk;

import io.forebay.storage.placement.StorageClasses;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts what an earlier life has left of each storage class, a region at a time, where neither the
 * recovery nor a checkpoint has told. Until that is done a class seems to have less than it has: it
 * takes more than its quota, and its floor keeps more. Only while there are classes. The writer's.
 */
final class DeviceStorageClassRecount {
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final DeviceStorageClassUsage usage;
  private final StorageClasses classes;
  private final int[] counts = new int[StorageClasses.COUNT];

  DeviceStorageClassRecount(
      DeviceLog log,
      DeviceDirectory directory,
      DeviceStorageClassUsage usage,
      StorageClasses classes) {
    this.log = log;
    this.directory = directory;
    this.usage = usage;
    this.classes = classes;
  }

  /** Counts a region; false if all are known. */
  boolean next() throws IOException {
    int region = classes.isAny() ? usage.nextUnknown() : -1;
    if (region < 0) {
      return false;
    }
    Arrays.fill(counts, 0);
    int generation = log.generation(region);
    var ignored =
        directory.forEach(
            region, generation, log.pages(region, generation), one -> count(one, counts));
    usage.found(region, counts);
    return true;
  }

  /** Adds an entry of a directory, also one that a sweep has marked dead. */
  static void count(PageEntry one, int[] counts) {
    int length = one.recordLength();
    if (!one.isTombstone() && length > 0 && length <= DeviceSettings.MAX_RECORD) {
      counts[one.storageClass()] += DeviceStorageClassUsage.spaceOf(length);
    }
  }
}
