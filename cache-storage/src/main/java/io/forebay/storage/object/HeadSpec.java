package io.forebay.storage.object;

import io.forebay.storage.ObjectStore;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the head record of an object to be written.
 *
 * @param hi high half of the key's hash
 * @param lo low half of the key's hash
 * @param keyText the whole key; only read during the call
 * @param head what to keep for the caller; written when the object is finished, and of the same
 *     length and well-formed until then
 * @param scopes what purges may match; the first is the scope of the base key
 * @param birth from {@link ObjectStore#nextBirth}, taken when the request to the origin was sent,
 *     or from {@code StoreLane.replace}
 * @param totalLength of the body, -1 if unknown
 * @param copied where the body is from if it is a stored one, or null
 * @param storageClass the number of the class that its records have; 0 for the default one
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
    long totalLength,
    @Nullable Copied copied,
    int storageClass) {

  /**
   * The object that a body is copied from: what kills that one's body kills the copy, whenever it
   * is made.
   *
   * @param birth of the body
   */
  public record Copied(long hi, long lo, long objectId, long birth) {}

  /** What a head stands for. */
  public enum Kind {
    OBJECT,
    VARY_MARKER
  }

  /** Of a body that its origin sends. */
  public HeadSpec(
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
    this(
        hi,
        lo,
        keyText,
        keyTextLength,
        head,
        scopes,
        birth,
        expiresAtMillis,
        kind,
        totalLength,
        null,
        0);
  }

  /** The same with a body that is stored already. */
  public HeadSpec copiedFrom(@Nullable Copied source) {
    return copy(keyText, totalLength, source, storageClass);
  }

  /** The same in a storage class. */
  public HeadSpec inClass(int newStorageClass) {
    return newStorageClass == storageClass
        ? this
        : copy(keyText, totalLength, copied, newStorageClass);
  }

  public HeadSpec with(long newTotalLength, byte[] ownKeyText) {
    return copy(ownKeyText, newTotalLength, copied, storageClass);
  }

  private HeadSpec copy(
      byte[] newKeyText, long newTotalLength, @Nullable Copied source, int newStorageClass) {
    return new HeadSpec(
        hi,
        lo,
        newKeyText,
        keyTextLength,
        head,
        scopes,
        birth,
        expiresAtMillis,
        kind,
        newTotalLength,
        source,
        newStorageClass);
  }

  /** What hard purges compare with. */
  public long bodyBirth() {
    return copied == null ? birth : copied.birth();
  }
}
