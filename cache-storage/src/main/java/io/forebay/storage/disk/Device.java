package io.forebay.storage.disk;

import io.forebay.storage.endurance.WriteBudget;
import io.forebay.storage.endurance.WriteHistory;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.IndexedDisk;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.transit.TransitBuffer;
import io.forebay.storage.transit.TransitPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One device: a log of regions that are written from end to end and reused in the order in which
 * they were opened. Its parts:
 *
 * <pre>
 *  DeviceLog                batches, regions, tombstones           who offers, the writer
 *  WriteShedding            what is left out when that is too much who offers
 *  DeviceReadQueue          records on their way into memory       loops ask, the readers load
 *  DeviceRecovery           taking up what an earlier life left    the writer, the readers
 *  DeviceCheckpoint         what an earlier life left, all at once who opens and closes it
 *  DeviceReclaimer          winning regions back                   the writer
 *  DeviceStorageClassUsage  what storage classes take              any thread
 *  DeviceStorageClassShares their quotas and floors                any thread, the writer
 *  RegionHolds              regions that responses depend on       loops, the writer
 *  DeviceSweeper            what purges have killed                the writer
 *  DeviceEvacuator          moving all it holds elsewhere          the writer
 *  DeviceScrubber           reading what nobody asks for           the writer
 *  DiskIndex                names of what only this device has     any thread, under the key's lock
 *  DeviceHealth             its state, errors, slowness            any thread, without locks
 *  WriteHistory             how much was written, in the header    any thread, the writer
 * </pre>
 *
 * <p>Whatever goes wrong with the device costs what is on it and nothing else: reads become misses,
 * writes are dropped, and after too many errors it is fenced and left alone.
 */
final class Device {
  private static final Logger LOG = LoggerFactory.getLogger(Device.class);

  /** How long a load may wait in line: this part of what counts as slow for one operation. */
  private static final int PATIENCE_SHARE = 4;

  /** Tombstones wait so long at most to be forced, while others come. */
  private static final long NOTE_MILLIS = 5_000;

  /** Which of its records a device uses when it is opened. */
  enum Opening {
    /** Nothing. */
    EMPTY,
    /** What its directories name. */
    COLD,
    /** The same, and the table of its names if that is whole. */
    WARM
  }

  private final DeviceSettings settings;
  private final DeviceFile handle;
  private final TimedFile file;
  private final DeviceHeaderPages head;
  private final WriteHistoryPages written;
  private final WriteBudget budget;
  private final WriteShedding shedding;
  private final byte[] storeIdentity;
  private final Purges purges;
  private final LongSupplier clockMillis;
  private final Runnable onWork;
  private final DeviceCounters counters = new DeviceCounters();
  private final PendingTombstones tombstones;
  private final DeviceHealth health;
  private final DeviceLog log;
  private final DeviceRecords records;
  private final TransitPool transit;
  private final DeviceReadQueue loads;
  private final DiskIndex names;
  private final RegionHolds holds;
  private final DeviceReclaimer reclaim;
  private final DeviceSweeper sweep;
  private final DeviceScrubber scrub;
  private final DeviceEvacuator evacuation;
  private final DeviceStorageClassUsage usage;
  private final DeviceStorageClassShares shares;
  private final DeviceStorageClassRecount recount;
  private final RegionTrim trim;
  private final DeviceCheckpoint checkpoint;
  private volatile @Nullable DeviceRecovery recovery;

  /** When the header was written for tombstones last. The writer's. */
  private long notedMillis;

  /** Held by the writer at each piece of its work, and by who brings the device back. */
  private final ReentrantLock working = new ReentrantLock();

  Device(
      DeviceSettings settings,
      DeviceFile handle,
      int number,
      DiskTier.Host host,
      Devices devices,
      Opening opening,
      DeviceThreads.Wakeup bell)
      throws IOException {
    this.settings = settings;
    this.onWork = bell::ring;
    this.storeIdentity = host.purges().identity();
    this.purges = host.purges();
    this.clockMillis = host.clockMillis();
    this.health = new DeviceHealth(settings, clockMillis, this::onLeft);
    this.handle = handle;
    this.tombstones = new PendingTombstones(settings.waitingTombstones());
    WriteHistory history = new WriteHistory(clockMillis);
    this.file = new TimedFile(handle, health, tombstones, history);
    this.head = new DeviceHeaderPages(file);
    this.written = new WriteHistoryPages(file, history, clockMillis);
    this.budget = new WriteBudget(settings.endurance(), history);
    this.shedding = new WriteShedding((long) settings.buffers() * settings.bufferBytes());
    this.trim = new RegionTrim(settings, file);
    this.usage = new DeviceStorageClassUsage(settings.regionCount());
    this.log =
        new DeviceLog(
            settings,
            file,
            head,
            health,
            counters,
            tombstones,
            new Random(),
            onWork,
            usage,
            host.classes()::isAnyOnDisks);
    this.records =
        new DeviceRecords(settings.regionBytes(), file, head, log, health, counters, host.index());
    this.transit =
        new TransitPool(settings.name(), settings.transitBytes(), DeviceSettings.MAX_RECORD);
    this.loads =
        new DeviceReadQueue(
            records,
            health,
            counters,
            host.promoter(),
            purges,
            transit,
            new RepeatedReads(host.memoryBytes()),
            bell::ringReader,
            clockMillis,
            settings.slowMillis() / PATIENCE_SHARE);
    this.names =
        host.index()
            .open(
                number,
                settings.regionBytes(),
                settings.regionCount(),
                host.indexEntries(settings.bytes()),
                new Owner());
    ObjectIndex.Cursor cursor = host.index().blockingCursor();
    DeviceDirectory directory = new DeviceDirectory(file, head, settings.regionBytes());
    written.read();
    boolean isKnown =
        opening != Opening.EMPTY
            && head.read(storeIdentity, settings.regionBytes(), settings.regionCount())
            && head.number() == number;
    int use = isKnown ? head.use() : DeviceHeader.IN_USE;
    if (isKnown && use != DeviceHeader.EVACUATED && head.sweptThrough() < purges.retiredThrough()) {
      LOG.info("disk {} missed purges: it opens empty", settings.name());
      isKnown = false;
    }
    log.adoptsWhole(isKnown && head.isClean());
    this.holds = new RegionHolds(settings.regionCount(), clockMillis);
    RegionContents contents = new RegionContents(number, log, directory, cursor, host);
    this.shares =
        new DeviceStorageClassShares(
            settings, host.classes(), usage, log, () -> DeviceReclaimer.isShortOfNames(names));
    this.recount = new DeviceStorageClassRecount(log, directory, usage, host.classes());
    this.reclaim =
        new DeviceReclaimer(
            log, holds, contents, shares, records, tombstones, cursor, names, trim, counters);
    this.sweep =
        new DeviceSweeper(
            settings, head, log, directory, file, health, counters, tombstones, cursor, host);
    this.evacuation =
        new DeviceEvacuator(
            log,
            holds,
            contents,
            records,
            tombstones,
            cursor,
            host,
            devices,
            trim,
            new RateLimit(settings.evacuateBytesPerSecond(), clockMillis));
    Random random = new Random();
    this.scrub =
        new DeviceScrubber(
            settings,
            head,
            log,
            directory,
            records,
            file,
            loads,
            health,
            cursor,
            clockMillis,
            random.nextInt(settings.regionCount()));
    this.checkpoint =
        new DeviceCheckpoint(
            settings,
            number,
            storeIdentity,
            head,
            log,
            names,
            cursor,
            tombstones,
            purges,
            host.classes());
    if (use == DeviceHeader.EVACUATED) {
      startEvacuated();
      return;
    }
    if (isKnown) {
      sweep.startAt(head.sweptThrough());
      boolean isIndexed = opening == Opening.WARM && head.isClean() && names.isLoaded();
      if (!isIndexed) {
        names.clear();
      }
      // With other things in memory, what a table names may have been replaced there.
      boolean isRestored =
          head.isClean()
              && (isIndexed || host.isMemoryEmpty())
              && checkpoint.restore(isIndexed) == DeviceCheckpoint.Restored.ALL;
      if (isRestored) {
        onRecovered();
      } else {
        recovery =
            new DeviceRecovery(
                settings,
                number,
                file,
                head,
                log,
                directory,
                host.index(),
                purges,
                tombstones,
                host.index().hash(),
                usage,
                isIndexed,
                () -> host.recoveryShares(devices.all().size(), settings.readers()),
                onWork);
      }
    } else {
      format(number);
      if (use == DeviceHeader.EVACUATING) {
        boolean ignored = health.evacuate();
        head.use(use);
      }
    }
    written.write();
    head.state(head.sweptThrough(), clockMillis.getAsLong(), false, head.trail());
    checkpoint.discard();
  }

  /** What the table of its names asks the device. */
  private final class Owner implements IndexedDisk {
    @Override
    public int generation(int region) {
      return log.generation(region);
    }

    @Override
    public void addTombstone(long high, long low, long birth) {
      tombstones.addTombstone(high, low, birth);
    }

    @Override
    public void audit() {
      tombstones.audit();
      onWork.run();
    }
  }

  /** An evacuated device is out of service; its file is not kept open, so that it can be pulled. */
  private void startEvacuated() throws IOException {
    LOG.info(
        "disk {} was evacuated: it is out of service until it is brought online or replaced",
        settings.name());
    sweep.startAt(head.sweptThrough());
    log.reset();
    names.clear();
    health.startEvacuated();
    file.close();
  }

  private void format(int number) throws IOException {
    head.use(DeviceHeader.IN_USE);
    clear(number);
    health.online();
  }

  private void clear(int number) throws IOException {
    DeviceRecovery running = recovery;
    if (running != null) {
      running.abandon();
    }
    head.format(
        storeIdentity,
        number,
        settings.regionBytes(),
        settings.regionCount(),
        purges.retiredThrough(),
        clockMillis.getAsLong());
    sweep.startAt(head.sweptThrough());
    log.reset();
    names.clear();
    tombstones.clear();
    recovery = null;
    trim.allFreed();
  }

  String name() {
    return settings.name();
  }

  int number() {
    return head.number();
  }

  DeviceSettings settings() {
    return settings;
  }

  boolean isOnline() {
    return health.isOnline();
  }

  boolean isEvacuating() {
    return health.isEvacuating();
  }

  /**
   * Whether it takes a record without another one having to leave it soon, or has less of the class
   * than its floor.
   */
  boolean hasSpaceFor(int storageClass) {
    return health.isOnline() && (!log.isFull() || shares.isBelowFloor(storageClass));
  }

  /** Whether what is on it counts. */
  boolean isInUse() {
    return health.isInUse();
  }

  boolean isRecovered() {
    return health.state() != DeviceHealth.State.RECOVERING;
  }

  double recovered() {
    DeviceRecovery running = recovery;
    return running == null ? 1 : running.fraction();
  }

  // --- any thread, without locks
  // ------------------------------------------------------------------

  /** Whether a place still means what it meant. */
  boolean isReadable(int region, int generation) {
    return records.isReadable(region, generation);
  }

  /** Has copies of a key that were born up to then stay dead. */
  void addTombstone(long high, long low, long birth) {
    tombstones.addTombstone(high, low, birth);
  }

  /**
   * Reads a record: into memory if it is a head without its body, if a waiter needs it there or if
   * it is read again, else into a transit buffer. False if too much is asked of the device already.
   *
   * @param waiter told, on some thread, when the read is over
   */
  boolean read(long high, long low, IndexValue value, DiskWaiter waiter) {
    boolean isQueued = loads.queue(high, low, value, waiter);
    loads.start();
    return isQueued;
  }

  /** The same, but no reader is told: {@link #startReads} has to follow soon. */
  boolean queue(long high, long low, IndexValue value, DiskWaiter waiter) {
    return loads.queue(high, low, value, waiter);
  }

  /** Has the readers look what was queued. */
  void startReads() {
    loads.start();
  }

  boolean mayReadAhead() {
    return loads.mayReadAhead();
  }

  /**
   * Reads a record that page cache holds, on the thread that asks and without waiting for anything:
   * held once by the caller; null if it has to be {@link #read}.
   */
  @Nullable TransitBuffer readCached(long high, long low, IndexValue value) {
    return health.isInUse() ? loads.readCached(high, low, value) : null;
  }

  /** A record whose region is not reused for a while; null if that is not possible. */
  @Nullable HeldRecord hold(long high, long low, IndexValue value) {
    int region = value.diskRegion();
    if (!health.isInUse() || !isReadable(region, value.diskGeneration()) || !holds.hold(region)) {
      return null;
    }
    if (!isReadable(region, value.diskGeneration())) {
      holds.release(region);
      return null;
    }
    return new HeldRecord(this, high, low, value);
  }

  void release(int region) {
    holds.release(region);
  }

  // --- readers
  // ------------------------------------------------------------------------------------

  /** Does one read; false if none is queued. */
  boolean loadNext(ByteBuffer buffer) {
    return loads.next(buffer);
  }

  /** Helps the writer to take up what is there; false if there is nothing to do. */
  boolean helpRecovery(ByteBuffer buffer) {
    DeviceRecovery running = recovery;
    if (running == null || !health.isInUse()) {
      return false;
    }
    try {
      return running.help(buffer);
    } catch (IOException e) {
      health.onError("reading", e);
      return false;
    }
  }

  // --- the reclaim thread
  // -------------------------------------------------------------------------

  /**
   * Takes a record that lies in memory; from the return on it can be loaded again. Refused is what
   * is not for a disk, beyond what may be written a day, or of an object that is left out because
   * the device cannot write all.
   */
  OfferResult offer(
      MemorySegment memory,
      long record,
      int length,
      int storageClass,
      boolean isRequestedAgain,
      OfferFallback fallback,
      DiskLocation into) {
    int entryLength = DirectoryPages.entryLength(memory, record);
    boolean isFor =
        health.isOnline()
            && length <= Math.min(DeviceSettings.MAX_RECORD, settings.bufferBytes())
            && entryLength >= 0
            && budget.admits(isRequestedAgain)
            && shares.admits(storageClass, length);
    if (!isFor) {
      return OfferResult.REFUSED;
    }
    if (shedding.isOn() && fallback != OfferFallback.KEEP_AT_STOP) {
      if (log.hasAmpleRoom()) {
        shedding.hadRoom(length);
      }
      if (!shedding.admits(DirectoryPages.objectId(memory, record), isRequestedAgain)) {
        if (fallback != OfferFallback.KEEP) {
          counters.dropped.incrementAndGet();
        }
        return OfferResult.REFUSED;
      }
    }
    if (log.offer(memory, record, length, entryLength, storageClass, into)) {
      return OfferResult.TAKEN;
    }
    if (fallback == OfferFallback.DROP) {
      counters.dropped.incrementAndGet();
      shedding.lost(length);
    }
    return OfferResult.NO_ROOM;
  }

  /** Whether objects are left out because the device cannot write all that it is offered. */
  boolean isShedding() {
    return health.isOnline() && shedding.isOn();
  }

  /** Whether an offer would find a buffer now. */
  boolean hasRoom() {
    return health.isOnline() && log.hasRoom();
  }

  /** Whether at least half of the buffers are free. */
  boolean hasAmpleRoom() {
    return health.isOnline() && log.hasAmpleRoom();
  }

  boolean isIdle() {
    return log.isIdle();
  }

  /** Whether something has been taken that is not full enough to be written. */
  boolean isFilling() {
    return log.isFilling();
  }

  // --- a thread that counts for a dry run
  // ---------------------------------------------------------

  int generation(int region) {
    return log.generation(region);
  }

  int pages(int region, int generation) {
    return log.pages(region, generation);
  }

  /** A view of its directories for one thread. */
  DeviceDirectory directory() {
    return new DeviceDirectory(file, head, settings.regionBytes());
  }

  DeviceRecords records() {
    return records;
  }

  /** Has everything offered so far written soon. */
  void flush() {
    log.flush();
  }

  /** Has dead records of purges up to a sequence removed; see {@link #sweptThrough}. */
  void sweep(long through) {
    sweep.want(through);
    onWork.run();
  }

  long sweptThrough() {
    return sweep.through();
  }

  /** Looks after a device that does not answer, or too slowly for all who ask. */
  void checkPace() {
    health.checkPace();
    loads.expire();
  }

  // --- the writer
  // ---------------------------------------------------------------------------------

  /** Does a piece of the writer's work; false if there was none. */
  boolean work() {
    if (!health.isInUse() || !working.tryLock()) {
      return false;
    }
    try {
      if (tombstones.hasLost()) {
        LOG.warn("disk {} lost tombstones: it is emptied", settings.name());
        empty();
        return true;
      }
      DeviceRecovery running = recovery;
      if (running != null) {
        if (!running.step()) {
          onRecovered();
        }
        return true;
      }
      noteUse();
      boolean isBusy =
          log.writeNext()
              || (health.isEvacuating() ? evacuateNext() : reclaim.next(settings.regionBytes()));
      if (!health.isInUse()) {
        return true;
      }
      // Whatever the sweep does: it waits for room for tombstones, and so do those it has no
      // tombstones for.
      isBusy |= log.writeNextTombstones();
      noteTombstones();
      written.note();
      transit.trimIdle(clockMillis.getAsLong());
      // However much is written, a sweep goes on: purges wait for it.
      return sweep.next() || isBusy || recount.next() || scrub.next();
    } catch (IOException e) {
      health.onError("writing", e);
      return true;
    } finally {
      working.unlock();
    }
  }

  /** Has tombstones last, and be missed if they are damaged, soon after they were written. */
  private void noteTombstones() throws IOException {
    long now = clockMillis.getAsLong();
    WrittenExtent written = log.trail().last();
    WrittenExtent noted = head.trail().last();
    boolean isNoted =
        written.generation() == noted.generation()
            && written.tombstonePages() == noted.tombstonePages();
    if (!isNoted && Math.abs(now - notedMillis) >= NOTE_MILLIS) {
      notedMillis = now;
      head.state(sweptThrough(), now, false, log.trail());
    }
  }

  /** Has the device know, over a restart, that it is being evacuated, or that it is no more. */
  private void noteUse() throws IOException {
    int use = health.isEvacuating() ? DeviceHeader.EVACUATING : DeviceHeader.IN_USE;
    if (use == DeviceHeader.IN_USE) {
      evacuation.cancel();
    }
    if (head.use() != use) {
      head.use(use);
      head.state(sweptThrough(), clockMillis.getAsLong(), false, log.trail());
    }
  }

  private boolean evacuateNext() throws IOException {
    if (evacuation.next()) {
      return true;
    }
    if (!evacuation.isDone() || !health.evacuated()) {
      return false;
    }
    evacuation.cancel();
    boolean isDone = false;
    try {
      head.use(DeviceHeader.EVACUATED);
      clear(head.number());
      written.write();
      file.force();
      file.close();
      isDone = true;
    } finally {
      if (!isDone) {
        health.broke("because it cannot be emptied");
      }
    }
    LOG.info("disk {} is evacuated: it holds nothing and can be pulled", settings.name());
    return true;
  }

  private void onRecovered() {
    // Out of service meanwhile: it stays unfinished, and opens empty when it is brought back.
    if (health.recovered()) {
      recovery = null;
      if (head.use() == DeviceHeader.EVACUATING) {
        boolean ignored = health.evacuate();
      }
      LOG.info(
          "disk {} is ready: {} regions, {} of them free",
          settings.name(),
          settings.regionCount(),
          log.freeRegionCount());
    }
  }

  // --- administration
  // -----------------------------------------------------------------------------

  /** Stops using the device; false if it was not in use. */
  boolean offline() {
    return health.offline();
  }

  /**
   * Takes no more records and moves what it holds elsewhere, until it is empty.
   *
   * @throws IllegalStateException if it is not in use, or is still recovering
   */
  void evacuate() {
    if (!health.evacuate() && health.state() != DeviceHealth.State.EVACUATED) {
      throw new IllegalStateException(
          "disk "
              + settings.name()
              + " is "
              + stateName()
              + ": only a disk that is online can be evacuated");
    }
    onWork.run();
  }

  /**
   * Takes records again; what has moved stays where it is.
   *
   * @throws IllegalStateException if it is not being evacuated
   */
  void cancelEvacuation() {
    if (!health.cancelEvacuation()) {
      throw new IllegalStateException(
          "disk "
              + settings.name()
              + " is "
              + stateName()
              + ": it is not being evacuated"
              + (health.state() == DeviceHealth.State.EVACUATED
                  ? " any more; bring it online instead"
                  : ""));
    }
    onWork.run();
  }

  String stateName() {
    return health.state().name().toLowerCase(Locale.ROOT);
  }

  private void onLeft() {
    loads.failAll();
  }

  /**
   * Uses the device again as it was left; it opens empty if it may have missed too much. Its file
   * is opened anew, for the device may have been away.
   */
  void online() throws IOException {
    takeOver();
    try {
      if (health.isInUse()) {
        boolean ignored = health.cancelEvacuation();
        return;
      }
      boolean isKept = handle.reopen();
      written.reopened();
      boolean isWhole =
          isKept
              && head.isStillThere()
              && recovery == null
              && !tombstones.hasLost()
              && sweptThrough() >= purges.retiredThrough();
      if (isWhole) {
        head.use(DeviceHeader.IN_USE);
        head.state(sweptThrough(), clockMillis.getAsLong(), false, log.trail());
        health.online();
        LOG.info("disk {} is online", settings.name());
      } else {
        LOG.info("disk {} missed changes while it was offline: it opens empty", settings.name());
        format(head.number());
        LOG.info("disk {} is online and empty", settings.name());
      }
    } finally {
      working.unlock();
    }
    onWork.run();
  }

  /** Whether it holds nothing and its file is closed. */
  boolean isEvacuated() {
    return health.state() == DeviceHealth.State.EVACUATED;
  }

  /** Empties the device, and makes its file anew if that is gone. */
  void reinit() throws IOException {
    takeOver();
    try {
      health.prepare();
      handle.recreate();
      written.reopened();
      format(head.number());
      LOG.info("disk {} is online and empty", settings.name());
    } finally {
      working.unlock();
    }
    onWork.run();
  }

  private void empty() throws IOException {
    health.prepare();
    boolean done = false;
    try {
      format(head.number());
      done = true;
    } finally {
      if (!done) {
        health.broke("because it cannot be emptied");
      }
    }
  }

  /**
   * Takes the writer's place: one that is stuck in the device must not come back into new work. And
   * a file can't be closed without waiting for whoever is stuck in it.
   */
  private void takeOver() throws IOException {
    boolean isMine;
    try {
      isMine = working.tryLock(settings.slowMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      isMine = false;
    }
    if (isMine && health.isStuck()) {
      working.unlock();
      isMine = false;
    }
    if (!isMine) {
      throw new IOException("an operation on disk " + settings.name() + " has not completed yet");
    }
  }

  /** Begins the checkpoint that {@link #close} ends. The threads that use the device have ended. */
  void beginCheckpoint(BooleanSupplier isOver) {
    // An audit at the end moves records.
    if (health.isOnline() && !sweep.isAuditing()) {
      checkpoint.begin(isOver);
    }
  }

  void addToCheckpoint(long high, long low, IndexValue value) {
    checkpoint.add(high, low, value);
  }

  void abandonCheckpoint() {
    checkpoint.abandon();
  }

  /** Writes what waits and marks the device as whole. The threads that use it have ended. */
  void close(boolean isClean) {
    try {
      if (isClean && health.isWritable()) {
        log.flush();
        boolean more = true;
        while (more && health.isWritable()) {
          more = log.writeNext() || log.writeNextTombstones();
        }
        // What is dead and has no tombstone is marked now: the next start would not know it.
        more = true;
        while (more && sweep.isAuditing() && health.isWritable()) {
          checkpoint.abandon();
          more = work();
        }
        if (health.isWritable()) {
          written.write();
          boolean isWhole = !tombstones.hasLost() && !sweep.isAuditing();
          if (isWhole) {
            checkpoint.end();
          }
          head.state(sweptThrough(), clockMillis.getAsLong(), isWhole, log.trail());
        }
      }
      checkpoint.abandon();
      loads.failAll();
      transit.trim();
      file.close();
    } catch (IOException e) {
      LOG.warn("disk {}: closing failed: {}", settings.name(), e.toString());
    }
  }

  /** Regions freed because the index was full. */
  long reclaimedForIndex() {
    return counters.reclaimedForIndex.get();
  }

  /** Bytes that the records of a storage class take. */
  long classBytes(int storageClass) {
    return usage.bytes(storageClass);
  }

  /** Records of a storage class that were refused because of its quota. */
  long classRefused(int storageClass) {
    return shares.refused(storageClass);
  }

  /** A share of it, in bytes. */
  long share(int percent) {
    return shares.share(percent);
  }

  DiskStats stats() {
    return new DiskStats(
        name(),
        stateName(),
        recovered(),
        settings.bytes(),
        settings.regionBytes(),
        settings.regionCount(),
        log.freeRegionCount(),
        counters.reads.get(),
        counters.readBytes.get(),
        counters.cachedReads.get(),
        transit.usedBytes(),
        transit.allocatedBytes(),
        transit.hugeBytes(),
        transit.exhausted(),
        counters.writes.get(),
        counters.writtenBytes.get(),
        counters.dropped.get(),
        counters.refused.get(),
        loads.count(),
        health.errors(),
        counters.checksumFailures.get(),
        counters.reclaimed.get(),
        names.count(),
        names.capacity(),
        names.usedBytes(),
        names.refused(),
        names.collisions(),
        scrub.stats(),
        budget.stats(settings.bytes()),
        evacuation.stats(health.isEvacuating()),
        trim.bytes());
  }
}
