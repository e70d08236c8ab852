package io.forebay.server.metric;

import io.forebay.server.drive.DriveHealth;
import java.util.function.ToDoubleFunction;

/** Metrics of the drives below the disk stores, with one label per store. */
final class DriveMetrics {
  private DriveMetrics() {}

  static void addNamed(MeterRegistrar meters, CachedReports from, String store) {
    Of drive = new Of(meters, from, store);
    drive.gauge(
        "forebay_drive_healthy",
        "Whether the drive below a disk store considers itself healthy (SMART): 1 or 0.",
        DriveHealth::passed);
    drive.gauge(
        "forebay_drive_temperature_celsius",
        "Temperature of the drive below a disk store.",
        DriveHealth::temperatureCelsius);
    drive.gauge(
        "forebay_drive_used_ratio",
        "Share of its rated endurance that the drive below a disk store has used; may be above 1.",
        DriveHealth::usedRatio);
    drive.gauge(
        "forebay_drive_spare_ratio",
        "Share of its spare blocks that the drive below a disk store has left.",
        DriveHealth::spareRatio);
    drive.counter(
        "forebay_drive_media_errors",
        "Data integrity errors that the drive below a disk store counted in its life.",
        DriveHealth::mediaErrors);
    drive.counter(
        "forebay_drive_written_bytes",
        "Bytes that hosts wrote to the drive below a disk store in its life.",
        DriveHealth::writtenBytes);
  }

  /** Not a number for what the drive does not tell, and while it cannot be asked. */
  private static double read(
      CachedReports from, String store, ToDoubleFunction<DriveHealth> which) {
    for (DriveHealth drive : from.drives()) {
      if (drive.store().equals(store)) {
        return which.applyAsDouble(drive);
      }
    }
    return Double.NaN;
  }

  /** Adds meters of one drive. */
  private record Of(MeterRegistrar meters, CachedReports from, String name) {
    void gauge(String metric, String help, ToDoubleFunction<DriveHealth> which) {
      meters.gauge(metric, help, () -> read(from, name, which), "store", name);
    }

    void counter(String metric, String help, ToDoubleFunction<DriveHealth> which) {
      meters.counter(metric, help, () -> read(from, name, which), "store", name);
    }
  }
}
