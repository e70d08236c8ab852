package io.forebay.server.peer;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the outcomes of requests between nodes. Only misses count here, so all loops share the
 * counters.
 */
public final class PeerCounters {
  /**
   * Answers of other nodes: from their store, by a fetch, or with a response that they may not
   * store.
   */
  public final LongAdder stored = new LongAdder();

  public final LongAdder fetched = new LongAdder();
  public final LongAdder passed = new LongAdder();

  /** Requests that other nodes declined. */
  public final LongAdder declined = new LongAdder();

  /** Requests without an answer. */
  public final LongAdder failed = new LongAdder();

  /** How often a node was no longer asked, because it did not answer. */
  public final LongAdder ejected = new LongAdder();

  /** Invalidations by clients that another node did not learn of. */
  public final LongAdder notForgotten = new LongAdder();

  /** Requests of other nodes that this node accepted. */
  public final LongAdder taken = new LongAdder();

  /** Requests that this node declined, because it did not know purges that they name. */
  public final LongAdder behind = new LongAdder();

  /** Requests that this node refused: malformed, or sent in a circle. */
  public final LongAdder refused = new LongAdder();
}
