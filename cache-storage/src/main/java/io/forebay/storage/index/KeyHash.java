package io.forebay.storage.index;

import io.forebay.storage.layout.Layouts;

/**
 * The hash by which the tables of disks know a key. A table keeps its first bits only, more in a
 * larger table; two keys that agree in these are one key there. Whatever must hold for every size
 * goes by {@link #coarse}.
 */
@FunctionalInterface
public interface KeyHash {
  /** All bits of both halves matter. */
  KeyHash STANDARD = (high, low) -> Layouts.mix(high ^ Layouts.mix(low));

  /** Bits of the hash that the smallest table keeps. */
  int COARSE_BITS = DiskIndex.KEY_BITS;

  /** 64 bits, of which the first are the most significant. */
  long of(long high, long low);

  /**
   * The same for two keys that are one key in some table, of whatever size. Sometimes also for two
   * that are not.
   */
  default long coarse(long high, long low) {
    return DiskIndex.named(of(high, low) >>> (Long.SIZE - COARSE_BITS));
  }
}
