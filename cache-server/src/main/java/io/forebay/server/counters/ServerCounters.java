package io.forebay.server.counters;

/**
 * One event loop's counters of one server of an origin; written and read as {@link LoopCounters}.
 */
public final class ServerCounters {
  /** Requests sent, each time they are. */
  public long requests;

  /** Connections that could not be opened, and requests without a response. */
  public long failures;

  /** Times that an address was ejected. */
  public long ejections;
}
