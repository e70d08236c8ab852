package io.forebay.storage;

/**
 * What the head record of an object is made of.
 *
 * @param hi high half of the key's hash
 * @param lo low half of the key's hash
 * @param keyText the whole key; only read during the call
 * @param head what to keep for the caller; not changed by it until the object is finished
 * @param scopes what purges may match; the first is the scope of the base key
 * @param birth from {@link ObjectStore#nextBirth}, taken when the request to the origin was sent
 * @param totalLength of the body, -1 if unknown
 */
@SuppressWarnings("ArrayRecordComponent")
public record HeadSpec(
    long hi,
    long lo,
    byte[] keyText,
    int keyTextLength,
    byte[] head,
    long[] scopes,
    long birth,
    long expiresAtMillis,
    Kind kind,
    long totalLength) {
  /** What a head stands for. */
  public enum Kind {
    OBJECT,
    VARY_MARKER
  }

  HeadSpec with(long newTotalLength, byte[] ownKeyText) {
    return new HeadSpec(
        hi,
        lo,
        ownKeyText,
        keyTextLength,
        head,
        scopes,
        birth,
        expiresAtMillis,
        kind,
        newTotalLength);
  }
}
