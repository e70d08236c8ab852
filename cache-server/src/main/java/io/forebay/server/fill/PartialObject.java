package io.forebay.server.fill;

import io.forebay.core.policy.BodyRemainder;

/**
 * A stored object with possibly missing slices, and how to fetch them.
 *
 * @param hi high half of the hash of its key
 * @param lo low half of it
 * @param rest its validator and the length of its whole body
 * @param storageClass the number of the class that its slices have
 */
public record PartialObject(
    long hi, long lo, long objectId, int sliceBytes, BodyRemainder rest, int storageClass) {

  public int sliceAt(long position) {
    return (int) (position / sliceBytes);
  }

  long begin(int slice) {
    return (long) slice * sliceBytes;
  }

  /** Where the slices before that one end in the body. */
  long end(int endSlice) {
    return Math.min(rest.totalLength(), begin(endSlice));
  }
}
