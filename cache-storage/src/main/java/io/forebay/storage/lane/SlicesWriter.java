package io.forebay.storage.lane;

import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes consecutive slices of a body. A slice gets its space when its first byte comes, and a
 * record header when it is whole.
 *
 * <pre>
 *   slice   | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
 *             released  | retained  | being written
 *                       first       sealed
 * </pre>
 */
abstract sealed class SlicesWriter extends ObjectWriter permits SlicedObjectWriter, SliceRunWriter {

  private static final int FIRST_PIECE = 64 << 10;

  /** Of the object, the first slice that is written here. */
  private final int firstSlice;

  /** Replaced when a piece is added, grows or is released. */
  volatile WrittenSlices window = new WrittenSlices(0, new Piece[0]);

  /** Of each slice, whether the index has named it. Owner only. */
  private boolean[] isIndexed = new boolean[1];

  /** Slices that are whole and committed. */
  int sealed;

  SlicesWriter(
      StoreState core,
      StoreLane lane,
      HeadSpec spec,
      long objectId,
      boolean retainsUnread,
      int firstSlice) {
    super(core, lane, spec, objectId, retainsUnread);
    this.firstSlice = firstSlice;
  }

  /** Has the index name a slice that is whole; {@link #install} does it. */
  abstract InstallOutcome index(int slice);

  @Override
  final boolean begin() {
    return grow();
  }

  @Override
  final long firstByte() {
    return (long) firstSlice * core.sliceBytes;
  }

  @Override
  final boolean take(ByteBuffer src) {
    while (src.hasRemaining()) {
      int within = (int) (written % core.sliceBytes);
      if (sealed == window.end() || within == window.last().capacity()) {
        if (!grow()) {
          return false;
        }
        continue;
      }
      Piece piece = window.last();
      copy(src, piece, within);
      if (written % core.sliceBytes == 0) {
        seal(piece, core.sliceBytes);
      }
    }
    return true;
  }

  /** A piece for the next slice, or a larger one for the slice that is being written. */
  private boolean grow() {
    int slice = window.end();
    if (slice > sealed) {
      return enlarge();
    }
    int capacity;
    if (spec.totalLength() >= 0) {
      capacity = (int) Math.min(core.sliceBytes, spec.totalLength() - written);
    } else {
      // Who filled one slice is likely to fill the next.
      capacity = slice == 0 ? Math.min(FIRST_PIECE, core.sliceBytes) : core.sliceBytes;
    }
    Piece piece = newSlice(capacity, slice);
    if (piece == null) {
      return false;
    }
    if (isIndexed.length <= slice) {
      isIndexed = Arrays.copyOf(isIndexed, (slice + 1) * 2);
    }
    window = window.with(piece);
    return true;
  }

  private boolean enlarge() {
    Piece piece = window.last();
    int capacity = Math.min(core.sliceBytes, piece.capacity() * 2);
    if (piece.capacity() == capacity) {
      return false;
    }
    Piece larger;
    if (core.regions.extend(
        piece.region(),
        piece.offset(),
        SliceRecord.LENGTH + piece.capacity(),
        SliceRecord.LENGTH + capacity)) {
      larger = piece.grown(capacity);
      count(capacity - piece.capacity());
    } else {
      larger = newSlice(capacity, sealed);
      if (larger == null) {
        return false;
      }
      TierMemory.copy(
          core.memory,
          core.regions.base(piece.region()) + piece.bodyOffset(),
          core.regions.base(larger.region()) + larger.bodyOffset(),
          piece.capacity());
      // Readers of the old piece have pins; the region may be reclaimed when those are gone.
      core.regions.release(piece.region());
    }
    window = window.withLast(larger);
    return true;
  }

  private @Nullable Piece newSlice(int capacity, int slice) {
    if (!reserve(SliceRecord.LENGTH + capacity, window.end() > 0)) {
      return null;
    }
    core.enter(reservation, RecordHeader.KIND_SLICE, spec, keyHigh(), keyLow(slice), objectId);
    return Piece.slice(reservation);
  }

  private long keyHigh() {
    return SliceRecord.keyHigh(objectId);
  }

  private long keyLow(int slice) {
    return SliceRecord.keyLow(objectId, firstSlice + slice);
  }

  private void seal(Piece piece, int bodyLength) {
    int slice = sealed;
    core.writeSlice(piece, spec, objectId, firstSlice + slice, bodyLength, crc);
    crc = new CRC32C();
    sealed++;
    // Tried now, while it costs little; what is busy is tried again at the end.
    InstallOutcome ignored = index(slice);
  }

  /** What there is of a last slice that is shorter than the others. */
  final void sealTail() {
    int tail = (int) (written % core.sliceBytes);
    if (window.end() > sealed && tail > 0) {
      Piece piece = window.last();
      core.regions.trim(
          piece.region(),
          piece.offset(),
          SliceRecord.LENGTH + piece.capacity(),
          SliceRecord.LENGTH + tail);
      seal(piece, tail);
    }
  }

  final InstallOutcome install(int slice) {
    int length = (int) Math.min(core.sliceBytes, written - (long) slice * core.sliceBytes);
    return lane.installs.install(
        spec,
        RecordHeader.KIND_SLICE,
        window.piece(slice),
        SliceRecord.LENGTH + length,
        objectId,
        keyHigh(),
        keyLow(slice));
  }

  final InstallOutcome indexed(int slice, InstallOutcome result) {
    isIndexed[slice] = result == InstallOutcome.INSTALLED;
    return result;
  }

  final boolean isIndexed(int slice) {
    return isIndexed[slice];
  }

  final InstallOutcome indexAll() {
    for (int slice = window.first(); slice < sealed; slice++) {
      if (!isIndexed[slice]) {
        InstallOutcome result = index(slice);
        if (result != InstallOutcome.INSTALLED) {
          return result;
        }
      }
    }
    return InstallOutcome.INSTALLED;
  }

  /** Removes the retained slices from the index again. */
  final void discardSlices() {
    for (int slice = window.first(); slice < sealed; slice++) {
      if (isIndexed[slice]) {
        lane.lookup.discard(window.piece(slice), keyHigh(), keyLow(slice));
      }
    }
  }

  @Override
  public final boolean locate(StoreLane readerLane, long position) {
    long readable = watermark();
    if (position < firstByte() || position >= readable) {
      return false;
    }
    WrittenSlices now = window;
    int slice = (int) (position / core.sliceBytes);
    if (slice - firstSlice < now.first()) {
      return false;
    }
    long end = Math.min(readable, (slice + 1L) * core.sliceBytes);
    return locate(
        readerLane,
        now.piece(slice - firstSlice),
        (int) (position % core.sliceBytes),
        (int) (end - position));
  }

  @Override
  final Piece[] pieces() {
    return window.pieces();
  }
}
