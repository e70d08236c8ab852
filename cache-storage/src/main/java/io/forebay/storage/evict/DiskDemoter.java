package io.forebay.storage.evict;

import io.forebay.storage.disk.DiskLocation;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.OfferFallback;
import io.forebay.storage.disk.OfferResult;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies records of the memory tier to the disk tier: records that are evicted, and useful ones
 * ahead of eviction. Under the key's lock a record gets its place on disk and, if evicted, loses
 * the one in memory, so the index always has at least one of them. Reclaim thread only.
 *
 * <p>Ahead of need, so that a stop has little left to write and a power cut costs only what is
 * youngest: a protected region is copied as soon as it is full. Of probation regions, which all are
 * while memory is not full, the records that were asked for are copied: each region is looked at
 * once in {@link #ROUND_MILLIS}, and only while the disks have nothing else to write. While a disk
 * is still being read after a start, nothing is copied ahead. A record that is on a disk is not
 * written again when it leaves, so this writes nothing more, but for what is replaced or purged
 * before it would have left.
 *
 * <p>With a slice go the other slices of its group that memory has and that would be written, too:
 * in the order of the body, so that they lie one behind the other on the disk, are named by one
 * entry of its table, and are read together. From other regions they go only while the disks have
 * buffers to spare.
 */
public final class DiskDemoter {
  private static final long DAY_MILLIS = 86_400_000L;

  /** In which every full probation region is looked at once. */
  static final long ROUND_MILLIS = 120_000;

  /** Regions that may be looked at in one go after a time in which there was no room to. */
  private static final int MAX_CONCURRENT = 4;

  private final Regions regions;
  private final ObjectIndex.Cursor cursor;
  private final DiskTier disk;
  private final MemoryCheck check;
  private final DiskAdmission admission;
  private final long bytesPerDay;
  private final LongSupplier clockMillis;
  private final IndexValue value = new IndexValue();
  private final IndexValue head = new IndexValue();
  private final DiskLocation place = new DiskLocation();
  private final Update update = new Update();
  private final SliceGroup group;

  /** Of each region, the generation that was copied to disk as a whole. */
  private final int[] copied;

  private int copying = -1;
  private int copyingSlot;
  private int looking;
  private int lookingSlot;
  private double toLookAt;
  private long lookedMillis;
  private double allowance;
  private long allowedMillis;
  private final AtomicLong demoted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLongArray demotedOf = new AtomicLongArray(StorageClasses.COUNT);

  /**
   * @param classes in force, which say what may be written
   * @param sliceBytes length of each slice but an object's last
   * @param onlyTouched whether of records without a class only those are written when they leave
   *     memory that were requested again
   * @param bytesPerDay bound of what is written, 0: none
   */
  public DiskDemoter(
      Regions regions,
      ObjectIndex index,
      DiskTier disk,
      MemoryCheck check,
      StorageClasses classes,
      int sliceBytes,
      boolean onlyTouched,
      long bytesPerDay,
      LongSupplier clockMillis) {
    this.regions = regions;
    this.cursor = index.blockingCursor();
    this.disk = disk;
    this.check = check;
    this.admission =
        new DiskAdmission(
            regions, classes, new BodySizes(regions, cursor, sliceBytes), onlyTouched);
    this.group = new SliceGroup(regions, cursor);
    this.bytesPerDay = bytesPerDay;
    this.clockMillis = clockMillis;
    this.copied = new int[regions.count()];
    this.allowance = bytesPerDay / 24.0;
    this.allowedMillis = clockMillis.getAsLong();
    this.lookedMillis = allowedMillis;
  }

  public long demoted() {
    return demoted.get();
  }

  /** The same of a storage class. */
  public long demoted(int storageClass) {
    return demotedOf.get(storageClass);
  }

  /** Records evicted without being written: because of admission, budget, or missing space. */
  public long refused() {
    return refused.get();
  }

  /** Whether the disks have no buffer free for what would leave memory now. */
  boolean isBehind() {
    return disk.isInUse() && !disk.hasRoom();
  }

  /** Whether at least half of the buffers of the disks are free. */
  boolean hasAmpleRoom() {
    return disk.hasAmpleRoom();
  }

  /** Whether disks leave objects out because they cannot write all that they are offered. */
  boolean isShedding() {
    return disk.isShedding();
  }

  /** What became of a record that leaves memory. */
  enum Left {
    /** It goes on living on a disk. */
    ON_DISK,
    /** It is on no disk. */
    LOST,
    /** Nothing has happened: the disks have no room for it now. */
    WAITS
  }

  /**
   * Has a record that is live leave memory.
   *
   * @param mayWait whether it stays where it is if the disks have no room for it
   */
  Left leave(int region, int slot, int generation, boolean mayWait) {
    if (disk.isEmpty()) {
      return Left.LOST;
    }
    MemorySegment memory = regions.memory();
    if (!check.isIntact(region, generation, slot)) {
      return Left.LOST;
    }
    long entry = regions.entry(region, slot);
    update.at(region, generation, memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET));
    if (!find(entry)) {
      return Left.LOST;
    }
    update.leaves = true;
    if (disk.isReadable(value)) {
      // It was written before and has not changed since.
      update.place = null;
      boolean isLeft = cursor.update(high(entry), low(entry), update) == ObjectIndex.Outcome.DONE;
      return isLeft ? Left.ON_DISK : Left.LOST;
    }
    if (regions.isSoft(region, slot) || !admission.admitsLeaving(region, slot)) {
      refused.incrementAndGet();
      return Left.LOST;
    }
    int own = group.of(region, slot);
    copyGroup(0, own, region, admission::admitsLeaving, OfferFallback.KEEP);
    Left left = write(region, slot, generation, mayWait);
    if (left == Left.ON_DISK) {
      copyGroup(own + 1, group.end(), region, admission::admitsLeaving, OfferFallback.KEEP);
    }
    return left;
  }

  /** Writes a record that leaves memory. */
  private Left write(int region, int slot, int generation, boolean mayWait) {
    long entry = regions.entry(region, slot);
    update.at(region, generation, regions.offset(region, slot));
    update.leaves = true;
    if (!find(entry)) {
      return Left.LOST;
    }
    OfferResult answer = offer(entry, slot, mayWait ? OfferFallback.WAIT : OfferFallback.DROP);
    if (answer == OfferResult.TAKEN) {
      return settle(entry) ? Left.ON_DISK : Left.LOST;
    }
    if (answer == OfferResult.NO_ROOM && mayWait) {
      return Left.WAITS;
    }
    refused.incrementAndGet();
    return Left.LOST;
  }

  /** Of records that are written ahead of need. */
  private interface Filter {
    boolean admits(int region, int slot);
  }

  /**
   * Writes slices of the group ahead of need; none while a disk may have them that is being read.
   *
   * @param home the region of the slice for whose sake this is
   */
  private void copyGroup(int from, int end, int home, Filter filter, OfferFallback fallback) {
    for (int n = from; n < end && disk.isRecovered(); n++) {
      if (!group.find(n)) {
        continue;
      }
      int region = group.region();
      int slot = group.slot();
      if (regions.isLive(region, slot)
          && !regions.isSoft(region, slot)
          && filter.admits(region, slot)
          && (region == home ? disk.hasRoom() : disk.hasAmpleRoom())) {
        boolean ignored = copyOne(region, slot, group.generation(), fallback);
      }
    }
  }

  /**
   * Copies the next protected region that is full and not on disk yet, or what was asked for in the
   * next probation region that is due; false if there is none.
   */
  public boolean step(long nowMillis) {
    // A disk that is still being read has copies that are not known yet: they would be written once
    // more. Without a disk that takes records, regions would count as copied that are not.
    if (disk.isEmpty() || !disk.isInUse() || !disk.isRecovered() || !disk.hasRoom()) {
      return false;
    }
    if (copying < 0) {
      for (int region = 0; region < regions.count() && copying < 0; region++) {
        if (isDue(region) && regions.segment(region) == Regions.PROTECTED) {
          begin(region);
        }
      }
    }
    return copying >= 0 ? copyOn(true) : lookOn(nowMillis);
  }

  private boolean lookOn(long nowMillis) {
    long elapsed = Math.clamp(nowMillis - lookedMillis, 0, ROUND_MILLIS);
    lookedMillis = nowMillis;
    toLookAt =
        Math.min(toLookAt + (double) elapsed * regions.count() / ROUND_MILLIS, MAX_CONCURRENT);
    if (toLookAt < 1 || !disk.isIdle()) {
      return false;
    }
    int region = looking;
    int generation = regions.generation(region);
    if (isDue(region) && regions.segment(region) == Regions.PROBATION) {
      for (int slots = regions.slots(region); lookingSlot < slots; lookingSlot++) {
        int slot = lookingSlot;
        if (regions.isCommitted(region, slot, generation)
            && regions.isLive(region, slot)
            && admission.isDueInProbation(region, slot)
            && !regions.isSoft(region, slot)) {
          if (!copy(region, slot, generation, admission::isDueInProbation, OfferFallback.KEEP)) {
            return false;
          }
        }
      }
    }
    toLookAt--;
    lookingSlot = 0;
    looking = (region + 1) % regions.count();
    return true;
  }

  /** At a shutdown: copies everything in memory, useful things first; false when all is done. */
  public boolean stepBeforeEnd() {
    if (copying < 0) {
      int next = -1;
      for (int region = 0; region < regions.count(); region++) {
        boolean isHeld = regions.state(region) == Regions.OPEN;
        if ((isDue(region) || (isHeld && copied[region] != regions.generation(region)))
            && (next < 0 || regions.segment(region) > regions.segment(next))) {
          next = region;
        }
      }
      if (next < 0) {
        return false;
      }
      begin(next);
    }
    return copyOn(false);
  }

  /** Regions that {@link #stepBeforeEnd} has not copied, and what they take. */
  public Rest rest() {
    int count = 0;
    long bytes = 0;
    for (int region = 0; region < regions.count(); region++) {
      int state = regions.state(region);
      if ((state == Regions.SEALED || state == Regions.OPEN)
          && copied[region] != regions.generation(region)) {
        count++;
        bytes += regions.recordsEnd(region);
      }
    }
    return new Rest(count, bytes);
  }

  /**
   * What was not looked at; some of it may be on a disk from before.
   *
   * @param regions of them
   */
  public record Rest(int regions, long bytes) {}

  private boolean isDue(int region) {
    return regions.state(region) == Regions.SEALED && copied[region] != regions.generation(region);
  }

  private void begin(int region) {
    copying = region;
    copyingSlot = 0;
  }

  /**
   * A region's records while the devices have room; the rest in a later step.
   *
   * @param isAhead only what would be written when it leaves
   */
  private boolean copyOn(boolean isAhead) {
    int region = copying;
    int generation = regions.generation(region);
    int state = regions.state(region);
    boolean isServed = state == Regions.SEALED || state == Regions.OPEN;
    int slots = isServed ? regions.slots(region) : 0;
    Filter filter = isAhead ? admission::admitsLeaving : admission::admits;
    OfferFallback fallback = isAhead ? OfferFallback.KEEP : OfferFallback.KEEP_AT_STOP;
    for (; copyingSlot < slots; copyingSlot++) {
      int slot = copyingSlot;
      if (!regions.isCommitted(region, slot, generation)
          || !regions.isLive(region, slot)
          || regions.isSoft(region, slot)
          || !filter.admits(region, slot)) {
        continue;
      }
      if (!copy(region, slot, generation, filter, fallback)) {
        return false;
      }
    }
    copied[region] = generation;
    copying = -1;
    return true;
  }

  /**
   * Writes a record to a disk if it belongs there, and its group; false if it has to wait for
   * space.
   *
   * @param filter for the others of its group
   */
  private boolean copy(
      int region, int slot, int generation, Filter filter, OfferFallback fallback) {
    update.at(region, generation, regions.offset(region, slot));
    if (!find(regions.entry(region, slot)) || disk.isReadable(value)) {
      return true;
    }
    int own = group.of(region, slot);
    copyGroup(0, own, region, filter, fallback);
    boolean isDone = copyOne(region, slot, generation, fallback);
    if (isDone) {
      copyGroup(own + 1, group.end(), region, filter, fallback);
    }
    return isDone;
  }

  /** False if the disks have no room for it now. */
  private boolean copyOne(int region, int slot, int generation, OfferFallback fallback) {
    if (!admission.admits(region, slot) || !check.isIntact(region, generation, slot)) {
      return true;
    }
    long entry = regions.entry(region, slot);
    int offset = regions.memory().get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
    update.at(region, generation, offset);
    update.leaves = false;
    if (find(entry) && !disk.isReadable(value)) {
      OfferResult answer = offer(entry, slot, fallback);
      if (answer == OfferResult.TAKEN) {
        boolean ignored = settle(entry);
      }
      return answer != OfferResult.NO_ROOM;
    }
    return true;
  }

  /** Whether the key still names this record; then {@code value} is what it names. */
  private boolean find(long entry) {
    return cursor.get(high(entry), low(entry), value) == ObjectIndex.Outcome.DONE
        && value.isAt(update.region, update.generation, update.offset);
  }

  private OfferResult offer(long entry, int slot, OfferFallback fallback) {
    MemorySegment memory = regions.memory();
    int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
    if (!isAffordable(length)) {
      return OfferResult.REFUSED;
    }
    long record = regions.base(update.region) + update.offset;
    boolean isSlice = DirectoryEntry.kind(memory, entry) == RecordHeader.KIND_SLICE;
    int storageClass = DirectoryEntry.storageClass(memory, entry);
    long headHigh = high(entry);
    long headLow = low(entry);
    IndexValue known = null;
    if (isSlice) {
      headHigh = memory.get(Layouts.LONG, record + SliceRecord.HEAD_HIGH_OFFSET);
      headLow = memory.get(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET);
      known = cursor.get(headHigh, headLow, head) == ObjectIndex.Outcome.DONE ? head : null;
    }
    boolean isRequestedAgain = admission.wasTouched(update.region, slot);
    OfferResult answer =
        disk.offer(
            headHigh,
            headLow,
            known,
            memory,
            record,
            length,
            storageClass,
            isRequestedAgain,
            fallback,
            place);
    if (answer == OfferResult.TAKEN && bytesPerDay > 0) {
      allowance -= length;
    }
    return answer;
  }

  private boolean isAffordable(int length) {
    if (bytesPerDay == 0) {
      return true;
    }
    long now = clockMillis.getAsLong();
    long elapsed = Math.clamp(now - allowedMillis, 0, DAY_MILLIS);
    allowedMillis = now;
    // What was not written is saved up for an hour, so that a burst finds something.
    allowance =
        Math.min(
            allowance + (double) bytesPerDay * elapsed / DAY_MILLIS,
            Math.max(bytesPerDay / 24.0, length));
    return allowance >= length;
  }

  private boolean settle(long entry) {
    update.place = place;
    if (cursor.update(high(entry), low(entry), update) == ObjectIndex.Outcome.DONE) {
      demoted.incrementAndGet();
      demotedOf.incrementAndGet(DirectoryEntry.storageClass(regions.memory(), entry));
      return true;
    }
    // It was replaced or died meanwhile: its copy must not come back at a start.
    disk.addTombstone(
        high(entry),
        low(entry),
        place,
        regions.memory().get(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET));
    return false;
  }

  private long high(long entry) {
    return regions.memory().get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
  }

  private long low(long entry) {
    return regions.memory().get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
  }

  private final class Update implements ObjectIndex.Update {
    private int region;
    private int generation;
    private int offset;
    private boolean leaves;
    private @Nullable DiskLocation place;

    void at(int newRegion, int newGeneration, int newOffset) {
      region = newRegion;
      generation = newGeneration;
      offset = newOffset;
    }

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue current) {
      if (!isPresent || !current.isAt(region, generation, offset)) {
        return ObjectIndex.Verdict.KEEP;
      }
      DiskLocation to = place;
      if (to != null) {
        current.disk(to.device(), to.region(), to.generation(), to.offset(), to.length());
      } else if (!disk.isReadable(current)) {
        return ObjectIndex.Verdict.KEEP;
      }
      if (leaves) {
        current.leaveMemory();
      }
      return ObjectIndex.Verdict.PUT;
    }
  }
}
