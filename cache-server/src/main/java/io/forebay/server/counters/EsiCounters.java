package io.forebay.server.counters;

/** What one loop counts of pages assembled from ESI; written by it only. */
public final class EsiCounters {

  /** What became of an include. */
  public enum Outcome {
    INCLUDED,
    /** The URL in {@code alt} took the place of that in {@code src}. */
    ALTERNATIVE,
    /** It failed and was left out, as {@code onerror="continue"} says. */
    LEFT_OUT,
    /** It failed within an {@code attempt}, whose {@code except} took its place. */
    EXCEPTED,
    /** It failed, and nothing took its place. */
    FAILED
  }

  private final long[] outcomes = new long[Outcome.values().length];

  /** Pages that were begun. */
  public long pages;

  /** Pages that were broken off because of a fragment, a bound or a tag. */
  public long broken;

  /**
   * Tags that are malformed, too long or not known, and stay in the page as they came, and tests of
   * conditions that can't be read.
   */
  public long leftTags;

  EsiCounters() {}

  public void count(Outcome outcome) {
    outcomes[outcome.ordinal()]++;
  }

  public long outcomes(Outcome outcome) {
    return outcomes[outcome.ordinal()];
  }
}
