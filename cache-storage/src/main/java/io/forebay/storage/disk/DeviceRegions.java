package io.forebay.storage.disk;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The regions of a device: generation and state in one word, read by every thread that wants to
 * know whether a place still means what it meant. Changed under the device's lock.
 */
final class DeviceRegions {
  /** Holds nothing; what places name in it is gone. */
  static final int FREE = 0;

  /** Takes records. */
  static final int OPEN = 1;

  /** Full. */
  static final int SEALED = 2;

  private final AtomicLongArray words;
  private final long[] ages;

  DeviceRegions(int count) {
    words = new AtomicLongArray(count);
    ages = new long[count];
  }

  int count() {
    return ages.length;
  }

  void set(int region, int generation, int state, long age) {
    ages[region] = age;
    words.set(region, (generation & 0xFFFF_FFFFL) << 8 | state);
  }

  void state(int region, int state) {
    set(region, generation(region), state, ages[region]);
  }

  int state(int region) {
    return (int) words.get(region) & 0xFF;
  }

  int generation(int region) {
    return (int) (words.get(region) >>> 8);
  }

  long age(int region) {
    return ages[region];
  }

  boolean isReadable(int region, int generation) {
    long word = words.get(region);
    return (int) (word >>> 8) == generation && ((int) word & 0xFF) != FREE;
  }

  /** The sealed region that was opened first, or -1. */
  int oldest() {
    int oldest = -1;
    for (int region = 0; region < ages.length; region++) {
      if (state(region) == SEALED && (oldest < 0 || ages[region] < ages[oldest])) {
        oldest = region;
      }
    }
    return oldest;
  }
}
