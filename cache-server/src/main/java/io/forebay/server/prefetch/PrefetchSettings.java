package io.forebay.server.prefetch;

import java.util.Set;

/**
 * How a route fetches next objects ahead.
 *
 * @param after requests for a stream within {@link SegmentStreams#WINDOW_MILLIS} that make it
 *     popular
 * @param sources what tells the next object
 * @param sharePercent bytes not used yet or wasted, of the bytes that were fetched for clients
 * @param concurrent fetches at a time, of the node
 */
public record PrefetchSettings(
    boolean isOn, int after, Set<Source> sources, int sharePercent, int concurrent) {

  /** The defaults, of a route that fetches nothing ahead. */
  public static final PrefetchSettings OFF =
      new PrefetchSettings(false, 10, Set.of(Source.values()), 5, 4);

  /** What tells the next object. */
  public enum Source {
    /** The key {@code nor} of CMCD. */
    CMCD,
    /** The number in the name of a segment. */
    NUMBER,
    /** The last segment of a live playlist. */
    PLAYLIST
  }

  public PrefetchSettings {
    sources = Set.copyOf(sources);
  }

  public boolean has(Source source) {
    return sources.contains(source);
  }
}
