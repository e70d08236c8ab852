package io.forebay.cli.ring;

/**
 * Counts of hits and of other requests in columns of a logarithmic scale. Counts fade, so that a
 * screen that is drawn again and again shows the present.
 */
final class LogHistogram {
  private final int firstDecade;
  private final int columnsPerDecade;
  private final double[] hits;
  private final double[] others;

  /**
   * An empty histogram.
   *
   * @param firstDecade power of ten at which the first column begins
   */
  LogHistogram(int firstDecade, int decades, int columnsPerDecade) {
    this.firstDecade = firstDecade;
    this.columnsPerDecade = columnsPerDecade;
    hits = new double[decades * columnsPerDecade];
    others = new double[decades * columnsPerDecade];
  }

  /** Counts a value; what lies outside is in the first or the last column. */
  void add(double value, boolean isHit) {
    int column =
        value <= 0
            ? 0
            : (int) Math.floor((Math.log10(value) - firstDecade) * columnsPerDecade + 1e-9);
    (isHit ? hits : others)[Math.clamp(column, 0, hits.length - 1)]++;
  }

  /** Has all counts lose that share. */
  void fade(double share) {
    for (int i = 0; i < hits.length; i++) {
      hits[i] *= 1 - share;
      others[i] *= 1 - share;
    }
  }

  int columns() {
    return hits.length;
  }

  int columnsPerDecade() {
    return columnsPerDecade;
  }

  int firstDecade() {
    return firstDecade;
  }

  double hits(int column) {
    return hits[column];
  }

  double others(int column) {
    return others[column];
  }

  /** Of the fullest column. */
  double highest() {
    double highest = 0;
    for (int i = 0; i < hits.length; i++) {
      highest = Math.max(highest, hits[i] + others[i]);
    }
    return highest;
  }

  /** Where a column begins. */
  double from(int column) {
    return Math.pow(10, firstDecade + (double) column / columnsPerDecade);
  }
}
