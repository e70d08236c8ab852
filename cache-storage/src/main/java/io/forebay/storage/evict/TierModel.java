package io.forebay.storage.evict;

import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.layout.Layouts;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A model of the memory tier that stores sizes instead of bytes: the same regions, records and
 * ghosts, under the same {@link SegmentPolicy}. One thread.
 *
 * <p>A record is a part of an object: part 0 is its head, the others are slices. Space is counted
 * in whole regions, as in the store; a region that a single record overfills counts as what it
 * holds, which happens in thinned models only, whose regions are small.
 */
public final class TierModel {
  /** The part of an object that its ghost and its hits are told by. */
  public static final int HEAD = 0;

  /** A record's places in the arrays, two in the table, and two ghosts. */
  static final long RECORD_HEAP_BYTES = 27 + 2 * Integer.BYTES + 2 * Short.BYTES;

  private static final int NONE = -1;

  private static final class Region {
    boolean isProtected;
    boolean isOpen = true;
    long age;
    long used;
    int first = NONE;
    int last = NONE;
  }

  private final SegmentPolicy policy;
  private final GhostFilter ghosts;
  private final ArrayDeque<Region> probation = new ArrayDeque<>();
  private final ArrayDeque<Region> protectedOnes = new ArrayDeque<>();
  private @Nullable Region openProbation;
  private @Nullable Region openProtected;
  private long usableBytes;
  private long regionBytes;
  private long takenBytes;
  private long protectedBytes;
  private long movedBytes;
  private long nextAge;

  private long[] objects = new long[256];
  private int[] parts = new int[256];
  private int[] lengths = new int[256];
  private byte[] touches = new byte[256];
  private byte[] lives = new byte[256];
  private byte[] sizeClasses = new byte[256];
  private int[] nexts = new int[256];
  private Region[] regions = new Region[256];
  private int free = NONE;
  private int end;
  private int count;

  /** Record number plus one by hash, linear probing; 0 is empty. */
  private int[] table = new int[512];

  /**
   * @param usableBytes what records and their directory entries may take, in regions that are open
   *     or full: the tier without its spare regions
   */
  public TierModel(long usableBytes, long regionBytes, SegmentPolicy policy, GhostFilter ghosts) {
    this.usableBytes = usableBytes;
    this.regionBytes = regionBytes;
    this.policy = policy;
    this.ghosts = ghosts;
  }

  /** The same tier under another policy; what was dropped so far is not remembered. */
  TierModel copy(SegmentPolicy newPolicy, GhostFilter newGhosts) {
    TierModel copy = new TierModel(usableBytes, regionBytes, newPolicy, newGhosts);
    copy.takenBytes = takenBytes;
    copy.protectedBytes = protectedBytes;
    copy.movedBytes = movedBytes;
    copy.nextAge = nextAge;
    copy.objects = objects.clone();
    copy.parts = parts.clone();
    copy.lengths = lengths.clone();
    copy.touches = touches.clone();
    copy.lives = lives.clone();
    copy.sizeClasses = sizeClasses.clone();
    copy.nexts = nexts.clone();
    copy.regions = new Region[regions.length];
    copy.free = free;
    copy.end = end;
    copy.count = count;
    copy.table = table.clone();
    probation.forEach(region -> copy.probation.add(copy.own(region)));
    protectedOnes.forEach(region -> copy.protectedOnes.add(copy.own(region)));
    copy.openProbation = openProbation == null ? null : copy.own(openProbation);
    copy.openProtected = openProtected == null ? null : copy.own(openProtected);
    return copy;
  }

  /** A region of its own that has what one of another model has. */
  private Region own(Region other) {
    Region region = new Region();
    region.isProtected = other.isProtected;
    region.isOpen = other.isOpen;
    region.age = other.age;
    region.used = other.used;
    region.first = other.first;
    region.last = other.last;
    for (int record = region.first; record != NONE; record = nexts[record]) {
      regions[record] = region;
    }
    return region;
  }

  /** Records that it holds. */
  public int count() {
    return count;
  }

  /** Bytes that reclaim copied, ever. */
  public long movedBytes() {
    return movedBytes;
  }

  long usableBytes() {
    return usableBytes;
  }

  /** Whether space has run out yet: before that, every setting does the same. */
  boolean isFull() {
    return takenBytes + regionBytes * 2 > usableBytes;
  }

  /** Asks for a record: true if it is there; if not, it is from now on. */
  public boolean access(long object, int part, int length, int sizeClass) {
    int record = find(object, part);
    if (record != NONE) {
      if (!regions[record].isOpen && touches[record] < SegmentPolicy.MAX_TOUCHES) {
        touches[record]++;
      }
      return true;
    }
    if (length <= usableBytes / 4) {
      insert(object, part, length, sizeClass);
    }
    return false;
  }

  private void insert(long object, int part, int length, int sizeClass) {
    int record = free;
    if (record == NONE) {
      if (end == objects.length) {
        grow();
      }
      record = end++;
    } else {
      free = nexts[record];
    }
    objects[record] = object;
    parts[record] = part;
    lengths[record] = length;
    touches[record] = (byte) policy.firstTouches(ghosts.mayContain(object));
    lives[record] = 0;
    sizeClasses[record] = (byte) sizeClass;
    count++;
    enter(record);
    append(record, false);
    while (takenBytes > usableBytes && reclaim()) {
      // One region more.
    }
  }

  private void grow() {
    int size = end * 2;
    objects = Arrays.copyOf(objects, size);
    parts = Arrays.copyOf(parts, size);
    lengths = Arrays.copyOf(lengths, size);
    touches = Arrays.copyOf(touches, size);
    lives = Arrays.copyOf(lives, size);
    sizeClasses = Arrays.copyOf(sizeClasses, size);
    nexts = Arrays.copyOf(nexts, size);
    regions = Arrays.copyOf(regions, size);
    int[] old = table;
    table = new int[old.length * 2];
    for (int entry : old) {
      if (entry != 0) {
        enter(entry - 1);
      }
    }
  }

  private void append(int record, boolean isProtected) {
    Region region = isProtected ? openProtected : openProbation;
    if (region == null || region.used + lengths[record] > regionBytes) {
      if (region != null) {
        region.isOpen = false;
        (isProtected ? protectedOnes : probation).add(region);
      }
      region = new Region();
      region.isProtected = isProtected;
      region.age = nextAge++;
      if (isProtected) {
        openProtected = region;
      } else {
        openProbation = region;
      }
      take(region, 1);
    }
    take(region, -1);
    region.used += lengths[record];
    take(region, 1);
    link(region, record);
  }

  private void link(Region region, int record) {
    nexts[record] = NONE;
    if (region.last == NONE) {
      region.first = record;
    } else {
      nexts[region.last] = record;
    }
    region.last = record;
    regions[record] = region;
  }

  private void take(Region region, int sign) {
    long bytes = sign * Math.max(regionBytes, region.used);
    takenBytes += bytes;
    if (region.isProtected) {
      protectedBytes += bytes;
    }
  }

  private boolean reclaim() {
    boolean takesProtected =
        !protectedOnes.isEmpty()
            && (probation.isEmpty()
                || policy.reclaimsProtected(
                    protectedBytes,
                    usableBytes,
                    protectedOnes.element().age < probation.element().age));
    Region region = (takesProtected ? protectedOnes : probation).poll();
    if (region == null) {
      return false;
    }
    policy.begin(region.isProtected);
    for (int record = region.first; record != NONE; record = nexts[record]) {
      if (!region.isProtected) {
        lives[record] = (byte) policy.firstLives(sizeClasses[record]);
      }
      policy.count(touches[record], lives[record], lengths[record]);
    }
    take(region, -1);
    if (policy.staysWhole(regionBytes)) {
      for (int record = region.first; record != NONE; record = nexts[record]) {
        goOn(record);
      }
      region.isProtected = true;
      region.age = nextAge++;
      take(region, 1);
      protectedOnes.add(region);
      return true;
    }
    int next;
    for (int record = region.first; record != NONE; record = next) {
      next = nexts[record];
      if (policy.survives(touches[record], lives[record], lengths[record])) {
        goOn(record);
        movedBytes += lengths[record];
        append(record, true);
      } else {
        drop(record, !region.isProtected);
      }
    }
    return true;
  }

  private void goOn(int record) {
    lives[record] = (byte) policy.livesAfter(touches[record], lives[record], sizeClasses[record]);
    touches[record] = (byte) policy.touchesAfter(touches[record]);
  }

  private void drop(int record, boolean leavesGhost) {
    if (leavesGhost) {
      if (parts[record] == HEAD) {
        ghosts.add(objects[record]);
      }
      ghosts.age(lengths[record]);
    }
    forget(record);
  }

  private void forget(int record) {
    leave(record);
    nexts[record] = free;
    free = record;
    count--;
  }

  /**
   * Keeps only the objects of which half as many are looked at, in half the space: the rest of the
   * model is as if it had never seen the others.
   */
  void thin(SampleFilter sample) {
    usableBytes /= 2;
    regionBytes /= 2;
    takenBytes = 0;
    protectedBytes = 0;
    thin(probation, sample);
    thin(protectedOnes, sample);
    thin(openProbation, sample);
    thin(openProtected, sample);
  }

  private void thin(Iterable<Region> segment, SampleFilter sample) {
    for (Region region : segment) {
      thin(region, sample);
    }
  }

  private void thin(@Nullable Region region, SampleFilter sample) {
    if (region == null) {
      return;
    }
    int record = region.first;
    region.first = NONE;
    region.last = NONE;
    region.used = 0;
    while (record != NONE) {
      int next = nexts[record];
      if (sample.has(objects[record])) {
        region.used += lengths[record];
        link(region, record);
      } else {
        forget(record);
      }
      record = next;
    }
    take(region, 1);
  }

  private int slot(long object, int part) {
    return (int) Layouts.mix(object + part * 0x9E3779B97F4A7C15L) & (table.length - 1);
  }

  private int find(long object, int part) {
    int slot = slot(object, part);
    while (true) {
      int record = table[slot] - 1;
      if (record == NONE || (objects[record] == object && parts[record] == part)) {
        return record;
      }
      slot = (slot + 1) & (table.length - 1);
    }
  }

  private void enter(int record) {
    int slot = slot(objects[record], parts[record]);
    while (table[slot] != 0) {
      slot = (slot + 1) & (table.length - 1);
    }
    table[slot] = record + 1;
  }

  private void leave(int record) {
    int mask = table.length - 1;
    int hole = slot(objects[record], parts[record]);
    while (table[hole] != record + 1) {
      hole = (hole + 1) & mask;
    }
    // What was pushed past the hole moves back into it, so that probing needs no tombstones.
    for (int slot = (hole + 1) & mask; table[slot] != 0; slot = (slot + 1) & mask) {
      int other = table[slot] - 1;
      int home = slot(objects[other], parts[other]);
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        table[hole] = table[slot];
        hole = slot;
      }
    }
    table[hole] = 0;
  }
}
