package io.forebay.server.compress.copy;

import io.forebay.server.compress.CodingStream;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes one coded copy: reads the body of the source piece by piece, as the coding takes it, and
 * writes what comes of it into the store. Nothing is pinned between two pieces, so the source may
 * go meanwhile; then there is no copy.
 *
 * <pre>
 *   start ─► pump ─► piece ─► CodingStream ─► onEncoded ─► held, up to the size of a small object
 *              ▲                  │                             └─► ObjectWriter
 *              └──── onReady ─────┘           onEnd ─────► gain? ─► finish ─► Done
 * </pre>
 *
 * <p>Owner: the loop that asked for it.
 */
final class CopyJob implements CodingStream.Listener {

  /** What waits for the outcome, which is told once. */
  interface Done {

    /**
     * The job is over.
     *
     * @param minutes for which the copy is not to be tried again
     */
    void ended(Outcome outcome, int minutes);
  }

  /** For what does not change as long as the object is there. */
  static final int LONG_MINUTES = 24 * 60;

  private static final int SHORT_MINUTES = 1;
  private static final int FAILURE_MINUTES = 10;

  /** A copy is smaller by so many bytes at least, and by one part in so many. */
  private static final int MIN_GAIN_BYTES = 64;

  private static final int MIN_GAIN_DIVISOR = 20;

  /** So much is copied for the coding in one go. */
  private static final int PIECE_BYTES = 64 * 1024;

  private static final int MAX_RETRIES = 50;
  private static final long RETRY_MICROS = 200;

  private final FillContext loop;
  private final HeadSpec spec;
  private final Done done;

  // Of the source.
  private final long objectId;
  private final int sliceBytes;
  private final long totalLength;

  private @Nullable CodingStream stream;

  /** Bytes of the source that the coding was given. */
  private long position;

  /** A slice that was read from a disk, while pieces of it are left. */
  private @Nullable TransitBuffer read;

  private int readSlice;
  private boolean isReading;
  private boolean isPumping;
  private boolean isWhole;

  /** Coded bytes for which there is no writer yet. */
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();

  private @Nullable ObjectWriter writer;
  private long codedBytes;
  private int retries;
  private boolean isOver;

  /**
   * A job that has not begun.
   *
   * @param spec of the copy, without birth and length
   * @param source held during the call
   */
  CopyJob(FillContext loop, HeadSpec spec, StoredHead source, Done done) {
    this.loop = loop;
    this.spec = spec;
    this.done = done;
    this.objectId = source.objectId();
    this.sliceBytes = source.sliceBytes();
    this.totalLength = source.totalLength();
  }

  /**
   * Begins.
   *
   * @param body the whole body if it lies with the head of the source, else null
   */
  void start(CodingStream coding, @Nullable ByteBuf body) {
    stream = coding;
    if (body != null) {
      position = body.readableBytes();
      coding.write(body);
    }
    pump();
  }

  // --- reading the source -----------------------------------------------------------------------

  private void pump() {
    CodingStream to = stream;
    if (isPumping || isReading || isWhole || isOver || to == null) {
      return;
    }
    isPumping = true;
    try {
      while (!isOver && position < totalLength && to.isReady() && writePiece(to)) {
        retries = 0;
      }
    } catch (InternalError e) {
      // A mapped page can't be read; the store finds that out by itself.
      end(Outcome.FAILED, FAILURE_MINUTES);
    }
    isPumping = false;
    if (!isOver && position == totalLength) {
      isWhole = true;
      to.end();
    }
  }

  /** False where the next piece is not at hand. */
  private boolean writePiece(CodingStream to) {
    int slice = (int) (position / sliceBytes);
    int within = (int) (position % sliceBytes);
    TransitBuffer known = read;
    if (known != null && readSlice == slice) {
      write(to, known.bytes(), known.bodyOffset() + within, known.bodyLength() - within);
      return true;
    }
    releaseRead();
    StoreLane lane = loop.lane();
    return switch (lane.findSlice(objectId, slice)) {
      case HIT -> {
        SliceLocation at = lane.slice();
        int region = at.region();
        try {
          write(to, loop.store().regionBuffer(region), at.offset() + within, at.length() - within);
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
          end(Outcome.BUSY, SHORT_MINUTES);
        }
        yield false;
      }
      case MISS -> {
        end(Outcome.SOURCE_GONE, SHORT_MINUTES);
        yield false;
      }
      case BUSY -> {
        retry(this::pump);
        yield false;
      }
    };
  }

  private void write(CodingStream to, ByteBuffer from, int offset, int available) {
    int length = (int) Math.min(Math.min(available, PIECE_BYTES), totalLength - position);
    if (length <= 0) {
      end(Outcome.FAILED, FAILURE_MINUTES);
      return;
    }
    ByteBuffer bytes = from.duplicate();
    bytes.limit(offset + length).position(offset);
    position += length;
    // The coding copies it at once.
    to.write(Unpooled.wrappedBuffer(bytes));
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
      end(Outcome.SOURCE_GONE, SHORT_MINUTES);
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

  private void retry(Runnable again) {
    if (++retries > MAX_RETRIES) {
      end(Outcome.SOURCE_GONE, SHORT_MINUTES);
      return;
    }
    loop.eventLoop().schedule(again, RETRY_MICROS, TimeUnit.MICROSECONDS);
  }

  // --- writing the copy -------------------------------------------------------------------------

  @Override
  public void onReady() {
    pump();
  }

  @Override
  public void onEncoded(ByteBuf data) {
    if (isOver) {
      data.release();
      return;
    }
    codedBytes += data.readableBytes();
    held.add(data);
    if (codedBytes > largest()) {
      end(Outcome.NO_GAIN, LONG_MINUTES);
    } else if (writer != null || codedBytes > loop.store().inlineBytes()) {
      store(-1);
    }
  }

  /** Length of the longest copy that is worth having. */
  private long largest() {
    return totalLength - Math.max(MIN_GAIN_BYTES, totalLength / MIN_GAIN_DIVISOR);
  }

  @Override
  public void onEnd() {
    if (isOver) {
      return;
    }
    if (position != totalLength || codedBytes == 0) {
      end(Outcome.FAILED, FAILURE_MINUTES);
      return;
    }
    store(codedBytes);
    if (!isOver) {
      retries = 0;
      finish();
    }
  }

  @Override
  public void onFailed(Throwable why) {
    end(Outcome.FAILED, FAILURE_MINUTES);
  }

  /** Writes what is held; the length counts if nothing has been written before. */
  private void store(long length) {
    ObjectWriter to = writer;
    if (to == null) {
      long birth = loop.store().nextBirth();
      // Null also if a purge or another response has taken the source away.
      to = birth < 0 ? null : loop.lane().begin(born(spec, birth).with(length, spec.keyText()));
      if (to == null) {
        boolean isFull = birth < 0 || loop.lane().lacksRoom();
        end(isFull ? Outcome.NO_ROOM : Outcome.SOURCE_GONE, SHORT_MINUTES);
        return;
      }
      writer = to;
    }
    while (!held.isEmpty()) {
      ByteBuf data = held.remove();
      boolean isTaken = true;
      for (ByteBuffer bytes : data.nioBuffers()) {
        isTaken = isTaken && to.append(bytes);
      }
      data.release();
      if (!isTaken) {
        end(Outcome.NO_ROOM, SHORT_MINUTES);
        return;
      }
    }
  }

  private void finish() {
    ObjectWriter to = writer;
    if (isOver || to == null) {
      return;
    }
    if (!to.reserveHead()) {
      end(Outcome.NO_ROOM, SHORT_MINUTES);
      return;
    }
    switch (to.finish()) {
      case BUSY -> retry(this::finish);
      case INSTALLED -> {
        writer = null;
        loop.counters().copies.bytesIn += totalLength;
        loop.counters().copies.bytesOut += codedBytes;
        end(Outcome.MADE, 0);
      }
      case NO_SPACE -> {
        writer = null;
        end(Outcome.NO_ROOM, SHORT_MINUTES);
      }
      default -> {
        // A purge has come, or another response.
        writer = null;
        end(Outcome.SOURCE_GONE, 0);
      }
    }
  }

  /** Every way leads here, once. */
  private void end(Outcome outcome, int minutes) {
    if (isOver) {
      return;
    }
    isOver = true;
    CodingStream from = stream;
    if (from != null) {
      from.cancel();
    }
    releaseRead();
    while (!held.isEmpty()) {
      held.remove().release();
    }
    ObjectWriter unfinished = writer;
    if (unfinished != null) {
      unfinished.abort();
    }
    done.ended(outcome, minutes);
  }

  /** The same head with a birth. */
  static HeadSpec born(HeadSpec spec, long birth) {
    return new HeadSpec(
        spec.hi(),
        spec.lo(),
        spec.keyText(),
        spec.keyTextLength(),
        spec.head(),
        spec.scopes(),
        birth,
        spec.expiresAtMillis(),
        spec.kind(),
        spec.totalLength(),
        spec.copied(),
        spec.storageClass());
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
