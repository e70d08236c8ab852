package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Takes up what one device holds, while records are served from it. First the head of every
 * directory, then, unless the index knows all of it already, the directories, youngest first:
 * slices before heads, so that an object that is found has its slices. The writer's.
 */
final class DeviceRecovery {
  private final DeviceSettings settings;
  private final int number;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final Graves graves;
  private final boolean isIndexed;
  private final Tombstones dead = new Tombstones();
  private List<Integer> order = List.of();
  private int nextHead;
  private int step;

  DeviceRecovery(
      DeviceSettings settings,
      int number,
      DeviceLog log,
      DeviceDirectory directory,
      ObjectIndex.Cursor cursor,
      Purges purges,
      Graves graves,
      boolean isIndexed) {
    this.settings = settings;
    this.number = number;
    this.log = log;
    this.directory = directory;
    this.cursor = cursor;
    this.purges = purges;
    this.graves = graves;
    this.isIndexed = isIndexed;
  }

  /** How much of it is done; about, for other threads ask. */
  double fraction() {
    double heads = (double) nextHead / settings.regionCount();
    return isIndexed || order.isEmpty() ? heads / 2 : 0.5 + step / (4.0 * order.size());
  }

  /** Takes up a piece; false if all of it has been. */
  boolean step() throws IOException {
    if (nextHead < settings.regionCount()) {
      takeHead(nextHead);
      nextHead++;
      if (nextHead == settings.regionCount()) {
        order = log.youngestFirst();
      }
      return true;
    }
    if (isIndexed || step == 2 * order.size()) {
      return false;
    }
    int region = order.get(step % order.size());
    boolean slices = step < order.size();
    int generation = log.generation(region);
    directory.forEach(region, generation, one -> take(one, region, generation, slices));
    step++;
    return true;
  }

  private void takeHead(int region) throws IOException {
    ByteBuffer first = directory.page(region, 0);
    if (first == null) {
      log.adoptFree(region);
    } else {
      log.adopt(
          region,
          first.getInt(DirectoryPage.GENERATION_OFFSET),
          first.getLong(DirectoryPage.AGE_OFFSET));
    }
  }

  private void take(PageEntry one, int region, int generation, boolean slices) {
    if (one.isTombstone()) {
      dead.add(one.keyHigh(), one.keyLow(), one.birth());
      return;
    }
    boolean isSlice = one.kind() == RecordHeader.KIND_SLICE;
    if (isSlice != slices
        || !isPlausible(one)
        || dead.covers(one.keyHigh(), one.keyLow(), one.birth())
        || (!isSlice && purges.check(one.words(), one.birth(), one.bodyBirth()) == Purges.DEAD)) {
      return;
    }
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.keyHigh(),
            one.keyLow(),
            (isPresent, value) -> take(isPresent, value, one, region, generation));
  }

  private boolean isPlausible(PageEntry one) {
    return one.offset() >= 0
        && one.recordLength() > 0
        && one.recordLength() <= DeviceSettings.LARGEST_RECORD
        && one.offset() + (long) one.recordLength() <= settings.regionBytes();
  }

  private ObjectIndex.Verdict take(
      boolean isPresent, IndexValue value, PageEntry one, int region, int generation) {
    if (isPresent) {
      boolean isSame = value.birth() == one.birth() && value.objectId() == one.objectId();
      boolean hasDisk =
          value.isOnDisk()
              && value.diskDevice() == number
              && log.isReadable(value.diskRegion(), value.diskGeneration());
      if (!isSame || hasDisk) {
        // What is there was born later, or was found in a younger region.
        if (value.birth() > one.birth()) {
          // Its tombstone was lost with the process, and what replaced it may leave first.
          graves.bury(one.keyHigh(), one.keyLow(), one.birth());
        }
        if (value.birth() >= one.birth() || value.isInMemory()) {
          return ObjectIndex.Verdict.KEEP;
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
