package io.forebay.storage.lane;

import io.forebay.storage.lane.StoreState.Piece;
import java.util.Arrays;

/**
 * The pieces of a body that a writer holds, one a slice; {@code first} slices before them were
 * released.
 */
@SuppressWarnings("ArrayRecordComponent")
record PieceWindow(int first, Piece[] pieces) {
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

  PieceWindow with(Piece piece) {
    Piece[] more = Arrays.copyOf(pieces, pieces.length + 1);
    more[pieces.length] = piece;
    return new PieceWindow(first, more);
  }

  PieceWindow withLast(Piece piece) {
    Piece[] changed = pieces.clone();
    changed[pieces.length - 1] = piece;
    return new PieceWindow(first, changed);
  }

  PieceWindow from(int slice) {
    return new PieceWindow(slice, Arrays.copyOfRange(pieces, slice - first, pieces.length));
  }
}
