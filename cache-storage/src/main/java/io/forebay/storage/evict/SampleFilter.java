package io.forebay.storage.evict;

/**
 * Selects the objects that the shadow models observe: a fixed fraction (a power of two) by hash, so
 * that the whole history of each selected object is seen. (Waldspurger et al., "Efficient MRC
 * construction with SHARDS", FAST 2015.) The reclaim thread lowers the fraction; lanes query it.
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
