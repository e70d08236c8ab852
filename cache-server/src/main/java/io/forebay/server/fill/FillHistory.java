package io.forebay.server.fill;

/**
 * What fills that are over have taught about their keys; node-wide, bounded, on the heap (I5). Any
 * thread.
 *
 * @param hitForMiss whose responses can't be stored, or not be shared
 * @param refreshes whose refreshes in the background fail
 */
public record FillHistory(HitForMiss hitForMiss, Backoff refreshes) {

  private static final long FIRST_REFRESH_MILLIS = 1_000;
  private static final long LONGEST_REFRESH_MILLIS = 30_000;

  /**
   * Nothing is known yet.
   *
   * @param entries of each table, of eight bytes each; a power of two
   */
  public static FillHistory ofKeys(int entries) {
    return new FillHistory(
        new HitForMiss(entries),
        new Backoff(entries, 0, FIRST_REFRESH_MILLIS, LONGEST_REFRESH_MILLIS));
  }
}
