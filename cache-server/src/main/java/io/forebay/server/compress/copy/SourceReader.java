package io.forebay.server.compress.copy;

import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a stored response piece by piece, from memory or from a disk. Nothing is pinned
 * between two pieces, so the response may go meanwhile.
 *
 * <p>Owner: the loop.
 */
public final class SourceReader {

  /** What takes the body; told nothing more after the end, or after {@link #stop}. */
  public interface Sink {

    /** Whether it takes another piece now; {@link SourceReader#pump} goes on after false. */
    boolean isReady();

    /** Some bytes, which are only there during the call. */
    void onPiece(ByteBuffer bytes);

    /** The body is complete. */
    void onWhole();

    /**
     * It could not be read to its end.
     *
     * @param minutes for which it is not worth to be tried again
     */
    void onLost(Outcome why, int minutes);
  }

  static final int SHORT_MINUTES = 1;
  static final int FAILURE_MINUTES = 10;

  /** So much is given in one go. */
  private static final int PIECE_BYTES = 64 * 1024;

  private static final int MAX_RETRIES = 50;
  private static final long RETRY_MICROS = 200;

  private final FillContext loop;
  private final Sink sink;
  private final long objectId;
  private final int sliceBytes;
  private final long totalLength;

  private long position;

  /** A slice that was read from a disk, while pieces of it are left. */
  private @Nullable TransitBuffer read;

  private int readSlice;
  private boolean isReading;
  private boolean isPumping;
  private boolean isOver;
  private int retries;

  /**
   * A reader that has not begun.
   *
   * @param source held during the call
   */
  public SourceReader(FillContext loop, StoredHead source, Sink sink) {
    this.loop = loop;
    this.sink = sink;
    this.objectId = source.objectId();
    this.sliceBytes = source.sliceBytes();
    this.totalLength = source.totalLength();
  }

  /** The body of a response where it lies with its head, else null; only while that is held. */
  public static @Nullable ByteBuffer inline(FillContext loop, StoredHead source) {
    if (source.bodyOffset() < 0 || source.region() < 0) {
      return null;
    }
    ByteBuffer body = loop.store().regionBuffer(source.region()).duplicate();
    body.limit(source.bodyOffset() + (int) source.totalLength()).position(source.bodyOffset());
    return body;
  }

  /**
   * Begins.
   *
   * @param body the whole body if it lies with the head, else null
   */
  public void start(@Nullable ByteBuffer body) {
    if (body != null) {
      position = totalLength;
      sink.onPiece(body);
    }
    pump();
  }

  /** Goes on while the sink is ready. */
  public void pump() {
    if (isPumping || isReading || isOver) {
      return;
    }
    isPumping = true;
    try {
      while (!isOver && position < totalLength && sink.isReady() && givePiece()) {
        retries = 0;
      }
    } catch (InternalError e) {
      // A mapped page can't be read; the store finds that out by itself.
      lost(Outcome.FAILED, FAILURE_MINUTES);
    }
    isPumping = false;
    if (!isOver && position == totalLength) {
      stop();
      sink.onWhole();
    }
  }

  /** Ends it; may be called again. */
  public void stop() {
    isOver = true;
    releaseRead();
  }

  /** Whether all of the body has been given. */
  boolean isWhole() {
    return position == totalLength;
  }

  /** False where the next piece is not at hand. */
  private boolean givePiece() {
    int slice = (int) (position / sliceBytes);
    int within = (int) (position % sliceBytes);
    TransitBuffer known = read;
    if (known != null && readSlice == slice) {
      give(known.bytes(), known.bodyOffset() + within, known.bodyLength() - within);
      return true;
    }
    releaseRead();
    StoreLane lane = loop.lane();
    return switch (lane.findSlice(objectId, slice)) {
      case HIT -> {
        SliceLocation at = lane.slice();
        int region = at.region();
        try {
          give(loop.store().regionBuffer(region), at.offset() + within, at.length() - within);
        } finally {
          lane.unpin(region);
        }
        yield true;
      }
      case ON_DISK -> {
        TransitBuffer cached = lane.readCached();
        if (cached != null) {
          read = cached;
          readSlice = slice;
          yield true;
        }
        isReading = lane.read(new SliceWaiter(slice));
        if (!isReading) {
          lost(Outcome.BUSY, SHORT_MINUTES);
        }
        yield false;
      }
      case MISS -> {
        lost(Outcome.SOURCE_GONE, SHORT_MINUTES);
        yield false;
      }
      case BUSY -> {
        retry();
        yield false;
      }
    };
  }

  private void give(ByteBuffer from, int offset, int available) {
    int length = (int) Math.min(Math.min(available, PIECE_BYTES), totalLength - position);
    if (length <= 0) {
      lost(Outcome.FAILED, FAILURE_MINUTES);
      return;
    }
    ByteBuffer bytes = from.duplicate();
    bytes.limit(offset + length).position(offset);
    position += length;
    sink.onPiece(bytes);
  }

  private void onSliceRead(int slice, @Nullable TransitBuffer bytes) {
    isReading = false;
    if (isOver) {
      if (bytes != null) {
        bytes.release();
      }
      return;
    }
    releaseRead();
    read = bytes;
    readSlice = slice;
    if (bytes == null && ++retries > MAX_RETRIES) {
      lost(Outcome.SOURCE_GONE, SHORT_MINUTES);
      return;
    }
    // Without the bytes another look tells where the slice is by now.
    pump();
  }

  private void releaseRead() {
    TransitBuffer known = read;
    read = null;
    if (known != null) {
      known.release();
    }
  }

  private void retry() {
    if (++retries > MAX_RETRIES) {
      lost(Outcome.SOURCE_GONE, SHORT_MINUTES);
      return;
    }
    loop.eventLoop().schedule(this::pump, RETRY_MICROS, TimeUnit.MICROSECONDS);
  }

  private void lost(Outcome why, int minutes) {
    if (!isOver) {
      stop();
      sink.onLost(why, minutes);
    }
  }

  /** Waits for a slice that is read from a disk. */
  private final class SliceWaiter implements DiskWaiter {
    private final int slice;

    SliceWaiter(int slice) {
      this.slice = slice;
    }

    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer bytes) {
      loop.eventLoop().execute(() -> onSliceRead(slice, bytes));
    }
  }
}
