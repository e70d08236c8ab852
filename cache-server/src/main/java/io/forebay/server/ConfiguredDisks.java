package io.forebay.server;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.DiskConfig;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.endurance.EnduranceLimits;
import java.util.List;

/** The disks of a configuration, as the store takes them. */
final class ConfiguredDisks {
  /** Of the memory, what the transit buffers of all disks take where it is not configured. */
  private static final int TRANSIT_PART = 32;

  private static final long LEAST_TRANSIT_BYTES = 64L << 20;
  private static final long MOST_TRANSIT_BYTES = 1L << 30;

  private ConfiguredDisks() {}

  /**
   * All disks.
   *
   * @param memoryBytes that the process can have; 0: not known
   */
  static DiskSettings of(ServerConfig config, long memoryBytes) {
    List<DeviceSettings> devices =
        config.stores().stream().map(disk -> device(disk, config, memoryBytes)).toList();
    ServerConfig.StoreConfig store = config.store();
    return DiskSettings.of(devices)
        .with(
            store.diskAdmission().equals("always")
                ? DiskSettings.Admission.ALWAYS
                : DiskSettings.Admission.SECOND_HIT,
            store.diskBytesPerDay())
        .withKeepMillis(store.diskKeep().toMillis())
        .withOpener(
            store.diskIo().equals("direct") ? DiskTier.Opener.direct() : DiskTier.Opener.files())
        .withStopMillis(store.diskStopLimit().toMillis());
  }

  /**
   * The disk of a name.
   *
   * @param memoryBytes that the process can have; 0: not known
   * @throws IllegalStateException if the configuration has none
   */
  static DeviceSettings named(String name, ServerConfig config, long memoryBytes) {
    for (DiskConfig disk : config.stores()) {
      if (disk.name().equals(name)) {
        return device(disk, config, memoryBytes);
      }
    }
    throw new IllegalStateException(
        "the configuration in force has no stores." + name + ": add it and reload first");
  }

  /** The bound of a disk's transit buffers. */
  static long transitBytes(DiskConfig disk, ServerConfig config, long memoryBytes) {
    long share = memoryBytes / TRANSIT_PART / Math.max(1, config.stores().size());
    return disk.transitBytes() >= 0
        ? disk.transitBytes()
        : Math.clamp(share, LEAST_TRANSIT_BYTES, MOST_TRANSIT_BYTES);
  }

  private static DeviceSettings device(DiskConfig disk, ServerConfig config, long memoryBytes) {
    return DeviceSettings.of(disk.name(), disk.path(), disk.bytes())
        .withReaders(disk.readers())
        .withTransit(transitBytes(disk, config, memoryBytes))
        .withFaults(disk.maxErrors(), disk.slow().toMillis())
        .withScrub(config.store().scrubRate())
        .withEndurance(
            new EnduranceLimits(disk.dailyWrites().bytes(disk.bytes()), disk.ratedWrites()))
        .withTrim(disk.trim())
        .withEvacuation(config.store().evacuateRate());
  }
}
