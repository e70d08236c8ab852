package io.forebay.server.counters;

import org.jspecify.annotations.Nullable;

/**
 * What players told of themselves (CMCD), by route. Written and read as {@link LoopCounters}; those
 * of a route are made when the first player tells something there.
 */
public final class CmcdCounters {
  private final @Nullable OfRoute[] routes = new OfRoute[NameTable.SIZE];

  /** Those of one route. */
  public static final class OfRoute {
    public long requests;
    public long malformed;
    public long startups;
    public long starvations;

    /** Buffer lengths in milliseconds. */
    public final LatencyHistogram buffer = new LatencyHistogram(HistogramScale.BUFFER_MILLIS);

    /** Measured throughput in kbit/s. */
    public final LatencyHistogram throughput =
        new LatencyHistogram(HistogramScale.THROUGHPUT_KBITS);
  }

  /** Those of a route, by its number in {@link CounterNames#routes()}. */
  public OfRoute of(int route) {
    OfRoute known = routes[route];
    if (known == null) {
      known = new OfRoute();
      routes[route] = known;
    }
    return known;
  }

  /** The same by any thread; null while there are none. */
  public @Nullable OfRoute ifAny(int route) {
    return routes[route];
  }
}
