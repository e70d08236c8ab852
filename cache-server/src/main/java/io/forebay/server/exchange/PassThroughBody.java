package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.Trailers;
import io.forebay.server.deliver.ResponseBody;
import io.forebay.server.fill.PassedResponseWriter;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Streams the body of a response from the origin to the client, past the store or while a writer
 * stores it as well. It buffers nothing: while the client accepts no bytes, the origin's socket is
 * not read.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class PassThroughBody implements OriginListener, ResponseBody {

  private final ResponseSink sink;
  private final OriginCall call;
  private final Outcome outcome;

  /** Whether body bytes go to the client: not for HEAD, 204 and 304. */
  private final boolean hasBody;

  /** Body bytes still to be dropped before the first that is wanted. */
  private long skipBytes;

  /**
   * Body bytes wanted after those, {@link Long#MAX_VALUE} for all there are; a range may end before
   * the body does.
   */
  private long wantedBytes;

  /** Whether those are so many and no fewer, whatever the origin's framing says. */
  private final boolean isCounted;

  /** Names of the fields that may go on after the body. */
  private final Set<String> trailers;

  /** Stores what goes by, where it is stored. */
  private final @Nullable PassedResponseWriter storing;

  private boolean isSuspended;
  private boolean isOver;
  private long bodyBytes;

  /** The whole body, or none of it. */
  PassThroughBody(
      ResponseSink sink,
      OriginCall call,
      boolean hasBody,
      Set<String> trailers,
      @Nullable PassedResponseWriter storing,
      Outcome outcome) {
    this(sink, call, hasBody, 0, Long.MAX_VALUE, trailers, storing, outcome);
  }

  private PassThroughBody(
      ResponseSink sink,
      OriginCall call,
      boolean hasBody,
      long skipBytes,
      long wantedBytes,
      Set<String> trailers,
      @Nullable PassedResponseWriter storing,
      Outcome outcome) {
    this.sink = sink;
    this.call = call;
    this.hasBody = hasBody;
    this.skipBytes = skipBytes;
    this.wantedBytes = wantedBytes;
    this.isCounted = wantedBytes != Long.MAX_VALUE;
    this.trailers = trailers;
    this.storing = storing;
    this.outcome = outcome;
  }

  /** That many body bytes after the first {@code skipBytes}; the rest of a body begun elsewhere. */
  static PassThroughBody ofRest(
      ResponseSink sink, OriginCall call, long skipBytes, long wantedBytes, Outcome outcome) {
    return new PassThroughBody(sink, call, true, skipBytes, wantedBytes, Set.of(), null, outcome);
  }

  @Override
  public long sentBytes() {
    return bodyBytes;
  }

  @Override
  public void onWritable() {
    if (isSuspended && !isOver) {
      isSuspended = false;
      call.resume();
    }
  }

  @Override
  public void onClientGone() {
    if (!isOver) {
      isOver = true;
      call.cancel();
      stopStoring();
    }
  }

  private void stopStoring() {
    if (storing != null) {
      storing.abort();
    }
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onHead(int status, HeaderFields fields, long contentLength, boolean closeDelimited) {
    throw new IllegalStateException("the head came before the transit");
  }

  @Override
  public void onData(ByteBuf data) {
    if (isOver || !hasBody) {
      data.release();
      return;
    }
    int skipped = (int) Math.min(skipBytes, data.readableBytes());
    skipBytes -= skipped;
    data.skipBytes(skipped);
    int length = (int) Math.min(wantedBytes, data.readableBytes());
    if (length == 0) {
      data.release();
      return;
    }
    data.writerIndex(data.readerIndex() + length);
    bodyBytes += length;
    wantedBytes -= length;
    if (storing != null) {
      storing.add(data);
    }
    sink.body(data);
    outcome.onBytesSent(bodyBytes);
    if (wantedBytes == 0) {
      isOver = true;
      call.cancel();
      sink.end(HeaderFields.EMPTY);
      outcome.onBodySent();
    } else if (!isOver && !sink.isWritable() && !isSuspended) {
      // A call that is suspended tells of no end of a burst, and what is not flushed never drains.
      sink.flush();
      isSuspended = !sink.isWritable();
      if (isSuspended) {
        call.suspend();
      }
    }
  }

  @Override
  public void onReadComplete() {
    if (!isOver) {
      sink.flush();
    }
  }

  @Override
  public void onEnd(HeaderFields received) {
    if (isOver) {
      return;
    }
    if (isCounted && wantedBytes > 0) {
      onFailure(
          new OriginFailure(
              OriginFailure.Kind.TRUNCATED, "the body is " + wantedBytes + " bytes too short"));
      return;
    }
    isOver = true;
    if (storing != null) {
      storing.end();
    }
    if (hasBody) {
      sink.end(Trailers.allowed(received, trailers));
    }
    outcome.onBodySent();
  }

  @Override
  public void onFailure(OriginFailure failure) {
    if (isOver) {
      return;
    }
    isOver = true;
    stopStoring();
    if (hasBody && sink.retractHead()) {
      outcome.onBodyUnseen(failure);
      return;
    }
    if (hasBody) {
      sink.abort(AbortCause.ORIGIN_FAILED);
    }
    outcome.onBodyBroken(failure.kind().name());
  }
}
