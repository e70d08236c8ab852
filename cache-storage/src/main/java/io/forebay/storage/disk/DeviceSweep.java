package io.forebay.storage.disk;

import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes what purges have killed out of the index and buries it on one device, so that the purges
 * themselves may be forgotten: tombstones are on the device before that is said. The writer's, but
 * for what is wanted.
 */
final class DeviceSweep {
  private static final int HEADS_A_STEP = 32;

  private final int regionCount;
  private final int regionBytes;
  private final BlockFile file;
  private final DeviceHead head;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final DeviceHealth health;
  private final Graves graves;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final Promoter promoter;
  private final LongSupplier clockMillis;
  private final AtomicLong wanted = new AtomicLong(-1);
  private final ByteBuffer buffer = DeviceRecords.buffer();
  private @Nullable Pass pass;
  private volatile long through;

  DeviceSweep(
      DeviceSettings settings,
      DeviceHead head,
      DeviceLog log,
      DeviceDirectory directory,
      BlockFile file,
      DeviceHealth health,
      Graves graves,
      ObjectIndex.Cursor cursor,
      DiskTier.Host host) {
    this.regionCount = settings.regionCount();
    this.regionBytes = settings.regionBytes();
    this.file = file;
    this.head = head;
    this.log = log;
    this.directory = directory;
    this.health = health;
    this.graves = graves;
    this.cursor = cursor;
    this.purges = host.purges();
    this.promoter = host.promoter();
    this.clockMillis = host.clockMillis();
  }

  /** Nothing that a purge up to there has killed is on the device. Any thread. */
  long through() {
    return through;
  }

  /** What the device says of itself as it is opened. */
  void startAt(long sequence) {
    pass = null;
    through = sequence;
  }

  /** Has dead records of purges up to a sequence removed. Any thread. */
  void want(long sequence) {
    wanted.accumulateAndGet(sequence, Math::max);
  }

  /** Does a piece of what is wanted; false if there is nothing, or not enough room for it. */
  boolean next() throws IOException {
    long target = wanted.get();
    if (target <= through) {
      return false;
    }
    Pass running = pass;
    if (running == null || running.target != target) {
      // What came before the sweep of memory was over is to be seen by this one.
      if (!log.handOn()) {
        return true;
      }
      running = new Pass(target);
      pass = running;
    }
    if (running.step()) {
      return true;
    }
    do {
      log.flush();
      while (log.writeNext()) {
        Thread.onSpinWait();
      }
    } while (!graves.isEmpty() && health.isOnline() && log.hasRoom());
    if (!graves.isEmpty() || graves.hasLost()) {
      // What died could not be noted, so the purge must not be forgotten.
      return false;
    }
    head.state(target, clockMillis.getAsLong(), false);
    through = target;
    pass = null;
    return true;
  }

  /**
   * One pass over all that stands on the device, a piece at a time, so that writes go on between.
   * Scopes are told by the directories; for predicates the heads they may apply to are read. What
   * is written meanwhile need not be looked at: memory was swept before, and what is copied forward
   * is asked as it is.
   */
  private final class Pass {
    private final long target;
    private final ArrayDeque<Found> unread = new ArrayDeque<>();
    private int region;

    Pass(long target) {
      this.target = target;
    }

    /** False once all has been looked at. */
    boolean step() throws IOException {
      if (!unread.isEmpty()) {
        for (int n = 0; n < HEADS_A_STEP && !unread.isEmpty(); n++) {
          // Left in line until it was read: after an error it is read again.
          read(unread.element());
          unread.remove();
        }
        return true;
      }
      if (region == regionCount) {
        return false;
      }
      // As it stands on the device, whatever it counts as here: that is what a start finds.
      ByteBuffer first = directory.page(region, 0);
      if (first != null) {
        int generation = first.getInt(DirectoryPage.GENERATION_OFFSET);
        directory.forEach(region, generation, one -> look(one, generation));
      }
      region++;
      return true;
    }

    private void look(PageEntry one, int generation) {
      if (one.isTombstone() || one.kind() == RecordHeader.KIND_SLICE) {
        return;
      }
      int fate = purges.check(one.words(), one.birth(), one.bodyBirth());
      Found found = Found.of(one, region, generation);
      if (fate != Purges.ALIVE) {
        if (remove(found, fate)) {
          purges.count(one.words(), one.birth(), one.bodyBirth(), fate, one.totalBytes());
        }
      } else if (one.kind() == RecordHeader.KIND_OBJECT
          && purges.wantsTexts(one.words(), one.birth(), one.bodyBirth())) {
        unread.add(found);
      }
    }

    private void read(Found one) throws IOException {
      if (one.length() <= 0
          || one.length() > buffer.capacity()
          || one.offset() < 0
          || one.offset() + (long) one.length() > regionBytes) {
        return;
      }
      file.read(
          buffer.clear().limit(one.length()),
          DeviceDirectory.base(one.region(), regionBytes) + one.offset());
      MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
      if (!RecordHeader.isRecord(record, 0, one.generation(), one.length())
          || !RecordHeader.isIntact(record, 0)) {
        // Written over meanwhile, or damaged: it can't be served by any start.
        return;
      }
      int fate = purges.check(record, 0);
      if (fate != Purges.ALIVE && remove(one, fate)) {
        purges.count(record, 0, fate);
      }
    }
  }

  /** A head that a pass has found in a directory. */
  private record Found(
      long high, long low, int region, int generation, int offset, int length, long birth) {
    static Found of(PageEntry one, int region, int generation) {
      return new Found(
          one.keyHigh(),
          one.keyLow(),
          region,
          generation,
          one.offset(),
          one.recordLength(),
          one.birth());
    }
  }

  /** Buries what a purge matches; true if this was all that the index knew of it. */
  private boolean remove(Found one, int fate) {
    boolean isDead = fate == Purges.DEAD;
    boolean[] isLast = new boolean[1];
    // Buried whether the index names it or not: at another start it may be found again.
    graves.bury(one.high(), one.low(), one.birth());
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              if (!isPresent
                  || !value.isOnDiskAt(
                      head.number(), one.region(), one.generation(), one.offset())) {
                return ObjectIndex.Verdict.KEEP;
              }
              // What is only stale leaves, too: a record on a disk can't be marked as such.
              value.leaveDisk();
              isLast[0] = isDead || !value.isInMemory();
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
    return isLast[0];
  }
}
