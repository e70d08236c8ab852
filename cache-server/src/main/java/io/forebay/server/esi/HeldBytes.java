package io.forebay.server.esi;

import io.forebay.server.deliver.CopyQuota;

/**
 * Counts what is held in one place, and takes it from the quota of what the node holds for single
 * clients. Each part costs {@link #PART_BYTES} beside its bytes, so that many small ones are
 * bounded, too.
 */
final class HeldBytes {

  static final int PART_BYTES = 256;

  private final CopyQuota quota;
  private long bytes;

  HeldBytes(CopyQuota quota) {
    this.quota = quota;
  }

  /** Takes room for a part; false where the node has none left. */
  boolean add(int length) {
    if (!quota.reserve((long) length + PART_BYTES)) {
      return false;
    }
    bytes += length + PART_BYTES;
    return true;
  }

  void remove(int length) {
    bytes -= length + PART_BYTES;
    quota.giveBack((long) length + PART_BYTES);
  }

  long bytes() {
    return bytes;
  }
}
