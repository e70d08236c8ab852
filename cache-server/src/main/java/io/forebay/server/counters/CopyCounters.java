package io.forebay.server.counters;

/** What one loop counts of coded copies of stored responses; written by it only. */
public final class CopyCounters {

  /** How the making of a copy ended. */
  public enum Outcome {
    MADE,
    /** Its head was written anew after the origin had confirmed its source. */
    REWRITTEN,
    /** It would have been hardly smaller than its source. */
    NO_GAIN,
    /** No place among the compressors was free. */
    BUSY,
    /** The store had no room for it. */
    NO_ROOM,
    /** Its source was purged, replaced or evicted, or lacks a part of its body. */
    SOURCE_GONE,
    FAILED
  }

  /** Of deltas: responses that were learned to be dictionaries. */
  public long dictionaries;

  private final long[] outcomes = new long[Outcome.values().length];

  /** Responses that were served from a copy. */
  public long served;

  // Of copies that were made.
  public long bytesIn;
  public long bytesOut;

  CopyCounters() {}

  public void count(Outcome outcome) {
    outcomes[outcome.ordinal()]++;
  }

  public long outcomes(Outcome outcome) {
    return outcomes[outcome.ordinal()];
  }
}
