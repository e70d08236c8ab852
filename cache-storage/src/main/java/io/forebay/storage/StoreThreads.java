package io.forebay.storage;

import io.forebay.storage.checkpoint.MirroredRecords;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.evict.DiskDemoter;
import io.forebay.storage.evict.MemoryReclaim;
import io.forebay.storage.evict.MemoryScrubber;
import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.evict.ShadowTuner;
import io.forebay.storage.evict.StorageClassScan;
import io.forebay.storage.evict.Sweeper;
import io.forebay.storage.evict.TierResizer;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.recover.Rebuild;
import io.forebay.storage.recover.StorageClassRecount;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's background work, in small steps: the journal on one thread, and on another, {@code
 * reclaim}, all work on regions: rebuilding the index, reclaiming space, sweeping after purges,
 * copying to disks, tuning. A stepped store has no threads; its owner runs both parts.
 */
final class StoreThreads {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private static final long PAUSE_NANOS = 20_000_000;

  private static final long CLOCK_NOTE_MILLIS = 1_000;

  /** What has to be known of a thread before it exists: whom to wake. */
  static final class Wakeup {
    private volatile @Nullable Thread sleeper;

    void ring() {
      Thread thread = sleeper;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  private final StoreSettings settings;
  private final StoreFiles files;
  private final StoreState core;
  private final MemoryReclaim reclaim;
  private final TierResizer resizer;
  private final Sweeper sweeper;
  private final DiskDemoter demotion;
  private final ShadowTuner shadow;
  private final MemoryScrubber scrub;
  private final List<SampleRing> samples;
  private final Rebuild rebuild;
  private final StorageClassRecount recount;
  private final StorageClassScan classes;
  private final IndexPressure indexPressure;
  private @Nullable Thread reclaimThread;
  private @Nullable Thread journalThread;
  private boolean isSettled;

  /** Whether the next start is told not to use what is in memory. */
  private boolean isSpoiled;

  private long notedMillis;
  private volatile boolean isClosing;

  StoreThreads(
      StoreSettings settings,
      StoreFiles files,
      StoreState core,
      MemoryReclaim reclaim,
      TierResizer resizer,
      Sweeper sweeper,
      DiskDemoter demotion,
      ShadowTuner shadow,
      MemoryScrubber scrub,
      List<SampleRing> samples,
      Rebuild rebuild,
      StorageClassRecount recount,
      StorageClassScan classes) {
    this.settings = settings;
    this.files = files;
    this.core = core;
    this.reclaim = reclaim;
    this.resizer = resizer;
    this.sweeper = sweeper;
    this.demotion = demotion;
    this.shadow = shadow;
    this.scrub = scrub;
    this.samples = samples;
    this.rebuild = rebuild;
    this.recount = recount;
    this.classes = classes;
    this.indexPressure = new IndexPressure(settings, core, reclaim);
  }

  /** Starts the threads, which are to be woken by these. */
  void start(Wakeup reclaimBell, Wakeup journalBell) {
    Thread reclaiming = settings.threads().newThread(this::runReclaim);
    reclaiming.setName("reclaim");
    Thread journal = settings.threads().newThread(this::runJournal);
    journal.setName("journal");
    reclaimBell.sleeper = reclaiming;
    journalBell.sleeper = journal;
    reclaimThread = reclaiming;
    journalThread = journal;
    reclaiming.start();
    journal.start();
  }

  /** Both threads have ended when this returns. */
  void stop() {
    isClosing = true;
    join(reclaimThread);
    join(journalThread);
  }

  /** A piece of it all, on its owner's thread; false if there was nothing to do. */
  boolean step() {
    core.purges.work();
    return workStep();
  }

  private boolean workStep() {
    String loss = core.isLost() ? null : files.loss();
    if (loss != null) {
      core.lose(loss);
    }
    if (core.isLost()) {
      if (!isSpoiled) {
        isSpoiled = true;
        files.discardAtNextStart();
      }
      return false;
    }
    long now = settings.clockMillis().getAsLong();
    if (Math.abs(now - notedMillis) >= CLOCK_NOTE_MILLIS) {
      notedMillis = now;
      files.noteClock(now);
      indexPressure.step(now);
    }
    core.disk.tick(now);
    boolean recounted = recount.step();
    if (core.isIndexComplete() && !isSettled) {
      isSettled = true;
      core.regions.settledAge(TierHeader.ALL_SETTLED);
    }
    if (!core.isRebuilt) {
      boolean renewed = reclaim.renewFree();
      if (reclaim.hasNoneForLanes() && rebuild.dropOldest()) {
        renewed = true;
        boolean ignored = reclaim.renewFree();
      }
      boolean rebuilt = rebuild.step();
      if (rebuild.isDone()) {
        onRebuilt();
      }
      boolean stepped = core.disk.step();
      return rebuilt || renewed || stepped || recounted;
    }
    boolean reclaimed = reclaim.step(now);
    boolean resized = resizer.step(now);
    boolean swept = sweeper.step(now);
    boolean surveyed = classes.step(now);
    boolean copied = demotion.step(now);
    boolean stepped = core.disk.step();
    boolean sampled = shadow.step(samples);
    boolean scrubbed = scrub.step(now);
    return reclaimed || resized || swept || surveyed || copied || stepped || sampled || scrubbed
        || recounted;
  }

  private void onRebuilt() {
    core.isRebuilt = true;
    LOG.info(
        "the index is rebuilt: {} records, {} evicted during the rebuild",
        rebuild.records(),
        rebuild.dropped());
  }

  private void runReclaim() {
    while (!isClosing) {
      try {
        if (!workStep()) {
          LockSupport.parkNanos(this, PAUSE_NANOS);
        }
      } catch (RuntimeException e) {
        // The store goes on serving; without this thread it would silently stop taking anything in.
        LOG.error("reclaim failed and continues", e);
        LockSupport.parkNanos(this, PAUSE_NANOS);
      } catch (InternalError e) {
        // How the JVM tells of a mapped page that can't be read.
        core.lose(String.valueOf(e.getMessage()));
      }
    }
  }

  private void runJournal() {
    while (!isClosing) {
      core.purges.work();
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private static void join(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    boolean wasInterrupted = false;
    LockSupport.unpark(thread);
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is in memory may be gone at the next start; the disks keep it, while there is time. */
  void copyToDisk() {
    DiskTier disk = core.disk;
    if (disk.isEmpty() || core.isLost() || !core.isIndexComplete()) {
      return;
    }
    long begin = System.nanoTime();
    long limitNanos = settings.disks().stopMillis() * 1_000_000;
    while (System.nanoTime() - begin < limitNanos) {
      if (!demotion.stepBeforeEnd()) {
        if (disk.hasRoom() || disk.isIdle()) {
          // All is copied, or no disk takes any more.
          break;
        }
        disk.tick(settings.clockMillis().getAsLong());
        // The writers are behind: they make room, or this takes too long.
        if (!disk.step()) {
          LockSupport.parkNanos(this, PAUSE_NANOS / 20);
        }
      }
    }
    DiskDemoter.Rest rest = demotion.rest();
    long millis = (System.nanoTime() - begin) / 1_000_000;
    if (rest.regions() == 0) {
      LOG.info("objects that were only in memory are on the disks, after {} ms", millis);
    } else {
      LOG.warn(
          "after {} ms {} regions of memory ({} MiB) were not copied to the disks: their objects"
              + " that are not on a disk are lost if memory is lost",
          millis,
          rest.regions(),
          rest.bytes() >> 20);
    }
  }

  /** Has the disks keep what a start needs that finds no memory tier, while there is time. */
  void beginCheckpoints() {
    DiskTier disk = core.disk;
    if (disk.isEmpty() || core.isLost()) {
      return;
    }
    long begin = System.nanoTime();
    long limitNanos = settings.disks().stopMillis() * 1_000_000;
    BooleanSupplier isOver = () -> System.nanoTime() - begin >= limitNanos;
    disk.beginCheckpoints(isOver);
    if (!new MirroredRecords(core.regions, core.index).forEach(disk::addToCheckpoint, isOver)) {
      disk.abandonCheckpoints();
    }
  }
}
