package io.forebay.storage.inspect;

import io.forebay.storage.layout.RecordHeader;

/**
 * A copy of a directory entry. It is valid only while its region is in the same generation.
 *
 * @param in the tier it lies in
 * @param storageClass the number of its class; 0 for the default one, and where it is not known
 * @param scopes of a head: on a disk all of them, in memory only that of its base key
 * @param isLive whether the tier still wants it: by its mark in memory, by the index on a disk
 * @param expiresSeconds since 1970; 0 where the directory does not say
 */
@SuppressWarnings("ArrayRecordComponent")
public record Entry(
    Tier in,
    int region,
    int generation,
    int slot,
    byte kind,
    int storageClass,
    long keyHigh,
    long keyLow,
    int offset,
    int length,
    long birth,
    long bodyBirth,
    long objectId,
    int slice,
    int expiresSeconds,
    long[] scopes,
    int touches,
    boolean isLive,
    boolean isSoft) {
  public boolean isSlice() {
    return kind == RecordHeader.KIND_SLICE;
  }

  /** Whether it belongs to a base key, by the scope of that. */
  boolean isOf(long baseScope) {
    return !isSlice() && scopes.length > 0 && scopes[0] == baseScope;
  }

  public boolean isMarker() {
    return kind == RecordHeader.KIND_MARKER;
  }
}
