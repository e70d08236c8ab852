package io.forebay.storage.disk;

import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Takes what purges have killed out of the index and buries it on one device, so that the purges
 * themselves may be forgotten: tombstones are on the device before that is said. The writer's, but
 * for what is wanted.
 */
final class DeviceSweep {
  private final int regionCount;
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
  private volatile long through;

  DeviceSweep(
      int regionCount,
      DeviceHead head,
      DeviceLog log,
      DeviceDirectory directory,
      DeviceHealth health,
      Graves graves,
      ObjectIndex.Cursor cursor,
      DiskTier.Host host) {
    this.regionCount = regionCount;
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
    through = sequence;
  }

  /** Has dead records of purges up to a sequence removed. Any thread. */
  void want(long sequence) {
    wanted.accumulateAndGet(sequence, Math::max);
  }

  /** Does what is wanted, all of it; false if there is nothing, or not enough room for it. */
  boolean next() throws IOException {
    long target = wanted.get();
    if (target <= through) {
      return false;
    }
    if (!log.handOn()) {
      return true;
    }
    for (int region = 0; region < regionCount; region++) {
      // As it stands on the device, whatever it counts as here: that is what a start finds.
      ByteBuffer first = directory.page(region, 0);
      if (first != null) {
        int swept = region;
        int generation = first.getInt(DirectoryPage.GENERATION_OFFSET);
        directory.forEach(region, generation, one -> sweep(one, swept, generation));
      }
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
    graves.bury(one.keyHigh(), one.keyLow(), one.birth());
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
}
