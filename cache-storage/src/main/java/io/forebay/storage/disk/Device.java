package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.Words;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One device: a log of regions that are written from end to end and reused in the order in which
 * they were opened.
 *
 * <pre>
 *  offer ──► batch ──► waiting ──writer──► file            load ──► queue ──reader──► memory tier
 *            (copied under the lock, readable from there on)
 * </pre>
 *
 * <p>The reclaim thread offers records; this device's writer writes batches, frees regions and
 * sweeps; its readers load. The lock guards batches and the states of regions, and is held for
 * memory operations only. No event loop takes it: what loops call is lock-free.
 *
 * <p>Whatever goes wrong with the device costs what is on it and nothing else: reads become misses,
 * writes are dropped, and after too many errors it is fenced and left alone.
 */
final class Device {
  private static final Logger LOG = LoggerFactory.getLogger(Device.class);

  /** Kept ready, so that the next region can be opened while one is being freed. */
  private static final int FREE_TARGET = 2;

  private static final int MOST_LOADS = 4096;
  private static final int MOST_TOMBSTONES = 1 << 18;
  private static final int TOMBSTONES_A_BATCH = 4096;

  /** After so many pages that are not whole the rest of a directory is taken for empty. */
  private static final int TORN_PAGES = 4;

  private static final int COPY_SHARE = 4;

  /** What this device is good for at the moment. */
  enum State {
    RECOVERING,
    ONLINE,
    OFFLINE,
    FENCED
  }

  private final DeviceSettings settings;
  private final BlockFile file;
  private final DeviceHead head;
  private final byte[] storeIdentity;
  private final ObjectIndex index;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final Promoter promoter;
  private final LongSupplier clockMillis;
  private final Random random;
  private final DeviceRegions regions;
  private final Runnable onWork;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final ArrayDeque<Batch> freeBatches = new ArrayDeque<>();
  private final ArrayDeque<Batch> waiting = new ArrayDeque<>();
  private final ArrayDeque<Integer> freeRegions = new ArrayDeque<>();
  private @Nullable Batch batch;
  private @Nullable Batch writing;
  private int openRegion = -1;
  private int openEnd;
  private int openPages;
  private long nextAge = 1;

  private final ConcurrentLinkedQueue<Tombstone> tombstones = new ConcurrentLinkedQueue<>();
  private final AtomicInteger tombstoneCount = new AtomicInteger();
  private final ConcurrentLinkedQueue<Load> loads = new ConcurrentLinkedQueue<>();
  private final AtomicInteger loadCount = new AtomicInteger();
  private final ConcurrentHashMap<LoadKey, Load> underWay = new ConcurrentHashMap<>();

  // The writer's.
  private final PageEntry entry = new PageEntry();
  private final ByteBuffer copyBuffer = readBuffer();
  private @Nullable Recovery recovery;
  private long sweepWanted = -1;
  private volatile long sweptThrough;
  private volatile State state = State.RECOVERING;
  private volatile boolean lostTombstones;

  final AtomicLong reads = new AtomicLong();
  final AtomicLong readBytes = new AtomicLong();
  final AtomicLong writes = new AtomicLong();
  final AtomicLong writtenBytes = new AtomicLong();
  final AtomicLong dropped = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong errors = new AtomicLong();
  final AtomicLong checksumFailures = new AtomicLong();
  final AtomicLong reclaimed = new AtomicLong();
  private final AtomicInteger recentErrors = new AtomicInteger();

  /** Of each thread that waits for the device, since when. */
  private final ConcurrentHashMap<Thread, Long> operations = new ConcurrentHashMap<>();

  private record LoadKey(long high, long low) {}

  Device(
      DeviceSettings settings,
      BlockFile file,
      int number,
      DiskTier.Host host,
      boolean isIndexWarm,
      Runnable onWork)
      throws IOException {
    this.settings = settings;
    this.file = file;
    this.onWork = onWork;
    this.storeIdentity = host.purges().identity();
    this.index = host.index();
    this.cursor = index.patientCursor();
    this.purges = host.purges();
    this.promoter = host.promoter();
    this.clockMillis = host.clockMillis();
    this.random = new Random();
    this.head = new DeviceHead(file);
    this.regions = new DeviceRegions(settings.regionCount());
    for (int n = 0; n < settings.buffers(); n++) {
      freeBatches.add(new Batch(settings.bufferBytes()));
    }
    boolean isKnown =
        head.read(storeIdentity, settings.regionBytes(), settings.regionCount())
            && head.number() == number;
    if (isKnown && head.sweptThrough() < purges.retiredThrough()) {
      LOG.info("disk {} was away during purges: it opens empty", settings.name());
      isKnown = false;
    }
    if (isKnown) {
      boolean isWarm = isIndexWarm && head.isClean();
      sweptThrough = head.sweptThrough();
      recovery = new Recovery(isWarm);
    } else {
      format(number);
    }
    head.state(head.sweptThrough(), clockMillis.getAsLong(), false);
  }

  private void format(int number) throws IOException {
    head.format(
        storeIdentity,
        number,
        settings.regionBytes(),
        settings.regionCount(),
        purges.retiredThrough(),
        clockMillis.getAsLong());
    sweptThrough = head.sweptThrough();
    lock.lock();
    try {
      freeRegions.clear();
      openRegion = -1;
      for (int region = 0; region < regions.count(); region++) {
        // Not the generation of anything the index may still name here.
        regions.set(region, random.nextInt(), DeviceRegions.FREE, 0);
        freeRegions.add(region);
      }
      lostTombstones = false;
      recovery = null;
      state = State.ONLINE;
    } finally {
      lock.unlock();
    }
  }

  String name() {
    return settings.name();
  }

  int number() {
    return head.number();
  }

  State state() {
    return state;
  }

  DeviceSettings settings() {
    return settings;
  }

  boolean isRecovered() {
    return state != State.RECOVERING;
  }

  double recovered() {
    Recovery running = recovery;
    return running == null ? 1 : running.fraction();
  }

  // --- any thread, without locks
  // ------------------------------------------------------------------

  /** Whether a place still means what it meant. */
  boolean isReadable(int region, int generation) {
    State now = state;
    return (now == State.ONLINE || now == State.RECOVERING)
        && region < regions.count()
        && regions.isReadable(region, generation);
  }

  /** Has copies of a key that were born up to then stay dead. */
  void bury(long high, long low, long birth) {
    if (tombstoneCount.incrementAndGet() > MOST_TOMBSTONES) {
      tombstoneCount.decrementAndGet();
      lostTombstones = true;
      return;
    }
    tombstones.add(new Tombstone(high, low, birth));
  }

  /**
   * Brings a record into memory; {@code waiter} is told, on some thread, when it is there or can't
   * be had. False if too much is asked of the device already.
   */
  boolean load(long high, long low, IndexValue value, Runnable waiter) {
    LoadKey key = new LoadKey(high, low);
    Load running = underWay.get(key);
    if (running == null) {
      if (loadCount.incrementAndGet() > MOST_LOADS) {
        loadCount.decrementAndGet();
        refused.incrementAndGet();
        return false;
      }
      Load own = new Load(high, low, value.birth(), value.objectId());
      own.place.device = value.diskDevice();
      own.place.region = value.diskRegion();
      own.place.generation = value.diskGeneration();
      own.place.offset = value.diskOffset();
      own.place.length = value.length();
      running = underWay.putIfAbsent(key, own);
      if (running == null) {
        own.join(waiter);
        loads.add(own);
        onWork.run();
        return true;
      }
      loadCount.decrementAndGet();
    }
    running.join(waiter);
    return true;
  }

  int queuedLoads() {
    return loadCount.get();
  }

  // --- readers
  // ------------------------------------------------------------------------------------

  /** One reader's buffer. */
  static ByteBuffer readBuffer() {
    return ByteBuffer.allocateDirect(DeviceSettings.LARGEST_RECORD).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Does one load; false if none is queued. */
  boolean loadNext(ByteBuffer buffer) {
    Load load = loads.poll();
    if (load == null) {
      return false;
    }
    try {
      if (read(load.place, buffer) && isIt(load, MemorySegment.ofBuffer(buffer.clear()))) {
        if (promoter.promote(load, MemorySegment.ofBuffer(buffer.clear())) == Promoter.Result.DEAD
            && forget(load)) {
          bury(load.high, load.low, load.birth);
        }
      } else if (state != State.OFFLINE && state != State.FENCED) {
        boolean ignored = forget(load);
      }
    } finally {
      over(load);
    }
    return true;
  }

  private void over(Load load) {
    if (underWay.remove(new LoadKey(load.high, load.low), load)) {
      loadCount.decrementAndGet();
    }
    load.complete();
  }

  /** Reads a record to the buffer's start; false if it is not to be had. */
  private boolean read(Place place, ByteBuffer buffer) {
    if (place.length > buffer.capacity() || !isReadable(place.region, place.generation)) {
      return false;
    }
    ByteBuffer into = buffer.clear().limit(place.length);
    if (!copyWaiting(place, into)) {
      begin();
      try {
        file.read(into, at(place.region) + place.offset);
        reads.incrementAndGet();
        readBytes.addAndGet(place.length);
      } catch (IOException e) {
        onError("reading", e);
        return false;
      } finally {
        end();
      }
    }
    // It may have been freed, and even written over, meanwhile.
    return isReadable(place.region, place.generation);
  }

  private boolean copyWaiting(Place place, ByteBuffer into) {
    lock.lock();
    try {
      Batch open = batch;
      if (open != null && open.holds(place.region, place.offset, place.length)) {
        open.copy(place.offset, into);
        return true;
      }
      Batch current = writing;
      if (current != null && current.holds(place.region, place.offset, place.length)) {
        current.copy(place.offset, into);
        return true;
      }
      for (Batch one : waiting) {
        if (one.holds(place.region, place.offset, place.length)) {
          one.copy(place.offset, into);
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  private boolean isIt(Load load, MemorySegment record) {
    Place place = load.place;
    if (RecordHeader.isRecord(record, 0, place.generation, place.length)
        && record.get(Words.INT, RecordHeader.LENGTH_OFFSET) == place.length
        && RecordHeader.isIntact(record, 0)) {
      return Pages.objectId(record, 0) == load.objectId && Pages.birth(record, 0) == load.birth;
    }
    checksumFailures.incrementAndGet();
    return false;
  }

  private boolean forget(Load load) {
    Place place = load.place;
    // Cursors belong to a thread, and this is rare enough for one of its own.
    return index
            .patientCursor()
            .update(
                load.high,
                load.low,
                (isPresent, value) -> {
                  if (!isPresent
                      || !value.isOnDiskAt(
                          place.device, place.region, place.generation, place.offset)) {
                    return ObjectIndex.Verdict.KEEP;
                  }
                  value.leaveDisk();
                  return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
                })
        == ObjectIndex.Outcome.DONE;
  }

  // --- the reclaim thread
  // -------------------------------------------------------------------------

  /**
   * Takes a record that lies in memory; from the return on it can be loaded again. False if it has
   * to be dropped: nothing free to write to, or not for a disk.
   */
  boolean offer(MemorySegment memory, long record, int length, Place into) {
    int entryLength = Pages.entryLength(memory, record);
    if (state != State.ONLINE || length > DeviceSettings.LARGEST_RECORD || entryLength < 0) {
      return false;
    }
    lock.lock();
    try {
      Batch taking = batchFor(length, entryLength);
      if (taking == null) {
        dropped.incrementAndGet();
        return false;
      }
      into.device = head.number();
      into.region = openRegion;
      into.generation = regions.generation(openRegion);
      into.offset = taking.put(memory, record, length, entryLength);
      into.length = length;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether an offer would find a buffer now. */
  boolean hasRoom() {
    lock.lock();
    try {
      return state == State.ONLINE
          && (batch != null || !freeBatches.isEmpty())
          && (openRegion >= 0 || !freeRegions.isEmpty());
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

  private @Nullable Batch batchFor(int length, int entryLength) {
    if (length > settings.bufferBytes()) {
      return null;
    }
    Batch current = batch;
    if (current != null && current.fits(length) && fitsRegion(current, length, entryLength)) {
      return current;
    }
    passOn();
    if (openRegion >= 0 && !fitsRegionAnew(length)) {
      regions.state(openRegion, DeviceRegions.SEALED);
      openRegion = -1;
    }
    if (openRegion < 0) {
      Integer next = freeRegions.poll();
      if (next == null) {
        onWork.run();
        return null;
      }
      // Another one before anything in it is overwritten: what named its old life is gone. Drawn
      // and not counted: after a power cut the region may stand as it was a life earlier, and
      // counting would bring pages of the life that was cut off back.
      regions.set(next, random.nextInt(), DeviceRegions.OPEN, nextAge++);
      openRegion = next;
      openEnd = 0;
      openPages = 0;
    }
    Batch next = freeBatches.poll();
    if (next == null) {
      return null;
    }
    next.begin(
        openRegion, regions.generation(openRegion), regions.age(openRegion), openEnd, openPages);
    batch = next;
    return next;
  }

  private boolean fitsRegion(Batch current, int length, int entryLength) {
    int pages = openPages + current.pageCount() + (current.needsPage(entryLength) ? 1 : 0);
    return current.end()
            + Words.roundUp(length, RecordHeader.ALIGNMENT)
            + pages * DirectoryPage.LENGTH
        <= settings.regionBytes();
  }

  private boolean fitsRegionAnew(int length) {
    return openEnd
            + Words.roundUp(length, RecordHeader.ALIGNMENT)
            + (openPages + 1) * DirectoryPage.LENGTH
        <= settings.regionBytes();
  }

  /** The open batch goes to the writer. */
  private void passOn() {
    Batch full = batch;
    if (full == null) {
      return;
    }
    batch = null;
    if (full.isEmpty()) {
      freeBatches.add(full);
      return;
    }
    // The next batch begins on a page of its own, so that no write tears what stands already.
    openEnd = Words.roundUp(full.end(), DeviceHeader.PAGE);
    openPages += full.pageCount();
    full.seal(head.device());
    waiting.add(full);
    onWork.run();
  }

  /** Has everything offered so far written soon. */
  void flush() {
    lock.lock();
    try {
      while (buryNext()) {
        Thread.onSpinWait();
      }
      passOn();
    } finally {
      lock.unlock();
    }
  }

  /** Has dead records of purges up to a sequence removed; see {@link #sweptThrough}. */
  void sweep(long through) {
    lock.lock();
    try {
      sweepWanted = Math.max(sweepWanted, through);
    } finally {
      lock.unlock();
    }
    onWork.run();
  }

  long sweptThrough() {
    return sweptThrough;
  }

  // --- the writer
  // ---------------------------------------------------------------------------------

  /** Does a piece of the writer's work; false if there was none. */
  boolean work() {
    if (state == State.OFFLINE || state == State.FENCED) {
      return false;
    }
    try {
      if (lostTombstones) {
        LOG.warn("disk {} can't keep up with what dies: it is emptied", settings.name());
        reinit();
        return true;
      }
      Recovery running = recovery;
      if (running != null) {
        running.step();
        return true;
      }
      return writeNext() || freeNext() || sweepNext() || buryNext();
    } catch (IOException e) {
      onError("writing", e);
      return true;
    }
  }

  private boolean writeNext() throws IOException {
    Batch next;
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
    begin();
    try {
      if (next.firstPage() == 0) {
        // Tombstones lie in younger regions than what they kill. So the life before of a region
        // must be gone for good before that of the next one may go.
        file.force();
      }
      long base = at(next.region());
      file.write(next.data(), base + next.start());
      ByteBuffer pages = next.pages();
      long pagesAt =
          base
              + settings.regionBytes()
              - (long) (next.firstPage() + next.pageCount()) * DirectoryPage.LENGTH;
      file.write(pages, pagesAt);
      writes.incrementAndGet();
      writtenBytes.addAndGet(next.length() + (long) next.pageCount() * DirectoryPage.LENGTH);
      recentErrors.updateAndGet(n -> Math.max(0, n - 1));
      isWritten = true;
    } finally {
      end();
      lock.lock();
      try {
        writing = null;
        if (!isWritten) {
          // What of it is on the device is anybody's guess: the region is given up as it is.
          giveUp(next.region());
        }
        freeBatches.add(next);
      } finally {
        lock.unlock();
      }
    }
    return true;
  }

  private void giveUp(int region) {
    if (region == openRegion) {
      openRegion = -1;
      Batch open = batch;
      if (open != null) {
        batch = null;
        freeBatches.add(open);
      }
    }
    // What still waits to go there would be written over what comes there next.
    for (Batch one : List.copyOf(waiting)) {
      if (one.region() == region) {
        waiting.remove(one);
        freeBatches.add(one);
      }
    }
    regions.state(region, DeviceRegions.FREE);
    freeRegions.add(region);
  }

  /** Frees the oldest region when too few are free. */
  private boolean freeNext() throws IOException {
    int region;
    lock.lock();
    try {
      if (freeRegions.size() >= FREE_TARGET) {
        return false;
      }
      region = regions.oldest();
    } finally {
      lock.unlock();
    }
    if (region < 0) {
      return false;
    }
    List<Place> kept = new ArrayList<>();
    List<long[]> keys = new ArrayList<>();
    long[] budget = {settings.regionBytes() / COPY_SHARE};
    int generation = regions.generation(region);
    forEachEntry(region, generation, one -> release(one, region, generation, kept, keys, budget));
    for (int n = 0; n < kept.size(); n++) {
      copyForward(keys.get(n), kept.get(n), copyBuffer);
    }
    lock.lock();
    try {
      regions.state(region, DeviceRegions.FREE);
      freeRegions.add(region);
    } finally {
      lock.unlock();
    }
    reclaimed.incrementAndGet();
    return true;
  }

  private void release(
      PageEntry one,
      int region,
      int generation,
      List<Place> kept,
      List<long[]> keys,
      long[] budget) {
    if (one.isTombstone()) {
      return;
    }
    int offset = one.offset();
    int length = one.recordLength();
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.keyHigh(),
            one.keyLow(),
            (isPresent, value) -> {
              if (!isPresent || !value.isOnDiskAt(head.number(), region, generation, offset)) {
                return ObjectIndex.Verdict.KEEP;
              }
              boolean isWanted = (value.flags() & IndexValue.DISK_TOUCHED) != 0;
              if (isWanted && budget[0] >= length) {
                budget[0] -= length;
                Place place = new Place();
                place.device = head.number();
                place.region = region;
                place.generation = generation;
                place.offset = offset;
                place.length = length;
                kept.add(place);
                keys.add(new long[] {one.keyHigh(), one.keyLow()});
                return ObjectIndex.Verdict.KEEP;
              }
              value.leaveDisk();
              return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
            });
  }

  /** Writes a record that was read since it was written once more; else it leaves the disk. */
  private void copyForward(long[] key, Place from, ByteBuffer buffer) {
    Place to = new Place();
    boolean isCopied = false;
    if (read(from, buffer)) {
      MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
      isCopied =
          RecordHeader.isRecord(record, 0, from.generation, from.length)
              && RecordHeader.isIntact(record, 0)
              && offer(record, 0, from.length, to);
    }
    boolean moved = isCopied;
    ObjectIndex.Outcome outcome =
        cursor.update(
            key[0],
            key[1],
            (isPresent, value) -> {
              if (!isPresent
                  || !value.isOnDiskAt(from.device, from.region, from.generation, from.offset)) {
                return ObjectIndex.Verdict.KEEP;
              }
              if (moved) {
                value.disk(to.device, to.region, to.generation, to.offset, to.length);
                return ObjectIndex.Verdict.PUT;
              }
              value.leaveDisk();
              return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
            });
    if (moved && outcome != ObjectIndex.Outcome.DONE) {
      // It died meanwhile, and its copy must not come back at a start.
      MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
      bury(key[0], key[1], Pages.birth(record, 0));
    }
  }

  /**
   * Takes what purges have killed out of the index and buries it, so that the purges themselves may
   * be forgotten: tombstones are on the device before that is said.
   */
  private boolean sweepNext() throws IOException {
    long through;
    lock.lock();
    try {
      through = sweepWanted;
      if (through <= sweptThrough) {
        return false;
      }
      passOn();
      if (!waiting.isEmpty()) {
        return true;
      }
    } finally {
      lock.unlock();
    }
    for (int region = 0; region < regions.count(); region++) {
      // As it stands on the device, whatever it counts as here: that is what a start finds.
      ByteBuffer first = readPage(region, 0);
      if (first != null) {
        int swept = region;
        int generation = first.getInt(DirectoryPage.GENERATION_OFFSET);
        forEachEntry(region, generation, one -> sweep(one, swept, generation));
      }
    }
    do {
      flush();
      while (writeNext()) {
        Thread.onSpinWait();
      }
    } while (!tombstones.isEmpty() && hasRoom());
    if (tombstoneCount.get() > 0 || lostTombstones) {
      // What died could not be noted, so the purge must not be forgotten.
      return false;
    }
    head.state(through, clockMillis.getAsLong(), false);
    sweptThrough = through;
    return true;
  }

  private void sweep(PageEntry one, int region, int generation) {
    if (one.isTombstone() || one.kind() == RecordHeader.KIND_SLICE) {
      return;
    }
    int fate = purges.check(one.words(), one.birth(), one.bodyBirth());
    if (fate == Purges.ALIVE) {
      return;
    }
    boolean isDead = fate == Purges.DEAD;
    int offset = one.offset();
    // Buried whether the index names it or not: at another start it may be found again.
    bury(one.keyHigh(), one.keyLow(), one.birth());
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.keyHigh(),
            one.keyLow(),
            (isPresent, value) -> {
              if (!isPresent || !value.isOnDiskAt(head.number(), region, generation, offset)) {
                return ObjectIndex.Verdict.KEEP;
              }
              // What is only stale leaves, too: a record on a disk can't be marked as such.
              value.leaveDisk();
              if (!value.isInMemory()) {
                return ObjectIndex.Verdict.REMOVE;
              }
              // It may have been brought in after the sweep of memory had passed there.
              if (isDead) {
                promoter.kill(value);
                return ObjectIndex.Verdict.REMOVE;
              }
              promoter.soften(value);
              return ObjectIndex.Verdict.PUT;
            });
  }

  /** Moves waiting tombstones into a batch. */
  private boolean buryNext() {
    if (tombstones.isEmpty()) {
      return false;
    }
    lock.lock();
    try {
      for (int n = 0; n < TOMBSTONES_A_BATCH; n++) {
        Batch taking = batchFor(0, DirectoryPage.ENTRY_LENGTH);
        if (taking == null) {
          return false;
        }
        // Taken under the lock only: it is there until then.
        Tombstone next = tombstones.poll();
        if (next == null) {
          break;
        }
        taking.put(next);
        tombstoneCount.decrementAndGet();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void forEachEntry(int region, int generation, Pages.Visitor visitor) throws IOException {
    int torn = 0;
    int most = settings.regionBytes() / DirectoryPage.LENGTH;
    for (int number = 0; number < most && torn < TORN_PAGES; number++) {
      ByteBuffer page = readPage(region, number);
      if (page == null || page.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn++;
        continue;
      }
      torn = 0;
      Pages.forEach(page, entry, visitor);
    }
  }

  private @Nullable ByteBuffer readPage(int region, int number) throws IOException {
    ByteBuffer page = Pages.begin().clear();
    page.order(ByteOrder.LITTLE_ENDIAN);
    long at = at(region) + settings.regionBytes() - (number + 1L) * DirectoryPage.LENGTH;
    begin();
    try {
      file.read(page, at);
    } finally {
      end();
    }
    page.clear();
    return Pages.isWhole(page, head.device(), number) ? page : null;
  }

  private long at(int region) {
    return DeviceHeader.LENGTH + (long) region * settings.regionBytes();
  }

  // --- faults and administration
  // -------------------------------------------------------------------

  private void begin() {
    operations.put(Thread.currentThread(), clockMillis.getAsLong());
  }

  private void end() {
    Long begun = operations.remove(Thread.currentThread());
    if (begun != null && clockMillis.getAsLong() - begun > settings.slowMillis()) {
      onError("an operation", new IOException("took longer than " + settings.slowMillis() + " ms"));
    }
  }

  /** Fences a device that does not answer at all; whoever waits for it is told. Any thread. */
  void checkPace() {
    long now = clockMillis.getAsLong();
    for (long begun : operations.values()) {
      if (now - begun > 2 * settings.slowMillis()) {
        fence("after " + (now - begun) + " ms without an answer");
        return;
      }
    }
  }

  private void onError(String what, IOException e) {
    errors.incrementAndGet();
    int recent = recentErrors.incrementAndGet();
    LOG.warn("disk {}: {} failed: {}", settings.name(), what, e.toString());
    if (recent >= settings.mostErrors()) {
      fence("after " + recent + " errors");
    }
  }

  /** Leaves the device alone: what is on it counts as missing until an operator says otherwise. */
  void fence(String why) {
    if (leave(State.FENCED)) {
      LOG.error("disk {} is fenced {}: what is on it is missing", settings.name(), why);
    }
  }

  /** Stops using the device; false if it was not in use. */
  boolean offline() {
    boolean done = leave(State.OFFLINE);
    if (done) {
      LOG.info("disk {} is offline: what is on it is missing", settings.name());
    }
    return done;
  }

  private boolean leave(State to) {
    lock.lock();
    try {
      if (state == State.FENCED || state == State.OFFLINE) {
        return false;
      }
      if (state == State.RECOVERING) {
        // What it had not got to is known to nobody: it can only come back by a recovery.
        lostTombstones = true;
      }
      state = to;
    } finally {
      lock.unlock();
    }
    failLoads();
    return true;
  }

  private void failLoads() {
    for (Load load : underWay.values()) {
      over(load);
    }
    loads.clear();
  }

  /** Uses the device again as it was left; it opens empty if it may have missed too much. */
  void online() throws IOException {
    if (state == State.ONLINE || state == State.RECOVERING) {
      return;
    }
    if (lostTombstones || sweptThrough < purges.retiredThrough()) {
      LOG.info("disk {} missed what happened while it was away: it opens empty", settings.name());
      reinit();
      return;
    }
    head.state(sweptThrough, clockMillis.getAsLong(), false);
    recentErrors.set(0);
    state = State.ONLINE;
    LOG.info("disk {} is online", settings.name());
    onWork.run();
  }

  /** Empties the device. */
  void reinit() throws IOException {
    state = State.OFFLINE;
    failLoads();
    recentErrors.set(0);
    tombstones.clear();
    tombstoneCount.set(0);
    lock.lock();
    try {
      Batch open = batch;
      batch = null;
      if (open != null) {
        freeBatches.add(open);
      }
      freeBatches.addAll(waiting);
      waiting.clear();
    } finally {
      lock.unlock();
    }
    format(head.number());
    LOG.info("disk {} is online and empty", settings.name());
    onWork.run();
  }

  /** Writes what waits and marks the device as whole. The threads that use it have ended. */
  void close(boolean isClean) {
    try {
      if (state == State.ONLINE && isClean) {
        flush();
        boolean more = true;
        while (more && state == State.ONLINE) {
          more = writeNext() || buryNext();
        }
        if (state == State.ONLINE) {
          head.state(sweptThrough, clockMillis.getAsLong(), !lostTombstones);
        }
      }
      failLoads();
      file.close();
    } catch (IOException e) {
      LOG.warn("disk {}: closing failed: {}", settings.name(), e.toString());
    }
  }

  int freeRegionCount() {
    lock.lock();
    try {
      return freeRegions.size();
    } finally {
      lock.unlock();
    }
  }

  // --- recovery
  // -----------------------------------------------------------------------------------

  /**
   * Takes up what the device holds, while records are served from it. First the head of every
   * directory, then, unless the index knows all of it already, the directories, youngest first:
   * slices before heads, so that an object that is found has its slices.
   */
  private final class Recovery {
    private final boolean isIndexed;
    private final Tombstones dead = new Tombstones();
    private List<Integer> order = List.of();
    private int nextHead;
    private int step;

    Recovery(boolean isIndexed) {
      this.isIndexed = isIndexed;
    }

    double fraction() {
      double heads = (double) nextHead / regions.count();
      return isIndexed || order.isEmpty() ? heads / 2 : 0.5 + step / (4.0 * order.size());
    }

    void step() throws IOException {
      if (nextHead < regions.count()) {
        takeHead(nextHead++);
        if (nextHead == regions.count()) {
          sort();
        }
        return;
      }
      if (!isIndexed && step < 2 * order.size()) {
        int region = order.get(step % order.size());
        boolean slices = step < order.size();
        int generation = regions.generation(region);
        forEachEntry(region, generation, one -> take(one, region, generation, slices));
        step++;
        return;
      }
      lock.lock();
      try {
        recovery = null;
        state = State.ONLINE;
      } finally {
        lock.unlock();
      }
      LOG.info(
          "disk {} is ready: {} regions, {} of them free",
          settings.name(),
          regions.count(),
          freeRegionCount());
    }

    private void takeHead(int region) throws IOException {
      ByteBuffer first = readPage(region, 0);
      lock.lock();
      try {
        if (first == null) {
          regions.set(region, random.nextInt(), DeviceRegions.FREE, 0);
          freeRegions.add(region);
        } else {
          long age = first.getLong(DirectoryPage.AGE_OFFSET);
          nextAge = Math.max(nextAge, age + 1);
          regions.set(
              region, first.getInt(DirectoryPage.GENERATION_OFFSET), DeviceRegions.SEALED, age);
        }
      } finally {
        lock.unlock();
      }
    }

    private void sort() {
      List<Integer> sealed = new ArrayList<>();
      for (int region = 0; region < regions.count(); region++) {
        if (regions.state(region) == DeviceRegions.SEALED) {
          sealed.add(region);
        }
      }
      sealed.sort((one, other) -> Long.compare(regions.age(other), regions.age(one)));
      order = sealed;
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
                && value.diskDevice() == head.number()
                && regions.isReadable(value.diskRegion(), value.diskGeneration());
        if (!isSame || hasDisk) {
          // What is there was born later, or was found in a younger region.
          if (value.birth() >= one.birth()) {
            if (value.birth() > one.birth()) {
              // Its tombstone was lost with the process, and what replaced it may leave first.
              bury(one.keyHigh(), one.keyLow(), one.birth());
            }
            return ObjectIndex.Verdict.KEEP;
          }
          if (value.isInMemory()) {
            return ObjectIndex.Verdict.KEEP;
          }
        }
      } else {
        value.leaveMemory();
      }
      value.identity(one.kind(), one.birth(), one.objectId());
      value.fate(one.expiresSeconds(), one.word(0), one.word(1));
      value.disk(head.number(), region, generation, one.offset(), one.recordLength());
      return ObjectIndex.Verdict.PUT;
    }
  }
}
