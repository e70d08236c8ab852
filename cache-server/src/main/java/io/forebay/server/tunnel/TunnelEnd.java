package io.forebay.server.tunnel;

import io.netty.buffer.ByteBuf;

/**
 * One end of a tunnel: a connection, or a stream of one. It begins suspended; while it is suspended
 * no more is taken from its peer than the transport had under way. Confined to its event loop.
 */
public interface TunnelEnd {

  /** What the peer of this end does. */
  interface Listener {
    /** Bytes of the peer; ownership passes. */
    void onData(ByteBuf data);

    /** One burst of reads is over: a moment to flush. */
    void onReadComplete();

    /** The transport takes bytes again. */
    void onWritable();

    /** The peer sends no more; all it sent has been handed over. */
    void onEnd();

    /** The end is gone, in both directions. Called once, last. */
    void onClosed();
  }

  /** Sets who is told, from now on; one that is gone already is told so at once. */
  void listener(Listener to);

  /** Queues bytes; ownership passes. */
  void write(ByteBuf data);

  void flush();

  boolean isWritable();

  /** Whether one direction may end while the other goes on. */
  boolean canHalfClose();

  /** Once what is queued has gone, tells the peer that no more will come. */
  void finish();

  /** Once what is queued has gone, ends both directions. */
  void closeWhenSent();

  /** Breaks it off: the peer sees a reset, not an end. */
  void abort();

  /** Takes no more from the peer. */
  void suspend();

  /** Hands over what the peer sends. */
  void resume();
}
