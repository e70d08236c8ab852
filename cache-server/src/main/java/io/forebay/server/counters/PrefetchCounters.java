package io.forebay.server.counters;

/** What was fetched ahead, and what became of it. Written and read as {@link LoopCounters}. */
public final class PrefetchCounters {
  /** Fetches that were begun. */
  public long started;

  /** Those of them that brought no whole object: it did not exist, failed, or was given up. */
  public long unfinished;

  /** Fetches that were not begun because of the budget. */
  public long heldBack;

  /** Bytes of bodies that were fetched; of objects that clients were then served, and others. */
  public long bytes;

  public long usedBytes;
  public long wastedBytes;
}
