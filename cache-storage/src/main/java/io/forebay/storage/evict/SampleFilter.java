package io.forebay.storage.evict;

/**
 * Which objects are looked at: of all their hashes one in a power of two, always the same ones, so
 * that what is seen of them is all of their history. (Waldspurger et al., "Efficient MRC
 * construction with SHARDS", FAST 2015.) The reclaim thread thins it out; lanes ask.
 */
public final class SampleFilter {
  private volatile int bits;

  /** The reclaim thread's. */
  private int ownBits;

  /** Of a head, known by the low half of its key. */
  public boolean has(long object) {
    return Long.numberOfLeadingZeros(object * 0x9E3779B97F4A7C15L) >= bits;
  }

  void halve() {
    bits = ++ownBits;
  }

  public double rate() {
    return Math.scalb(1.0, -bits);
  }
}
