package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up what one device holds, while records are served from it. First the head of every
 * directory, by which it knows what must be there (see {@link DeviceScan}), then, unless the index
 * knows all of it already, the directories, each once.
 *
 * <pre>
 *   writer    page 0 of every region ─► directory of the youngest ─► ... ─► of the oldest region
 *                      ▲                  tombstones, slices, heads
 *   readers   some of these pages         ▲ what the writer reads next, into page cache
 * </pre>
 *
 * <p>The order makes one reading enough: a tombstone lies in the region of what it kills, behind
 * it, or in a younger one, so all tombstones of a record are known before the record is. Heads of
 * bodies in slices wait for slices in older regions ({@link DeferredHeads}).
 *
 * <p>If there are more tombstones than may be kept, heads are taken share by share of the keys,
 * with one reading for each share.
 *
 * <p>The writer's, but for {@link #help}.
 */
final class DeviceRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRecovery.class);

  /** How many directories may be brought into page cache ahead of the writer. */
  private static final int MAX_AHEAD = 64;

  /** So often the readers are told that the writer has come further. */
  private static final int WAKE_STEPS = MAX_AHEAD / 4;

  private static final long SCAN_PAUSE_NANOS = 100_000;

  private final DeviceSettings settings;
  private final int number;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final PendingTombstones tombstones;
  private final DeviceClassUsage usage;
  private final boolean isIndexed;
  private final Tombstones dead;
  private final DeviceScan survey;
  private final SharedScan scan;
  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final RecentRegions written;
  private final Runnable onWork;
  private final DeferredHeads heads;
  private @Nullable DirectoryReader reader;
  private boolean isScanned;
  private boolean hasSlices;

  /** What there is to be taken up, youngest first. */
  private List<WrittenExtent> order = List.of();

  /** The same as it was found, for readers. */
  private volatile WrittenExtent[] plan = {};

  /** How many of these are done, in the reading for this share of the keys. */
  private volatile int step;

  /** The first of these that no reader has looked at ahead of the writer. */
  private final AtomicInteger ahead = new AtomicInteger();

  /**
   * @param onWork has the readers look for something to do
   */
  DeviceRecovery(
      DeviceSettings settings,
      int number,
      BlockFile file,
      DeviceHeaderPages head,
      DeviceLog log,
      DeviceDirectory directory,
      ObjectIndex.Cursor cursor,
      Purges purges,
      PendingTombstones tombstones,
      KeyHash keyHash,
      DeviceClassUsage usage,
      boolean isIndexed,
      Runnable onWork) {
    this.settings = settings;
    this.number = number;
    this.file = file;
    this.head = head;
    this.log = log;
    this.directory = directory;
    this.survey = new DeviceScan(directory, settings.regionCount(), settings.regionBytes());
    this.scan = new SharedScan(survey, settings.regionCount());
    this.written = head.trail();
    this.onWork = onWork;
    this.heads = new DeferredHeads(DeferredHeads.CAPACITY, this::takeUp);
    this.cursor = cursor;
    this.purges = purges;
    this.tombstones = tombstones;
    this.usage = usage;
    this.isIndexed = isIndexed;
    this.dead = new Tombstones(settings.knownTombstones(), keyHash);
  }

  /** How much of it is done; about, for other threads ask. */
  double fraction() {
    double scanned = scan.fraction();
    int regions = plan.length;
    if (isIndexed || regions == 0) {
      return scanned / 2;
    }
    double toDo = dead.share() * (1 - (double) step / regions);
    return Math.clamp(0.5 + (dead.end() - toDo) / 2, 0.5, 1);
  }

  /** Takes up a piece; false if all of it has been. */
  boolean step() throws IOException {
    if (!isScanned) {
      scanOn();
      return true;
    }
    if (isIndexed) {
      return false;
    }
    if (step == order.size()) {
      heads.flush();
      step = 0;
      ahead.set(0);
      hasSlices = true;
      log.trail(RecentRegions.of(order));
      return !order.isEmpty() && dead.nextShare();
    }
    int at = step;
    if (take(at)) {
      step = at + 1;
      if (at % WAKE_STEPS == 0) {
        onWork.run();
      }
    }
    return true;
  }

  private void scanOn() throws IOException {
    if (scan.step(directory)) {
      return;
    }
    if (!scan.isDone()) {
      // The readers have the last pieces.
      LockSupport.parkNanos(this, SCAN_PAUSE_NANOS);
      return;
    }
    List<WrittenExtent> found = survey.regions(written);
    log.adopt(found);
    order = found;
    plan = found.toArray(new WrittenExtent[0]);
    isScanned = true;
    if (found.isEmpty() && written.last().region() >= 0) {
      loseAll();
    }
  }

  /**
   * Does something of it on the thread of a reader that nobody asks for anything: reads a piece of
   * the scan, or brings a directory into page cache before the writer comes to it.
   *
   * @param buffer the reader's
   * @return false if there is nothing to do now
   */
  boolean help(ByteBuffer buffer) throws IOException {
    if (!scan.isDone()) {
      ByteBuffer page =
          buffer.clear().slice(0, DirectoryPage.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
      return scan.step(new DeviceDirectory(file, head, settings.regionBytes(), page));
    }
    WrittenExtent[] regions = plan;
    int at = step;
    int next = ahead.get();
    int wanted = Math.max(next, at + 1);
    if (isIndexed
        || !file.mayReadCached()
        || wanted >= regions.length
        || wanted > at + MAX_AHEAD
        || !ahead.compareAndSet(next, wanted + 1)) {
      return false;
    }
    WrittenExtent region = regions[wanted];
    int most = buffer.capacity() / DirectoryPage.LENGTH;
    for (int page = 0; page < region.pages(); page += most) {
      int count = Math.min(most, region.pages() - page);
      file.read(
          buffer.clear().limit(count * DirectoryPage.LENGTH),
          DirectoryReader.at(region.region(), settings.regionBytes(), page, count));
    }
    return true;
  }

  /**
   * Reads the directory of a region: its tombstones, which tell what else of it is dead, then its
   * slices and heads; false if it and those behind it do not count.
   */
  private boolean take(int at) throws IOException {
    WrittenExtent known = order.get(at);
    int region = known.region();
    int generation = known.generation();
    DirectoryReader pages = reader();
    pages.begin();
    DeviceDirectory.Reading reading =
        pages.forEach(region, generation, known.pages(), this::takeTombstone);
    if (reading.knownTombstonePages() < known.tombstonePages()) {
      discardFrom(at);
      return false;
    }
    int[] counts = new int[StorageClasses.COUNT];
    DeviceDirectory.Reading ignored =
        pages.forEach(
            region,
            generation,
            known.pages(),
            one -> {
              DeviceClassRecount.count(one, counts);
              takeRecord(one, region, generation);
            });
    usage.found(region, counts);
    if (at == 0 && reading.pages() > known.pages()) {
      // Written after the header was: what has lasted so far must last from here on.
      WrittenExtent found =
          new WrittenExtent(
              region, generation, known.age(), reading.pages(), reading.tombstonePages());
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
    tombstones.lose();
  }

  private DirectoryReader reader() {
    DirectoryReader known = reader;
    if (known == null) {
      known = new DirectoryReader(file, head, settings.regionBytes());
      reader = known;
    }
    return known;
  }

  private void takeTombstone(PageEntry one) {
    if (one.isTombstone()) {
      dead.add(one.keyHigh(), one.keyLow(), one.birth());
    }
  }

  /**
   * Takes up a record whose turn it is: slices in the first reading, heads in that of their key.
   */
  private void takeRecord(PageEntry one, int region, int generation) {
    boolean isSlice = one.kind() == RecordHeader.KIND_SLICE;
    boolean isKnown = dead.isOf(one.keyHigh(), one.keyLow());
    // A dead slice of which that is not known yet does no harm: no head will name its object, or
    // one does of which it is a part.
    boolean isItsTurn = isSlice ? !hasSlices : isKnown;
    if (one.isTombstone()
        || !isItsTurn
        || !isPlausible(one)
        || (isKnown && dead.covers(one.keyHigh(), one.keyLow(), one.birth()))
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
