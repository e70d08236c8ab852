package io.forebay.lab.target;

/**
 * Finds the size of a store that gives a wanted hit ratio, of requests or of bytes, for programs
 * that have no estimate. It is told what was measured at the size that it proposes, and proposes
 * the next one, between a size that is too small and one that is too large:
 *
 * <pre>
 *   StoreSizeSearch search = new StoreSizeSearch(0.8, 64L &lt;&lt; 20, 4L &lt;&lt; 30, 1L &lt;&lt; 30);
 *   while (search.state() == State.SEARCHING) {
 *     search.measured(ratioOf(search.size()), TOLERANCE);
 *   }
 * </pre>
 *
 * <p>Hit ratios grow with the size, steeply at first: it takes the point on the straight line
 * between the two, or their middle where the same one of them stays.
 */
public final class StoreSizeSearch {

  /** How far from the wanted ratio one may be that was measured with many requests. */
  public static final double TOLERANCE = 0.005;

  /** Measurements, each of which may take a minute. */
  public static final int MAX_STEPS = 12;

  /** Sizes closer than this are the same to most programs. */
  private static final long GRAIN = 1L << 20;

  private static final double MARGIN = 0.05;

  private final double wanted;
  private final long largest;
  private long low;
  private double lowRatio;
  private long high;
  private double highRatio = Double.NaN;
  private long size;
  private int steps;
  private int oneSided;
  private long bestSize;
  private double bestRatio = Double.NaN;
  private State state = State.SEARCHING;

  /** Where a search stands. */
  public enum State {
    SEARCHING,
    /** The best size is within the tolerance. */
    FOUND,
    /** The largest size has too few hits: the footprint of the load has to shrink. */
    TOO_FEW_HITS,
    /** The smallest size has too many: the footprint has to grow. */
    TOO_MANY_HITS,
    /** Neighbouring sizes lie on both sides, or the steps are used up. */
    EXHAUSTED
  }

  /**
   * A search that begins at a guess.
   *
   * @param wanted above 0, below 1
   * @param guess cut to the range
   */
  public StoreSizeSearch(double wanted, long smallest, long largest, long guess) {
    if (!(wanted > 0 && wanted < 1) || smallest < 1 || largest < smallest) {
      throw new IllegalArgumentException(
          "no search for " + wanted + " from " + smallest + " to " + largest + " bytes");
    }
    this.wanted = wanted;
    this.largest = largest;
    this.low = smallest;
    this.lowRatio = Double.NaN;
    this.high = largest;
    this.size = Math.clamp(guess, smallest, largest);
    this.bestSize = size;
  }

  /** What is to be measured next; at the end, the best size. */
  public long size() {
    return state == State.SEARCHING ? size : bestSize;
  }

  public State state() {
    return state;
  }

  public int steps() {
    return steps;
  }

  /** Of the best size; not a number before the first measurement. */
  public double bestRatio() {
    return bestRatio;
  }

  /**
   * Takes the ratio that {@link #size()} gave.
   *
   * @param tolerance how far from the wanted one it may be: what was measured with few requests is
   *     not certain, and must not be searched for to the last digit
   */
  public void measured(double ratio, double tolerance) {
    if (state != State.SEARCHING) {
      throw new IllegalStateException("the search is over");
    }
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("no hit ratio: " + ratio);
    }
    steps++;
    if (Double.isNaN(bestRatio) || Math.abs(ratio - wanted) < Math.abs(bestRatio - wanted)) {
      bestRatio = ratio;
      bestSize = size;
    }
    if (Math.abs(ratio - wanted) <= tolerance) {
      state = State.FOUND;
    } else if (ratio < wanted) {
      below(ratio);
    } else {
      above(ratio);
    }
    if (state == State.SEARCHING) {
      if (steps == MAX_STEPS || high - low <= GRAIN) {
        state = State.EXHAUSTED;
      } else {
        size = next();
      }
    }
  }

  private void below(double ratio) {
    if (size == largest) {
      state = State.TOO_FEW_HITS;
    }
    oneSided = oneSided < 0 ? oneSided - 1 : -1;
    low = size;
    lowRatio = ratio;
  }

  private void above(double ratio) {
    if (size == low) {
      state = State.TOO_MANY_HITS;
    }
    oneSided = oneSided > 0 ? oneSided + 1 : 1;
    high = size;
    highRatio = ratio;
  }

  private long next() {
    // Towards an end that was never measured: in proportion at first, as if all objects were asked
    // for equally often; then twice as large, or half as large.
    boolean isFirst = Math.abs(oneSided) == 1;
    if (Double.isNaN(highRatio)) {
      double growth = isFirst && lowRatio > 0 ? Math.min(2, wanted / lowRatio) : 2;
      return Math.min(largest, Math.max(low + GRAIN, Math.round(low * growth)));
    }
    if (Double.isNaN(lowRatio)) {
      double shrink = isFirst ? Math.max(0.5, wanted / highRatio) : 0.5;
      return Math.max(low, Math.min(high - GRAIN, Math.round(high * shrink)));
    }
    if (Math.abs(oneSided) >= 2) {
      return low + (high - low) / 2;
    }
    double share = (wanted - lowRatio) / (highRatio - lowRatio);
    return low + Math.round(Math.clamp(share, MARGIN, 1 - MARGIN) * (high - low));
  }
}
