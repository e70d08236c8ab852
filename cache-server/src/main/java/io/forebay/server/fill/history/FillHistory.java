package io.forebay.server.fill.history;

import io.forebay.server.media.TargetDurations;

/**
 * What finished fills revealed about their keys; node-wide, bounded, on the heap (I5). Any thread.
 *
 * @param hitForMiss whose responses can't be stored, or not be shared
 * @param refreshes whose refreshes in the background fail
 * @param rewrites what is stored only to be confirmed, and never is
 * @param playlists how long the segments of live channels are
 */
public record FillHistory(
    HitForMiss hitForMiss, Backoff refreshes, Backoff rewrites, TargetDurations playlists) {

  private static final long FIRST_REFRESH_MILLIS = 1_000;
  private static final long MAX_REFRESH_MILLIS = 30_000;

  private static final int FREE_REWRITES = 8;
  private static final long FIRST_REWRITE_MILLIS = 1_000;
  private static final long MAX_REWRITE_MILLIS = 60_000;

  /**
   * Nothing is known yet.
   *
   * @param entries of each table, of twelve bytes each at most; a power of two
   */
  public static FillHistory ofKeys(int entries) {
    return new FillHistory(
        new HitForMiss(entries),
        new Backoff(entries, 0, FIRST_REFRESH_MILLIS, MAX_REFRESH_MILLIS),
        new Backoff(entries, FREE_REWRITES, FIRST_REWRITE_MILLIS, MAX_REWRITE_MILLIS),
        new TargetDurations());
  }

  /** The origin says that what is stored under a key is still what it has. */
  public void confirmed(FillKey key) {
    refreshes.useful(key);
    rewrites.useful(key);
  }
}
