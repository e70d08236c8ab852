package io.forebay.storage.region;

import io.forebay.storage.layout.CheckedLong;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.TierHeader;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/**
 * The regions of the memory tiers: headers, directories and space. The first tier has the regions
 * with the lowest numbers; a middle one begins where the one before it ends, so that a number says
 * which tier it is of, and its place in memory follows from it alone.
 *
 * <p>Each has a word on the heap, read by every lookup: generation, segment and state together, so
 * that one volatile read tells whether a location still means what it meant.
 *
 * <pre>
 *  63           40        8     4      0
 *  +-------------+--------+-----+------+
 *  | 0           | gene-  | seg-| state|
 *  |             | ration | ment|      |
 *  +-------------+--------+-----+------+
 * </pre>
 *
 * <p>A <em>hold</em> counts what is still being written in a region; a region with holds is not
 * reclaimed. Holds are taken in an open region only (count, then validate), so once it is sealed
 * they can only become fewer.
 */
public final class Regions {
  /** Empty, not yet ready for writing. */
  public static final int FREE = 0;

  /** Empty, with a new generation. */
  public static final int SPARE = 1;

  /** Takes reservations. */
  public static final int OPEN = 2;

  /** Full; its records are served. */
  public static final int SEALED = 3;

  /** Its records have moved or were dropped; it waits until its pins are gone. */
  public static final int LIMBO = 4;

  /** Empty; its pages but the first are the kernel's. Only its header may be touched. */
  public static final int WITHDRAWN = 5;

  /**
   * Of a withdrawn region this stays: the page with its header, so that its generation goes on, and
   * that a start finds it empty.
   */
  public static final int KEPT_BYTES = 4096;

  public static final int NONE = 0;
  public static final int PROBATION = 1;
  public static final int PROTECTED = 2;

  private final MemorySegment memory;
  private final int regionBytes;
  private final int count;

  /** Of each tier, the number of the region behind its last one. */
  private final int[] ends;

  /** First pages of the tiers behind the first, whose own is at the beginning of the memory. */
  private final List<MemorySegment> headers;

  private final AtomicLongArray words;
  private final AtomicIntegerArray holds;
  private final KeptRegions kept;
  private final StorageClassUsage classes;

  /** Readers without pins. */
  private final AtomicIntegerArray visits;

  /** Regions of the first tier that are not withdrawn; the reclaim thread changes it. */
  private volatile int inUse;

  public Regions(MemorySegment memory, int regionBytes, int count) {
    this(memory, regionBytes, new int[] {count}, List.of());
  }

  /**
   * @param counts of the regions of each tier, the first one's first
   * @param headers of the tiers behind the first
   */
  public Regions(MemorySegment memory, int regionBytes, int[] counts, List<MemorySegment> headers) {
    this.memory = memory;
    this.regionBytes = regionBytes;
    this.ends = counts.clone();
    for (int tier = 1; tier < ends.length; tier++) {
      ends[tier] += ends[tier - 1];
    }
    this.headers = List.copyOf(headers);
    this.count = ends[ends.length - 1];
    this.words = new AtomicLongArray(count);
    this.holds = new AtomicIntegerArray(count);
    this.kept = new KeptRegions(count);
    kept.limitFor(counts[0]);
    this.visits = new AtomicIntegerArray(count);
    this.inUse = counts[0];
    this.classes = new StorageClassUsage(counts[0]);
  }

  public MemorySegment memory() {
    return memory;
  }

  public int regionBytes() {
    return regionBytes;
  }

  /** Of all tiers. */
  public int count() {
    return count;
  }

  public int tiers() {
    return ends.length;
  }

  /** The first region of a tier. */
  public int from(int tier) {
    return tier == 0 ? 0 : ends[tier - 1];
  }

  /** The region behind the last one of a tier. */
  public int end(int tier) {
    return ends[tier];
  }

  /** Regions of a tier, withdrawn ones included. */
  public int count(int tier) {
    return end(tier) - from(tier);
  }

  /** Whether a region is of the first tier. */
  public boolean isFirst(int region) {
    return region < ends[0];
  }

  /** How many of the first tier are not withdrawn: what its size is at present. */
  public int inUse() {
    return inUse;
  }

  /** How many of a part are not withdrawn. */
  public int inUse(RegionPart part) {
    if (!part.isOfFirstTier()) {
      return part.count();
    }
    if (part.count() == ends[0]) {
      return inUse;
    }
    int withdrawn = 0;
    for (int region = part.from(); region < part.end(); region++) {
      withdrawn += state(region) == WITHDRAWN ? 1 : 0;
    }
    return part.count() - withdrawn;
  }

  /** Where a region starts in the memory of all tiers. */
  public long base(int region) {
    return TierHeader.LENGTH + (long) region * regionBytes;
  }

  /** Where a directory entry starts there. */
  public long entry(int region, int slot) {
    return base(region) + regionBytes - (slot + 1L) * DirectoryEntry.LENGTH;
  }

  public int state(int region) {
    return (int) words.get(region) & 0xF;
  }

  public int segment(int region) {
    return (int) (words.get(region) >>> 4) & 0xF;
  }

  public int generation(int region) {
    return (int) (words.get(region) >>> 8);
  }

  public void state(int region, int generation, int segment, int state) {
    words.set(region, (generation & 0xFFFF_FFFFL) << 8 | segment << 4 | state);
  }

  public void state(int region, int state) {
    state(region, generation(region), segment(region), state);
  }

  /** Whether records of this generation are served from the region now. */
  public boolean isReadable(int region, int generation) {
    long word = words.get(region);
    int state = (int) word & 0xF;
    return (int) (word >>> 8) == generation && (state == SEALED || state == OPEN);
  }

  /** Takes a hold if the region is open for a segment. */
  public boolean hold(int region, int segment) {
    holds.incrementAndGet(region);
    int low = (int) words.get(region) & 0xFF;
    if (low != (segment << 4 | OPEN)) {
      holds.decrementAndGet(region);
      return false;
    }
    return true;
  }

  public void release(int region) {
    if (holds.decrementAndGet(region) < 0) {
      throw new IllegalStateException("hold of region " + region + " released twice");
    }
  }

  public int holds(int region) {
    return holds.get(region);
  }

  /** The regions that deliveries depend on. */
  public KeptRegions kept() {
    return kept;
  }

  /** What records of each storage class take. */
  public StorageClassUsage classes() {
    return classes;
  }

  /** Whether it has no writers and no delivery depends on it. */
  public boolean isReclaimable(int region) {
    return holds.get(region) == 0 && !kept.isKept(region);
  }

  /**
   * Takes space and a directory entry in a kept region: the old reservation word (offset high, slot
   * low), or -1 without room.
   */
  public long reserve(int region, int length) {
    long at = base(region) + RegionHeader.RESERVATION_OFFSET;
    int rounded = Layouts.roundUp(length, RecordHeader.ALIGNMENT);
    while (true) {
      long word = Layouts.longVolatile(memory, at);
      int offset = (int) (word >>> 32);
      int slots = (int) word;
      long end = (long) offset + rounded;
      if (end + (slots + 1L) * DirectoryEntry.LENGTH > regionBytes) {
        return -1;
      }
      if (Layouts.casLong(memory, at, word, end << 32 | (slots + 1))) {
        return word;
      }
    }
  }

  /** Grows a reservation where it stands; works only while it is the last one of its region. */
  public boolean extend(int region, int offset, int oldLength, int newLength) {
    return resize(region, offset, oldLength, newLength);
  }

  /** Gives back the unused end of a reservation if it is the last one of its region. */
  public void trim(int region, int offset, int oldLength, int newLength) {
    boolean _ = resize(region, offset, oldLength, newLength);
  }

  private boolean resize(int region, int offset, int oldLength, int newLength) {
    long at = base(region) + RegionHeader.RESERVATION_OFFSET;
    int oldEnd = offset + Layouts.roundUp(oldLength, RecordHeader.ALIGNMENT);
    long newEnd = (long) offset + Layouts.roundUp(newLength, RecordHeader.ALIGNMENT);
    while (true) {
      long word = Layouts.longVolatile(memory, at);
      int slots = (int) word;
      if ((int) (word >>> 32) != oldEnd
          || newEnd + (long) slots * DirectoryEntry.LENGTH > regionBytes) {
        return false;
      }
      if (Layouts.casLong(memory, at, word, newEnd << 32 | slots)) {
        return true;
      }
    }
  }

  public int slots(int region) {
    return (int) Layouts.longVolatile(memory, base(region) + RegionHeader.RESERVATION_OFFSET);
  }

  public int recordsEnd(int region) {
    return (int)
        (Layouts.longVolatile(memory, base(region) + RegionHeader.RESERVATION_OFFSET) >>> 32);
  }

  public long age(int region) {
    return CheckedLong.read(memory, base(region) + RegionHeader.AGE_OFFSET, RegionHeader.NO_AGE);
  }

  /** Up to which age regions may be emptied; see {@link TierHeader}. None, if that is damaged. */
  public long settledAge() {
    long age = CheckedLong.read(memory, TierHeader.SETTLED_AGE_OFFSET, 0);
    for (MemorySegment header : headers) {
      age = Math.min(age, CheckedLong.read(header, TierHeader.SETTLED_AGE_OFFSET, 0));
    }
    return age;
  }

  public void settledAge(long age) {
    note(TierHeader.SETTLED_AGE_OFFSET, age);
  }

  /** Up to which purge what lies in the tiers has been swept. */
  public void sweptThrough(long sequence) {
    note(TierHeader.SWEPT_THROUGH_OFFSET, sequence);
  }

  private void note(int offset, long value) {
    CheckedLong.write(memory, offset, value);
    for (MemorySegment header : headers) {
      CheckedLong.write(header, offset, value);
    }
  }

  /** Empties a region without readers and writers: its old bytes belong to no generation then. */
  public void renew(int region) {
    classes.clear(region);
    long base = base(region);
    int generation = nextGeneration(base);
    memory.set(Layouts.INT, base + RegionHeader.MAGIC_OFFSET, RegionHeader.MAGIC);
    // The generation is in place before the first entry can be: a reader of the directory who sees
    // an
    // entry of this life sees this generation.
    Layouts.intRelease(memory, base + RegionHeader.GENERATION_OFFSET, generation);
    memory.set(Layouts.INT, base + RegionHeader.CHECK_OFFSET, RegionHeader.check(generation));
    memory.set(Layouts.INT, base + RegionHeader.SEGMENT_OFFSET, NONE);
    CheckedLong.write(memory, base + RegionHeader.AGE_OFFSET, 0);
    Layouts.longVolatile(
        memory, base + RegionHeader.RESERVATION_OFFSET, (long) RegionHeader.LENGTH << 32);
    state(region, generation, NONE, SPARE);
  }

  /**
   * Keeps the pages of a region for a reader without a pin until {@link #leave}: what it reads may
   * change under it. False if records of this generation are not served any more.
   */
  public boolean visit(int region, int generation) {
    visits.incrementAndGet(region);
    if (isReadable(region, generation)) {
      return true;
    }
    leave(region);
    return false;
  }

  public void leave(int region) {
    visits.decrementAndGet(region);
  }

  /**
   * Whether a reader without a pin may be in it. Of a region that is not readable this becomes
   * false and stays so: a visit counts itself before it looks.
   */
  public boolean isVisited(int region) {
    return visits.get(region) != 0;
  }

  /**
   * Takes out of use a region that {@link #renew} has emptied and that no writer has. It has
   * neither readers nor records, and its header says so; its other pages may go after this.
   */
  public void withdraw(int region) {
    state(region, WITHDRAWN);
    use(-1);
  }

  /** Its pages are there again, and may hold anything. */
  public void restore(int region) {
    state(region, FREE);
    use(1);
  }

  private void use(int more) {
    int now = inUse + more;
    inUse = now;
    kept.limitFor(now);
  }

  private int nextGeneration(long base) {
    int generation = memory.get(Layouts.INT, base + RegionHeader.GENERATION_OFFSET);
    int check = memory.get(Layouts.INT, base + RegionHeader.CHECK_OFFSET);
    boolean isBlank = generation == 0 && check == 0;
    if (!isBlank && check != RegionHeader.check(generation)) {
      // Damaged, or of another format: far from all that have been counted up to here.
      generation = (int) Layouts.mix((long) check << 32 ^ ~generation);
    }
    return generation == -1 ? 1 : generation + 1;
  }

  public void open(int region, int segment, long age) {
    long base = base(region);
    memory.set(Layouts.INT, base + RegionHeader.SEGMENT_OFFSET, segment);
    CheckedLong.write(memory, base + RegionHeader.AGE_OFFSET, age);
    state(region, generation(region), segment, OPEN);
  }

  /** Whether a region's header is as it was written, as far as it tells. */
  public boolean isSound(int region) {
    long base = base(region);
    int generation = memory.get(Layouts.INT, base + RegionHeader.GENERATION_OFFSET);
    int slots = slots(region);
    int end = recordsEnd(region);
    return memory.get(Layouts.INT, base + RegionHeader.MAGIC_OFFSET) == RegionHeader.MAGIC
        && generation != 0
        && memory.get(Layouts.INT, base + RegionHeader.CHECK_OFFSET)
            == RegionHeader.check(generation)
        && age(region) >= 0
        && slots >= 0
        && end >= RegionHeader.LENGTH
        && end % RecordHeader.ALIGNMENT == 0
        && end + (long) slots * DirectoryEntry.LENGTH <= regionBytes;
  }

  /** Takes up a region as an earlier process left it; false if its header makes no sense. */
  public boolean adopt(int region) {
    if (!isSound(region)) {
      return false;
    }
    long base = base(region);
    int generation = memory.get(Layouts.INT, base + RegionHeader.GENERATION_OFFSET);
    int segment = memory.get(Layouts.INT, base + RegionHeader.SEGMENT_OFFSET);
    if (slots(region) == 0) {
      state(region, generation, NONE, FREE);
      return true;
    }
    state(region, generation, segment == PROTECTED ? PROTECTED : PROBATION, SEALED);
    return true;
  }

  /**
   * Writes a directory entry that does not name anything yet.
   *
   * @param kindAndClass see {@link DirectoryEntry#kindAndClass}
   */
  public void enter(
      int region,
      int slot,
      byte kindAndClass,
      long high,
      long low,
      int offset,
      long birth,
      long objectId,
      long baseScope) {
    long entry = entry(region, slot);
    Layouts.intRelease(memory, entry + DirectoryEntry.COMMIT_OFFSET, 0);
    memory.set(Layouts.BYTE, entry + DirectoryEntry.KIND_OFFSET, kindAndClass);
    memory.set(Layouts.BYTE, entry + DirectoryEntry.LIVE_OFFSET, DirectoryEntry.DEAD);
    memory.set(Layouts.BYTE, entry + DirectoryEntry.TOUCHES_OFFSET, (byte) 0);
    memory.set(Layouts.BYTE, entry + DirectoryEntry.SOFT_OFFSET, DirectoryEntry.FIRM);
    memory.set(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET, high);
    memory.set(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET, low);
    memory.set(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET, offset);
    memory.set(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET, 0);
    memory.set(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET, birth);
    memory.set(Layouts.LONG, entry + DirectoryEntry.OBJECT_OFFSET, objectId);
    memory.set(Layouts.LONG, entry + DirectoryEntry.BASE_SCOPE_OFFSET, baseScope);
    memory.set(Layouts.INT, entry + DirectoryEntry.EPOCH_OFFSET, 0);
  }

  /** The record is whole: its entry names it from now on, though not yet as live. */
  public void commit(int region, int slot, int generation, int length, int epoch) {
    long entry = entry(region, slot);
    memory.set(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET, length);
    memory.set(Layouts.INT, entry + DirectoryEntry.EPOCH_OFFSET, epoch);
    memory.set(
        Layouts.INT,
        entry + DirectoryEntry.CHECK_OFFSET,
        DirectoryEntry.check(memory, entry, generation));
    Layouts.intRelease(memory, entry + DirectoryEntry.COMMIT_OFFSET, generation);
    classes.add(region, DirectoryEntry.storageClass(memory, entry), spaceOf(length));
  }

  /** What a record and its entry take of a region. */
  public static int spaceOf(int length) {
    return Layouts.roundUp(length, RecordHeader.ALIGNMENT) + DirectoryEntry.LENGTH;
  }

  /** The number of a record's storage class; 0 for the default one. */
  public int storageClass(int region, int slot) {
    return DirectoryEntry.storageClass(memory, entry(region, slot));
  }

  public boolean isCommitted(int region, int slot, int generation) {
    return Layouts.intAcquire(memory, entry(region, slot) + DirectoryEntry.COMMIT_OFFSET)
        == generation;
  }

  /**
   * Whether a committed entry is as it was written; what it says of its record's place and length
   * lies within the region then.
   */
  public boolean isSound(int region, int slot, int generation) {
    long entry = entry(region, slot);
    int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
    int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
    return isCommitted(region, slot, generation)
        && memory.get(Layouts.INT, entry + DirectoryEntry.CHECK_OFFSET)
            == DirectoryEntry.check(memory, entry, generation)
        && offset >= RegionHeader.LENGTH
        && offset % RecordHeader.ALIGNMENT == 0
        && length > 0
        && length <= regionBytes - offset;
  }

  /** Where the record of a sound entry begins in its region. */
  public int offset(int region, int slot) {
    return memory.get(Layouts.INT, entry(region, slot) + DirectoryEntry.OFFSET_OFFSET);
  }

  /**
   * The directory entry of the record that the index says lies there, or -1: the region is in
   * another life, or record or entry are damaged. The caller has the region's pin or the key's
   * lock.
   */
  public int slotAt(int region, int generation, int offset) {
    if (generation(region) != generation) {
      // It may have been withdrawn since.
      return -1;
    }
    long record = base(region) + offset;
    if (!RecordHeader.isRecord(memory, record, generation, regionBytes - offset)) {
      return -1;
    }
    int slot = memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET);
    return slot >= 0
            && slot < slots(region)
            && isCommitted(region, slot, generation)
            && offset(region, slot) == offset
        ? slot
        : -1;
  }

  public boolean isLive(int region, int slot) {
    return Layouts.byteOpaque(memory, entry(region, slot) + DirectoryEntry.LIVE_OFFSET)
        == DirectoryEntry.LIVE;
  }

  public void live(int region, int slot, boolean live) {
    Layouts.byteRelease(
        memory,
        entry(region, slot) + DirectoryEntry.LIVE_OFFSET,
        live ? DirectoryEntry.LIVE : DirectoryEntry.DEAD);
  }

  public int touches(int region, int slot) {
    return use(region, slot) & DirectoryEntry.MAX_TOUCHES;
  }

  /** Passes of reclaim that the record survives untouched. */
  public int lives(int region, int slot) {
    return use(region, slot) >> DirectoryEntry.LIVES_SHIFT & DirectoryEntry.MAX_LIVES;
  }

  /** Whether a protected record has come there because it was asked for again. */
  public boolean isProven(int region, int slot) {
    return (use(region, slot) & DirectoryEntry.UNPROVEN) == 0;
  }

  private byte use(int region, int slot) {
    return Layouts.byteOpaque(memory, entry(region, slot) + DirectoryEntry.TOUCHES_OFFSET);
  }

  /** Of a record that has no lives. */
  public void touches(int region, int slot, int touches) {
    use(region, slot, touches, 0, true);
  }

  /** What a record goes on with that reclaim has judged. */
  public void use(int region, int slot, int touches, int lives, boolean isProven) {
    int use =
        touches | lives << DirectoryEntry.LIVES_SHIFT | (isProven ? 0 : DirectoryEntry.UNPROVEN);
    memory.set(Layouts.BYTE, entry(region, slot) + DirectoryEntry.TOUCHES_OFFSET, (byte) use);
  }

  /**
   * The record was asked for; while its region is open that counts for nothing. Tested before it is
   * stored: a blind store by two threads costs three times as much.
   */
  public void touch(int region, int slot) {
    if (state(region) == OPEN) {
      return;
    }
    long at = entry(region, slot) + DirectoryEntry.TOUCHES_OFFSET;
    byte use = memory.get(Layouts.BYTE, at);
    if ((use & DirectoryEntry.MAX_TOUCHES) < DirectoryEntry.MAX_TOUCHES) {
      memory.set(Layouts.BYTE, at, (byte) (use + 1));
    }
  }

  /** Moves a sealed region, as it is, to the young end of the protected segment. */
  public void protect(int region, long age) {
    long base = base(region);
    memory.set(Layouts.INT, base + RegionHeader.SEGMENT_OFFSET, PROTECTED);
    CheckedLong.write(memory, base + RegionHeader.AGE_OFFSET, age);
    state(region, generation(region), PROTECTED, SEALED);
  }

  public boolean isSoft(int region, int slot) {
    return Layouts.byteOpaque(memory, entry(region, slot) + DirectoryEntry.SOFT_OFFSET)
        != DirectoryEntry.FIRM;
  }

  /**
   * A soft purge has matched that may be undone. Any thread, after it has looked at the purges: see
   * {@link #review}.
   *
   * @return whether the record bore no such mark before
   */
  public boolean soften(int region, int slot) {
    byte mark = softMark(region, slot);
    while (mark == DirectoryEntry.FIRM || mark == DirectoryEntry.REVIEWED_SOFT) {
      if (casSoft(region, slot, mark, DirectoryEntry.OPEN_SOFT)) {
        return mark == DirectoryEntry.FIRM;
      }
      mark = softMark(region, slot);
    }
    return false;
  }

  /** The same for good. */
  public boolean harden(int region, int slot) {
    byte mark = softMark(region, slot);
    while (mark != DirectoryEntry.SOFT) {
      if (casSoft(region, slot, mark, DirectoryEntry.SOFT)) {
        return mark == DirectoryEntry.FIRM;
      }
      mark = softMark(region, slot);
    }
    return false;
  }

  /** Whether a soft purge has matched that may be undone. */
  public boolean isOpenSoft(int region, int slot) {
    return softMark(region, slot) == DirectoryEntry.OPEN_SOFT;
  }

  /**
   * Takes the mark of soft purges off a record that none of them matches any more. Reclaim thread.
   *
   * <p>Another thread may find at the same time that a purge matches which came into force just
   * now, and rely on the mark that is there. If it has seen {@link DirectoryEntry#OPEN_SOFT}, it
   * has looked at the purges before the first step here, so the second step finds that purge, too.
   * If it comes after the first step it sets the mark anew, and the third step finds it changed.
   *
   * @param isStale asks the purges
   */
  public void review(int region, int slot, BooleanSupplier isStale) {
    if (casSoft(region, slot, DirectoryEntry.OPEN_SOFT, DirectoryEntry.REVIEWED_SOFT)) {
      byte found = isStale.getAsBoolean() ? DirectoryEntry.OPEN_SOFT : DirectoryEntry.FIRM;
      boolean ignored = casSoft(region, slot, DirectoryEntry.REVIEWED_SOFT, found);
    }
  }

  private byte softMark(int region, int slot) {
    return Layouts.byteOpaque(memory, entry(region, slot) + DirectoryEntry.SOFT_OFFSET);
  }

  /** Bytes have no atomic update: the word around the mark, whose other bytes change as well. */
  private boolean casSoft(int region, int slot, byte expected, byte mark) {
    long at = entry(region, slot) + DirectoryEntry.KIND_OFFSET;
    int shift = (DirectoryEntry.SOFT_OFFSET - DirectoryEntry.KIND_OFFSET) * Byte.SIZE;
    int others = ~(0xFF << shift);
    int word = Layouts.intAcquire(memory, at);
    while ((byte) (word >>> shift) == expected) {
      if (Layouts.casInt(memory, at, word, (word & others) | ((mark & 0xFF) << shift))) {
        return true;
      }
      word = Layouts.intAcquire(memory, at);
    }
    return false;
  }

  public int epoch(int region, int slot) {
    return memory.get(Layouts.INT, entry(region, slot) + DirectoryEntry.EPOCH_OFFSET);
  }

  public void epoch(int region, int slot, int epoch) {
    memory.set(Layouts.INT, entry(region, slot) + DirectoryEntry.EPOCH_OFFSET, epoch);
  }
}
