package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up what one device holds, while records are served from it. First the head of every
 * directory, by which it knows what must be there (see {@link DeviceScan}), then, unless the index
 * knows all of it already, the directories, youngest first: slices before heads, so that an object
 * that is found has its slices. The first reading also takes the tombstones. If there are more than
 * may be kept, heads are taken share by share of the keys: for each further share one reading takes
 * its tombstones, and the next one its heads. The writer's.
 */
final class DeviceRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRecovery.class);

  private final DeviceSettings settings;
  private final int number;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final PendingTombstones graves;
  private final boolean isIndexed;
  private final Tombstones dead;
  private final DeviceScan survey;
  private final RecentRegions written;

  /** What there is to be taken up, youngest first. */
  private List<WrittenExtent> order = List.of();

  private int nextHead;
  private int step;
  private boolean hasSlices;

  DeviceRecovery(
      DeviceSettings settings,
      int number,
      DeviceLog log,
      DeviceDirectory directory,
      RecentRegions written,
      ObjectIndex.Cursor cursor,
      Purges purges,
      PendingTombstones graves,
      KeyHash keyHash,
      boolean isIndexed) {
    this.settings = settings;
    this.number = number;
    this.log = log;
    this.directory = directory;
    this.survey = new DeviceScan(directory, settings.regionCount(), settings.regionBytes());
    this.written = written;
    this.cursor = cursor;
    this.purges = purges;
    this.graves = graves;
    this.isIndexed = isIndexed;
    this.dead = new Tombstones(settings.knownTombstones(), keyHash);
  }

  /** How much of it is done; about, for other threads ask. */
  double fraction() {
    double heads = (double) nextHead / settings.regionCount();
    if (isIndexed || order.isEmpty()) {
      return heads / 2;
    }
    double toDo = dead.share() * (1 - step / (2.0 * order.size()));
    return Math.clamp(0.5 + (dead.end() - toDo) / 2, 0.5, 1);
  }

  /** Takes up a piece; false if all of it has been. */
  boolean step() throws IOException {
    if (nextHead < settings.regionCount()) {
      survey.read(nextHead);
      nextHead++;
      if (nextHead == settings.regionCount()) {
        order = survey.regions(written);
        log.adopt(order);
        if (order.isEmpty() && written.last().region() >= 0) {
          loseAll();
        }
      }
      return true;
    }
    if (isIndexed) {
      return false;
    }
    if (step == 2 * order.size()) {
      step = 0;
      hasSlices = true;
      log.trail(RecentRegions.of(order));
      return !order.isEmpty() && dead.nextShare();
    }
    if (take(step % order.size(), step < order.size())) {
      step++;
    }
    return true;
  }

  /**
   * Reads the directory of a region, for its slices and tombstones or for its heads; false if it
   * and those behind it do not count.
   */
  private boolean take(int at, boolean isFirst) throws IOException {
    WrittenExtent known = order.get(at);
    int region = known.region();
    int generation = known.generation();
    DeviceDirectory.Reading reading =
        directory.forEach(
            region, generation, known.pages(), one -> take(one, region, generation, isFirst));
    if (isFirst && reading.knownGraves() < known.graves()) {
      discardFrom(at);
      return false;
    }
    if (at == 0 && reading.pages() > known.pages()) {
      // Written after the header was: what has lasted so far must last from here on.
      WrittenExtent found =
          new WrittenExtent(region, generation, known.age(), reading.pages(), reading.graves());
      order.set(0, found);
      log.reach(found);
    }
    return true;
  }

  /**
   * Tombstones are lost with both of their copies. What they killed lies in their region or in an
   * older one and can't be told from what is alive.
   */
  private void discardFrom(int at) throws IOException {
    List<WrittenExtent> lost = order.subList(at, order.size());
    // A region that was trimmed was free, and so is all that is older.
    boolean isTrimmed = at > 0 && directory.isBlank(order.get(at).region());
    if (!isTrimmed) {
      LOG.warn(
          "disk {}: tombstones in region {} are damaged: this region and the {} older ones are"
              + " emptied",
          settings.name(),
          order.get(at).region(),
          lost.size() - 1);
    }
    lost.forEach(one -> log.discard(one.region()));
    lost.clear();
    if (at == 0) {
      loseAll();
    }
  }

  /**
   * Nothing of the device counts. It has to be made anew, since no younger region tells the next
   * start what is missing.
   */
  private void loseAll() {
    graves.lose();
  }

  /**
   * Takes an entry up.
   *
   * @param isFirst the first reading for a share of the keys; the other one takes heads
   */
  private void take(PageEntry one, int region, int generation, boolean isFirst) {
    if (one.isTombstone()) {
      if (isFirst) {
        dead.add(one.keyHigh(), one.keyLow(), one.birth());
      }
      return;
    }
    boolean isSlice = one.kind() == RecordHeader.KIND_SLICE;
    boolean isKnown = dead.isOf(one.keyHigh(), one.keyLow());
    // A dead slice of which that is not known yet does no harm: no head will name its object, or
    // one does of which it is a part.
    boolean isItsTurn = isSlice ? isFirst && !hasSlices : !isFirst && isKnown;
    if (!isItsTurn
        || !isPlausible(one)
        || (isKnown && dead.covers(one.keyHigh(), one.keyLow(), one.birth()))
        || (!isSlice && purges.check(one.words(), one.birth(), one.bodyBirth()) == Purges.DEAD)) {
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
          graves.addTombstone(one.keyHigh(), one.keyLow(), one.birth());
        }
        if (value.birth() >= one.birth() || value.isInMemory()) {
          return ObjectIndex.Verdict.KEEP;
        }
        if (hasDisk) {
          // Both lie in one region, and the tombstone of the older one was lost, too.
          graves.addTombstone(one.keyHigh(), one.keyLow(), value.birth());
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
