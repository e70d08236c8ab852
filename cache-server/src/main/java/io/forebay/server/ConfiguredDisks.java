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
  private ConfiguredDisks() {}

  static DiskSettings of(ServerConfig config) {
    List<DeviceSettings> devices =
        config.stores().stream().map(disk -> device(disk, config)).toList();
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
   * @throws IllegalStateException if the configuration has none
   */
  static DeviceSettings named(String name, ServerConfig config) {
    for (DiskConfig disk : config.stores()) {
      if (disk.name().equals(name)) {
        return device(disk, config);
      }
    }
    throw new IllegalStateException(
        "the configuration in force has no stores." + name + ": add it and reload first");
  }

  private static DeviceSettings device(DiskConfig disk, ServerConfig config) {
    return DeviceSettings.of(disk.name(), disk.path(), disk.bytes())
        .withReaders(disk.readers())
        .withTransit(disk.transitBytes())
        .withFaults(disk.maxErrors(), disk.slow().toMillis())
        .withScrub(config.store().scrubRate())
        .withEndurance(
            new EnduranceLimits(disk.dailyWrites().bytes(disk.bytes()), disk.ratedWrites()))
        .withTrim(disk.trim())
        .withEvacuation(config.store().evacuateRate());
  }
}
