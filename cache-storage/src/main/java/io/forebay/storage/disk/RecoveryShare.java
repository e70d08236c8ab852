package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes up, of all regions of a device, the records of some of the keys: those of which a part of
 * the hash has this share's number. The copies of a key, and its tombstones, are all of one share,
 * which sees them in the order of the regions. So shares need not wait for each other.
 *
 * <p>If there are more tombstones than may be kept, a share takes its heads in parts, with one
 * reading for each.
 *
 * <p>One thread at a time, which has claimed it.
 */
final class RecoveryShare {
  private final int share;
  private final int shares;
  private final DeviceSettings settings;
  private final int number;
  private final DeviceLog log;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final PendingTombstones tombstones;
  private final KeyHash keyHash;
  private final Tombstones dead;
  private final DeferredHeads heads;
  private final AtomicBoolean isClaimed = new AtomicBoolean();
  private final RecoveryPlan plan;

  /** Regions that are done, in the reading for these tombstones. */
  private volatile int step;

  /** Whether its slices are all known. */
  private boolean hasRead;

  /** Whether heads need not wait for slices any more. */
  private boolean hasSlices;

  private volatile boolean isDone;

  /**
   * @param share from 0 on
   * @param shares of them
   * @param plan what there is to be taken up
   */
  RecoveryShare(
      int share,
      int shares,
      DeviceSettings settings,
      int number,
      DeviceLog log,
      ObjectIndex.Cursor cursor,
      Purges purges,
      PendingTombstones tombstones,
      KeyHash keyHash,
      RecoveryPlan plan) {
    this.share = share;
    this.shares = shares;
    this.settings = settings;
    this.number = number;
    this.log = log;
    this.cursor = cursor;
    this.purges = purges;
    this.tombstones = tombstones;
    this.keyHash = keyHash;
    this.plan = plan;
    this.dead = new Tombstones(Math.max(2, settings.knownTombstones() / shares));
    this.heads = new DeferredHeads(Math.max(1, DeferredHeads.CAPACITY / shares), this::takeUp);
  }

  // --- any thread

  /** False if another thread has it, which has to {@link #release} it. */
  boolean claim() {
    return isClaimed.compareAndSet(false, true);
  }

  void release() {
    isClaimed.set(false);
  }

  /** Regions that are done, in the reading for these tombstones. */
  int step() {
    return step;
  }

  boolean isDone() {
    return isDone;
  }

  /** How much of it is done; about. */
  double fraction() {
    int regions = plan.end();
    if (isDone || regions == 0) {
      return isDone ? 1 : 0;
    }
    double toDo = dead.share() * (1 - (double) step / regions);
    return Math.clamp(dead.end() - toDo, 0, 1);
  }

  // --- who has claimed it

  /** Takes the next region up, or ends a reading; false if there is nothing to do now. */
  boolean advance(DirectoryReader reader) throws IOException {
    if (isDone || plan.isAbandoned()) {
      return false;
    }
    int at = step;
    if (at < plan.end()) {
      if (at >= plan.verified()) {
        return false;
      }
      WrittenExtent region = plan.region(at);
      reader.begin();
      if (plan.hasTombstones(at)) {
        DeviceDirectory.Reading ignored =
            reader.forEach(
                region.region(), region.generation(), region.pages(), this::takeTombstone);
      }
      takeRecords(region, reader);
      return true;
    }
    return endReading();
  }

  /** Learns the tombstones of a region. */
  void takeTombstone(PageEntry one) {
    if (one.isTombstone()) {
      long key = keyHash.coarse(one.keyHigh(), one.keyLow());
      if (isOwn(key)) {
        dead.add(key, one.birth());
      }
    }
  }

  /** Takes up what else a region holds: its tombstones are known. */
  void takeRecords(WrittenExtent region, DirectoryReader reader) throws IOException {
    int at = step;
    DeviceDirectory.Reading ignored =
        reader.forEach(
            region.region(),
            region.generation(),
            region.pages(),
            one -> takeRecord(one, region.region(), region.generation()));
    step = at + 1;
  }

  /** Ends a reading, if nothing has to be waited for; false if there is nothing to do now. */
  boolean endReading() {
    if (!hasRead) {
      hasRead = true;
      plan.readOnce();
      return true;
    }
    if (!hasSlices && !plan.hasSlices()) {
      return false;
    }
    hasSlices = true;
    heads.flush();
    if (dead.nextShare()) {
      step = 0;
    } else {
      isDone = true;
    }
    return true;
  }

  /** By other bits than those by which {@link Tombstones} divides keys. */
  private boolean isOwn(long key) {
    long bits = Layouts.mix(key) & 0xFFFF_FFFFL;
    return (int) ((bits * shares) >>> Integer.SIZE) == share;
  }

  /**
   * Takes up a record whose turn it is: slices in the first reading, heads in that of their key.
   */
  private void takeRecord(PageEntry one, int region, int generation) {
    if (one.isTombstone()) {
      return;
    }
    long key = keyHash.coarse(one.keyHigh(), one.keyLow());
    if (!isOwn(key)) {
      return;
    }
    boolean isSlice = one.kind() == RecordHeader.KIND_SLICE;
    boolean isKnown = dead.isOf(key);
    // A dead slice of which that is not known yet does no harm: no head will name its object, or
    // one does of which it is a part.
    boolean isItsTurn = isSlice ? !hasRead : isKnown;
    if (!isItsTurn
        || !isPlausible(one)
        || (isKnown && dead.covers(key, one.birth()))
        || (!isSlice && purges.check(one.words(), one.birth(), one.bodyBirth()) == Purges.DEAD)) {
      return;
    }
    if (!hasSlices && DeferredHeads.hasSlices(one)) {
      heads.add(one, region, generation);
    } else {
      takeUp(one, region, generation);
    }
  }

  private void takeUp(PageEntry one, int region, int generation) {
    if (plan.isAbandoned()) {
      return;
    }
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.keyHigh(),
            one.keyLow(),
            (isPresent, value) -> take(isPresent, value, one, region, generation));
  }

  /** Whether a record may lie where it says; none does if a sweep has marked it dead. */
  private boolean isPlausible(PageEntry one) {
    return one.offset() >= 0
        && one.recordLength() > 0
        && one.recordLength() <= DeviceSettings.MAX_RECORD
        && one.offset() + (long) one.recordLength() <= settings.regionBytes();
  }

  private ObjectIndex.Verdict take(
      boolean isPresent, IndexValue value, PageEntry one, int region, int generation) {
    if (isPresent) {
      boolean isSame =
          value.birth() == one.birth() && value.isOf(one.objectId()) && value.kind() == one.kind();
      boolean hasDisk =
          value.isOnDisk()
              && value.diskDevice() == number
              && log.isReadable(value.diskRegion(), value.diskGeneration());
      if (!isSame || hasDisk) {
        // What is there was born later, or was found in a younger region.
        if (value.birth() > one.birth() || (value.birth() == one.birth() && !isSame)) {
          // Its tombstone was lost with the process, and what replaced it may leave first. Or it
          // has another key that counts as this one.
          tombstones.addTombstone(one.keyHigh(), one.keyLow(), one.birth());
        }
        if (value.birth() >= one.birth() || value.isInMemory()) {
          return ObjectIndex.Verdict.KEEP;
        }
        if (hasDisk) {
          // Both lie in one region, and the tombstone of the older one was lost, too.
          tombstones.addTombstone(one.keyHigh(), one.keyLow(), value.birth());
        }
      }
    } else {
      value.leaveMemory();
    }
    value.identity(one.kind(), one.birth(), one.objectId());
    value.fate(one.expiresSeconds(), one.word(0), one.word(1));
    value.disk(number, region, generation, one.offset(), one.recordLength());
    return ObjectIndex.Verdict.PUT;
  }
}
