package io.forebay.storage.index;

/** What the tables of disks say of slices to those who write them. */
public final class SliceRuns {
  /**
   * Slices of an object that one entry of a table can name, if they lie one behind the other on the
   * disk: those whose numbers, divided by this, are the same.
   */
  public static final int GROUP = RunSlot.SLICES;

  private SliceRuns() {}
}
