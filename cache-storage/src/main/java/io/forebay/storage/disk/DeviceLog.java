package io.forebay.storage.disk;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The write side of one device: regions that are filled one after the other, and batches on their
 * way to them.
 *
 * <pre>
 *  offer ──► batch ──► waiting ──writer──► file
 *            (copied under the lock, readable from there on)
 * </pre>
 *
 * The lock guards batches and the states of regions, and is held for memory operations only. No
 * event loop takes it: what loops call reads one word.
 */
final class DeviceLog {
  private volatile boolean adoptsWhole;

  /** Kept ready, so that the next region can be opened while one is being freed. */
  private static final int FREE_TARGET = 2;

  private static final int TOMBSTONES_A_BATCH = 4096;
  private static final int SAVED_TRAIL_BYTES = 3 * DirectoryPage.REACH_LENGTH;

  private final DeviceSettings settings;
  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final DeviceRegions regions;
  private final DeviceHealth health;
  private final DeviceCounters counters;
  private final PendingTombstones tombstones;
  private final Runnable onWork;
  private final DeviceStorageClassUsage usage;
  private final BooleanSupplier isKeeping;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final ArrayDeque<WriteBatch> freeBatches = new ArrayDeque<>();
  private final ArrayDeque<WriteBatch> waiting = new ArrayDeque<>();
  private @Nullable WriteBatch batch;
  private @Nullable WriteBatch writing;
  private int openRegion = -1;
  private int openEnd;
  private int openPages;

  /** Batches that went to the writer, and those of them that were written or dropped. */
  private long handedOn;

  private long done;

  /** What has been written, for the pages that come after it. The writer's. */
  private RecentRegions trail = RecentRegions.NONE;

  /**
   * @param isKeeping whether much of a region may be written once more before it is freed: then a
   *     region is kept ready for that
   */
  DeviceLog(
      DeviceSettings settings,
      BlockFile file,
      DeviceHeaderPages head,
      DeviceHealth health,
      DeviceCounters counters,
      PendingTombstones tombstones,
      Random random,
      Runnable onWork,
      DeviceStorageClassUsage usage,
      BooleanSupplier isKeeping) {
    this.settings = settings;
    this.file = file;
    this.head = head;
    this.health = health;
    this.counters = counters;
    this.tombstones = tombstones;
    this.onWork = onWork;
    this.usage = usage;
    this.isKeeping = isKeeping;
    this.regions = new DeviceRegions(settings.regionCount(), random);
    for (int n = 0; n < settings.buffers(); n++) {
      freeBatches.add(new WriteBatch(settings.bufferBytes()));
    }
  }

  // --- any thread
  // ---------------------------------------------------------------------------------

  boolean isReadable(int region, int generation) {
    return regions.isReadable(region, generation);
  }

  int generation(int region) {
    return regions.generation(region);
  }

  /** Copies a record that has not been written yet; false if it has. */
  boolean copyWaiting(DiskLocation place, ByteBuffer into) {
    lock.lock();
    try {
      if (copy(batch, place, into) || copy(writing, place, into)) {
        return true;
      }
      for (WriteBatch one : waiting) {
        if (copy(one, place, into)) {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing of a part of a region waits to be written. */
  boolean isWritten(int region, int from, int to) {
    lock.lock();
    try {
      return !overlaps(batch, region, from, to)
          && !overlaps(writing, region, from, to)
          && waiting.stream().noneMatch(one -> overlaps(one, region, from, to));
    } finally {
      lock.unlock();
    }
  }

  private static boolean overlaps(@Nullable WriteBatch batch, int region, int from, int to) {
    return batch != null && batch.region() == region && from < batch.end() && batch.start() < to;
  }

  private static boolean copy(@Nullable WriteBatch from, DiskLocation place, ByteBuffer into) {
    if (from == null || !from.holds(place.region, place.offset, place.length)) {
      return false;
    }
    from.copy(place.offset, into);
    return true;
  }

  /** Whether an offer would find a buffer now. */
  boolean hasRoom() {
    lock.lock();
    try {
      return (batch != null || !freeBatches.isEmpty())
          && (openRegion >= 0 || regions.freeCount() > reserved());
    } finally {
      lock.unlock();
    }
  }

  /** Regions that only copies of records of a region that is being freed may open. */
  private int reserved() {
    return isKeeping.getAsBoolean() ? 1 : 0;
  }

  /** So many regions are to be free, so that the next ones can be opened while one is freed. */
  int freeTarget() {
    return FREE_TARGET + reserved();
  }

  /** Whether what comes has others leave. */
  boolean isFull() {
    return freeRegionCount() <= freeTarget();
  }

  /** Whether at least half of the buffers are free. */
  boolean hasAmpleRoom() {
    lock.lock();
    try {
      return freeBatches.size() >= settings.buffers() / 2
          && (openRegion >= 0 || regions.freeCount() > reserved());
    } finally {
      lock.unlock();
    }
  }

  boolean isIdle() {
    lock.lock();
    try {
      return waiting.isEmpty() && writing == null;
    } finally {
      lock.unlock();
    }
  }

  /** Whether something has come in that is not on its way yet. */
  boolean isFilling() {
    lock.lock();
    try {
      return batch != null && !batch.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  int freeRegionCount() {
    lock.lock();
    try {
      return regions.freeCount();
    } finally {
      lock.unlock();
    }
  }

  // --- records and tombstones come in
  // ---------------------------------------------------------------

  /** Takes a record; false if nothing is free to write it to. */
  boolean offer(
      MemorySegment memory,
      long record,
      int length,
      int entryLength,
      int storageClass,
      DiskLocation into) {
    return offer(memory, record, length, entryLength, storageClass, reserved(), into);
  }

  /** Takes a record of a region that is about to be freed; false if nothing is free for it yet. */
  boolean offerCopy(
      MemorySegment memory, long record, int length, int storageClass, DiskLocation into) {
    int entryLength = DirectoryPages.entryLength(memory, record);
    return offer(memory, record, length, entryLength, storageClass, 0, into);
  }

  private boolean offer(
      MemorySegment memory,
      long record,
      int length,
      int entryLength,
      int storageClass,
      int left,
      DiskLocation into) {
    lock.lock();
    try {
      WriteBatch taking = batchFor(length, entryLength, left);
      if (taking == null) {
        return false;
      }
      into.device = head.number();
      into.region = openRegion;
      into.generation = regions.generation(openRegion);
      into.offset = taking.put(memory, record, length, entryLength, storageClass);
      into.length = length;
      usage.add(openRegion, storageClass, length);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Moves waiting tombstones into a batch; false if none wait, or nothing is free for them. */
  boolean writeNextTombstones() {
    if (tombstones.isEmpty()) {
      return false;
    }
    lock.lock();
    try {
      for (int n = 0; n < TOMBSTONES_A_BATCH; n++) {
        WriteBatch taking = batchFor(0, 0, 0);
        if (taking == null) {
          return false;
        }
        // Taken under the lock only: it is there until then.
        Tombstone next = tombstones.poll();
        if (next == null) {
          break;
        }
        taking.put(next);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Has everything that came in so far written soon. */
  void flush() {
    lock.lock();
    try {
      while (writeNextTombstones()) {
        Thread.onSpinWait();
      }
      passOn();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The batch for a record or, with a length of 0, for a tombstone; null if none is free.
   *
   * @param left so many regions must stay free
   */
  private @Nullable WriteBatch batchFor(int length, int entryLength, int left) {
    if (length > settings.bufferBytes()) {
      return null;
    }
    WriteBatch current = batch;
    if (current != null && current.fits(length) && fitsRegion(current, length, entryLength)) {
      return current;
    }
    passOn();
    if (openRegion >= 0 && !fitsRegionAnew(length)) {
      regions.seal(openRegion);
      openRegion = -1;
    }
    if (openRegion < 0 && !openNext(left)) {
      return null;
    }
    WriteBatch next = freeBatches.poll();
    if (next == null) {
      return null;
    }
    next.begin(
        openRegion, regions.generation(openRegion), regions.age(openRegion), openEnd, openPages);
    batch = next;
    return next;
  }

  private boolean openNext(int left) {
    openRegion = regions.freeCount() > left ? regions.open() : -1;
    openEnd = 0;
    openPages = 0;
    if (openRegion < 0) {
      onWork.run();
    }
    return openRegion >= 0;
  }

  private boolean fitsRegion(WriteBatch current, int length, int entryLength) {
    boolean needsPage = length == 0 ? current.needsTombstonePage() : current.needsPage(entryLength);
    int pages = openPages + current.pageCount() + (needsPage ? pagesFor(length) : 0);
    return current.end()
            + Layouts.roundUp(length, RecordHeader.ALIGNMENT)
            + pages * DirectoryPage.LENGTH
        <= settings.regionBytes();
  }

  private boolean fitsRegionAnew(int length) {
    return openEnd
            + Layouts.roundUp(length, RecordHeader.ALIGNMENT)
            + (openPages + pagesFor(length)) * DirectoryPage.LENGTH
        <= settings.regionBytes();
  }

  private static int pagesFor(int length) {
    return length == 0 ? WriteBatch.COPIES : 1;
  }

  /** The open batch goes to the writer. */
  private void passOn() {
    WriteBatch full = batch;
    if (full == null) {
      return;
    }
    batch = null;
    if (full.isEmpty()) {
      freeBatches.add(full);
      return;
    }
    // The next batch begins on a page of its own, so that no write tears what stands already.
    openEnd = Layouts.roundUp(full.end(), DeviceHeader.PAGE);
    openPages += full.pageCount();
    waiting.add(full);
    handedOn++;
    onWork.run();
  }

  // --- the writer
  // ---------------------------------------------------------------------------------

  /** Hands the open batch on; returns what {@link #isDone} is asked for. */
  long submitBatch() {
    lock.lock();
    try {
      passOn();
      return handedOn;
    } finally {
      lock.unlock();
    }
  }

  /** Whether all that was handed on before {@link #submitBatch} said so is written or dropped. */
  boolean isDone(long ofHandedOn) {
    lock.lock();
    try {
      return done >= ofHandedOn;
    } finally {
      lock.unlock();
    }
  }

  /** Writes the batch that waits longest; false if none does. */
  boolean writeNext() throws IOException {
    WriteBatch next;
    lock.lock();
    try {
      next = waiting.poll();
      writing = next;
    } finally {
      lock.unlock();
    }
    if (next == null) {
      return false;
    }
    boolean isWritten = false;
    try {
      write(next);
      isWritten = true;
    } finally {
      lock.lock();
      try {
        writing = null;
        done++;
        if (!isWritten) {
          // What of it is on the device is anybody's guess: nothing more goes to its region.
          drop(next);
          giveUp(next.region(), next.firstPage() == 0);
        } else {
          freeBatches.add(next);
        }
      } finally {
        lock.unlock();
      }
    }
    health.onWritten();
    return true;
  }

  private void write(WriteBatch next) throws IOException {
    if (next.firstPage() == 0) {
      // Tombstones lie in younger regions than what they kill. So the life before of a region
      // must be gone for good before that of the next one may go.
      file.force();
    }
    boolean isFirst = next.firstPage() == 0;
    RecentRegions after = isFirst ? trail.opened() : trail;
    int tombstonePages = after.last().tombstonePages();
    next.seal(head.device(), tombstonePages, after);
    long base = DeviceDirectory.base(next.region(), settings.regionBytes());
    file.write(next.data(), base + next.start());
    long pagesEnd = base + settings.regionBytes() - (long) next.firstPage() * DirectoryPage.LENGTH;
    file.write(next.pages(), pagesEnd - (long) next.pageCount() * DirectoryPage.LENGTH);
    counters.writes.incrementAndGet();
    counters.writtenBytes.addAndGet(next.length() + (long) next.pageCount() * DirectoryPage.LENGTH);
    RecentRegions written =
        after.written(
            new WrittenExtent(
                next.region(),
                next.generation(),
                next.age(),
                next.firstPage() + next.pageCount(),
                tombstonePages + next.tombstonePageCount()));
    if (isFirst) {
      // Page 0 may be damaged later, and no younger region names this one yet.
      head.state(head.sweptThrough(), head.newestMillis(), false, written);
    }
    trail = written;
    regions.pages(next.region(), written.last().pages());
  }

  /**
   * What stands in a region stays: tombstones among it may be all that keeps something dead. Only
   * one of which nothing was written in this life is free.
   */
  private void giveUp(int region, boolean isUntouched) {
    if (region == openRegion) {
      openRegion = -1;
      WriteBatch open = batch;
      if (open != null) {
        batch = null;
        drop(open);
      }
    }
    // What still waits to go there would be written over what comes there next.
    for (WriteBatch one : List.copyOf(waiting)) {
      if (one.region() == region) {
        waiting.remove(one);
        done++;
        drop(one);
      }
    }
    if (isUntouched) {
      usage.clear(region);
      regions.giveUp(region);
    } else {
      regions.seal(region);
    }
  }

  /** Records of a batch that is not written are lost; tombstones are not. */
  private void drop(WriteBatch lost) {
    lost.forEachTombstone(
        dead -> tombstones.addTombstone(dead.keyHigh(), dead.keyLow(), dead.birth()));
    freeBatches.add(lost);
  }

  /** The sealed region that was opened first, if fewer than so many are free; else -1. */
  int oldestIfShort(int enough) {
    lock.lock();
    try {
      return regions.freeCount() >= enough ? -1 : regions.oldest();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has what comes from here on go to regions of its own.
   *
   * @return the greatest age of the regions that stand now
   */
  long sealAll() {
    lock.lock();
    try {
      passOn();
      if (openRegion >= 0) {
        regions.seal(openRegion);
        openRegion = -1;
      }
      return regions.nextAge() - 1;
    } finally {
      lock.unlock();
    }
  }

  /** The sealed region that was opened first, if it is as old or older; else -1. */
  int oldestUpTo(long age) {
    lock.lock();
    try {
      int oldest = regions.oldest();
      return oldest >= 0 && regions.age(oldest) <= age ? oldest : -1;
    } finally {
      lock.unlock();
    }
  }

  /** How many sealed regions are as old, or older. */
  int countUpTo(long age) {
    lock.lock();
    try {
      return regions.countUpTo(age);
    } finally {
      lock.unlock();
    }
  }

  /** A region may be written over: what names it is out of the index. */
  void release(int region) {
    lock.lock();
    try {
      usage.clear(region);
      regions.free(region);
    } finally {
      lock.unlock();
    }
  }

  // --- opening
  // ------------------------------------------------------------------------------------

  /** Forgets everything: the device is empty. */
  void reset() {
    lock.lock();
    try {
      WriteBatch open = batch;
      batch = null;
      if (open != null) {
        freeBatches.add(open);
      }
      freeBatches.addAll(waiting);
      waiting.clear();
      done = handedOn;
      openRegion = -1;
      trail = RecentRegions.NONE;
      usage.reset();
      regions.reset();
    } finally {
      lock.unlock();
    }
  }

  /** Whether regions that are taken up were written by a store that ended in order. */
  void adoptsWhole(boolean does) {
    adoptsWhole = does;
  }

  /**
   * Whether all that directories name in a region was written to its end: not what a stop of the
   * machine may have cut. Any thread.
   */
  boolean isWhole(int region) {
    return adoptsWhole || regions.isOwn(region);
  }

  /** Takes the regions up as an earlier life left them; nothing is known of all others. */
  void adopt(List<WrittenExtent> youngestFirst) {
    lock.lock();
    try {
      BitSet known = new BitSet();
      usage.reset();
      for (WrittenExtent one : youngestFirst) {
        regions.adopt(one);
        usage.adopt(one.region());
        known.set(one.region());
      }
      for (int region = 0; region < settings.regionCount(); region++) {
        if (!known.get(region)) {
          regions.adoptFree(region);
        }
      }
    } finally {
      lock.unlock();
    }
    trail = RecentRegions.of(youngestFirst);
  }

  /**
   * What {@link #restore} takes up: the regions as they are. Nothing is being written.
   *
   * @param hasClasses whether to save what the classes take, too
   */
  ByteBuffer save(boolean hasClasses) {
    lock.lock();
    try {
      ByteBuffer taken = hasClasses ? usage.save() : ByteBuffer.allocate(0);
      ByteBuffer into =
          ByteBuffer.allocate(SAVED_TRAIL_BYTES + regions.savedBytes() + taken.remaining())
              .order(ByteOrder.LITTLE_ENDIAN);
      trail.last().write(into, 0);
      trail.before().write(into, DirectoryPage.REACH_LENGTH);
      trail.beforeThat().write(into, 2 * DirectoryPage.REACH_LENGTH);
      regions.write(into.position(SAVED_TRAIL_BYTES));
      return into.put(taken).flip();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the regions up as {@link #save} left them; false if it can't be that. */
  boolean restore(ByteBuffer from) {
    lock.lock();
    try {
      if (from.remaining() < SAVED_TRAIL_BYTES) {
        return false;
      }
      ByteBuffer rest = from.duplicate().order(from.order()).position(SAVED_TRAIL_BYTES);
      int length = regions.savedBytes(rest);
      if (length < 0 || !regions.read(part(rest, length))) {
        return false;
      }
      for (int region = 0; region < settings.regionCount(); region++) {
        if (regions.isReadable(region, regions.generation(region))) {
          usage.adopt(region);
        }
      }
      rest.position(rest.position() + length);
      usage.read(rest);
    } finally {
      lock.unlock();
    }
    trail =
        new RecentRegions(
            WrittenExtent.read(from, 0),
            WrittenExtent.read(from, DirectoryPage.REACH_LENGTH),
            WrittenExtent.read(from, 2 * DirectoryPage.REACH_LENGTH));
    return true;
  }

  private static ByteBuffer part(ByteBuffer of, int length) {
    return of.slice(of.position(), length).order(of.order());
  }

  /** A region that was taken up holds nothing that may be used. */
  void discard(int region) {
    lock.lock();
    try {
      usage.clear(region);
      regions.adoptFree(region);
    } finally {
      lock.unlock();
    }
  }

  /** What must be there of a region that was taken up. */
  void reach(WrittenExtent known) {
    regions.pages(known.region(), known.pages());
  }

  /** What was written last. */
  RecentRegions trail() {
    return trail;
  }

  /** What was written last, in an earlier life. */
  void trail(RecentRegions found) {
    trail = found;
  }

  /** How many pages of a region's directory must be there if it is in that life. Any thread. */
  int pages(int region, int generation) {
    int pages = regions.pages(region);
    return regions.generation(region) == generation ? pages : 0;
  }
}
