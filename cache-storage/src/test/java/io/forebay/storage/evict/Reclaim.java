package io.forebay.storage.evict;

/** Makes the reclaimer empty a region selected by the test instead of the oldest. */
public final class Reclaim {
  private Reclaim() {}

  public static void region(Reclaimer reclaimer, int region) {
    if (!reclaimer.reclaim(region)) {
      throw new IllegalStateException("region " + region + " was to be emptied");
    }
  }
}
