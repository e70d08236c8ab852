package io.forebay.server.fill.history;

/** The 128-bit hash of a key text, as a key of the fill table. */
public record FillKey(long hi, long lo) {
  @Override
  public int hashCode() {
    // Already a keyed hash: any 32 bits of it are as good as any others.
    return (int) lo;
  }
}
