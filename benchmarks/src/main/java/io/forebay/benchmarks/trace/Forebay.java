package io.forebay.benchmarks.trace;

import io.forebay.storage.evict.EvictionState;
import io.forebay.storage.evict.SampleFilter;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.evict.ShadowTuner;
import io.forebay.storage.evict.TierModel;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.region.TierGeometry;
import java.util.Arrays;

/**
 * The store's own eviction: its policy, ghosts, shadow and tuning, in a tier of the regions,
 * spares, slices and directory entries that the store would have at this size. So of the capacity,
 * what the store's structures take is taken here too.
 *
 * <p>An object is a head and slices, each of which is kept or dropped by itself. A request is a hit
 * only if all of them are there. While the head is, the slices that are missing are fetched;
 * without it all are, and those that were left belong to an object that is no more.
 */
final class Forebay implements Policy {
  /** Key text and field lines of an ordinary response. */
  private static final int HEAD_BYTES = 512;

  /**
   * Slices an object may have here, so that those of each of its lives have numbers of their own.
   */
  private static final int MAX_SLICES = 1 << 16;

  private final TierGeometry shape;
  private final EvictionState eviction;
  private final TierModel tier;
  private final ShadowTuner shadow;

  /** By trace number: how often the object was fetched whole. */
  private int[] lives = new int[1 << 16];

  private long fetched;

  Forebay(long capacity, Tuning tuning) {
    this(capacity, 1, tuning);
  }

  /**
   * A part of a tier, with whole regions of it.
   *
   * @param share of the regions of a tier of that capacity
   */
  Forebay(long capacity, double share, Tuning tuning) {
    this.shape = TierGeometry.of(capacity);
    long regions = Math.max(4, Math.round(shape.usableBytes() * share / shape.regionBytes()));
    long usableBytes = share == 1 ? shape.usableBytes() : regions * shape.regionBytes();
    this.eviction =
        new EvictionState(
            new SegmentPolicy(tuning.initial(shape.sliceBytes())),
            new GhostFilter((long) (capacity * share), (long) (shape.indexEntries() * share)),
            new SampleFilter());
    this.tier =
        new TierModel(usableBytes, shape.regionBytes(), eviction.policy(), eviction.ghosts());
    this.shadow =
        new ShadowTuner(
            usableBytes,
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
    long object = Layouts.mix(id + 1L);
    boolean isInline = size <= shape.inlineBytes();
    int head = HEAD_BYTES + (isInline ? (int) size : 0);
    int sizeClass = SegmentPolicy.sizeClass(size);
    shadow.onRecord(object, TierModel.HEAD, head, size);
    boolean hasHead = tier.access(object, TierModel.HEAD, taken(head), sizeClass);
    boolean isHit = hasHead;
    fetched = hasHead ? 0 : size;
    if (isInline) {
      return isHit;
    }
    int life = hasHead ? lifeOf(id) : beginLife(id);
    for (long at = 0, slice = 0; at < size; at += shape.sliceBytes(), slice++) {
      int body = (int) Math.min(shape.sliceBytes(), size - at);
      shadow.onRecord(object, 1 + (int) slice, SliceRecord.LENGTH + body, size);
      int part = 1 + (int) slice + life * MAX_SLICES;
      if (!tier.access(object, part, taken(SliceRecord.LENGTH + body), sizeClass)) {
        isHit = false;
        fetched += hasHead ? body : 0;
      }
    }
    return isHit;
  }

  @Override
  public long fetchedBytes(long size) {
    return fetched;
  }

  private int lifeOf(int id) {
    return id < lives.length ? lives[id] : 0;
  }

  private int beginLife(int id) {
    if (id >= lives.length) {
      lives = Arrays.copyOf(lives, Math.max(id + 1, lives.length * 2));
    }
    return ++lives[id];
  }

  private static int taken(int length) {
    return Layouts.roundUp(length, RecordHeader.ALIGNMENT) + DirectoryEntry.LENGTH;
  }
}
