package io.forebay.storage;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeProbe;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Counts the objects that a purge would match, on its own thread. It pins no region: it copies what
 * it reads and then checks the region's generation, which is raised before anything in the region
 * is overwritten. A visit keeps the region's pages meanwhile.
 */
final class PurgeEstimator implements DiskTier.Pace {
  /** At most some 3,000 reads of disks a second, and memory is left to others as often. */
  private static final int READS_A_PAUSE = 16;

  private static final int ENTRIES_A_PAUSE = 4096;
  private static final long PAUSE_NANOS = 5_000_000;

  private final StoreState core;
  private final PurgeProbe probe;
  private final LongSupplier clockMillis;
  private final boolean pauses;
  private final long end;
  private long[] copy = new long[1024];
  private int reads;
  private int entries;
  private long objects;
  private long bytes;

  PurgeEstimator(
      StoreState core,
      PurgeProbe probe,
      LongSupplier clockMillis,
      long mostMillis,
      boolean pauses) {
    this.core = core;
    this.probe = probe;
    this.clockMillis = clockMillis;
    this.pauses = pauses;
    this.end = clockMillis.getAsLong() + mostMillis;
  }

  PurgeEstimate estimate() {
    List<PurgeEstimate.Part> parts = new ArrayList<>();
    if (core.isLost()) {
      parts.add(
          new PurgeEstimate.Part("memory", 0, 0, "memory and disks: the memory tier is lost"));
      return new PurgeEstimate(parts);
    }
    parts.add(memory());
    for (DiskTier.Counted disk : core.disk.count(probe, this)) {
      parts.add(
          new PurgeEstimate.Part(
              "disk " + disk.name(), disk.objects(), disk.bytes(), disk.uncounted()));
    }
    return new PurgeEstimate(parts);
  }

  @Override
  public boolean mayRead() {
    if (++reads % READS_A_PAUSE == 0) {
      pause();
    }
    return hasTime();
  }

  private boolean hasTime() {
    return clockMillis.getAsLong() < end;
  }

  private void pause() {
    if (pauses) {
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private PurgeEstimate.Part memory() {
    Regions regions = core.regions;
    String uncounted = core.isRebuilt ? "" : "regions that recovery has not read yet";
    for (int region = 0; region < regions.count(); region++) {
      if (!hasTime()) {
        uncounted =
            "the time limit was reached after " + region + " of " + regions.count() + " regions";
        break;
      }
      count(region);
    }
    return new PurgeEstimate.Part("memory", objects, bytes, uncounted);
  }

  private void count(int region) {
    Regions regions = core.regions;
    int generation = regions.generation(region);
    if (!regions.visit(region, generation)) {
      return;
    }
    try {
      count(region, generation);
    } finally {
      regions.leave(region);
    }
  }

  private void count(int region, int generation) {
    Regions regions = core.regions;
    MemorySegment memory = core.memory;
    int slots = regions.slots(region);
    for (int slot = 0; slot < slots; slot++) {
      if (++entries % ENTRIES_A_PAUSE == 0) {
        pause();
      }
      long entry = regions.entry(region, slot);
      if (!regions.isSound(region, slot, generation)
          || !regions.isLive(region, slot)
          || DirectoryEntry.kind(memory, entry) != RecordHeader.KIND_OBJECT) {
        continue;
      }
      int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
      if (offset < 0
          || length < HeadRecord.SCOPES_OFFSET
          || length > regions.regionBytes() - offset) {
        continue;
      }
      long record = regions.base(region) + offset;
      int head =
          Math.clamp(
              memory.get(Layouts.INT, record + HeadRecord.BODY_OFFSET),
              HeadRecord.SCOPES_OFFSET,
              length);
      MemorySegment own = copy(record, head);
      boolean isStale = regions.isSoft(region, slot);
      VarHandle.loadLoadFence();
      if (!regions.isReadable(region, generation)) {
        return;
      }
      if (probe.matches(own, 0, isStale)) {
        objects++;
        bytes += own.get(Layouts.LONG, HeadRecord.TOTAL_LENGTH_OFFSET);
      }
    }
  }

  private MemorySegment copy(long record, int length) {
    int words = (length + Long.BYTES - 1) / Long.BYTES;
    if (copy.length < words) {
      copy = new long[words];
    }
    MemorySegment own = MemorySegment.ofArray(copy);
    MemorySegment.copy(core.memory, record, own, 0, length);
    return own;
  }
}
