package io.forebay.storage.index;

import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.memory.TableMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The names of records that only one disk has: a hash table of slots of 20 bytes. A slot names one
 * record, or a run of slices (see {@link RunSlot}). The memory tier's names are in an {@link
 * ObjectIndex}; {@link TieredIndex} keeps the two together.
 *
 * <pre>
 *  bucket
 *  0    4          60   64               80                304              320
 *  +----+-- ... --+----+----------------+----- ... -------+----------------+
 *  |tag | tags    |tag | slot 0         |                 | slot 15        |
 *  | 0  |         | 15 |                |                 |                |
 *  +----+-- ... --+----+----------------+----- ... -------+----------------+
 *
 *  slot, two words of 64 bits, from the lowest bit on
 *  0      2       3         4          8        23                     64
 *  +------+-------+---------+----------+--------+----------------------+
 *  | kind |touched|alternate|generation| length |  place               |
 *  |      |       |         | mod 16   |/64, -1 |  on the disk, / 64   |
 *  +------+-------+---------+----------+--------+----------------------+
 *  0             16                                                   64
 *  +-------------+-----------------------------------------------------+
 *  | expiry in   |  birth                                              |
 *  | half days   |                                                     |
 *  +-------------+-----------------------------------------------------+
 *
 *  file
 *  0            4096                    4096 + directory
 *  +------------+-----------------------+----------------+------------ ...
 *  | header     | 4 bytes a stripe:     | stripe 0       | stripe 1
 *  |            | slots used, steps     | steps of 40 KiB|
 *  +------------+-----------------------+----------------+------------ ...
 * </pre>
 *
 * <p>Tags lie in one cache line; a tag of 0 is a free slot. The key of a slot is a number of
 * {@value #KEY_BITS} bits from the hash of the record's key, behind those bits that choose the
 * stripe. Its low 32 bits are the tag, and the bucket tells the others: in a stripe of {@code n}
 * buckets it is the product of key and {@code n}, divided by 2^{@value #KEY_BITS}. So a stripe
 * grows in place, by a step of buckets at a time, with nothing but its own memory. A slot may also
 * lie in a second bucket that follows from its key in the same way; if both are full, others move
 * to theirs. That fills stripes to 95 %.
 *
 * <p>A run has a key of its own, and is told from a record by its kind: a run and a record with the
 * same number have nothing to do with each other.
 *
 * <p>Each stripe has a word on the heap: its length, whether it is locked, and a number that every
 * change raises. Who reads looks at the word before and after.
 *
 * <p>What a slot names is not certain: another key may have the same number, and a slot may outlive
 * its region. The record itself tells, when it is read.
 */
public final class DiskIndex {
  /**
   * Slices of an object that one entry can name, if they lie one behind the other on the disk:
   * those whose numbers, divided by this, are the same.
   */
  public static final int SLICE_GROUP = RunSlot.SLICES;

  /** Of a key in its stripe, in the smallest table. */
  static final int KEY_BITS = 39;

  private static final long TAG_MASK = 0xFFFF_FFFFL;

  /** The lowest, and the highest, bit of each half of a word. */
  private static final long LOW_BITS = 0x0000_0001_0000_0001L;

  private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

  static final int SLOTS = 16;
  private static final int TAGS_BYTES = SLOTS * Integer.BYTES;
  private static final int SLOT_BYTES = 2 * Long.BYTES;
  private static final int BUCKET_BYTES = TAGS_BYTES + SLOTS * SLOT_BYTES;

  /** With fewer buckets a tag would not tell the key. */
  private static final int STEP_BUCKETS = 1 << (KEY_BITS - Integer.SIZE);

  private static final int STEP_SLOTS = STEP_BUCKETS * SLOTS;
  private static final int STEP_BYTES = STEP_BUCKETS * BUCKET_BYTES;
  private static final int MAX_STEPS = 32;

  static final double LOAD = 0.95;

  /** What the smallest table holds. */
  private static final long MIN_CAPACITY = (long) (2 * STEP_SLOTS * LOAD);

  /** In place of a slice of a run: the slot of a record by itself. */
  static final int ALONE = -1;

  // --- a slot
  static final int KIND_MASK = 3;
  static final int TOUCHED = 4;
  private static final int ALTERNATE = 8;
  static final int GENERATION_SHIFT = 4;
  static final int GENERATION_MASK = 15;
  static final int LENGTH_SHIFT = 8;
  static final int LENGTH_MASK = 0x7FFF;
  static final int PLACE_SHIFT = 23;
  private static final int EXPIRY_MASK = 0xFFFF;
  static final int BIRTH_SHIFT = 16;
  private static final long EXPIRY_SECONDS = 43_200;

  /** Later births are not kept. */
  static final long MAX_BIRTH = (1L << (Long.SIZE - BIRTH_SHIFT)) - 1;

  static final long MAX_PLACE = (1L << (Long.SIZE - PLACE_SHIFT)) - 1;

  // --- the word of a stripe
  private static final int STEPS_MASK = 0xFF;
  private static final long LOCKED = 0x100;
  private static final long CHANGE = 0x200;

  // --- the file
  private static final long MAGIC = 0x3258_4449_4B53_4944L; // "DISKIDX2"

  /** Of a file without runs, which is as good. */
  private static final long MAGIC_WITHOUT_RUNS = 0x3158_4449_4B53_4944L; // "DISKIDX1"

  private static final int PAGE = 4096;
  private static final int MAGIC_OFFSET = 0;
  private static final int DEVICE_OFFSET = 8;
  private static final int REGION_BYTES_OFFSET = 12;
  private static final int STRIPES_OFFSET = 16;
  private static final int STEPS_OFFSET = 20;
  private static final int STEPS_BITS = 8;

  private static final int SPINS = 200;
  private static final long PATIENT_PAUSE_NANOS = 20_000;

  /** Buckets that are looked at for room; more than are ever needed below the load. */
  private static final int SEARCHED = 512;

  private final int device;
  private final int regionBytes;
  private final int regionCount;
  private final long capacity;
  private final Shape shape;
  private final TableMemory memory;
  private final IndexedDisk owner;
  private final AtomicLongArray words;

  /** Slots in use; under the stripe's lock. */
  private final int[] used;

  /** Null until the stripe has a bucket. */
  private final MemorySegment[] stripes;

  private final AtomicLong count = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong collisions = new AtomicLong();
  private boolean isLoaded;

  /**
   * The division of a table.
   *
   * @param stripeBits bits of a hash that choose a stripe
   * @param steps of each stripe at most
   */
  record Shape(int stripeBits, int steps) {
    static Shape of(long capacity) {
      long slots = (long) Math.ceil(Math.max(capacity, MIN_CAPACITY) / LOAD);
      long least = Math.max(1, Math.ceilDiv(slots, (long) MAX_STEPS * STEP_SLOTS));
      int bits = Long.SIZE - Long.numberOfLeadingZeros(least - 1);
      return new Shape(bits, (int) Math.ceilDiv(slots, ((long) STEP_SLOTS) << bits));
    }

    int stripes() {
      return 1 << stripeBits;
    }

    long stripeBytes() {
      return (long) steps * STEP_BYTES;
    }

    private long directoryBytes() {
      return Layouts.roundUp(stripes() * Integer.BYTES, PAGE);
    }

    long offset(int stripe) {
      return PAGE + directoryBytes() + stripe * stripeBytes();
    }

    long bytes() {
      return offset(stripes());
    }
  }

  /** How an attempt to keep a record ended. */
  enum Kept {
    KEPT,
    /** A later record, of this key or one that counts as the same, is there. */
    LOST,
    FULL
  }

  /** A table in memory of a shape; {@link #load} takes up what an earlier process left there. */
  DiskIndex(
      int device,
      int regionBytes,
      int regionCount,
      long capacity,
      TableMemory memory,
      IndexedDisk owner) {
    this.device = device;
    this.regionBytes = regionBytes;
    this.regionCount = regionCount;
    this.capacity = Math.max(capacity, MIN_CAPACITY);
    this.shape = Shape.of(capacity);
    this.memory = memory;
    this.owner = owner;
    this.words = new AtomicLongArray(shape.stripes());
    this.used = new int[shape.stripes()];
    this.stripes = new MemorySegment[shape.stripes()];
  }

  /** Memory that a table with so many entries takes at most. */
  public static long bytes(long capacity) {
    return Shape.of(capacity).bytes();
  }

  // --- figures

  int device() {
    return device;
  }

  IndexedDisk owner() {
    return owner;
  }

  public long count() {
    return count.get();
  }

  public long capacity() {
    return capacity;
  }

  /** Memory of the buckets in use. */
  public long usedBytes() {
    long steps = 0;
    for (int stripe = 0; stripe < shape.stripes(); stripe++) {
      steps += words.get(stripe) & STEPS_MASK;
    }
    return shape.offset(0) + steps * STEP_BYTES;
  }

  public long maxBytes() {
    return shape.bytes();
  }

  /** Records that were not kept because the table was full. */
  public long refused() {
    return refused.get();
  }

  /** Records that gave way to another with the same number. */
  public long collisions() {
    return collisions.get();
  }

  /** Whether it holds what an earlier process left: all that there was. */
  public boolean isLoaded() {
    return isLoaded;
  }

  /** Whether a slot cannot tell two generations of a region from each other. */
  public static boolean looksLike(int generation, int other) {
    return ((generation ^ other) & GENERATION_MASK) == 0;
  }

  // --- keys

  /**
   * Behind the bits of the stripe; 0 is no tag, and what would have it is one with its neighbour.
   */
  static long named(long key) {
    return (key & TAG_MASK) == 0 ? key | 1 : key;
  }

  private int stripe(long id) {
    return (int) (id >>> 1 >>> (Long.SIZE - 1 - shape.stripeBits));
  }

  private long key(long id) {
    return named(id << shape.stripeBits >>> (Long.SIZE - KEY_BITS));
  }

  /** Of a tag: what leads from one bucket's key to the other's, and back. */
  private static long turn(int tag) {
    return Layouts.mix(tag & TAG_MASK) >>> (Long.SIZE - KEY_BITS);
  }

  private static int bucket(long key, int buckets) {
    return (int) ((key * buckets) >>> KEY_BITS);
  }

  /** The key by which a slot lies in this bucket of so many. */
  private static long keyIn(int bucket, int buckets, int tag, boolean isAlternate) {
    long low = (isAlternate ? tag ^ turn(tag) : tag) & TAG_MASK;
    long first = Math.ceilDiv((long) bucket << KEY_BITS, (long) buckets);
    long key = (first & ~TAG_MASK) | low;
    return key < first ? key + TAG_MASK + 1 : key;
  }

  // --- slots

  private static long slotAt(int bucket, int n) {
    return (long) bucket * BUCKET_BYTES + TAGS_BYTES + (long) n * SLOT_BYTES;
  }

  private static long tagOf(long slot) {
    long bucket = slot / BUCKET_BYTES;
    return bucket * BUCKET_BYTES
        + (slot - bucket * BUCKET_BYTES - TAGS_BYTES) / SLOT_BYTES * Integer.BYTES;
  }

  /** Where the slot of a key is; -1 if there is none. */
  private static long locate(MemorySegment stripe, int buckets, long key, boolean isRun) {
    int tag = (int) key;
    long slot = scan(stripe, bucket(key, buckets), tag, 0, isRun);
    return slot >= 0 ? slot : scan(stripe, bucket(key ^ turn(tag), buckets), tag, ALTERNATE, isRun);
  }

  private static long scan(
      MemorySegment stripe, int bucket, int tag, int alternate, boolean isRun) {
    long at = (long) bucket * BUCKET_BYTES;
    long wanted = pair(tag);
    for (int n = 0; n < SLOTS; n += 2) {
      long two = stripe.get(Layouts.LONG, at + (long) n * Integer.BYTES) ^ wanted;
      if (hasZero(two)) {
        for (int one = n; one < n + 2; one++) {
          long slot = slotAt(bucket, one);
          if ((int) (two >>> ((one - n) * Integer.SIZE)) == 0
              && isFor(stripe.get(Layouts.LONG, slot), alternate, isRun)) {
            return slot;
          }
        }
      }
    }
    return -1;
  }

  private static boolean isFor(long first, int alternate, boolean isRun) {
    return (first & ALTERNATE) == alternate && RunSlot.isRun(first) == isRun;
  }

  /** A tag twice, to be compared with two at once. */
  private static long pair(int tag) {
    return (tag & TAG_MASK) << Integer.SIZE | (tag & TAG_MASK);
  }

  /** Whether one half of a word is 0. */
  private static boolean hasZero(long two) {
    return (two - LOW_BITS & ~two & HIGH_BITS) != 0;
  }

  private static int free(MemorySegment stripe, int bucket) {
    long at = (long) bucket * BUCKET_BYTES;
    for (int n = 0; n < SLOTS; n += 2) {
      long two = stripe.get(Layouts.LONG, at + (long) n * Integer.BYTES);
      if (hasZero(two)) {
        return (int) two == 0 ? n : n + 1;
      }
    }
    return -1;
  }

  private static void set(MemorySegment stripe, long slot, int tag, long place, long birth) {
    stripe.set(Layouts.INT, tagOf(slot), tag);
    stripe.set(Layouts.LONG, slot, place);
    stripe.set(Layouts.LONG, slot + Long.BYTES, birth);
  }

  private static void clear(MemorySegment stripe, long slot) {
    set(stripe, slot, 0, 0, 0);
  }

  private static long birth(long second) {
    return second >>> BIRTH_SHIFT;
  }

  private int unitsPerRegion() {
    return regionBytes / RecordHeader.ALIGNMENT;
  }

  /** The region of a record, or of a run. */
  private int region(long first, long second) {
    long place =
        RunSlot.isRun(first)
            ? RunSlot.place(first, second, RunSlot.any(second))
            : first >>> PLACE_SHIFT;
    return (int) (place / unitsPerRegion());
  }

  /**
   * Whether a slot is known to name nothing any more: its region has another life. As long as the
   * device does not know the lives of its regions, after a start, every slot counts: what it names
   * cannot be read yet, but an install in that time has to end it.
   */
  private boolean isStale(long first, long second) {
    int region = region(first, second);
    if (region >= regionCount) {
      return true;
    }
    int generation = owner.generation(region);
    return generation != 0 && !looksLike(generation, (int) first >>> GENERATION_SHIFT);
  }

  /**
   * @param slice of the run; {@link #ALONE} if the slot is a record's
   */
  private void fill(long first, long second, int slice, IndexValue into) {
    boolean isAlone = slice == ALONE;
    long place = isAlone ? first >>> PLACE_SHIFT : RunSlot.place(first, second, slice);
    int length =
        isAlone
            ? (int) (first >>> LENGTH_SHIFT) & LENGTH_MASK
            : RunSlot.length(first, second, slice);
    byte kind = isAlone ? (byte) (first & KIND_MASK) : RecordHeader.KIND_SLICE;
    int region = (int) (place / unitsPerRegion());
    int units = (int) (place % unitsPerRegion());
    into.identity(kind, birth(second), IndexValue.UNKNOWN_OBJECT);
    into.leaveMemory();
    into.fate(isAlone ? seconds((int) second & EXPIRY_MASK) : 0, 0, 0);
    into.disk(
        device,
        region,
        owner.generation(region),
        units * RecordHeader.ALIGNMENT,
        (length + 1) * RecordHeader.ALIGNMENT);
    if ((first & TOUCHED) != 0) {
      into.touchDisk();
    }
  }

  private static int seconds(int expiry) {
    return (int) Math.min(expiry * EXPIRY_SECONDS, TAG_MASK);
  }

  /** The first word of the slot for a record, in its first bucket. */
  private long first(IndexValue value) {
    long place =
        (long) value.diskRegion() * unitsPerRegion() + value.diskOffset() / RecordHeader.ALIGNMENT;
    long length = Math.ceilDiv(value.length(), RecordHeader.ALIGNMENT) - 1L;
    return place << PLACE_SHIFT
        | length << LENGTH_SHIFT
        | (value.diskGeneration() & GENERATION_MASK) << GENERATION_SHIFT
        | (value.isDiskTouched() ? TOUCHED : 0)
        | (value.kind() & KIND_MASK);
  }

  private static long second(IndexValue value) {
    long expires = Integer.toUnsignedLong(value.expiresSeconds());
    long expiry = Math.min(Math.ceilDiv(expires, EXPIRY_SECONDS), EXPIRY_MASK);
    return value.birth() << BIRTH_SHIFT | expiry;
  }

  /** Whether a slot can say all that. */
  boolean canHold(IndexValue value) {
    long place =
        ((long) value.diskRegion() * regionBytes + value.diskOffset()) / RecordHeader.ALIGNMENT;
    return value.birth() >= 0
        && value.birth() <= MAX_BIRTH
        && place <= MAX_PLACE
        && value.diskOffset() % RecordHeader.ALIGNMENT == 0
        && value.length() > 0
        && value.length() <= (LENGTH_MASK + 1) * RecordHeader.ALIGNMENT
        && value.kind() > 0
        && value.kind() <= KIND_MASK;
  }

  // --- looking up

  /**
   * DONE, ABSENT, or BUSY if the stripe is locked for longer than the caller waits.
   *
   * @param slice of the run of this key; {@link #ALONE}: the record of this key
   */
  Outcome find(long id, int slice, IndexValue into, boolean isPatient) {
    int number = stripe(id);
    long key = key(id);
    for (int spin = 0; isPatient || spin < SPINS; spin++) {
      long word = words.get(number);
      if ((word & LOCKED) == 0) {
        int buckets = (int) (word & STEPS_MASK) * STEP_BUCKETS;
        if (buckets == 0) {
          return Outcome.ABSENT;
        }
        MemorySegment stripe = stripes[number];
        long slot = locate(stripe, buckets, key, slice != ALONE);
        long first = slot < 0 ? 0 : stripe.get(Layouts.LONG, slot);
        long second = slot < 0 ? 0 : stripe.get(Layouts.LONG, slot + Long.BYTES);
        // All was read before the word is looked at again.
        VarHandle.loadLoadFence();
        if (words.get(number) == word) {
          if (slot < 0 || !names(second, slice) || isStale(first, second)) {
            return Outcome.ABSENT;
          }
          fill(first, second, slice, into);
          return Outcome.DONE;
        }
      }
      pause(spin);
    }
    return Outcome.BUSY;
  }

  private static boolean names(long second, int slice) {
    return slice == ALONE || RunSlot.has(second, slice);
  }

  private static void pause(int spin) {
    if (spin < SPINS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PATIENT_PAUSE_NANOS);
    }
  }

  // --- changing, under the lock of the key's stripe

  /** False if the stripe is locked for longer than the caller waits. */
  boolean lock(long id, boolean isPatient) {
    return lockStripe(stripe(id), isPatient);
  }

  private boolean lockStripe(int stripe, boolean isPatient) {
    for (int spin = 0; isPatient || spin < SPINS; spin++) {
      long word = words.get(stripe);
      if ((word & LOCKED) == 0 && words.compareAndSet(stripe, word, word | LOCKED)) {
        // Nothing is changed before others see that it may be.
        VarHandle.fullFence();
        return true;
      }
      pause(spin);
    }
    return false;
  }

  void unlock(long id) {
    unlockStripe(stripe(id));
  }

  private void unlockStripe(int stripe) {
    words.set(stripe, (words.get(stripe) & ~LOCKED) + CHANGE);
  }

  private int buckets(int stripe) {
    return (int) (words.get(stripe) & STEPS_MASK) * STEP_BUCKETS;
  }

  /**
   * Where the slot of a key is; -1 if there is none, or if it names no such slice. It stays there
   * while the lock is held.
   */
  long locate(long id, int slice) {
    long slot = slotOf(id, slice != ALONE);
    return slot >= 0 && names(stripes[stripe(id)].get(Layouts.LONG, slot + Long.BYTES), slice)
        ? slot
        : -1;
  }

  private long slotOf(long id, boolean isRun) {
    int stripe = stripe(id);
    int buckets = buckets(stripe);
    if (buckets == 0) {
      return -1;
    }
    MemorySegment bytes = stripes[stripe];
    long slot = locate(bytes, buckets, key(id), isRun);
    if (slot >= 0
        && isStale(bytes.get(Layouts.LONG, slot), bytes.get(Layouts.LONG, slot + Long.BYTES))) {
      vacate(stripe, slot);
      return -1;
    }
    return slot;
  }

  void read(long id, long slot, int slice, IndexValue into) {
    MemorySegment stripe = stripes[stripe(id)];
    fill(stripe.get(Layouts.LONG, slot), stripe.get(Layouts.LONG, slot + Long.BYTES), slice, into);
  }

  /** Has a slot name another record of the key; false if it is a run that has no such slice. */
  boolean replace(long id, long slot, int slice, IndexValue value) {
    MemorySegment stripe = stripes[stripe(id)];
    long first = stripe.get(Layouts.LONG, slot);
    if (slice == ALONE) {
      set(stripe, slot, (int) key(id), first(value) | (first & ALTERNATE), second(value));
      return true;
    }
    long second = stripe.get(Layouts.LONG, slot + Long.BYTES);
    if (!isOfRun(first, second, slice, value)) {
      return false;
    }
    stripe.set(Layouts.LONG, slot, RunSlot.firstWith(first, second, first(value), slice));
    return true;
  }

  /** The record, or that slice of the run, has no name any more. */
  void remove(long id, long slot, int slice) {
    int stripe = stripe(id);
    if (slice == ALONE) {
      vacate(stripe, slot);
      return;
    }
    MemorySegment bytes = stripes[stripe];
    long first = bytes.get(Layouts.LONG, slot);
    long second = bytes.get(Layouts.LONG, slot + Long.BYTES);
    long left = RunSlot.secondWithout(second, slice);
    if (RunSlot.isEmpty(left)) {
      vacate(stripe, slot);
    } else {
      bytes.set(Layouts.LONG, slot, RunSlot.firstWithout(first, second, slice));
      bytes.set(Layouts.LONG, slot + Long.BYTES, left);
    }
  }

  private void vacate(int stripe, long slot) {
    clear(stripes[stripe], slot);
    used[stripe]--;
    count.decrementAndGet();
  }

  private boolean isOfRun(long first, long second, int slice, IndexValue value) {
    return region(first, second) == value.diskRegion()
        && RunSlot.isOf(first, second, first(value), second(value), slice);
  }

  /**
   * Names a slice as one of a run that is there; false if there is none where it lies. Takes the
   * lock itself, and waits for it.
   */
  boolean join(long id, int slice, IndexValue value) {
    if (!canHold(value)) {
      return false;
    }
    int stripe = stripe(id);
    boolean ignored = lockStripe(stripe, true);
    try {
      long slot = slotOf(id, true);
      return slot >= 0 && enter(stripe, slot, slice, value);
    } finally {
      unlockStripe(stripe);
    }
  }

  private boolean enter(int stripe, long slot, int slice, IndexValue value) {
    MemorySegment bytes = stripes[stripe];
    long first = bytes.get(Layouts.LONG, slot);
    long second = bytes.get(Layouts.LONG, slot + Long.BYTES);
    if (!isOfRun(first, second, slice, value)) {
      return false;
    }
    bytes.set(Layouts.LONG, slot, RunSlot.firstWith(first, second, first(value), slice));
    bytes.set(Layouts.LONG, slot + Long.BYTES, RunSlot.secondWith(second, slice));
    return true;
  }

  /**
   * Names a slice as the first of a run, or as one of a run that has just been begun; false if
   * there is another run of this key, no room, or if the slice is not one that others can follow.
   * Takes the lock itself, and waits for it.
   */
  boolean begin(long id, int slice, IndexValue value) {
    if (!canHold(value) || !RunSlot.mayBegin(value.length())) {
      return false;
    }
    int stripe = stripe(id);
    boolean ignored = lockStripe(stripe, true);
    try {
      long slot = slotOf(id, true);
      if (slot >= 0) {
        return enter(stripe, slot, slice, value);
      }
      if (count.get() >= capacity) {
        return false;
      }
      long second = RunSlot.second(second(value), slice, value.length());
      return insert(stripe, key(id), RunSlot.first(first(value), second, slice), second);
    } finally {
      unlockStripe(stripe);
    }
  }

  /**
   * Names a record. What has the same number and was born before loses its name and gets a
   * tombstone. Takes the lock itself, and waits for it.
   */
  Kept put(long id, long high, long low, IndexValue value) {
    if (!canHold(value)) {
      refused.incrementAndGet();
      return Kept.FULL;
    }
    int stripe = stripe(id);
    boolean ignored = lockStripe(stripe, true);
    try {
      long slot = slotOf(id, false);
      if (slot >= 0) {
        collisions.incrementAndGet();
        long there = birth(stripes[stripe].get(Layouts.LONG, slot + Long.BYTES));
        if (there >= value.birth()) {
          return Kept.LOST;
        }
        owner.addTombstone(high, low, there);
        boolean isReplaced = replace(id, slot, ALONE, value);
        return isReplaced ? Kept.KEPT : Kept.LOST;
      }
      if (count.get() >= capacity || !insert(stripe, key(id), first(value), second(value))) {
        refused.incrementAndGet();
        return Kept.FULL;
      }
      return Kept.KEPT;
    } finally {
      unlockStripe(stripe);
    }
  }

  private boolean insert(int stripe, long key, long first, long second) {
    int steps = buckets(stripe) / STEP_BUCKETS;
    if (used[stripe] + 1 > steps * STEP_SLOTS * LOAD && steps < shape.steps) {
      grow(stripe, steps);
    }
    if (!place(stripes[stripe], buckets(stripe), key, first, second)) {
      return false;
    }
    used[stripe]++;
    count.incrementAndGet();
    return true;
  }

  /** Puts a slot into one of its buckets, and moves others if both are full. */
  private static boolean place(
      MemorySegment stripe, int buckets, long key, long first, long second) {
    int tag = (int) key;
    int primary = bucket(key, buckets);
    int alternate = bucket(key ^ turn(tag), buckets);
    int n = free(stripe, primary);
    if (n >= 0) {
      set(stripe, slotAt(primary, n), tag, first, second);
      return true;
    }
    n = free(stripe, alternate);
    if (n >= 0) {
      set(stripe, slotAt(alternate, n), tag, first | ALTERNATE, second);
      return true;
    }
    Room room = new Room(stripe, buckets, primary, alternate);
    long slot = room.make();
    if (slot < 0) {
      return false;
    }
    set(stripe, slot, tag, first | (room.isOfAlternate() ? ALTERNATE : 0), second);
    return true;
  }

  /** The other bucket of what is in a slot. */
  private static int otherBucket(MemorySegment stripe, int buckets, int bucket, int n) {
    int tag = stripe.get(Layouts.INT, (long) bucket * BUCKET_BYTES + (long) n * Integer.BYTES);
    boolean isAlternate = (stripe.get(Layouts.LONG, slotAt(bucket, n)) & ALTERNATE) != 0;
    return bucket(keyIn(bucket, buckets, tag, isAlternate) ^ turn(tag), buckets);
  }

  /** A search, breadth first, for slots that can move one after the other so that one is free. */
  private static final class Room {
    private final MemorySegment stripe;
    private final int buckets;
    private final int[] seen = new int[SEARCHED];
    private final int[] from = new int[SEARCHED];
    private final int[] by = new int[SEARCHED];
    private int end;
    private boolean isOfAlternate;

    Room(MemorySegment stripe, int buckets, int primary, int alternate) {
      this.stripe = stripe;
      this.buckets = buckets;
      add(primary, -1, 0);
      if (alternate != primary) {
        add(alternate, -1, 1);
      }
    }

    private void add(int bucket, int parent, int slot) {
      seen[end] = bucket;
      from[end] = parent;
      by[end] = slot;
      end++;
    }

    private boolean isSeen(int bucket) {
      for (int n = 0; n < end; n++) {
        if (seen[n] == bucket) {
          return true;
        }
      }
      return false;
    }

    /** A slot that is free now, in one of the two buckets; -1 if none was found. */
    long make() {
      for (int at = 0; at < end; at++) {
        for (int n = 0; n < SLOTS; n++) {
          int other = otherBucket(stripe, buckets, seen[at], n);
          if (isSeen(other)) {
            continue;
          }
          int hole = free(stripe, other);
          if (hole >= 0) {
            return shift(at, n, slotAt(other, hole));
          }
          if (end < SEARCHED) {
            add(other, at, n);
          }
        }
      }
      return -1;
    }

    /** Moves the slots of a path, the last one first. */
    private long shift(int last, int lastSlot, long hole) {
      int at = last;
      int n = lastSlot;
      long to = hole;
      while (true) {
        long slot = slotAt(seen[at], n);
        set(
            stripe,
            to,
            stripe.get(Layouts.INT, tagOf(slot)),
            stripe.get(Layouts.LONG, slot) ^ ALTERNATE,
            stripe.get(Layouts.LONG, slot + Long.BYTES));
        clear(stripe, slot);
        to = slot;
        if (from[at] < 0) {
          isOfAlternate = by[at] == 1;
          return to;
        }
        n = by[at];
        at = from[at];
      }
    }

    boolean isOfAlternate() {
      return isOfAlternate;
    }
  }

  /** Adds a step of buckets and spreads what is there over all of them. */
  private void grow(int stripe, int steps) {
    if (steps == 0) {
      stripes[stripe] = memory.part(shape.offset(stripe), shape.stripeBytes());
      setSteps(stripe, 1);
      return;
    }
    MemorySegment bytes = stripes[stripe];
    int before = steps * STEP_BUCKETS;
    int after = before + STEP_BUCKETS;
    long[] left = new long[0];
    int leftCount = 0;
    // From the last bucket on: what moves goes to a bucket behind it, from which all has moved.
    for (int bucket = before - 1; bucket >= 0; bucket--) {
      for (int n = 0; n < SLOTS; n++) {
        long slot = slotAt(bucket, n);
        int tag = bytes.get(Layouts.INT, tagOf(slot));
        if (tag == 0) {
          continue;
        }
        long first = bytes.get(Layouts.LONG, slot);
        long second = bytes.get(Layouts.LONG, slot + Long.BYTES);
        long key = keyIn(bucket, before, tag, (first & ALTERNATE) != 0);
        int to = bucket(key, after);
        if (to == bucket) {
          continue;
        }
        clear(bytes, slot);
        int hole = free(bytes, to);
        if (hole >= 0) {
          set(bytes, slotAt(to, hole), tag, first, second);
          continue;
        }
        if (left.length < leftCount + 3) {
          left = Arrays.copyOf(left, Math.max(48, 2 * left.length));
        }
        left[leftCount++] = (first & ALTERNATE) != 0 ? key ^ turn(tag) : key;
        left[leftCount++] = first & ~ALTERNATE;
        left[leftCount++] = second;
      }
    }
    setSteps(stripe, steps + 1);
    for (int n = 0; n < leftCount; n += 3) {
      if (!place(bytes, after, left[n], left[n + 1], left[n + 2])) {
        used[stripe]--;
        count.decrementAndGet();
        owner.audit();
      }
    }
  }

  private void setSteps(int stripe, int steps) {
    words.set(stripe, (words.get(stripe) & ~(long) STEPS_MASK) | steps);
  }

  /** Forgets everything. */
  public void clear() {
    isLoaded = false;
    for (int stripe = 0; stripe < shape.stripes(); stripe++) {
      boolean ignored = lockStripe(stripe, true);
      try {
        long bytes = (long) buckets(stripe) * BUCKET_BYTES;
        if (bytes > 0) {
          stripes[stripe].asSlice(0, bytes).fill((byte) 0);
        }
        count.addAndGet(-used[stripe]);
        used[stripe] = 0;
      } finally {
        unlockStripe(stripe);
      }
    }
  }

  // --- a checkpoint: nobody else uses the table meanwhile

  public int stripes() {
    return shape.stripes();
  }

  /** Which tables are divided in the same way: of these, each can take the stripes of the other. */
  public int stripeBits() {
    return shape.stripeBits;
  }

  /** What has to be known of a stripe beside its bytes. */
  public int noted(int stripe) {
    return used[stripe] << STEPS_BITS | (int) (words.get(stripe) & STEPS_MASK);
  }

  /** Records of a stripe, by what was noted of it. */
  public static int slotsOf(int noted) {
    return noted >>> STEPS_BITS;
  }

  /** Length of a stripe, by what was noted of it. */
  public static int bytesOf(int noted) {
    return (noted & STEPS_MASK) * STEP_BYTES;
  }

  /** The greatest length of a stripe. */
  public int maxStripeBytes() {
    return shape.steps * STEP_BYTES;
  }

  /** The buckets of a stripe that are in use. */
  public ByteBuffer contents(int stripe) {
    int length = buckets(stripe) * BUCKET_BYTES;
    return length == 0
        ? ByteBuffer.allocate(0)
        : stripes[stripe].asSlice(0, length).asByteBuffer().asReadOnlyBuffer();
  }

  /** Whether a stripe can be one of which this was noted. */
  public boolean hasRoomFor(int noted) {
    int steps = noted & STEPS_MASK;
    return steps <= shape.steps && slotsOf(noted) <= steps * STEP_SLOTS;
  }

  /** Fills an empty stripe. Several threads may do this, each with other stripes. */
  public void fill(int stripe, int noted, ByteBuffer bytes) {
    int steps = noted & STEPS_MASK;
    if (steps == 0) {
      return;
    }
    if (buckets(stripe) == 0) {
      stripes[stripe] = memory.part(shape.offset(stripe), shape.stripeBytes());
    }
    MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, stripes[stripe], 0, bytesOf(noted));
    setSteps(stripe, steps);
    used[stripe] = slotsOf(noted);
    count.addAndGet(used[stripe]);
  }

  // --- the file

  /** Writes what the next process needs; nobody uses the table any more. */
  void save() {
    MemorySegment header = memory.part(0, shape.offset(0));
    for (int stripe = 0; stripe < shape.stripes(); stripe++) {
      int steps = (int) (words.get(stripe) & STEPS_MASK);
      header.set(
          Layouts.INT, PAGE + (long) stripe * Integer.BYTES, used[stripe] << STEPS_BITS | steps);
    }
    header.set(Layouts.INT, DEVICE_OFFSET, device);
    header.set(Layouts.INT, REGION_BYTES_OFFSET, regionBytes);
    header.set(Layouts.INT, STRIPES_OFFSET, shape.stripes());
    header.set(Layouts.INT, STEPS_OFFSET, shape.steps);
    header.set(Layouts.LONG, MAGIC_OFFSET, MAGIC);
  }

  /** Takes up a file as {@link #save} left it; false if it is of another shape. */
  boolean load() {
    if (memory.bytes() != shape.bytes()) {
      return false;
    }
    MemorySegment header = memory.part(0, shape.offset(0));
    long magic = header.get(Layouts.LONG, MAGIC_OFFSET);
    if ((magic != MAGIC && magic != MAGIC_WITHOUT_RUNS)
        || header.get(Layouts.INT, DEVICE_OFFSET) != device
        || header.get(Layouts.INT, REGION_BYTES_OFFSET) != regionBytes
        || header.get(Layouts.INT, STRIPES_OFFSET) != shape.stripes()
        || header.get(Layouts.INT, STEPS_OFFSET) != shape.steps) {
      return false;
    }
    long sum = 0;
    for (int stripe = 0; stripe < shape.stripes(); stripe++) {
      int noted = header.get(Layouts.INT, PAGE + (long) stripe * Integer.BYTES);
      int steps = noted & STEPS_MASK;
      used[stripe] = noted >>> STEPS_BITS;
      sum += used[stripe];
      if (steps > 0) {
        stripes[stripe] = memory.part(shape.offset(stripe), shape.stripeBytes());
        setSteps(stripe, steps);
      }
    }
    count.set(sum);
    isLoaded = true;
    return true;
  }
}
