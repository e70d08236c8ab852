package io.forebay.storage.index;

/** The mutable key object of the map; one per cursor. */
final class IndexKey {
  static final int LENGTH = 2 * Long.BYTES;

  long high;
  long low;

  @Override
  public boolean equals(Object other) {
    return other instanceof IndexKey key && key.high == high && key.low == low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high ^ low);
  }
}
