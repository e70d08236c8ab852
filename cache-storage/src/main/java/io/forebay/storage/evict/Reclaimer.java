package io.forebay.storage.evict;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import io.forebay.storage.region.SpaceAllocator;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps spare regions of one cell of the first tier, or of a middle tier, available by segmented
 * LRU over regions, as {@link SegmentPolicy} decides. Reclaim thread only.
 *
 * <p>What survives moves to the young end of the protected segment, all else goes: to the next tier
 * where there is one, else to a disk, or nowhere. Of a middle tier, records that are requested
 * often go back to the first one. A record moves under its key's lock: the copy becomes live, the
 * index names it, the original stops being live. A reclaimed region refuses new pins and waits in
 * limbo until the old ones are gone. Survivors stay in their cell, except that a record that a
 * storage class keeps goes to another one where its own has no room.
 *
 * <p>What a disk has to write first waits in its region until the disk has room for it, and what
 * has gone already stays gone: a region may hold more than the write buffers do.
 *
 * <pre>
 *              +--------- promoted (protected) <---------+
 *              v                                         |
 *   first tier: probation, protected --demoted--> middle tier: probation, protected --> disk
 * </pre>
 */
public final class Reclaimer {
  private static final double INDEX_HIGH = 0.9;

  /** How long each region that is to be given back waits for the disks to take its records. */
  private static final long PATIENCE_MILLIS = 1_000;

  /** How long lanes without a region wait for disks that have fallen behind: fills wait then. */
  static final long MOMENT_MILLIS = 500;

  /**
   * Spare regions that a tier has before the one above it empties a region into it: what is left of
   * two open regions may be too short for its records.
   */
  public static final int SPARES_FOR_DEMOTION = 3;

  /** Spare regions that a cell leaves another one: one for lanes, one for its reclaim. */
  private static final int SPARES_LEFT = 2;

  /** How many regions a tier frees at most before the one above it goes on. */
  private static final int MAX_MAKING_ROOM = 4;

  private final Regions regions;
  private final RegionPart part;
  private final @Nullable Reclaimer next;
  private final @Nullable TierPromotion promotion;
  private final RegionPins pins;
  private final SpaceAllocator space;
  private final ObjectIndex index;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final Set<? extends UnfinishedObject> fills;

  /** Objects whose slices live before there is a head. */
  private final Set<Long> growing;

  private final DiskTier disk;
  private final MemoryCheck check;
  private final DiskDemoter demotion;
  private final SegmentPolicy policy;
  private final StorageClassPolicy classes;
  private final SegmentPolicy first;
  private final GhostFilter ghosts;
  private final SliceHeads heads;
  private final BodySizes sizes;
  private final long fillDeadlineMillis;
  private final Reservation target = new Reservation();
  private final Move move = new Move();
  private final Drop drop = new Drop();
  private final Emptying emptying = new Emptying();

  /** Of the other cells of the first tier. */
  private List<Reclaimer> others = List.of();

  /** Since when the disks hold a region up that is to be given back; -1: they do not. */
  private long behindMillis = -1;

  /** Since when, without a moment in between, and up to when lanes waited for the disks. */
  private long waitedFromMillis;

  private long waitedToMillis = Long.MIN_VALUE / 2;

  /** The region to be reclaimed is not the one whose turn it is. */
  private boolean isBeforeItsTime;

  /** What classes have over their quota is enough for the region to be reclaimed. */
  private boolean isOverQuota;

  private long reclaimed;
  private long reclaimedForIndex;
  private long evicted;
  private long moved;
  private long keptWhole;
  private long dead;
  private long revoked;
  private long demoted;
  private long promoted;

  /** Of a store with one tier. */
  public Reclaimer(
      Regions regions,
      RegionPins pins,
      SpaceAllocator space,
      ObjectIndex index,
      Purges purges,
      Set<? extends UnfinishedObject> fills,
      Set<Long> growing,
      DiskTier disk,
      MemoryCheck check,
      DiskDemoter demotion,
      EvictionState eviction,
      StorageClasses classes,
      int sliceBytes,
      long fillDeadlineMillis) {
    this(
        regions,
        pins,
        space,
        index,
        purges,
        fills,
        growing,
        disk,
        check,
        demotion,
        eviction,
        classes,
        sliceBytes,
        fillDeadlineMillis,
        RegionPart.ofTier(regions, 0),
        null,
        null);
  }

  /**
   * Of a cell of the first tier, or a middle tier.
   *
   * @param part whose regions it reclaims
   * @param next what frees the regions of the tier behind it; null for the last
   * @param promotion what may go back to the first tier; null for that
   */
  public Reclaimer(
      Regions regions,
      RegionPins pins,
      SpaceAllocator space,
      ObjectIndex index,
      Purges purges,
      Set<? extends UnfinishedObject> fills,
      Set<Long> growing,
      DiskTier disk,
      MemoryCheck check,
      DiskDemoter demotion,
      EvictionState eviction,
      StorageClasses classes,
      int sliceBytes,
      long fillDeadlineMillis,
      RegionPart part,
      @Nullable Reclaimer next,
      @Nullable TierPromotion promotion) {
    this.regions = regions;
    this.part = part;
    this.next = next;
    this.promotion = promotion;
    this.pins = pins;
    this.space = space;
    this.index = index;
    this.cursor = index.blockingCursor();
    this.purges = purges;
    this.fills = fills;
    this.growing = growing;
    this.disk = disk;
    this.check = check;
    this.demotion = demotion;
    this.first = eviction.policy();
    // The settings are those of the first cell; what a pass counts is its own.
    this.policy = part.from() == 0 ? first : new SegmentPolicy(first.setting());
    this.heads = new SliceHeads(regions.memory(), cursor);
    this.sizes = new BodySizes(regions, cursor, sliceBytes);
    this.classes = new StorageClassPolicy(regions, classes, sizes, part);
    this.ghosts = eviction.ghosts();
    this.fillDeadlineMillis = fillDeadlineMillis;
  }

  public long reclaimed() {
    return reclaimed;
  }

  /** Regions freed although there were enough spares, because the index was full. */
  public long reclaimedForIndex() {
    return reclaimedForIndex;
  }

  public long evicted() {
    return evicted;
  }

  /** The same of a storage class. */
  public long evicted(int storageClass) {
    return classes.evicted(storageClass);
  }

  public long moved() {
    return moved;
  }

  /** Regions that changed segment, or stayed in it, as they were. */
  public long keptWhole() {
    return keptWhole;
  }

  /** Records dropped because a purge or their head's end had killed them. */
  public long dead() {
    return dead;
  }

  public long revoked() {
    return revoked;
  }

  /** Records that went to the next tier. */
  public long demoted() {
    return demoted;
  }

  /** Records that went back to the first tier. */
  public long promoted() {
    return promoted;
  }

  /** Makes spares of regions that hold nothing; safe before the index is complete. */
  public boolean renewFree() {
    boolean progress = false;
    for (int region = part.from(); region < part.end(); region++) {
      int state = regions.state(region);
      if (state == Regions.FREE || (state == Regions.LIMBO && pins.isUnpinned(region))) {
        regions.renew(region);
        space.addSpare(region);
        progress = true;
      }
    }
    return progress;
  }

  /**
   * Reclaims at most one region; false if there was nothing to do or nothing that could be done.
   */
  public boolean step(long nowMillis) {
    boolean progress = part.from() == 0 && revokeStalled(nowMillis);
    progress |= renewFree();
    int limbo = limboCount();
    boolean isShort =
        space.spareCount() + limbo < space.spareTarget()
            || (space.spareCount() < leastSpares() && limbo < regionsInUse() / 4);
    boolean isShrinking = space.spareCount() + limbo < space.spareTarget() + space.toWithdraw();
    if (!isShort && !isShrinking && !isToReduceIndex()) {
      return progress;
    }
    if (isBehind(nowMillis) && mayWait(nowMillis)) {
      return progress;
    }
    int victim = toBeEmptied();
    if (victim < 0) {
      boolean isSettled = regions.settledAge() == TierHeader.ALL_SETTLED;
      return (part.isOfFirstTier()
              && isShort
              && isSettled
              && others.stream().noneMatch(Reclaimer::mayGiveRoom)
              && revokeOne(stalest()))
          || progress;
    }
    return switch (free(victim, nowMillis)) {
      case WAITS -> progress;
      case IN_PART, KEPT -> true;
      case FREE -> {
        if (!isShort && !isShrinking) {
          reclaimedForIndex++;
        }
        yield true;
      }
    };
  }

  /**
   * Whether what leaves memory now may wait for disks without room, rather than be lost. While
   * lanes have a region to write to, it costs nothing. After that fills wait, too: for as long as
   * disks need that have fallen behind for a moment, but not for disks that are too slow. Those
   * leave whole objects out then, and until they take all again nobody waits.
   */
  private boolean mayWait(long nowMillis) {
    if (isImpatient(nowMillis)) {
      return false;
    }
    if (hasRegionForLanes()) {
      return true;
    }
    if (demotion.isShedding()) {
      return false;
    }
    if (demotion.hasAmpleRoom() || nowMillis - waitedToMillis > MOMENT_MILLIS) {
      waitedFromMillis = nowMillis;
    }
    waitedToMillis = nowMillis;
    return Math.abs(nowMillis - waitedFromMillis) < MOMENT_MILLIS;
  }

  /** What leaves now would be dropped. */
  private boolean isBehind(long nowMillis) {
    return next == null ? demotion.isBehind() : !next.makesRoom(nowMillis);
  }

  private enum Freed {
    FREE,
    /** It stays as it is, as a protected one. */
    KEPT,
    /** Some of its records have left, and the disks have no room for the next one. */
    IN_PART,
    /** The same, and none has left. */
    WAITS
  }

  /** Empties a region, or goes on with it; it is spare at once if nobody reads it. */
  private Freed free(int region, long nowMillis) {
    if (region != emptying.region && !beginEmptying(region)) {
      behindMillis = -1;
      return Freed.KEPT;
    }
    int before = emptying.next;
    if (!empty(mayWait(nowMillis))) {
      return emptying.next > before ? Freed.IN_PART : Freed.WAITS;
    }
    behindMillis = -1;
    if (pins.isUnpinned(region)) {
      regions.renew(region);
      space.addSpare(region);
    }
    return Freed.FREE;
  }

  /** The region that is being emptied, or else the one whose turn it is; -1 where there is none. */
  private int toBeEmptied() {
    int region = emptying.region;
    if (region >= 0
        && regions.state(region) == Regions.SEALED
        && regions.generation(region) == emptying.generation
        && regions.isReclaimable(region)) {
      return region;
    }
    // A response depends on what is left of it.
    emptying.region = -1;
    return victim();
  }

  // --- cells
  // --------------------------------------------------------------------------------------

  /** Of the first tier: what reclaims its other cells. */
  void besides(List<Reclaimer> otherCells) {
    others = List.copyOf(otherCells);
  }

  /** Whether lanes of other cells find room here, now or soon. */
  private boolean mayGiveRoom() {
    return space.spareCount() > 1 || limboCount() > 0 || victim() >= 0;
  }

  /** Whether lanes find a region to write to, here or in another cell. */
  private boolean hasRegionForLanes() {
    return space.spareCount() > 1 || others.stream().anyMatch(one -> one.space.spareCount() > 1);
  }

  /** Whether there are more spare regions than are kept, or soon will be. */
  boolean hasExcess() {
    return space.spareCount() + limboCount() > space.spareTarget();
  }

  /** The age that the next region gets which is opened, in any tier. */
  long upcomingAge() {
    return space.upcomingAge();
  }

  /** The age of the region whose turn it is; -1 where there is none. */
  long nextAge() {
    int victim = victim();
    return victim < 0 ? -1 : regions.age(victim);
  }

  /** After {@link #nextAge}: whether classes over their quota would free enough of that region. */
  boolean isNextOverQuota() {
    return isOverQuota;
  }

  /** Frees one region more than is kept here, for another cell to use; false if not now. */
  boolean freeForOthers(long nowMillis) {
    // Not urgent: the disks have nothing else to write.
    boolean isBusy = disk.isInUse() && !disk.isIdle();
    int victim = isBusy || isBehind(nowMillis) ? -1 : toBeEmptied();
    return victim >= 0 && free(victim, nowMillis) != Freed.WAITS;
  }

  /** Frees regions, some at most, until the tier can take what one region of another holds. */
  private boolean makesRoom(long nowMillis) {
    for (int n = 0;
        n < MAX_MAKING_ROOM && space.spareCount() < SPARES_FOR_DEMOTION && step(nowMillis);
        n++) {
      Thread.onSpinWait();
    }
    return space.spareCount() >= SPARES_FOR_DEMOTION;
  }

  /** Whether records have to go for the sake of the index: from the last tier that has any. */
  private boolean isToReduceIndex() {
    return index.count() >= index.capacity() * INDEX_HIGH && (next == null || next.victim() < 0);
  }

  /** Regions that are kept spare though others have only to be left by their readers. */
  private int leastSpares() {
    return part.isOfFirstTier() ? 2 : SPARES_FOR_DEMOTION;
  }

  private int regionsInUse() {
    return regions.inUse(part);
  }

  /** Whether memory has to be given back, and the disks have been behind for long enough. */
  private boolean isImpatient(long nowMillis) {
    if (space.toWithdraw() == 0) {
      return false;
    }
    if (behindMillis < 0) {
      behindMillis = nowMillis;
    }
    return Math.abs(nowMillis - behindMillis) >= PATIENCE_MILLIS;
  }

  /** Whether the next region that lanes ask for could not be given, nor soon. */
  public boolean hasNoneForLanes() {
    return space.spareCount() <= 1 && limboCount() <= 1;
  }

  private int limboCount() {
    int limbo = 0;
    for (int region = part.from(); region < part.end(); region++) {
      if (regions.state(region) == Regions.LIMBO) {
        limbo++;
      }
    }
    return limbo;
  }

  private int victim() {
    boolean isAnyOverQuota = classes.isAnyOverQuota();
    int overQuota = -1;
    int probation = -1;
    int protectedOne = -1;
    int protectedCount = 0;
    long settledAge = regions.settledAge();
    for (int region = part.from(); region < part.end(); region++) {
      boolean isProtected = regions.segment(region) == Regions.PROTECTED;
      int state = regions.state(region);
      if (isProtected && (state == Regions.SEALED || state == Regions.OPEN)) {
        protectedCount++;
      }
      if (state != Regions.SEALED
          || !regions.isReclaimable(region)
          || regions.age(region) > settledAge) {
        continue;
      }
      if (isAnyOverQuota && classes.isWorthReclaiming(region)) {
        overQuota = older(overQuota, region);
      }
      if (isProtected) {
        protectedOne = older(protectedOne, region);
      } else {
        probation = older(probation, region);
      }
    }
    int guarded = Math.min(protectedCount, classes.guardedRegions());
    boolean takesProtected =
        protectedOne >= 0
            && (probation < 0
                || policy.reclaimsProtected(
                    protectedCount - guarded,
                    regionsInUse() - guarded,
                    regions.age(protectedOne) < regions.age(probation)));
    int next = takesProtected ? protectedOne : probation;
    isOverQuota = overQuota >= 0;
    isBeforeItsTime = isOverQuota && overQuota != next;
    return isBeforeItsTime ? overQuota : next;
  }

  private int older(int one, int other) {
    return one < 0 || regions.age(other) < regions.age(one) ? other : one;
  }

  /** Empties a region at once, or makes it a protected one as it is: then false. */
  boolean reclaim(int region) {
    return beginEmptying(region) && empty(false);
  }

  /** Judges the records of a region; false if it becomes a protected one as it is. */
  private boolean beginEmptying(int region) {
    emptying.region = -1;
    MemorySegment memory = regions.memory();
    int generation = regions.generation(region);
    boolean isProtected = regions.segment(region) == Regions.PROTECTED;
    int slots = regions.slots(region);
    int[] living = new int[slots];
    int count = 0;
    if (policy != first) {
      policy.setting(first.setting());
    }
    policy.begin(isProtected);
    classes.begin(isBeforeItsTime);
    for (int slot = 0; slot < slots; slot++) {
      if (!regions.isCommitted(region, slot, generation)
          || !check.isEntrySound(region, generation, slot)) {
        continue;
      }
      if (regions.isLive(region, slot) && !check.isIntact(region, generation, slot)) {
        dead++;
      } else if (!dropsDead(region, slot, generation)) {
        living[count++] = slot;
        classes.count(region, slot, length(memory, region, slot));
      }
    }
    classes.weigh(region);
    StorageClassPolicy.Fate[] fates = new StorageClassPolicy.Fate[count];
    long kept = 0;
    for (int n = 0; n < count; n++) {
      int length = length(memory, region, living[n]);
      fates[n] = classes.fate(region, living[n], length);
      if (fates[n] == StorageClassPolicy.Fate.BY_USE) {
        int lives = lives(region, living[n], isProtected);
        policy.count(regions.touches(region, living[n]), lives, length);
      } else if (fates[n] == StorageClassPolicy.Fate.KEPT) {
        kept += length;
      }
    }
    if (classes.staysWhole(kept)
        || policy.staysWhole(Math.max(0, regions.regionBytes() - kept * 8 / 7))) {
      for (int n = 0; n < count; n++) {
        goOn(region, living[n], isProtected, region, living[n]);
      }
      regions.protect(region, space.newAge());
      keptWhole++;
      return false;
    }
    boolean[] survives = new boolean[count];
    for (int n = 0; n < count; n++) {
      int slot = living[n];
      survives[n] =
          fates[n] == StorageClassPolicy.Fate.KEPT
              || (fates[n] == StorageClassPolicy.Fate.BY_USE
                  && policy.survives(
                      regions.touches(region, slot),
                      lives(region, slot, isProtected),
                      length(memory, region, slot)));
    }
    emptying.begin(region, generation, isProtected, Arrays.copyOf(living, count), fates, survives);
    return true;
  }

  /** Has the records of the region leave it that still are in it; false if the next one waits. */
  private boolean empty(boolean mayWait) {
    int region = emptying.region;
    int generation = emptying.generation;
    for (; emptying.next < emptying.slots.length; emptying.next++) {
      int slot = emptying.slots[emptying.next];
      int length = length(regions.memory(), region, slot);
      // Asked once more: the sweep of a purge that came meanwhile may have passed the place to
      // which the record would go.
      boolean isDropped = emptying.hasWaited && dropsDead(region, slot, generation);
      if (!isDropped
          && !stays(slot, length)
          && !demote(region, slot, generation, length, emptying.isProtected)
          && !evict(region, slot, generation, length, mayWait)) {
        emptying.hasWaited = true;
        return false;
      }
    }
    emptying.region = -1;
    // From here on the region refuses pins; pairs with the validation behind each pin.
    regions.state(region, Regions.LIMBO);
    reclaimed++;
    return true;
  }

  /** Whether a record was dead, and is dropped. */
  private boolean dropsDead(int region, int slot, int generation) {
    boolean isLive = regions.isLive(region, slot);
    if (isLive && !isDead(region, slot)) {
      return false;
    }
    dead++;
    if (drop(region, slot, generation) && isLive) {
      count(region, slot);
    }
    return true;
  }

  /** Whether a record of the region goes on in the first tier, or in this one. */
  private boolean stays(int slot, int length) {
    int n = emptying.next;
    int region = emptying.region;
    int generation = emptying.generation;
    return emptying.survives[n]
        && (promotes(region, slot, generation, length)
            || move(
                region,
                slot,
                generation,
                length,
                emptying.isProtected,
                emptying.fates[n] == StorageClassPolicy.Fate.KEPT));
  }

  /** The region that is being emptied, and what was judged of its records. */
  private static final class Emptying {
    /** -1: none. */
    int region = -1;

    int generation;
    boolean isProtected;
    int[] slots = {};
    StorageClassPolicy.Fate[] fates = {};
    boolean[] survives = {};

    /** The first that is still in it. */
    int next;

    /** It has waited for the disks since it was judged. */
    boolean hasWaited;

    void begin(
        int newRegion,
        int newGeneration,
        boolean isRegionProtected,
        int[] living,
        StorageClassPolicy.Fate[] theirFates,
        boolean[] theySurvive) {
      region = newRegion;
      generation = newGeneration;
      isProtected = isRegionProtected;
      slots = living;
      fates = theirFates;
      survives = theySurvive;
      next = 0;
      hasWaited = false;
    }
  }

  /** What a record has that survives, in the place where it goes on. */
  private void goOn(int region, int slot, boolean isProtected, int newRegion, int newSlot) {
    int touches = regions.touches(region, slot);
    int lives = lives(region, slot, isProtected);
    regions.use(
        newRegion,
        newSlot,
        policy.touchesAfter(touches),
        policy.livesAfter(touches, lives, sizeClass(region, slot)),
        policy.isProven(touches, isProtected && regions.isProven(region, slot)));
  }

  private int lives(int region, int slot, boolean isProtected) {
    return isProtected ? regions.lives(region, slot) : policy.firstLives(sizeClass(region, slot));
  }

  /**
   * Of the whole object, as far as the record tells: only sizes below a slice's are favoured, so
   * what follows a slice does not matter. Not looked at where no size is favoured.
   */
  private int sizeClass(int region, int slot) {
    return policy.favoursSmall()
        ? SegmentPolicy.sizeClass(sizes.atLeast(region, slot))
        : SegmentPolicy.ANY_SIZE;
  }

  /** An object is remembered when its head goes; all its bytes age what is remembered. */
  private void addGhost(int region, int slot, int length) {
    long entry = regions.entry(region, slot);
    MemorySegment memory = regions.memory();
    if (DirectoryEntry.kind(memory, entry) != RecordHeader.KIND_SLICE) {
      ghosts.add(memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET));
    }
    ghosts.age(length);
  }

  private static int length(MemorySegment memory, Regions regions, int region, int slot) {
    return Layouts.roundUp(
        memory.get(Layouts.INT, regions.entry(region, slot) + DirectoryEntry.LENGTH_OFFSET),
        RecordHeader.ALIGNMENT);
  }

  private int length(MemorySegment memory, int region, int slot) {
    return length(memory, regions, region, slot);
  }

  private boolean isDead(int region, int slot) {
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    long record =
        regions.base(region) + memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
    if (DirectoryEntry.kind(memory, entry) != RecordHeader.KIND_SLICE) {
      return purges.check(memory, record) == Purges.DEAD;
    }
    return heads.isOrphan(record, growing);
  }

  /** For the receipt of the purge, if it was one that took the record's life. */
  private void count(int region, int slot) {
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    if (DirectoryEntry.kind(memory, entry) != RecordHeader.KIND_SLICE) {
      int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      purges.count(memory, regions.base(region) + offset, Purges.DEAD);
    }
  }

  private boolean move(
      int region,
      int slot,
      int generation,
      int roundedLength,
      boolean isProtected,
      boolean mayLeaveCell) {
    if (!space.reserveProtected(roundedLength, target)
        && !(mayLeaveCell && reserveInOtherCell(roundedLength))) {
      return false;
    }
    enterCopy(region, slot);
    goOn(region, slot, isProtected, target.region(), target.slot());
    if (carry(region, slot, generation)) {
      moved++;
    }
    return true;
  }

  private boolean reserveInOtherCell(int roundedLength) {
    for (Reclaimer other : others) {
      if (other.space.reserveProtected(roundedLength, target, SPARES_LEFT)) {
        return true;
      }
    }
    return false;
  }

  /**
   * To the next tier, where the record begins anew: whether it was requested before is all that is
   * known of it there. False where there is none, or no room.
   */
  private boolean demote(
      int region, int slot, int generation, int roundedLength, boolean isProtected) {
    Reclaimer below = next;
    if (below == null
        || !classes.mayBeIn(below.isVolatile(), region, slot)
        || !below.space.reserve(roundedLength, target)) {
      return false;
    }
    boolean wasProven = (isProtected || !part.isOfFirstTier()) && regions.isProven(region, slot);
    boolean isProven = wasProven || regions.touches(region, slot) > 0;
    enterCopy(region, slot);
    regions.use(target.region(), target.slot(), 0, 0, isProven);
    if (carry(region, slot, generation)) {
      demoted++;
    }
    return true;
  }

  private boolean isVolatile() {
    return promotion == null || promotion.isVolatile();
  }

  /** Whether a record of a middle tier has gone back to the first one. */
  private boolean promotes(int region, int slot, int generation, int roundedLength) {
    TierPromotion own = promotion;
    return own != null
        && regions.touches(region, slot) >= TierPromotion.TOUCHES
        && promote(own, region, slot, generation, roundedLength);
  }

  private boolean promote(
      TierPromotion own, int region, int slot, int generation, int roundedLength) {
    if (!classes.mayBeProtected(region, slot) || !own.reserve(roundedLength, target)) {
      return false;
    }
    enterCopy(region, slot);
    regions.use(target.region(), target.slot(), 0, 0, true);
    if (carry(region, slot, generation)) {
      promoted++;
    }
    return true;
  }

  /**
   * Brings records of a region whose turn it is back to the first tier that have as many touches as
   * are counted, so that they need not wait until their region is reclaimed. False if there is
   * nothing to do now.
   */
  public boolean promoteStep(long nowMillis) {
    TierPromotion own = promotion;
    if (own == null || !own.isDue(nowMillis)) {
      return false;
    }
    int region = own.region();
    int generation = regions.generation(region);
    boolean isSettled = regions.age(region) <= regions.settledAge();
    int slots = regions.state(region) == Regions.SEALED && isSettled ? regions.slots(region) : 0;
    while (own.slot() < slots) {
      int slot = own.slot();
      if (regions.isCommitted(region, slot, generation)
          && regions.isLive(region, slot)
          && regions.touches(region, slot) == DirectoryEntry.MAX_TOUCHES
          && check.isEntrySound(region, generation, slot)
          && check.isIntact(region, generation, slot)
          && !isDead(region, slot)
          && classes.mayBeProtected(region, slot)
          && !promote(own, region, slot, generation, length(regions.memory(), region, slot))) {
        // No room there now, or enough for the moment: it goes on from here.
        return false;
      }
      own.nextSlot();
    }
    own.nextRegion();
    return true;
  }

  /** Writes the directory entry of a copy at the target, which names nothing yet. */
  private void enterCopy(int region, int slot) {
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    regions.enter(
        target.region(),
        target.slot(),
        memory.get(Layouts.BYTE, entry + DirectoryEntry.KIND_OFFSET),
        memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET),
        memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET),
        target.offset(),
        memory.get(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET),
        memory.get(Layouts.LONG, entry + DirectoryEntry.OBJECT_OFFSET),
        memory.get(Layouts.LONG, entry + DirectoryEntry.BASE_SCOPE_OFFSET));
  }

  /** Copies a record to the target, names the copy, and releases the target's region. */
  private boolean carry(int region, int slot, int generation) {
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
    int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
    long from = regions.base(region) + offset;
    long to = regions.base(target.region()) + target.offset();
    TierMemory.copy(memory, from, to, length);
    memory.set(Layouts.INT, to + RecordHeader.GENERATION_OFFSET, target.generation());
    memory.set(Layouts.INT, to + RecordHeader.ENTRY_OFFSET, target.slot());
    regions.commit(
        target.region(),
        target.slot(),
        target.generation(),
        length,
        memory.get(Layouts.INT, entry + DirectoryEntry.EPOCH_OFFSET));
    move.high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
    move.low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
    move.isHead = DirectoryEntry.kind(memory, entry) != RecordHeader.KIND_SLICE;
    move.region = region;
    move.slot = slot;
    move.generation = generation;
    move.offset = offset;
    move.length = length;
    ObjectIndex.Outcome outcome = cursor.update(move.high, move.low, move);
    regions.release(target.region());
    return outcome == ObjectIndex.Outcome.DONE;
  }

  /** Has a record leave memory; false if it waits for room on a disk. */
  private boolean evict(int region, int slot, int generation, int roundedLength, boolean mayWait) {
    switch (demotion.leave(region, slot, generation, mayWait)) {
      case WAITS -> {
        return false;
      }
      case ON_DISK -> regions.live(region, slot, false);
      case LOST -> {
        boolean ignored = drop(region, slot, generation);
      }
    }
    if (!emptying.isProtected) {
      addGhost(region, slot, roundedLength);
    }
    classes.onEvicted(region, slot);
    evicted++;
    return true;
  }

  /** False if the key named something else already. */
  private boolean drop(int region, int slot, int generation) {
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    drop.region = region;
    drop.slot = slot;
    drop.generation = generation;
    drop.offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
    drop.high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
    drop.low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
    ObjectIndex.Outcome outcome = cursor.update(drop.high, drop.low, drop);
    regions.live(region, slot, false);
    return outcome == ObjectIndex.Outcome.DONE;
  }

  private boolean revokeStalled(long nowMillis) {
    boolean progress = false;
    for (UnfinishedObject fill : fills) {
      if (nowMillis - fill.progressMillis() > fillDeadlineMillis) {
        progress |= revokeOne(fill);
      }
    }
    return progress;
  }

  private @Nullable UnfinishedObject stalest() {
    UnfinishedObject result = null;
    for (UnfinishedObject fill : fills) {
      boolean isStaler = result == null || fill.progressMillis() < result.progressMillis();
      if (isStaler && !fill.isReadFrom()) {
        result = fill;
      }
    }
    return result;
  }

  private boolean revokeOne(@Nullable UnfinishedObject fill) {
    if (fill == null || !fill.revoke()) {
      return false;
    }
    fills.remove(fill);
    revoked++;
    return true;
  }

  /** Names the copy instead of the original, if the original is still what the key names. */
  private final class Move implements ObjectIndex.Update {
    long high;
    long low;
    boolean isHead;
    int region;
    int slot;
    int generation;
    int offset;
    int length;

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue current) {
      if (!isPresent || !current.isAt(region, generation, offset)) {
        regions.live(region, slot, false);
        return ObjectIndex.Verdict.KEEP;
      }
      if (!regions.isLive(region, slot)) {
        disk.addTombstone(high, low, current);
        return ObjectIndex.Verdict.REMOVE;
      }
      MemorySegment memory = regions.memory();
      long record = regions.base(region) + offset;
      boolean isOpen = regions.isOpenSoft(region, slot);
      boolean isStale = isHead && purges.check(memory, record) == Purges.STALE;
      if ((regions.isSoft(region, slot) && !isOpen)
          || (isStale && purges.isClosing(memory, record))) {
        boolean ignored = regions.harden(target.region(), target.slot());
      } else if (isOpen || isStale) {
        boolean ignored = regions.soften(target.region(), target.slot());
      }
      regions.live(target.region(), target.slot(), true);
      regions.live(region, slot, false);
      current.memory(target.region(), target.generation(), target.offset(), length);
      return ObjectIndex.Verdict.PUT;
    }
  }

  /** Forgets the record, if it is still what the key names. */
  private final class Drop implements ObjectIndex.Update {
    long high;
    long low;
    int region;
    int slot;
    int generation;
    int offset;

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue current) {
      boolean isIt = isPresent && current.isAt(region, generation, offset);
      if (isIt) {
        regions.live(region, slot, false);
        disk.addTombstone(high, low, current);
      }
      return isIt ? ObjectIndex.Verdict.REMOVE : ObjectIndex.Verdict.KEEP;
    }
  }
}
