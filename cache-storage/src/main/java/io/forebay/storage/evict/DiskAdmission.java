package io.forebay.storage.evict;

import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.region.Regions;

/**
 * Which records of memory may be written to a disk, by their storage class and by what the store
 * says of all others. Reclaim thread only.
 */
final class DiskAdmission {
  private final Regions regions;
  private final StorageClasses classes;
  private final BodySizes sizes;
  private final boolean onlyTouched;

  /**
   * @param onlyTouched whether records without a class have to be requested again before they are
   *     written when they leave memory
   */
  DiskAdmission(Regions regions, StorageClasses classes, BodySizes sizes, boolean onlyTouched) {
    this.regions = regions;
    this.classes = classes;
    this.sizes = sizes;
    this.onlyTouched = onlyTouched;
  }

  /** Whether a record that leaves memory is written. */
  boolean admitsLeaving(int region, int slot) {
    StorageClass own = classes.of(regions.storageClass(region, slot));
    return own.diskAfter() == StorageClass.BY_ADMISSION
        ? (!onlyTouched || wasTouched(region, slot)) && admits(region, slot)
        : admits(region, slot);
  }

  /** Whether a record may be written that memory keeps. */
  boolean admits(int region, int slot) {
    int number = regions.storageClass(region, slot);
    if (number == 0) {
      return true;
    }
    StorageClass own = classes.of(number);
    if (own.tier() == Tier.MEMORY || requests(region, slot) < own.diskAfter()) {
      return false;
    }
    if (!own.hasDiskBounds()) {
      return true;
    }
    long bytes = sizes.of(region, slot);
    return bytes >= own.diskMinBytes() && bytes <= own.diskMaxBytes();
  }

  /** Whether a record of probation is worth a write before it leaves. */
  boolean isDueInProbation(int region, int slot) {
    return requests(region, slot) > 0
        || classes.of(regions.storageClass(region, slot)).diskAfter() == 0;
  }

  /**
   * Requested again since it came: what is protected, or in a middle tier, may have been, whatever
   * its count says now, unless it is there for its size alone, or was never requested.
   */
  boolean wasTouched(int region, int slot) {
    return requests(region, slot) > 0;
  }

  private int requests(int region, int slot) {
    int touches = regions.touches(region, slot);
    boolean wasRequested =
        (regions.segment(region) == Regions.PROTECTED || !regions.isFirst(region))
            && regions.isProven(region, slot);
    return wasRequested ? touches + 1 : touches;
  }
}
