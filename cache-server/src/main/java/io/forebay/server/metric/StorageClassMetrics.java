package io.forebay.server.metric;

import io.forebay.storage.placement.StorageClassStats;
import java.util.function.ToDoubleFunction;

/** Metrics of storage classes, with one label per class. */
final class StorageClassMetrics {
  private StorageClassMetrics() {}

  static void addNamed(MeterRegistrar meters, CachedReports from, String name) {
    meters.gauge(
        "forebay_store_class_bytes",
        "Bytes of the memory tier used by records of a storage class, including dead records not"
            + " yet reclaimed.",
        () -> read(from, name, StorageClassStats::memoryBytes),
        "class",
        name);
    String limits = "Shares of the memory tier that are configured for a storage class.";
    limit(meters, from, name, limits, "quota", StorageClassStats::quotaBytes);
    limit(meters, from, name, limits, "floor", StorageClassStats::floorBytes);
    limit(meters, from, name, limits, "pinned", StorageClassStats::pinnedBytes);
    meters.counter(
        "forebay_store_class_evicted_records",
        "Live records of a storage class evicted from memory.",
        () -> read(from, name, StorageClassStats::evicted),
        "class",
        name);
    meters.counter(
        "forebay_store_class_written_records",
        "Records of a storage class written to disks.",
        () -> read(from, name, StorageClassStats::written),
        "class",
        name);
    meters.gauge(
        "forebay_store_class_disk_bytes",
        "Bytes of all disks used by records of a storage class, including dead records whose region"
            + " is not reused yet.",
        () -> read(from, name, StorageClassStats::diskBytes),
        "class",
        name);
    String diskLimits = "Shares of all disks that are configured for a storage class.";
    diskLimit(meters, from, name, diskLimits, "quota", StorageClassStats::diskQuotaBytes);
    diskLimit(meters, from, name, diskLimits, "floor", StorageClassStats::diskFloorBytes);
    meters.counter(
        "forebay_store_class_disk_refused_records",
        "Records of a storage class not written to a disk because of the class's disk quota.",
        () -> read(from, name, StorageClassStats::diskRefused),
        "class",
        name);
  }

  private static void limit(
      MeterRegistrar meters,
      CachedReports from,
      String name,
      String help,
      String limit,
      ToDoubleFunction<StorageClassStats> which) {
    limit(meters, "forebay_store_class_limit_bytes", from, name, help, limit, which);
  }

  private static void diskLimit(
      MeterRegistrar meters,
      CachedReports from,
      String name,
      String help,
      String limit,
      ToDoubleFunction<StorageClassStats> which) {
    limit(meters, "forebay_store_class_disk_limit_bytes", from, name, help, limit, which);
  }

  private static void limit(
      MeterRegistrar meters,
      String meter,
      CachedReports from,
      String name,
      String help,
      String limit,
      ToDoubleFunction<StorageClassStats> which) {
    meters.gauge(meter, help, () -> read(from, name, which), "class", name, "limit", limit);
  }

  /** Not a number while the class is not configured. */
  private static double read(
      CachedReports from, String name, ToDoubleFunction<StorageClassStats> which) {
    for (StorageClassStats one : from.storageClasses()) {
      if (one.name().equals(name)) {
        return which.applyAsDouble(one);
      }
    }
    return Double.NaN;
  }
}
