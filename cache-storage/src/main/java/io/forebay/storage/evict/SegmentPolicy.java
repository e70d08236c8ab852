package io.forebay.storage.evict;

import io.forebay.storage.layout.DirectoryEntry;
import java.util.Arrays;

/**
 * The eviction policy: segmented LRU by region, as rules without files, threads or memory. The
 * reclaimer, the shadow models that tune it and the simulator of the benchmarks share this code.
 * One owner, except for the setting.
 *
 * <ul>
 *   <li>The oldest region of one segment is reclaimed next: of the protected one if that has more
 *       than its share, else of probation. With a share of none, the older of the two: then what
 *       survives has as long to prove itself as what is new, which comes close to LRU.
 *   <li>Every record counts its touches, up to {@link #MAX_TOUCHES}. A touch counts only once the
 *       record's region is full and closed: what is asked for many times in one go is asked for
 *       once, as far as its future is told from it.
 *   <li>From probation a record survives with as many touches as the threshold says, and starts in
 *       the protected segment with none. There it survives with any, and each survival costs one.
 *   <li>Records of small objects survive passes untouched: one if the object has at most the size
 *       up to which objects are favoured and more than half of it, two if half, four if a quarter,
 *       at most {@link #MAX_LIVES}; in probation, a sixteenth of that size is what counts. For the
 *       space of a large object many small ones stay so much longer.
 *   <li>What probation dropped lately and comes back starts with enough touches to survive.
 *   <li>Survivors are copied together. Where they fill more than seven eighths of their region,
 *       little would be won: the region changes to the young end of the protected segment as it is.
 *       Only so many times in a row; then the least touched go until seven eighths are left, so
 *       that space is always found.
 * </ul>
 *
 * Use: {@link #begin}, {@link #count} for every live record, then either {@link #staysWhole} or
 * {@link #survives} for every record in the same order.
 */
public final class SegmentPolicy {
  public static final int MAX_TOUCHES = DirectoryEntry.MAX_TOUCHES;

  /** Passes that a record survives untouched at most. */
  static final int MAX_LIVES = DirectoryEntry.MAX_LIVES;

  /**
   * By so many octaves smaller has an object to be that nobody has asked for again. Most of those
   * never are; and a pass through the protected segment takes several times that of probation.
   */
  static final int UNPROVEN_OCTAVES = 4;

  /** The class of an object whose size does not matter. */
  public static final int ANY_SIZE = Long.SIZE;

  private static final int MAX_RANK = MAX_LIVES + MAX_TOUCHES;

  /** Regions that may change segment as they are before one has to give space. */
  static final int MAX_CONSECUTIVE_WHOLE = 8;

  /**
   * What can be set.
   *
   * @param protectedShare of the space, for what has proven useful; 0: no segments
   * @param threshold touches with which a record survives probation
   * @param smallClass {@link #sizeClass} up to which an object counts as small; 0: none does
   */
  public record Setting(double protectedShare, int threshold, int smallClass) {
    /** Where tuning starts: near enough to what any traffic wants. */
    public static final Setting INITIAL = new Setting(0.5, 1, 0);

    public Setting {
      if (!(protectedShare >= 0 && protectedShare <= 0.95)
          || threshold < 1
          || threshold >= MAX_TOUCHES) {
        throw new IllegalArgumentException(
            "protected share 0 to 0.95, threshold 1 or 2, not "
                + protectedShare
                + " and "
                + threshold);
      }
    }

    /** Bodies up to this length are favoured; 0: none are. */
    public long smallObjectBytes() {
      return smallClass == 0 ? 0 : 1L << smallClass;
    }

    Setting withSmallClass(int newSmallClass) {
      return newSmallClass == smallClass
          ? this
          : new Setting(protectedShare, threshold, newSmallClass);
    }
  }

  private final long[] bytesByRank = new long[MAX_RANK + 1];
  private volatile Setting setting;
  private int smallClass;
  private boolean isProtected;
  private int leastTouches;
  private int wholeInARow;
  private int cut;
  private long cutBytesLeft;

  public SegmentPolicy(Setting setting) {
    this.setting = setting;
  }

  /** Any thread. */
  public Setting setting() {
    return setting;
  }

  public void setting(Setting newSetting) {
    setting = newSetting;
  }

  /** The power of two, as its logarithm, that the body of an object does not exceed. */
  public static int sizeClass(long bodyBytes) {
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(bodyBytes, 1) - 1);
  }

  /** Whether the protected segment, being so large, is to give the next region. */
  public boolean reclaimsProtected(long protectedSize, long wholeSize, boolean isProtectedOlder) {
    double share = setting.protectedShare();
    return share == 0 ? isProtectedOlder : protectedSize > wholeSize * share;
  }

  /** Any thread: with how many touches a new record starts. */
  public int firstTouches(boolean wasDroppedLately) {
    return wasDroppedLately ? setting.threshold() : 0;
  }

  /** Any thread: with how many touches a record starts that takes the place of another. */
  public int touchesInherited(boolean wasProtected, int touches) {
    return wasProtected ? Math.max(touches, setting.threshold()) : touches;
  }

  /** Begins to judge the records of a region. */
  public void begin(boolean isRegionProtected) {
    Setting now = setting;
    smallClass = now.smallClass();
    isProtected = isRegionProtected;
    leastTouches = isRegionProtected ? 1 : now.threshold();
    Arrays.fill(bytesByRank, 0);
  }

  /** How many passes a record in probation survives that is not asked for again. */
  public int firstLives(int sizeClass) {
    return lives(sizeClass + UNPROVEN_OCTAVES);
  }

  private int lives(int sizeClass) {
    int octaves = smallClass - sizeClass;
    return smallClass == 0 || octaves < 0
        ? 0
        : Math.min(MAX_LIVES, 1 << Math.min(octaves, MAX_LIVES));
  }

  private int rank(int touches, int lives) {
    return touches >= leastTouches ? MAX_LIVES + Math.min(touches, MAX_TOUCHES) : lives;
  }

  /** Takes a live record of the region into account. */
  public void count(int touches, int lives, long length) {
    bytesByRank[rank(touches, lives)] += length;
  }

  /** Ends counting: whether the region changes segment unchanged, or is emptied. */
  public boolean staysWhole(long regionBytes) {
    long budget = regionBytes / 8 * 7;
    long surviving = 0;
    for (int rank = 1; rank <= MAX_RANK; rank++) {
      surviving += bytesByRank[rank];
    }
    if (surviving > budget && wholeInARow < MAX_CONSECUTIVE_WHOLE) {
      wholeInARow++;
      return true;
    }
    wholeInARow = 0;
    cut = MAX_RANK;
    cutBytesLeft = budget;
    while (cut > 1 && bytesByRank[cut] <= cutBytesLeft) {
      cutBytesLeft -= bytesByRank[cut];
      cut--;
    }
    return false;
  }

  /** Whether a record of a region that is being emptied is kept. */
  public boolean survives(int touches, int lives, long length) {
    int rank = rank(touches, lives);
    if (rank != cut) {
      return rank > cut;
    }
    if (length > cutBytesLeft) {
      return false;
    }
    cutBytesLeft -= length;
    return true;
  }

  /** With how many touches a record goes on that survived, or whose region did. */
  public int touchesAfter(int touches) {
    return isProtected && touches > 0 ? touches - 1 : 0;
  }

  /** How many passes it then survives untouched: as many as ever if it was asked for. */
  public int livesAfter(int touches, int lives, int sizeClass) {
    return touches >= leastTouches ? lives(sizeClass) : Math.max(lives - 1, 0);
  }

  /** Whether it has been asked for again, now or in an earlier pass. */
  public boolean isProven(int touches, boolean wasProven) {
    return wasProven || touches >= leastTouches;
  }

  /** Whether the size of an object matters in this pass. */
  public boolean favoursSmall() {
    return smallClass > 0;
  }
}
