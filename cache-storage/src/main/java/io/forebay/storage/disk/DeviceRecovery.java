package io.forebay.storage.disk;

import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up what one device holds, while records are served from it. First the head of every
 * directory, by which it knows what must be there (see {@link DeviceScan}), then, unless the index
 * knows all of it already, the directories, once for each {@link RecoveryShare} of the keys.
 *
 * <pre>
 *   writer    page 0 of every region ─► directory of the youngest ─► ... ─► of the oldest region
 *                      ▲                  tombstones, slices, heads of the first share
 *   readers   some of these pages         ▲ the same of the other shares, behind the writer
 *                                         └ what the writer reads next, into page cache
 * </pre>
 *
 * <p>The order makes one reading enough: a tombstone lies in the region of what it kills, behind
 * it, or in a younger one, so all tombstones of a record are known before the record is. Heads of
 * bodies in slices wait for slices in older regions ({@link DeferredHeads}).
 *
 * <p>The writer's, but for {@link #help} and {@link #fraction}. It also takes up what the readers
 * leave, which have requests to serve.
 */
final class DeviceRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRecovery.class);

  /** How many directories may be brought into page cache ahead of the writer. */
  private static final int MAX_AHEAD = 64;

  /** So many regions the writer goes on before it does what the readers have not done. */
  private static final int MAX_LAG = 16;

  /** So often the readers are told that the writer has come further. */
  private static final int WAKE_STEPS = MAX_LAG / 4;

  private static final long PAUSE_NANOS = 100_000;

  private final DeviceSettings settings;
  private final int number;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final ObjectIndex index;
  private final Purges purges;
  private final PendingTombstones tombstones;
  private final DeviceStorageClassUsage usage;
  private final KeyHash keyHash;
  private final boolean isIndexed;
  private final IntSupplier shareCount;
  private final DeviceScan survey;
  private final SharedScan scan;
  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final RecentRegions written;
  private final Runnable onWork;
  private @Nullable DirectoryReader reader;
  private boolean isScanned;

  private volatile RecoveryPlan plan = RecoveryPlan.NONE;

  /** Of the keys; empty as long as it is not known what there is to be taken up. */
  private volatile List<RecoveryShare> shares = List.of();

  /** The first region that no reader has looked at ahead of the writer. */
  private final AtomicInteger ahead = new AtomicInteger();

  /**
   * @param isIndexed whether the index knows all that is there
   * @param shareCount into how many shares the keys are divided; asked once, later
   * @param onWork has the readers look for something to do
   */
  DeviceRecovery(
      DeviceSettings settings,
      int number,
      BlockFile file,
      DeviceHeaderPages head,
      DeviceLog log,
      DeviceDirectory directory,
      ObjectIndex index,
      Purges purges,
      PendingTombstones tombstones,
      KeyHash keyHash,
      DeviceStorageClassUsage usage,
      boolean isIndexed,
      IntSupplier shareCount,
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
    this.index = index;
    this.purges = purges;
    this.tombstones = tombstones;
    this.usage = usage;
    this.keyHash = keyHash;
    this.isIndexed = isIndexed;
    this.shareCount = shareCount;
  }

  /** How much of it is done; about, for other threads ask. */
  double fraction() {
    double scanned = scan.fraction();
    List<RecoveryShare> all = shares;
    double sum = 0;
    for (RecoveryShare share : all) {
      sum += share.fraction();
    }
    return all.isEmpty() ? scanned / 2 : 0.5 + sum / all.size() / 2;
  }

  /** Ends it unfinished: the device is emptied. A reader may take up one more record. */
  void abandon() {
    plan.abandon();
  }

  // --- the writer

  /** Takes up a piece; false if all of it has been. */
  boolean step() throws IOException {
    if (!isScanned) {
      scanOn();
      return true;
    }
    if (shares.isEmpty()) {
      return false;
    }
    RecoveryShare first = shares.getFirst();
    boolean isAhead = false;
    for (RecoveryShare share : shares) {
      isAhead |= !share.isDone() && first.step() - share.step() > MAX_LAG;
    }
    if ((!isAhead && lead(first)) || advanceAny(reader()) || lead(first)) {
      return true;
    }
    if (shares.stream().allMatch(RecoveryShare::isDone)) {
      return false;
    }
    // The readers have the last pieces.
    LockSupport.parkNanos(this, PAUSE_NANOS);
    return true;
  }

  private void scanOn() throws IOException {
    if (scan.step(directory)) {
      return;
    }
    if (!scan.isDone()) {
      // The readers have the last pieces.
      LockSupport.parkNanos(this, PAUSE_NANOS);
      return;
    }
    List<WrittenExtent> found = survey.regions(written);
    log.adopt(found);
    isScanned = true;
    if (found.isEmpty() && written.last().region() >= 0) {
      loseAll();
    }
    if (!isIndexed) {
      divide(found);
    }
  }

  private void divide(List<WrittenExtent> found) {
    int count = shareCount.getAsInt();
    RecoveryPlan known = new RecoveryPlan(found, count);
    List<RecoveryShare> made = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      RecoveryShare share =
          new RecoveryShare(
              n,
              count,
              settings,
              number,
              log,
              index.blockingCursor(),
              purges,
              tombstones,
              keyHash,
              known);
      made.add(share);
    }
    plan = known;
    shares = List.copyOf(made);
  }

  /** Goes on with the first share; false if it is done, or has to wait for the others. */
  private boolean lead(RecoveryShare first) throws IOException {
    int at = first.step();
    if (first.isDone() || at < plan.verified()) {
      return first.advance(reader());
    }
    if (at == plan.end()) {
      log.trail(RecentRegions.of(plan.regions()));
      return first.advance(reader());
    }
    if (verify(at, first)) {
      first.takeRecords(plan.region(at), reader());
      if (at % WAKE_STEPS == 0) {
        onWork.run();
      }
    }
    return true;
  }

  /**
   * Reads the tombstones of a region, which tell what else of it is dead; false if it and those
   * behind it do not count.
   */
  private boolean verify(int at, RecoveryShare first) throws IOException {
    WrittenExtent known = plan.region(at);
    DirectoryReader pages = reader();
    pages.begin();
    int[] counts = new int[StorageClasses.COUNT];
    DeviceDirectory.Reading reading =
        pages.forEach(
            known.region(),
            known.generation(),
            known.pages(),
            one -> {
              DeviceStorageClassRecount.count(one, counts);
              first.takeTombstone(one);
            });
    if (reading.knownTombstonePages() < known.tombstonePages()) {
      discardFrom(at);
      return false;
    }
    usage.found(known.region(), counts);
    WrittenExtent found = known;
    if (at == 0 && reading.pages() > known.pages()) {
      // Written after the header was: what has lasted so far must last from here on.
      found =
          new WrittenExtent(
              known.region(),
              known.generation(),
              known.age(),
              reading.pages(),
              reading.tombstonePages());
      log.reach(found);
    }
    plan.verify(found, reading.tombstonePages() > 0);
    return true;
  }

  /**
   * Tombstones are lost with both of their copies. What they killed lies in their region or in an
   * older one and can't be told from what is alive.
   */
  private void discardFrom(int at) throws IOException {
    List<WrittenExtent> all = plan.regions();
    List<WrittenExtent> lost = all.subList(at, all.size());
    // A region that was trimmed was free, and so is all that is older.
    boolean isTrimmed = at > 0 && directory.isBlank(all.get(at).region());
    if (!isTrimmed) {
      LOG.warn(
          "disk {}: tombstones in region {} are damaged: this region and the {} older ones are"
              + " emptied",
          settings.name(),
          all.get(at).region(),
          lost.size() - 1);
    }
    lost.forEach(one -> log.discard(one.region()));
    plan.cut(at);
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
      known = reader(ByteBuffer.allocateDirect(DirectoryReader.BYTES));
      reader = known;
    }
    return known;
  }

  // --- any thread

  private DirectoryReader reader(ByteBuffer buffer) {
    return new DirectoryReader(file, head, settings.regionBytes(), buffer);
  }

  /** Goes on with a share that nobody else has, but the first; false if there is none. */
  private boolean advanceAny(DirectoryReader by) throws IOException {
    List<RecoveryShare> all = shares;
    for (int n = 1; n < all.size(); n++) {
      RecoveryShare share = all.get(n);
      if (share.isDone() || !share.claim()) {
        continue;
      }
      try {
        if (share.advance(by)) {
          return true;
        }
      } finally {
        share.release();
      }
    }
    return false;
  }

  /**
   * Does something of it on the thread of a reader that nobody asks for anything: reads a piece of
   * the scan, takes up a region's records of a share, or brings a directory into page cache before
   * the writer comes to it.
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
    return advanceAny(reader(buffer)) || readAhead(buffer);
  }

  private boolean readAhead(ByteBuffer buffer) throws IOException {
    RecoveryPlan known = plan;
    int at = known.verified();
    int next = ahead.get();
    int wanted = Math.max(next, at + 1);
    if (!file.mayReadCached()
        || wanted >= known.end()
        || wanted > at + MAX_AHEAD
        || !ahead.compareAndSet(next, wanted + 1)) {
      return false;
    }
    WrittenExtent region = known.region(wanted);
    int most = buffer.capacity() / DirectoryPage.LENGTH;
    for (int page = 0; page < region.pages(); page += most) {
      int count = Math.min(most, region.pages() - page);
      file.read(
          buffer.clear().limit(count * DirectoryPage.LENGTH),
          DirectoryReader.at(region.region(), settings.regionBytes(), page, count));
    }
    return true;
  }
}
