package io.forebay.storage.lane;

import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes a small object of known length as one record: the head, and the body behind it. */
final class InlineObjectWriter extends ObjectWriter {

  /** The body within the record; set by {@link #begin}, then never changed. */
  private volatile @Nullable Piece body;

  InlineObjectWriter(
      StoreState core, StoreLane lane, HeadSpec spec, boolean retainsUnread, long objectId) {
    super(core, lane, spec, objectId, retainsUnread);
  }

  @Override
  boolean begin() {
    int headLength = core.headLength(spec);
    int length = headLength + (int) spec.totalLength();
    if (!reserve(length, false)) {
      return false;
    }
    enterHead();
    body =
        new Piece(
            reservation.region(),
            reservation.generation(),
            reservation.slot(),
            reservation.offset(),
            reservation.offset() + headLength,
            (int) spec.totalLength());
    return true;
  }

  @Override
  boolean take(ByteBuffer src) {
    if (src.hasRemaining()) {
      copy(src, body(), (int) written);
    }
    return true;
  }

  @Override
  boolean commitHead() {
    core.writeHead(reservation, spec, objectId, spec.bodyBirth(), written, true, crc);
    committed(body(), core.headLength(spec) + (int) written);
    return true;
  }

  @Override
  InstallOutcome complete() {
    if (lane.isDead(spec)) {
      return InstallOutcome.PURGED;
    }
    return hasHead() || commitHead() ? installHead() : InstallOutcome.NO_SPACE;
  }

  @Override
  public boolean locate(StoreLane readerLane, long position) {
    long readable = watermark();
    if (position < 0 || position >= readable) {
      return false;
    }
    return locate(readerLane, body(), (int) position, (int) (readable - position));
  }

  private Piece body() {
    Piece piece = body;
    if (piece == null) {
      throw new IllegalStateException("not begun");
    }
    return piece;
  }

  @Override
  Piece[] pieces() {
    return new Piece[] {body()};
  }

  /** The head lies with the body, whose region is released. */
  @Override
  void releaseHead() {}
}
