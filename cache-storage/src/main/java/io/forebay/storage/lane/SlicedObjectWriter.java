package io.forebay.storage.lane;

import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.util.zip.CRC32C;

/**
 * Writes an object as slices, and its head at the end. A body of unknown length that turns out
 * small becomes one record with its head.
 *
 * <p>A slice that {@link #release} has released is an ordinary record: it is moved, written to a
 * disk or dropped, and lookups find it. So an object may be larger than memory. The head is
 * installed if every released slice is still stored, or if an object with missing slices is useful.
 */
final class SlicedObjectWriter extends SlicesWriter {

  /** Slices looked for in one turn of the loop. */
  private static final int ACCOUNTED_AT_ONCE = 256;

  /** Whether an object that lacks slices can be completed, so that it is kept as well. */
  private final boolean mayBePartial;

  /** Whether slices may have been released. */
  private boolean isGrowing;

  /** Released slices that were found to be still stored; used at the end. */
  private int accounted;

  SlicedObjectWriter(
      StoreState core,
      StoreLane lane,
      HeadSpec spec,
      boolean mayBePartial,
      boolean retainsUnread,
      long objectId) {
    super(core, lane, spec, objectId, retainsUnread, 0);
    this.mayBePartial = mayBePartial;
  }

  @Override
  InstallOutcome index(int slice) {
    InstallOutcome result = install(slice);
    // A run has brought this very slice ahead of us: what is there serves as well.
    return indexed(slice, result == InstallOutcome.OLDER ? InstallOutcome.INSTALLED : result);
  }

  @Override
  public long releasedBytes() {
    return (long) window.first() * core.sliceBytes;
  }

  @Override
  public void release(long position) {
    int wanted = (int) Math.min(sealed, position / core.sliceBytes);
    int first = window.first();
    if (wanted <= first || core.isLost() || !enter()) {
      return;
    }
    // Before a slice can be taken for one of an object that is no more.
    announce();
    WrittenSlices now = window;
    int next = first;
    // In order, and only what lookups find.
    while (next < wanted
        && (isIndexed(next) || isStreamOnly() || index(next) == InstallOutcome.INSTALLED)) {
      Piece piece = now.piece(next);
      core.regions.release(piece.region());
      count(-(SliceRecord.LENGTH + piece.capacity()));
      next++;
    }
    if (next > first) {
      window = now.from(next);
    }
    leave();
  }

  @Override
  public void announce() {
    if (!isDone()) {
      core.growing.add(objectId);
      isGrowing = true;
    }
  }

  @Override
  boolean isUsefulWhenCut() {
    return mayBePartial && spec.totalLength() >= 0 && sealed > 0;
  }

  @Override
  InstallOutcome complete() {
    if (lane.isDead(spec)) {
      return InstallOutcome.PURGED;
    }
    InstallOutcome released = mayBePartial ? InstallOutcome.INSTALLED : accountForReleased();
    if (released != InstallOutcome.INSTALLED) {
      return released;
    }
    if (!hasHead() && !commitHead()) {
      return InstallOutcome.NO_SPACE;
    }
    InstallOutcome indexed = indexAll();
    return indexed == InstallOutcome.INSTALLED ? installHead() : indexed;
  }

  /** Checks that every released slice is still stored, a part per call; BUSY until all are. */
  private InstallOutcome accountForReleased() {
    int end = Math.min(window.first(), accounted + ACCOUNTED_AT_ONCE);
    while (accounted < end) {
      switch (lane.lookup.isStored(
          SliceRecord.keyHigh(objectId), SliceRecord.keyLow(objectId, accounted), objectId)) {
        case HIT -> accounted++;
        case BUSY -> {
          return InstallOutcome.BUSY;
        }
        default -> {
          return InstallOutcome.NO_SPACE;
        }
      }
    }
    return end == window.first() ? InstallOutcome.INSTALLED : InstallOutcome.BUSY;
  }

  @Override
  boolean commitHead() {
    boolean becomesInline = sealed == 0 && written <= core.inlineBytes;
    if (!becomesInline && !isCut()) {
      sealTail();
    }
    int length = core.headLength(spec) + (becomesInline ? (int) written : 0);
    if (!takeSpace(length)) {
      return false;
    }
    count(length);
    enterHead();
    CRC32C headCrc = new CRC32C();
    if (becomesInline && written > 0) {
      Piece piece = window.last();
      TierMemory.copy(
          core.memory,
          core.regions.base(piece.region()) + piece.bodyOffset(),
          core.regions.base(reservation.region()) + reservation.offset() + core.headLength(spec),
          written);
      headCrc = crc;
    }
    long totalLength = isCut() ? spec.totalLength() : written;
    core.writeHead(
        reservation, spec, objectId, spec.bodyBirth(), totalLength, becomesInline, headCrc);
    committed(
        new Piece(
            reservation.region(),
            reservation.generation(),
            reservation.slot(),
            reservation.offset(),
            0,
            0),
        length);
    return true;
  }

  @Override
  void discard() {
    discardSlices();
  }

  /** Runs after the key names the head: until then, released slices belong to no stored object. */
  @Override
  void ended() {
    if (isGrowing) {
      core.growing.remove(objectId);
    }
  }
}
