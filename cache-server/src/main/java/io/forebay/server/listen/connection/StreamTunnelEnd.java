package io.forebay.server.listen.connection;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The end of a tunnel that is one stream of an HTTP/2 or HTTP/3 connection. The end of the stream
 * in one direction is the end of that direction, a reset is a reset (RFC 8441 §5). What the other
 * side does not take is not asked of the client, so that only this stream's window closes. Confined
 * to the event loop of its connection.
 */
final class StreamTunnelEnd implements TunnelEnd, RequestBody.Receiver, ResponseSink.Listener {

  private final RequestStream<?> stream;
  private @Nullable Listener listener;
  private boolean isSuspended = true;

  /** One chunk was asked for and has not come. */
  private boolean isAsking;

  private boolean isFinished;
  private boolean isClosed;

  StreamTunnelEnd(RequestStream<?> stream) {
    this.stream = stream;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
    if (isClosed) {
      to.onClosed();
    }
  }

  // ---- towards the client

  @Override
  public void write(ByteBuf data) {
    if (isFinished || isClosed) {
      data.release();
    } else {
      stream.body(data);
    }
  }

  @Override
  public void flush() {
    stream.flush();
  }

  @Override
  public boolean isWritable() {
    return stream.isWritable();
  }

  @Override
  public boolean canHalfClose() {
    return true;
  }

  @Override
  public void finish() {
    if (!isFinished && !isClosed) {
      isFinished = true;
      stream.endOutput();
    }
  }

  @Override
  public void closeWhenSent() {
    finish();
    if (!isClosed) {
      stream.stopBodyWhenSent();
    }
  }

  @Override
  public void abort() {
    stream.abort(AbortCause.TUNNEL_BROKEN);
    onClosed();
  }

  // ---- from the client

  @Override
  public void suspend() {
    isSuspended = true;
  }

  @Override
  public void resume() {
    if (isSuspended && listener != null) {
      isSuspended = false;
      ask();
    }
  }

  private void ask() {
    if (!isSuspended && !isAsking && !isClosed) {
      isAsking = true;
      stream.demand(1);
    }
  }

  @Override
  public void onData(ByteBuf data) {
    isAsking = false;
    Listener to = listener;
    if (to == null || isClosed) {
      data.release();
      return;
    }
    to.onData(data);
    to.onReadComplete();
    ask();
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (listener != null && !isClosed) {
      listener.onEnd();
    }
  }

  @Override
  public void onFailure(String reason) {
    // The stream is gone, which is told for both directions at once.
  }

  // ---- events of the stream

  @Override
  public void onWritable() {
    if (listener != null && !isClosed) {
      listener.onWritable();
    }
  }

  @Override
  public void onClosed() {
    if (!isClosed) {
      isClosed = true;
      if (listener != null) {
        listener.onClosed();
      }
    }
  }
}
