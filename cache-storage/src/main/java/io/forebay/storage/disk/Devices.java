package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.Layouts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a store, and which of them an object is for: rendezvous hashing over those that
 * take records, weighted by size, so that a device that comes or goes moves only its share. Any
 * thread.
 */
final class Devices {
  private volatile List<Device> all = List.of();

  List<Device> all() {
    return all;
  }

  void set(List<Device> devices) {
    all = List.copyOf(devices);
  }

  @Nullable Device byNumber(int number) {
    for (Device device : all) {
      if (device.number() == number) {
        return device;
      }
    }
    return null;
  }

  boolean isReadable(IndexValue value) {
    Device device = value.isOnDisk() ? byNumber(value.diskDevice()) : null;
    return device != null && device.isReadable(value.diskRegion(), value.diskGeneration());
  }

  /**
   * The device for a record of the object whose head has this key, null if none takes records: all
   * of an object goes to one device, unless that one is being evacuated.
   *
   * @param known where the object's head lies on a disk, or null
   */
  @Nullable Device choose(long headHigh, long headLow, @Nullable IndexValue known) {
    if (known != null && isReadable(known)) {
      Device device = byNumber(known.diskDevice());
      if (device != null && !device.isEvacuating()) {
        return device;
      }
    }
    return choose(headHigh, headLow);
  }

  private @Nullable Device choose(long high, long low) {
    Device best = null;
    double bestScore = 0;
    for (Device device : all) {
      if (!device.isOnline()) {
        continue;
      }
      long hash = Layouts.mix(high ^ Layouts.mix(low + device.number()));
      double unit = ((hash >>> 11) + 0.5) * 0x1.0p-53;
      double score = device.settings().bytes() / -Math.log(unit);
      if (best == null || score > bestScore) {
        best = device;
        bestScore = score;
      }
    }
    return best;
  }
}
