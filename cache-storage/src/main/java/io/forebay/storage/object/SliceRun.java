package io.forebay.storage.object;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;

/**
 * A run of consecutive missing slices of a stored object, to be written by {@link
 * StoreLane#beginSlices}.
 *
 * @param hi high half of the hash of the object's key
 * @param lo low half of it
 * @param objectId the object as its head names it
 * @param firstSlice index of the first slice
 * @param lengthBytes of all of them; only the object's last slice is shorter than the others
 * @param birth from {@link ObjectStore#nextBirth}, taken when the request to the origin was sent
 * @param storageClass the number of the class that the slices have; 0 for the default one
 */
public record SliceRun(
    long hi,
    long lo,
    long objectId,
    int firstSlice,
    long lengthBytes,
    long birth,
    int storageClass) {

  private static final byte[] NOTHING = {};
  private static final long[] NO_SCOPES = {};

  /** In the default class. */
  public SliceRun(long hi, long lo, long objectId, int firstSlice, long lengthBytes, long birth) {
    this(hi, lo, objectId, firstSlice, lengthBytes, birth, 0);
  }

  /** What its records say of the object; there is no head to write. */
  public HeadSpec spec() {
    return new HeadSpec(
        hi,
        lo,
        NOTHING,
        0,
        NOTHING,
        NO_SCOPES,
        birth,
        0,
        HeadSpec.Kind.OBJECT,
        lengthBytes,
        null,
        storageClass);
  }
}
