package io.forebay.storage.lane;

import io.forebay.storage.lane.StoreState.Piece;
import java.util.Arrays;

/**
 * The pieces of a body that a writer retains, one per slice; {@code first} slices before them were
 * released.
 */
@SuppressWarnings("ArrayRecordComponent")
record WrittenSlices(int first, Piece[] pieces) {
  /** Slices that have, or had, a piece. */
  int end() {
    return first + pieces.length;
  }

  Piece piece(int slice) {
    return pieces[slice - first];
  }

  Piece last() {
    return pieces[pieces.length - 1];
  }

  WrittenSlices with(Piece piece) {
    Piece[] more = Arrays.copyOf(pieces, pieces.length + 1);
    more[pieces.length] = piece;
    return new WrittenSlices(first, more);
  }

  WrittenSlices withLast(Piece piece) {
    Piece[] changed = pieces.clone();
    changed[pieces.length - 1] = piece;
    return new WrittenSlices(first, changed);
  }

  WrittenSlices from(int slice) {
    return new WrittenSlices(slice, Arrays.copyOfRange(pieces, slice - first, pieces.length));
  }
}
