package io.forebay.storage.index;

import io.forebay.storage.layout.SliceRecord;

/**
 * The runs that may name a slice in a table: a group of slices of an object has up to {@value
 * #WAYS} of them, each with a key of its own. One thread's; reused.
 */
final class RunKey {
  static final int WAYS = 4;

  private final long[] ids = new long[WAYS];
  private int slice;
  private int ways;

  /** Is about another key from here on. Of one that is no slice's there are no runs. */
  void of(KeyHash hash, long high, long low) {
    int number = SliceRecord.sliceOf(high, low);
    if (number < 0) {
      ways = 0;
      return;
    }
    long object = SliceRecord.objectOf(high);
    int group = number / RunSlot.SLICES;
    slice = number % RunSlot.SLICES;
    ways = WAYS;
    for (int way = 0; way < WAYS; way++) {
      ids[way] = hash.of(high, SliceRecord.runLow(object, group * WAYS + way));
    }
  }

  /** How many runs there may be. */
  int ways() {
    return ways;
  }

  /** The hash by which a table knows one of them. */
  long id(int way) {
    return ids[way];
  }

  /** Which of its group's slices the key names. */
  int slice() {
    return slice;
  }
}
