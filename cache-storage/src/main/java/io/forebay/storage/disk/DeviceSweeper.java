package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the work of purges permanent on one device, so that the purges themselves may be forgotten.
 * It takes what they killed out of the index and marks it dead in the directories:
 *
 * <pre>
 *  page 0 of a region, a page that holds tombstones,
 *  a page that can't be written                        a tombstone for each dead entry
 *  any other page                                      the entries are marked, the page is rewritten
 * </pre>
 *
 * A rewrite that a power cut tears costs what the page names: dead entries, and others that become
 * misses. Tombstones must not be lost, for what they kill lies elsewhere, and page 0 says which
 * life its region is in. Nobody else writes a page a second time, and all writes are those of one
 * thread, so a page is the same when it is written as when it was read.
 *
 * <p>What a damaged page named can't be marked, and the index may serve it all the same: then the
 * records of the region are read themselves, and those that a purge has killed leave the index.
 *
 * <p>Tombstones wait for room. What was dropped for lack of room elsewhere is found by an audit: a
 * pass that also marks what the index does not name. Until marks and tombstones are all written and
 * forced, no purge is said to be swept. The writer's, but for what is wanted.
 */
final class DeviceSweeper {
  private static final int HEADS_A_STEP = 32;
  private static final int PAGES_A_STEP = 16;

  /** No more pages than these are at risk when the power fails: 4 MiB. */
  private static final int PAGES_A_FORCE = 1024;

  private final int regionCount;
  private final int regionBytes;
  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final DeviceHealth health;
  private final DeviceCounters counters;
  private final PendingTombstones tombstones;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final Promoter promoter;
  private final LongSupplier clockMillis;
  private final AtomicLong wanted = new AtomicLong(-1);
  private final ByteBuffer buffer = DeviceRecords.buffer();
  private @Nullable Pass pass;
  private volatile long through;

  DeviceSweeper(
      DeviceSettings settings,
      DeviceHeaderPages head,
      DeviceLog log,
      DeviceDirectory directory,
      BlockFile file,
      DeviceHealth health,
      DeviceCounters counters,
      PendingTombstones tombstones,
      ObjectIndex.Cursor cursor,
      DiskTier.Host host) {
    this.regionCount = settings.regionCount();
    this.regionBytes = settings.regionBytes();
    this.file = file;
    this.head = head;
    this.log = log;
    this.directory = directory;
    this.health = health;
    this.counters = counters;
    this.tombstones = tombstones;
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

  /** Whether something on the device is dead that neither a mark nor a tombstone says so of. */
  boolean isAuditing() {
    Pass running = pass;
    return tombstones.isOverflown() || (running != null && running.isAudit);
  }

  /** Does a piece of what is wanted; false if there is nothing, or not enough room for it. */
  boolean next() throws IOException {
    long target = Math.max(wanted.get(), through);
    Pass running = pass;
    if (target == through && !isAuditing()) {
      return false;
    }
    if (running == null || running.target != target) {
      running = begin(target);
      pass = running;
    }
    return switch (running.step()) {
      case MORE -> true;
      case WAITING -> false;
      case DONE -> finish(running);
    };
  }

  private Pass begin(long target) {
    boolean isAudit = isAuditing();
    // Before the pass hands on what has come in: what is dropped from here on is for the next one.
    boolean ignored = tombstones.takeOverflow();
    return new Pass(target, isAudit);
  }

  /** Ends a pass once all that is dead is noted on the device. */
  private boolean finish(Pass done) throws IOException {
    long issued = tombstones.issued();
    log.flush();
    long handedOn = log.submitBatch();
    while (!log.isDone(handedOn) && log.writeNext()) {
      Thread.onSpinWait();
    }
    if (!tombstones.haveLeftQueue(issued) || !log.isDone(handedOn) || tombstones.hasLost()) {
      return false;
    }
    pass = null;
    if (tombstones.isOverflown()) {
      // Some were dropped behind the pass, or its own: another one finds them.
      return true;
    }
    if (done.target > through) {
      // Forces what was written before it says so.
      head.state(done.target, clockMillis.getAsLong(), false, log.trail());
      through = done.target;
    }
    return true;
  }

  /** How a pass stands. */
  private enum Progress {
    MORE,
    /** For room for tombstones. */
    WAITING,
    DONE
  }

  /**
   * One pass over all that stands on the device, a few pages at a time, so that writes go on
   * between. Scopes are told by the directories; for predicates the heads they may apply to are
   * read. What is written meanwhile need not be looked at: memory was swept before, and what is
   * copied forward is asked as it is.
   */
  private final class Pass {
    private final long target;

    /** Whether what the index does not name is dead, too. */
    private final boolean isAudit;

    /** Of the page that is being worked on. */
    private final ArrayDeque<Found> unread = new ArrayDeque<>();

    private final List<Found> dead = new ArrayList<>();
    private boolean isLookedAt;
    private boolean hasTombstones;

    /** What had come in before the pass began: it is to be seen by it. */
    private final long before = log.submitBatch();

    private boolean hasBegun;
    private int region;
    private int generation;

    /** How many pages must be there. */
    private int known;

    private int number;
    private int torn;
    private int unforced;

    /** Whether a page that must be there can't be read: the index may know what it named. */
    private boolean isHoled;

    /** Up to where the records of a region have been read themselves; -1 if they are not. */
    private int scanned = -1;

    Pass(long target, boolean isAudit) {
      this.target = target;
      this.isAudit = isAudit;
    }

    Progress step() throws IOException {
      if (!hasBegun) {
        hasBegun = log.isDone(before);
        return Progress.MORE;
      }
      for (int n = 0; n < PAGES_A_STEP; n++) {
        if (!isLookedAt) {
          if (region == regionCount) {
            return Progress.DONE;
          }
          if (scanned < 0) {
            lookAtPage();
          } else {
            scan();
            return Progress.MORE;
          }
        } else if (!unread.isEmpty()) {
          readHeads();
          return Progress.MORE;
        } else if (!addTombstone()) {
          return Progress.WAITING;
        }
      }
      return Progress.MORE;
    }

    private void lookAtPage() throws IOException {
      ByteBuffer page = directory.page(region, number);
      if (number == 0) {
        // As it stands on the device, whatever it counts as here: that is what a start finds.
        generation =
            page == null ? log.generation(region) : page.getInt(DirectoryPage.GENERATION_OFFSET);
        known = log.pages(region, generation);
        torn = page == null ? DeviceDirectory.TORN_PAGES : 0;
        isHoled = false;
      }
      if (page == null || page.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        boolean isDamaged = directory.isDamaged(generation, number);
        torn += isDamaged ? 0 : 1;
        isHoled |= isDamaged || number < known;
        nextPage();
        return;
      }
      torn = 0;
      hasTombstones = false;
      isLookedAt = true;
      directory.forEach(page, this::look);
    }

    private void nextPage() {
      isLookedAt = false;
      dead.clear();
      if (scanned >= 0) {
        return;
      }
      number++;
      boolean isEnd = torn >= DeviceDirectory.TORN_PAGES && number >= known;
      if (isEnd || number == regionBytes / DirectoryPage.LENGTH) {
        if (isHoled) {
          scanned = 0;
        } else {
          nextRegion();
        }
      }
    }

    private void nextRegion() {
      region++;
      number = 0;
      scanned = -1;
    }

    /**
     * Reads the next records of a region of which a page is damaged. What the page named, and a
     * purge has killed, is told by the records: they have the same scopes, and the index may know
     * them.
     */
    private void scan() throws IOException {
      int length = Math.min(buffer.capacity(), regionBytes - scanned);
      if (length == 0) {
        nextRegion();
        return;
      }
      file.read(buffer.clear().limit(length), DeviceDirectory.base(region, regionBytes) + scanned);
      MemorySegment window = MemorySegment.ofBuffer(buffer.clear().limit(length));
      int at = 0;
      while (at < length) {
        int room = length - at;
        if (RecordHeader.isRecord(window, at, generation, room)
            && RecordHeader.isIntact(window, at)) {
          lookAtRecord(window, at);
          at += RecordHeader.lengthOf(window, at);
        } else if (at > 0 && RecordHeader.isCut(window, at, generation, room)) {
          // Read again from its start.
          break;
        } else {
          at++;
        }
        at = Layouts.roundUp(at, RecordHeader.ALIGNMENT);
      }
      scanned += Math.min(at, length);
      // Tombstones: the page that could be marked is not there.
      hasTombstones = true;
      isLookedAt = true;
    }

    private void lookAtRecord(MemorySegment window, int at) {
      if (window.get(Layouts.INT, at + RecordHeader.KIND_OFFSET) == RecordHeader.KIND_SLICE) {
        return;
      }
      Found found =
          new Found(
              -1,
              window.get(Layouts.LONG, at + HeadRecord.KEY_HIGH_OFFSET),
              window.get(Layouts.LONG, at + HeadRecord.KEY_LOW_OFFSET),
              region,
              generation,
              scanned + at,
              RecordHeader.lengthOf(window, at),
              DirectoryPages.birth(window, at));
      int fate = purges.checkSwept(window, at);
      if (fate >= Purges.STALE && isNamed(found)) {
        dead.add(found);
        if (remove(found, fate)) {
          purges.count(window, at, fate);
        }
      }
    }

    private void look(PageEntry one) {
      hasTombstones |= one.isTombstone();
      if (one.isTombstone() || one.isDead()) {
        return;
      }
      Found found = Found.of(one, region, generation);
      boolean isSlice = one.kind() == RecordHeader.KIND_SLICE;
      int fate =
          isSlice ? Purges.ALIVE : purges.checkSwept(one.words(), one.birth(), one.bodyBirth());
      if (fate >= Purges.STALE) {
        dead.add(found);
        if (remove(found, fate)) {
          purges.count(one.words(), one.birth(), one.bodyBirth(), fate, one.totalBytes());
        }
      } else if (isAudit && !isNamed(found)) {
        dead.add(found);
      } else if (one.kind() == RecordHeader.KIND_OBJECT
          && purges.wantsTextsSwept(one.words(), one.birth(), one.bodyBirth())) {
        unread.add(found);
      }
    }

    private void readHeads() throws IOException {
      for (int n = 0; n < HEADS_A_STEP && !unread.isEmpty(); n++) {
        // Left in line until it was read: after an error it is read again.
        read(unread.element());
        unread.remove();
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
      int fate = purges.checkSwept(record, 0);
      if (fate >= Purges.STALE) {
        dead.add(one);
        if (remove(one, fate)) {
          purges.count(record, 0, fate);
        }
      }
    }

    /** Notes the dead of the page on the device; false if there is no room for it yet. */
    private boolean addTombstone() throws IOException {
      boolean isKept = number == 0 || hasTombstones;
      if (dead.isEmpty() || (!isKept && mark())) {
        nextPage();
        return true;
      }
      if (!tombstones.hasRoom(dead.size())) {
        // Tombstones from here on, if the page could not be written.
        hasTombstones = true;
        return false;
      }
      dead.forEach(one -> tombstones.addTombstone(one.high(), one.low(), one.birth()));
      nextPage();
      return true;
    }

    /** Marks the dead where they are; false if that can't be written. */
    private boolean mark() throws IOException {
      ByteBuffer page = directory.page(region, number);
      if (page == null || page.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        // Written over since its heads were read: it names nothing any more.
        return true;
      }
      for (Found one : dead) {
        DirectoryPages.markDead(page, one.at());
      }
      try {
        directory.rewrite(region, number);
      } catch (IOException e) {
        health.onError("writing the tombstones of purged records", e);
        return false;
      }
      counters.writes.incrementAndGet();
      counters.writtenBytes.addAndGet(DirectoryPage.LENGTH);
      if (++unforced == PAGES_A_FORCE) {
        unforced = 0;
        file.force();
      }
      return true;
    }
  }

  /** An entry that a pass has found in a directory. */
  private record Found(
      int at, long high, long low, int region, int generation, int offset, int length, long birth) {
    static Found of(PageEntry one, int region, int generation) {
      return new Found(
          one.at(),
          one.keyHigh(),
          one.keyLow(),
          region,
          generation,
          one.offset(),
          one.recordLength(),
          one.birth());
    }

    boolean isAt(IndexValue value, int device) {
      return value.isOnDiskAt(device, region, generation, offset);
    }
  }

  /** Asked under the lock of the key, under which tombstones are dropped: never before that. */
  private boolean isNamed(Found one) {
    boolean[] isNamed = new boolean[1];
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              isNamed[0] = isPresent && one.isAt(value, head.number());
              return ObjectIndex.Verdict.KEEP;
            });
    return isNamed[0];
  }

  /** Takes what a purge matches out of the index; true if this was all that it knew of it. */
  private boolean remove(Found one, int fate) {
    boolean isDead = fate == Purges.DEAD;
    boolean[] isLast = new boolean[1];
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              if (!isPresent || !one.isAt(value, head.number())) {
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
