package io.forebay.storage.evict;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a better setting is worth a change, so that the setting follows the traffic but not
 * its noise.
 *
 * <p>Every candidate has a score, the bytes its model missed, in which older windows count less and
 * less. A move takes a candidate that is better than the present one by a margin, in several
 * windows in a row, and then goes one step of the share in its direction. The next move needs its
 * own row of windows; one that takes back what the last one did needs a row twice as long each
 * time, so that two settings of equal worth do not take turns.
 */
final class SettingTuner {
  /** Of a score, what is left of it a window later. */
  static final double KEPT = 0.85;

  /** By how much fewer missed bytes a candidate must have. */
  static final double MARGIN = 0.01;

  static final int WINDOWS_IN_A_ROW = 2;

  static final int MAX_PATIENCE = 64;

  private final double[] shares;
  private final int[] thresholds;
  private final double[] scores;
  private int share;
  private int threshold;
  private int inARow;
  private int direction;
  private int patience = WINDOWS_IN_A_ROW;
  private int cameFrom = -1;

  /** Candidates are all pairs; {@code shares} ascend. The start must be one of them. */
  SettingTuner(double[] shares, int[] thresholds, SegmentPolicy.Setting start) {
    this.shares = shares;
    this.thresholds = thresholds;
    this.scores = new double[shares.length * thresholds.length];
    this.share = Arrays.binarySearch(shares, start.protectedShare());
    this.threshold = Arrays.binarySearch(thresholds, start.threshold());
    if (share < 0 || threshold < 0) {
      throw new IllegalArgumentException("the setting to start from is no candidate: " + start);
    }
  }

  int size() {
    return scores.length;
  }

  SegmentPolicy.Setting candidate(int number) {
    return new SegmentPolicy.Setting(
        shares[number / thresholds.length], thresholds[number % thresholds.length], 0);
  }

  /** The number of the candidate that is the present setting. */
  int present() {
    return share * thresholds.length + threshold;
  }

  /** Ends a window in which the candidates missed so much; the new setting, if it is to change. */
  SegmentPolicy.@Nullable Setting onWindow(double[] missedBytes) {
    int best = present();
    for (int number = 0; number < scores.length; number++) {
      scores[number] = scores[number] * KEPT + missedBytes[number];
    }
    for (int number = 0; number < scores.length; number++) {
      if (scores[number] < scores[best]) {
        best = number;
      }
    }
    if (scores[best] >= scores[present()] * (1 - MARGIN)) {
      inARow = 0;
      return null;
    }
    int newDirection = Integer.compare(best / thresholds.length, share);
    inARow = inARow == 0 || newDirection == direction ? inARow + 1 : 1;
    direction = newDirection;
    int next = (share + direction) * thresholds.length + best % thresholds.length;
    boolean isReturn = next == cameFrom;
    if (inARow < (isReturn ? patience : WINDOWS_IN_A_ROW)) {
      return null;
    }
    patience = isReturn ? Math.min(patience * 2, MAX_PATIENCE) : WINDOWS_IN_A_ROW * 2;
    cameFrom = present();
    inARow = 0;
    share += direction;
    threshold = best % thresholds.length;
    return candidate(next);
  }
}
