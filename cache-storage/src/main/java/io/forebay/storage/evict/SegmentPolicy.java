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

  /** Regions that may change segment as they are before one has to give space. */
  static final int MAX_CONSECUTIVE_WHOLE = 8;

  /**
   * What can be set.
   *
   * @param protectedShare of the space, for what has proven useful; 0: no segments
   * @param threshold touches with which a record survives probation
   */
  public record Setting(double protectedShare, int threshold) {
    /** Where tuning starts: near enough to what any traffic wants. */
    public static final Setting INITIAL = new Setting(0.5, 1);

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
  }

  private final long[] bytesByTouches = new long[MAX_TOUCHES + 1];
  private volatile Setting setting;
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
    isProtected = isRegionProtected;
    leastTouches = isRegionProtected ? 1 : setting.threshold();
    Arrays.fill(bytesByTouches, 0);
  }

  /** Takes a live record of the region into account. */
  public void count(int touches, long length) {
    bytesByTouches[Math.min(touches, MAX_TOUCHES)] += length;
  }

  /** Ends counting: whether the region changes segment unchanged, or is emptied. */
  public boolean staysWhole(long regionBytes) {
    long budget = regionBytes / 8 * 7;
    long surviving = 0;
    for (int touches = leastTouches; touches <= MAX_TOUCHES; touches++) {
      surviving += bytesByTouches[touches];
    }
    if (surviving > budget && wholeInARow < MAX_CONSECUTIVE_WHOLE) {
      wholeInARow++;
      return true;
    }
    wholeInARow = 0;
    cut = MAX_TOUCHES;
    cutBytesLeft = budget;
    while (cut > leastTouches && bytesByTouches[cut] <= cutBytesLeft) {
      cutBytesLeft -= bytesByTouches[cut];
      cut--;
    }
    return false;
  }

  /** Whether a record of a region that is being emptied is kept. */
  public boolean survives(int touches, long length) {
    if (touches != cut) {
      return touches > cut;
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
}
