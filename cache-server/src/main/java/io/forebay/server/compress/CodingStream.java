package io.forebay.server.compress;

import io.forebay.server.compress.BodyCodec.Until;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One body on its way through a coding. Called on one event loop, and answers on it; the work is
 * done on the pool, one piece at a time and in order.
 *
 * <pre>
 *             loop                                     pool
 *   write, flush, end ─► pending ─► piece ──────────► codec
 *   onEncoded, onBurstEnd, onReady, onEnd ◄── out ◄────┘
 * </pre>
 *
 * What is written is copied, so that the caller's memory is free at once: it may be a lease, or the
 * buffer of a socket. All that is pending when the pool is free becomes one piece, which the codec
 * takes in turns of a bounded length. Between two pieces everything here belongs to the loop;
 * during one, what is marked so belongs to the pool.
 */
public final class CodingStream {

  /** Input and output of one turn on the pool, about. */
  private static final int TURN_BYTES = 64 * 1024;

  /** Pending bytes from which a caller that can wait should do so. */
  private static final int FULL_BYTES = 128 * 1024;

  private static final int MIN_OUT_BYTES = 512;

  /** What comes of a body, on the loop. */
  public interface Listener {

    /** Bytes of the coded body; they are the listener's to release. */
    void onEncoded(ByteBuf data);

    /** All that was encoded of the last piece has been told: a good moment to flush a socket. */
    default void onBurstEnd() {}

    /** {@link #isReady} is true again. */
    void onReady();

    /** The coded body is complete; nothing follows. */
    void onEnd();

    /** It broke off; nothing follows. What was pending is released. */
    void onFailed(Throwable why);
  }

  private final Compressors pool;
  private final Compressors.Use use;
  private final Supplier<BodyCodec> codecs;
  private final ByteBufAllocator allocator;
  private final EventExecutor loop;
  private final Listener listener;

  private @Nullable ByteBuf pending;
  private boolean isFlushWanted;
  private boolean isEndWanted;

  /** Something was written since the last flush. */
  private boolean isDirty;

  private boolean isWorking;
  private boolean isPaused;
  private boolean isOver;

  /** Somebody saw that it is not ready. */
  private boolean isAwaited;

  // The pool's during a turn.
  private @Nullable ByteBuf piece;
  private Until until = Until.MORE;
  private @Nullable BodyCodec codec;
  private @Nullable ByteBuf out;
  private @Nullable Throwable failure;
  private boolean isPieceDone;

  CodingStream(
      Compressors pool,
      Compressors.Use use,
      Supplier<BodyCodec> codecs,
      ByteBufAllocator allocator,
      EventExecutor loop,
      Listener listener) {
    this.pool = pool;
    this.use = use;
    this.codecs = codecs;
    this.allocator = allocator;
    this.loop = loop;
    this.listener = listener;
  }

  // --- the caller -------------------------------------------------------------------------------

  /** Copies the buffer and releases it. Legal while {@link #isReady} is false, too. */
  public void write(ByteBuf data) {
    try {
      if (isOver || !data.isReadable()) {
        return;
      }
      if (isEndWanted) {
        throw new IllegalStateException("the end was written");
      }
      ByteBuf to = pending;
      if (to == null) {
        to = allocator.directBuffer(Math.max(data.readableBytes(), MIN_OUT_BYTES));
        pending = to;
      }
      to.writeBytes(data);
      isDirty = true;
    } finally {
      data.release();
    }
    if (pendingBytes() >= TURN_BYTES) {
      advance();
    }
  }

  /** What was written so far reaches the listener, without waiting for more. */
  public void flush() {
    if (isDirty) {
      isDirty = false;
      isFlushWanted = true;
      advance();
    }
  }

  /** Nothing follows; {@link Listener#onEnd} will be called. */
  public void end() {
    if (!isOver) {
      isEndWanted = true;
      advance();
    }
  }

  /** Whether a caller that can wait should write; after false, {@link Listener#onReady} follows. */
  public boolean isReady() {
    boolean isReady = pendingBytes() < FULL_BYTES;
    if (!isReady) {
      isAwaited = true;
    }
    return isReady;
  }

  /** Whether all that was written and flushed has been told. */
  public boolean isIdle() {
    return !isWorking && pending == null && piece == null && !isEndWanted;
  }

  /** No further turn is begun until {@link #resume}. */
  public void pause() {
    isPaused = true;
  }

  public void resume() {
    if (isPaused) {
      isPaused = false;
      advance();
    }
  }

  /** Gives up: the listener hears nothing more, and everything is released. May be called again. */
  public void cancel() {
    if (!isOver) {
      isOver = true;
      releasePending();
      if (!isWorking) {
        close();
      }
    }
  }

  /** Whether a turn is under way. */
  boolean isWorking() {
    return isWorking;
  }

  private int pendingBytes() {
    return pending == null ? 0 : pending.readableBytes();
  }

  private void advance() {
    if (isWorking || isPaused || isOver) {
      return;
    }
    if (piece == null) {
      boolean isDue = isEndWanted || isFlushWanted || pendingBytes() >= TURN_BYTES;
      if (!isDue) {
        return;
      }
      piece = pending == null ? Unpooled.EMPTY_BUFFER : pending;
      pending = null;
      until = isEndWanted ? Until.END : isFlushWanted ? Until.FLUSH : Until.MORE;
      isFlushWanted = false;
    }
    isWorking = true;
    try {
      pool.run(use, this);
    } catch (RejectedExecutionException e) {
      // The node stops.
      isWorking = false;
      isOver = true;
      releasePending();
      close();
      listener.onFailed(e);
    }
  }

  // --- the pool ---------------------------------------------------------------------------------

  /** One turn. */
  void work() {
    long begun = System.nanoTime();
    ByteBuf from = piece;
    ByteBuf to = null;
    int taken = 0;
    try {
      if (from == null) {
        throw new IllegalStateException("no piece");
      }
      BodyCodec at = codec;
      if (at == null) {
        at = codecs.get();
        codec = at;
      }
      int length = Math.min(TURN_BYTES, from.readableBytes());
      boolean isLast = length == from.readableBytes();
      ByteBuf turn = from.slice(from.readerIndex(), length);
      to = allocator.directBuffer(Math.max(MIN_OUT_BYTES, length / 2));
      boolean isTaken = at.code(turn, isLast ? until : Until.MORE, to, TURN_BYTES);
      taken = turn.readerIndex();
      from.skipBytes(taken);
      isPieceDone = isTaken && isLast;
      out = to;
    } catch (Throwable e) { // whatever it is, the loop has to be told
      if (to != null) {
        to.release();
      }
      failure = e;
    }
    pool.counters()
        .worked(use, taken, out == null ? 0 : out.readableBytes(), System.nanoTime() - begun);
    try {
      loop.execute(this::onWorked);
    } catch (RejectedExecutionException e) {
      // The loop has ended, and nobody else uses this any more.
      isOver = true;
      releasePending();
      releaseOut();
      close();
    }
  }

  // --- the loop ---------------------------------------------------------------------------------

  private void onWorked() {
    isWorking = false;
    if (isOver) {
      releaseOut();
      close();
      return;
    }
    Throwable why = failure;
    if (why != null) {
      isOver = true;
      pool.counters().fail(use);
      releasePending();
      close();
      listener.onFailed(why);
      return;
    }
    boolean hasEnded = isPieceDone && until == Until.END;
    if (isPieceDone) {
      isPieceDone = false;
      releasePiece();
    }
    ByteBuf coded = out;
    out = null;
    if (coded != null && coded.isReadable()) {
      listener.onEncoded(coded);
    } else if (coded != null) {
      coded.release();
    }
    if (isOver) {
      return;
    }
    if (hasEnded) {
      isOver = true;
      close();
      listener.onEnd();
      return;
    }
    advance();
    if (!isOver) {
      listener.onBurstEnd();
    }
    if (!isOver && isAwaited && pendingBytes() < FULL_BYTES) {
      isAwaited = false;
      listener.onReady();
    }
  }

  private void releasePending() {
    if (pending != null) {
      pending.release();
      pending = null;
    }
  }

  private void releasePiece() {
    if (piece != null) {
      piece.release();
      piece = null;
    }
  }

  private void releaseOut() {
    if (out != null) {
      out.release();
      out = null;
    }
  }

  /** Ends the codec and gives the place back; once, when no turn is at work. */
  private void close() {
    releasePiece();
    BodyCodec ended = codec;
    codec = null;
    if (ended != null) {
      ended.close();
    }
    pool.giveBack(use);
  }
}
