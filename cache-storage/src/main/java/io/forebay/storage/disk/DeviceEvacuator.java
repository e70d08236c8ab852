package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Empties one device while it serves: region by region, the oldest first, as tombstones lie in
 * younger regions than what they kill.
 *
 * <pre>
 *  region ──► what the index names there ──┬─► read again, pinned: another device; with no other
 *                                          │   device, memory
 *                                          ├─► else: a device with regions to spare, so that
 *                                          │   nothing is pushed out, or below the floor of its
 *                                          │   class
 *                                          └─► expired, purged, no place: out of the index
 * </pre>
 *
 * <p>Whatever leaves gets a tombstone here: were it replaced elsewhere later, its old copy must not
 * come back if the node stops before the device is empty. The writer's; its figures any thread's.
 */
final class DeviceEvacuator {
  private final DeviceLog log;
  private final RegionHolds holds;
  private final RegionContents contents;
  private final DeviceRecords records;
  private final PendingTombstones tombstones;
  private final ObjectIndex.Cursor cursor;
  private final DiskTier.Host host;
  private final Devices devices;
  private final RegionTrim trim;
  private final RateLimit rate;
  private final IndexValue head = new IndexValue();
  private final IndexValue value = new IndexValue();
  private final ByteBuffer buffer = DeviceRecords.buffer();
  private final MemorySegment record = MemorySegment.ofBuffer(buffer);

  /** Of the region that is being emptied. */
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();

  private boolean hasBegun;

  /** What is as old, or older, is to be emptied; what is younger holds tombstones only. */
  private long limitAge;

  /** Batches that were on their way when it began. */
  private long handedOn;

  private int region = -1;
  private long promotedBytes;
  private volatile int regionsToDo;
  private volatile int regionsDone;
  private final AtomicLong moved = new AtomicLong();
  private final AtomicLong movedBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /**
   * A record that is to leave.
   *
   * @param isWanted whether it was read since it was written, or is of a pinned class
   */
  private record Pending(RegionContents.Listed listed, boolean isWanted) {
    long high() {
      return listed.high();
    }

    long low() {
      return listed.low();
    }

    long birth() {
      return listed.birth();
    }

    DiskLocation from() {
      return listed.place();
    }
  }

  /** How a record fares. */
  private enum Outcome {
    MOVED,
    /** Not worth it, or no place. */
    DROPPED,
    /** Its device has no buffer free: later. */
    WAITS
  }

  DeviceEvacuator(
      DeviceLog log,
      RegionHolds holds,
      RegionContents contents,
      DeviceRecords records,
      PendingTombstones tombstones,
      ObjectIndex.Cursor cursor,
      DiskTier.Host host,
      Devices devices,
      RegionTrim trim,
      RateLimit rate) {
    this.log = log;
    this.holds = holds;
    this.contents = contents;
    this.records = records;
    this.tombstones = tombstones;
    this.cursor = cursor;
    this.host = host;
    this.devices = devices;
    this.trim = trim;
    this.rate = rate;
  }

  /** Ends the evacuation: the device is used again, or failed. */
  void cancel() {
    if (!hasBegun) {
      return;
    }
    hasBegun = false;
    region = -1;
    pending.clear();
    regionsToDo = 0;
    regionsDone = 0;
  }

  EvacuationStats stats(boolean isRunning) {
    int toDo = regionsToDo;
    double progress = !isRunning ? 1 : toDo == 0 ? 0 : Math.min(1, (double) regionsDone / toDo);
    return new EvacuationStats(progress, moved.get(), movedBytes.get(), dropped.get());
  }

  /** Whether everything has left. */
  boolean isDone() {
    return hasBegun && log.isDone(handedOn) && region < 0 && log.oldestUpTo(limitAge) < 0;
  }

  /** Does a piece of it; false if there is nothing to do now. */
  boolean next() throws IOException {
    if (!hasBegun) {
      limitAge = log.sealAll();
      handedOn = log.submitBatch();
      regionsToDo = log.countUpTo(limitAge);
      regionsDone = 0;
      promotedBytes = 0;
      hasBegun = true;
      return true;
    }
    rate.refill();
    if (!log.isDone(handedOn) || !rate.isAffordable()) {
      // Directories are read from the device: what was on its way must be there.
      return false;
    }
    if (region < 0) {
      return begin();
    }
    Pending first = pending.peek();
    if (first == null) {
      if (!holds.mayLeave(region)) {
        return false;
      }
      log.release(region);
      holds.left();
      trim.freed(region);
      region = -1;
      int done = regionsDone + 1;
      regionsDone = done;
      return true;
    }
    switch (move(first)) {
      case MOVED -> {
        moved.incrementAndGet();
        movedBytes.addAndGet(first.from().length);
      }
      case DROPPED -> {
        dropped.incrementAndGet();
        forget(first);
      }
      case WAITS -> {
        return false;
      }
    }
    tombstones.addTombstone(first.high(), first.low(), first.birth());
    pending.remove();
    return true;
  }

  /** Looks at what the next region holds; false if there is none. */
  private boolean begin() throws IOException {
    int next = log.oldestUpTo(limitAge);
    if (next < 0) {
      return false;
    }
    pending.clear();
    contents.forEach(next, this::look);
    region = next;
    return true;
  }

  private void look(RegionContents.Listed one) {
    if (cursor.get(one.high(), one.low(), value) == ObjectIndex.Outcome.DONE
        && one.place().isDiskOf(value)) {
      pending.add(new Pending(one, contents.isWanted(one, value)));
    }
  }

  private Outcome move(Pending one) {
    if (cursor.get(one.high(), one.low(), value) != ObjectIndex.Outcome.DONE
        || !one.from().isDiskOf(value)
        || contents.isExpired(value)) {
      return Outcome.DROPPED;
    }
    boolean isAlone = true;
    boolean isSpace = false;
    for (Device device : devices.all()) {
      if (device.isOnline()) {
        isAlone = false;
        isSpace |= device.hasSpaceFor(one.listed().storageClass());
        if (!device.hasRoom()) {
          return Outcome.WAITS;
        }
      }
    }
    boolean hasPlace =
        isAlone
            ? one.isWanted() && promotedBytes + one.from().length <= host.memoryBytes() / 4
            : one.isWanted() || isSpace;
    if (!hasPlace) {
      return Outcome.DROPPED;
    }
    rate.spend(one.from().length);
    if (!records.read(one.from(), buffer)
        || !DeviceRecords.isWhole(record, 0, one.from())
        // Asked after the read and again after the move: a sweep of the other device may have
        // passed where the copy goes. The sweep of this one has not, since it is this thread's; so
        // a purge that came in between is still known then.
        || contents.isPurged(record)) {
      return Outcome.DROPPED;
    }
    return isAlone ? promote(one) : moveToAnother(one);
  }

  /** To the device for its object: a slice goes where the head is, or will be. */
  private Outcome moveToAnother(Pending one) {
    long headHigh = one.high();
    long headLow = one.low();
    IndexValue known = null;
    if (RegionContents.isSlice(record)) {
      headHigh = record.get(Layouts.LONG, SliceRecord.HEAD_HIGH_OFFSET);
      headLow = record.get(Layouts.LONG, SliceRecord.HEAD_LOW_OFFSET);
      known = cursor.get(headHigh, headLow, head) == ObjectIndex.Outcome.DONE ? head : null;
    }
    Device another = devices.choose(headHigh, headLow, known);
    DiskLocation to = new DiskLocation();
    boolean isTaken =
        another != null
            && (one.isWanted() || another.hasSpaceFor(one.listed().storageClass()))
            && another.offer(
                    record,
                    0,
                    one.from().length,
                    RecordHeader.classOnDisk(record, 0),
                    one.isWanted(),
                    OfferFallback.DROP,
                    to)
                == OfferResult.TAKEN;
    if (another == null || !isTaken) {
      return Outcome.DROPPED;
    }
    ObjectIndex.Outcome outcome =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, present) -> {
              if (!isPresent || !one.from().isDiskOf(present)) {
                return ObjectIndex.Verdict.KEEP;
              }
              present.disk(to.device, to.region, to.generation, to.offset, to.length);
              return ObjectIndex.Verdict.PUT;
            });
    if (outcome != ObjectIndex.Outcome.DONE) {
      // It died or was replaced meanwhile, and its copy must not come back at a start.
      another.addTombstone(one.high(), one.low(), one.birth());
      return Outcome.DROPPED;
    }
    if (contents.isPurged(record)) {
      contents.forget(one.high(), one.low(), to);
      another.addTombstone(one.high(), one.low(), one.birth());
      return Outcome.DROPPED;
    }
    return Outcome.MOVED;
  }

  /** There is no other device: what is worth it comes into memory, up to a quarter of it. */
  private Outcome promote(Pending one) {
    if (!value.isInMemory()
        && host.promoter().promote(new DiskRead(one.high(), one.low(), value, 0), record)
            != Promoter.Result.DONE) {
      return Outcome.DROPPED;
    }
    promotedBytes += one.from().length;
    forget(one);
    return Outcome.MOVED;
  }

  /** The index no longer names the place on this device. */
  private void forget(Pending one) {
    contents.forget(one.high(), one.low(), one.from());
  }
}
