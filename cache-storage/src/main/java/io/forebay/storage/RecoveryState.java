package io.forebay.storage;

/**
 * The progress of the store's recovery since it was opened.
 *
 * @param fraction of the regions rebuilt, 1 when there is nothing left to do
 */
public record RecoveryState(Phase phase, double fraction, long records) {
  /** How the last stop was, and what follows from it. */
  public enum Phase {
    /** Nothing was there. */
    EMPTY,
    /** Attached as it was left. */
    WARM,
    /** The index is being rebuilt; what is not yet in it is a miss. */
    REBUILDING,
    /** The index was rebuilt. */
    REBUILT
  }

  public boolean isComplete() {
    return phase != Phase.REBUILDING;
  }
}
