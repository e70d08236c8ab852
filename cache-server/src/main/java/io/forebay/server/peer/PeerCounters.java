package io.forebay.server.peer;

import java.util.concurrent.atomic.LongAdder;

/** What became of requests between nodes; of misses only, so all loops share it. */
public final class PeerCounters {
  /** Other nodes answered: from their store, by a fetch, or with what they may not store. */
  public final LongAdder stored = new LongAdder();

  public final LongAdder fetched = new LongAdder();
  public final LongAdder passed = new LongAdder();

  /** Other nodes declined. */
  public final LongAdder declined = new LongAdder();

  /** They did not answer. */
  public final LongAdder failed = new LongAdder();

  /** Nodes that were taken for gone because they did not answer. */
  public final LongAdder ejected = new LongAdder();

  /** Invalidations by clients that another node did not learn of. */
  public final LongAdder notForgotten = new LongAdder();

  /** Requests of other nodes that were taken here. */
  public final LongAdder taken = new LongAdder();

  /** Those that were refused: this node did not know purges that they name. */
  public final LongAdder behind = new LongAdder();

  /** Those that have come in a circle, or that make no sense. */
  public final LongAdder refused = new LongAdder();
}
