package io.forebay.benchmarks.trace;

import io.forebay.storage.TierShape;
import io.forebay.storage.evict.Eviction;
import io.forebay.storage.evict.GhostFilter;
import io.forebay.storage.evict.Sample;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.evict.Shadow;
import io.forebay.storage.evict.TierModel;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.layout.Words;

/**
 * The store's own eviction: its policy, ghosts, shadow and tuning, in a tier of the regions,
 * spares, slices and directory entries that the store would have at this size. So of the capacity,
 * what the store's structures take is taken here too.
 *
 * <p>An object is a head and slices, each of which is kept or dropped by itself. A request is a hit
 * only if all of them are there: else it counts as missed whole, in objects and in bytes.
 */
final class Forebay implements Policy {
  /** Key text and field lines of an ordinary response. */
  private static final int HEAD_BYTES = 512;

  private final TierShape shape;
  private final Eviction eviction;
  private final TierModel tier;
  private final Shadow shadow;

  Forebay(long capacity, Tuning tuning) {
    this.shape = TierShape.of(capacity);
    this.eviction =
        new Eviction(
            new SegmentPolicy(tuning.initial()),
            new GhostFilter(capacity, shape.indexEntries()),
            new Sample());
    this.tier =
        new TierModel(
            shape.usableBytes(), shape.regionBytes(), eviction.policy(), eviction.ghosts());
    this.shadow =
        new Shadow(
            shape.usableBytes(),
            shape.regionBytes(),
            shape.sliceBytes(),
            shape.inlineBytes(),
            tuning,
            eviction);
  }

  SegmentPolicy.Setting setting() {
    return eviction.policy().setting();
  }

  long movedBytes() {
    return tier.movedBytes();
  }

  @Override
  public boolean access(int id, long size) {
    long object = Words.mix(id + 1L);
    if (size <= shape.inlineBytes()) {
      return record(object, TierModel.HEAD, HEAD_BYTES + (int) size);
    }
    boolean isHit = record(object, TierModel.HEAD, HEAD_BYTES);
    int part = TierModel.HEAD;
    for (long at = 0; at < size; at += shape.sliceBytes()) {
      int body = (int) Math.min(shape.sliceBytes(), size - at);
      isHit &= record(object, ++part, SliceRecord.LENGTH + body);
    }
    return isHit;
  }

  private boolean record(long object, int part, int length) {
    shadow.onRecord(object, part, length);
    return tier.access(
        object, part, Words.roundUp(length, RecordHeader.ALIGNMENT) + DirectoryEntry.LENGTH);
  }
}
