package io.forebay.storage.evict;

import java.util.Arrays;

/**
 * Decides how much small objects are favoured: as much as saves requests to the origin without
 * costing bytes.
 *
 * <p>Every candidate is a {@link SegmentPolicy#sizeClass} up to which objects are favoured, the
 * first of them 0, none. Its score is what its model missed, in bytes and in objects; older windows
 * count less and less. Candidates that missed more bytes than the first by more than a limit are
 * out. Of the others the one with the fewest missed objects is the aim. If it has fewer than the
 * present one by a margin, in several windows in a row, the present one moves a step towards it; if
 * the present one itself is out, it changes to the aim. As in {@link SettingTuner}, a step back
 * needs a longer row each time.
 */
final class SmallObjectTuner {
  /** Of a score, what is left of it a window later. */
  static final double KEPT = 0.98;

  /** By how much more bytes than the first a candidate may miss to become the present one. */
  static final double ENTER = 0.002;

  /** By how much more bytes than the first the present one may miss. */
  static final double LEAVE = 0.004;

  /** By how much fewer missed objects a candidate must have. */
  static final double MARGIN = 0.003;

  static final int WINDOWS_IN_A_ROW = 2;

  /**
   * Windows before the first decision. The candidates begin as copies of one model and first show
   * what they save; what that costs shows when they have dropped other objects, a tier later.
   */
  static final int FIRST_WINDOWS = 24;

  static final int MAX_PATIENCE = 64;

  private static final int[] CLASSES = {0, 13, 15, 17, 19};

  private final int[] classes;
  private final double[] bytes;
  private final double[] objects;
  private int present;
  private int inARow;
  private int windows;
  private int patience = WINDOWS_IN_A_ROW;
  private int cameFrom = -1;

  /**
   * @param largest size class that can be favoured
   */
  SmallObjectTuner(int largest, int start) {
    this.classes = Arrays.stream(CLASSES).filter(each -> each <= largest).toArray();
    this.bytes = new double[classes.length];
    this.objects = new double[classes.length];
    this.present = Math.max(0, Arrays.binarySearch(classes, start));
  }

  int size() {
    return classes.length;
  }

  int candidate(int number) {
    return classes[number];
  }

  /** Ends a window in which the candidates missed so much: the size class from now on. */
  int onWindow(double[] missedBytes, double[] missedObjects) {
    for (int number = 0; number < classes.length; number++) {
      bytes[number] = bytes[number] * KEPT + missedBytes[number];
      objects[number] = objects[number] * KEPT + missedObjects[number];
    }
    windows++;
    if (windows <= FIRST_WINDOWS) {
      return classes[present];
    }
    int best = best();
    boolean isOut = bytes[present] > bytes[0] * (1 + LEAVE);
    if (best == present || (!isOut && objects[best] >= objects[present] * (1 - MARGIN))) {
      inARow = 0;
      return classes[present];
    }
    inARow++;
    // Down at once if it costs too much, else a step towards the best.
    int next = isOut ? best : present + Integer.signum(best - present);
    boolean isReturn = next == cameFrom;
    if (inARow < (isReturn && !isOut ? patience : WINDOWS_IN_A_ROW)) {
      return classes[present];
    }
    patience = isReturn ? Math.min(patience * 2, MAX_PATIENCE) : WINDOWS_IN_A_ROW * 2;
    cameFrom = present;
    present = next;
    inARow = 0;
    return classes[present];
  }

  /** Of those that do not miss too many bytes the one that misses the fewest objects. */
  private int best() {
    int best = 0;
    for (int number = 1; number < classes.length; number++) {
      double limit = number == present ? LEAVE : ENTER;
      if (bytes[number] <= bytes[0] * (1 + limit) && objects[number] < objects[best]) {
        best = number;
      }
    }
    return best;
  }
}
