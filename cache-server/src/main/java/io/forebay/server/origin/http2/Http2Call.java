package io.forebay.server.origin.http2;

import io.forebay.core.http.HeaderFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on a stream of an {@link Http2Session}. Confined to its event loop.
 *
 * <pre>
 *   HEADERS ─► onHead ─► DATA ─┬───────── onData ─────────┬─► END_STREAM ─► onEnd
 *   1xx: onInterim             └─ suspended: PendingData ─┘   or RST_STREAM, … ─► onFailed
 * </pre>
 *
 * <p>While the call is suspended, the window of its stream is not opened again: the origin sends as
 * much as that window has, which waits here, and other streams go on. An end that comes meanwhile
 * waits behind the data.
 */
public final class Http2Call {
  /** Bytes of a request body that may be on their way through the connection. */
  private static final int MAX_WRITING = 64 * 1024;

  /** Interim responses that may precede the final one. */
  private static final int MAX_INTERIM = 16;

  /** How the stream ended; {@code failure} null for a whole response. */
  private record Outcome(@Nullable Http2Failure failure, String detail, HeaderFields trailers) {}

  private final Http2Session session;
  private final int stream;
  private final boolean isHeadRequest;
  private final Http2CallListener listener;
  private final PendingData pending = new PendingData();

  // The response.
  private boolean hasHead;
  private boolean hasNoBody;
  private int interimCount;

  /** Of the declared length; negative if there is none. */
  private long remaining = -1;

  private @Nullable Outcome outcome;
  private boolean isSuspended;
  private boolean isDelivering;
  private boolean isOver;
  private boolean isTouched;

  // The request.
  private boolean isRequestComplete;
  private boolean isStreamClosed;
  private int writing;
  private boolean isWriteTold;

  Http2Call(
      Http2Session session,
      int stream,
      boolean isHeadRequest,
      boolean isRequestComplete,
      boolean isSuspended,
      Http2CallListener listener) {
    this.session = session;
    this.stream = stream;
    this.isHeadRequest = isHeadRequest;
    this.isRequestComplete = isRequestComplete;
    this.isSuspended = isSuspended;
    this.listener = listener;
  }

  int stream() {
    return stream;
  }

  // What the caller orders.

  public void suspend() {
    isSuspended = true;
  }

  /** Continues, in a task of its own if something waits. */
  public void resume() {
    isSuspended = false;
    if (!pending.isEmpty() || outcome != null) {
      session.execute(this::drain);
    }
  }

  /** Gives up: resets the stream unless it has ended. Nothing more is told. */
  public void cancel() {
    if (isOver) {
      return;
    }
    isOver = true;
    pending.release();
    reset(Http2Error.CANCEL);
  }

  /** Whether more of the request body may be written now. */
  public boolean isWritable() {
    return writing < MAX_WRITING;
  }

  /** Whether all that was written has left. */
  public boolean isWritten() {
    return writing == 0;
  }

  /** Writes a piece of the request body; takes ownership. */
  public void write(ByteBuf data) {
    writeData(data, false);
  }

  /** The request is complete. */
  public void endRequest() {
    writeData(Unpooled.EMPTY_BUFFER, true);
  }

  private void writeData(ByteBuf data, boolean isEnd) {
    if (isStreamClosed || isRequestComplete) {
      data.release();
      return;
    }
    isRequestComplete = isEnd;
    int length = data.readableBytes();
    writing += length;
    session.writeData(
        this,
        data,
        isEnd,
        () -> {
          writing -= length;
          if (!isWriteTold && !isOver) {
            isWriteTold = true;
            session.execute(this::tellWritten);
          }
        });
  }

  private void tellWritten() {
    isWriteTold = false;
    if (!isOver && !isStreamClosed) {
      listener.onBodyWritten();
    }
  }

  private void reset(Http2Error error) {
    if (!isStreamClosed) {
      session.reset(stream, error);
    }
  }

  // What the origin sends.

  void onHeaders(Http2Headers headers, boolean isEnd) {
    if (isOver || outcome != null) {
      return;
    }
    try {
      if (hasHead) {
        onTrailers(headers, isEnd);
      } else {
        onHead(ResponseFields.ofHead(headers, session.mostFields()), isEnd);
      }
    } catch (IllegalArgumentException e) {
      broken(String.valueOf(e.getMessage()));
    }
    touch();
  }

  private void onHead(ResponseFields head, boolean isEnd) {
    int status = head.status();
    if (status < 200) {
      if (isEnd || status == 101) {
        throw new IllegalArgumentException("status " + status + (isEnd ? " ends the stream" : ""));
      }
      if (++interimCount > MAX_INTERIM) {
        throw new IllegalArgumentException("more than " + MAX_INTERIM + " interim responses");
      }
      listener.onInterim(status, head.fields());
      return;
    }
    hasHead = true;
    hasNoBody = isHeadRequest || status == 204 || status == 304;
    long length = hasNoBody ? 0 : head.contentLength();
    if (isEnd && length > 0) {
      throw new IllegalArgumentException(length + " bytes less than its content-length");
    }
    remaining = length;
    listener.onHead(status, head.fields(), isEnd ? 0 : length);
    if (isEnd) {
      end(HeaderFields.EMPTY);
    }
  }

  private void onTrailers(Http2Headers headers, boolean isEnd) {
    if (!isEnd) {
      throw new IllegalArgumentException("a second header section");
    }
    HeaderFields trailers = ResponseFields.ofTrailers(headers, session.mostFields());
    checkLength(0, true);
    end(trailers);
  }

  private void checkLength(int length, boolean isEnd) {
    if (!hasHead) {
      throw new IllegalArgumentException("DATA before HEADERS");
    }
    if (hasNoBody && length > 0) {
      throw new IllegalArgumentException("a body where none is allowed");
    }
    if (remaining >= 0 && length > remaining) {
      throw new IllegalArgumentException("more bytes than its content-length");
    }
    if (isEnd && remaining > length) {
      throw new IllegalArgumentException(
          (remaining - length) + " bytes less than its content-length");
    }
  }

  /**
   * Body bytes came.
   *
   * @return how many of them are done with, for the window of the stream
   */
  int onData(ByteBuf data, int padding, boolean isEnd) {
    int length = data.readableBytes();
    if (isOver || outcome != null) {
      return length + padding;
    }
    try {
      checkLength(length, isEnd);
    } catch (IllegalArgumentException e) {
      broken(String.valueOf(e.getMessage()));
      return length + padding;
    }
    if (remaining > 0) {
      remaining -= length;
    }
    int done = length + padding;
    if (length > 0 && (isSuspended || isDelivering || !pending.isEmpty())) {
      pending.add(data.retain(), session.allocator());
      done = padding;
    } else if (length > 0) {
      listener.onData(data.retain());
    }
    if (isEnd && !isOver) {
      end(HeaderFields.EMPTY);
    }
    touch();
    return done;
  }

  private void touch() {
    if (!isTouched && !isOver) {
      isTouched = true;
      session.touched(this);
    }
  }

  /** The burst of reads that brought something is over. */
  void onReadComplete() {
    isTouched = false;
    if (!isOver && !isSuspended && pending.isEmpty() && outcome == null) {
      listener.onReadComplete();
    }
  }

  // How it ends.

  private void end(HeaderFields trailers) {
    outcome = new Outcome(null, "", trailers);
    if (!isRequestComplete) {
      // The response is whole; nobody wants the rest of the request (RFC 9113 §8.1).
      reset(Http2Error.CANCEL);
    }
    if (!isSuspended && !isDelivering && pending.isEmpty()) {
      finish(outcome);
    } else if (!isSuspended) {
      session.execute(this::drain);
    }
  }

  private void broken(String reason) {
    fail(Http2Failure.INVALID, reason);
    reset(Http2Error.PROTOCOL_ERROR);
  }

  /** The stream failed; told in a task of its own, behind the data that waits. */
  void fail(Http2Failure failure, String detail) {
    if (isOver || outcome != null) {
      return;
    }
    outcome = new Outcome(failure, detail, HeaderFields.EMPTY);
    session.execute(this::drain);
  }

  /** No frame is sent on it any more. */
  void onStreamClosed(Http2Failure failure, String detail) {
    isStreamClosed = true;
    fail(failure, detail);
  }

  private void drain() {
    if (isDelivering) {
      return;
    }
    isDelivering = true;
    try {
      while (!isOver && !isSuspended) {
        ByteBuf data = pending.poll();
        if (data == null) {
          break;
        }
        int length = data.readableBytes();
        session.consume(stream, length);
        listener.onData(data);
      }
    } finally {
      isDelivering = false;
    }
    if (isOver || isSuspended) {
      return;
    }
    if (outcome != null) {
      finish(outcome);
    } else {
      listener.onReadComplete();
    }
  }

  private void finish(Outcome how) {
    isOver = true;
    if (how.failure == null) {
      listener.onEnd(how.trailers);
    } else {
      listener.onFailed(how.failure, how.detail);
    }
  }
}
