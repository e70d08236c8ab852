package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;

/**
 * One body on its way through a coding. Called on one event loop, and answers on it; the work is
 * done on the pool, one piece at a time and in order.
 *
 * <pre>
 *   write, flush, end ──► queue ──► one piece ──► pool
 *   onEncoded, onReady, onEnd ◄──────────────────  │
 * </pre>
 */
public final class CodingStream {

  /** What comes of a body, on the loop. */
  public interface Listener {

    /** Bytes of the coded body; they are the listener's to release. */
    void onEncoded(ByteBuf data);

    /** All that was encoded of the last pieces has been told: a good moment to flush a socket. */
    default void onBurstEnd() {}

    /** {@link #isReady} is true again. */
    void onReady();

    /** The coded body is complete; nothing follows. */
    void onEnd();

    /** It broke off; nothing follows. What was queued is released. */
    void onFailed(Throwable why);
  }

  /** Takes the buffer over; it is released on the loop. Legal while {@link #isReady} is false too. */
  public void write(ByteBuf data) {
    throw new UnsupportedOperationException("skeleton");
  }

  /** What was written so far reaches the listener, without waiting for more. */
  public void flush() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Nothing follows; {@link Listener#onEnd} will be called. */
  public void end() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Whether a caller that can wait should write: what is queued is below a bound. */
  public boolean isReady() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** No further piece is begun until {@link #resume}. */
  public void pause() {
    throw new UnsupportedOperationException("skeleton");
  }

  public void resume() {
    throw new UnsupportedOperationException("skeleton");
  }

  /** Gives up: the listener hears nothing more, and everything is released. May be called again. */
  public void cancel() {
    throw new UnsupportedOperationException("skeleton");
  }
}
