package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Codes the body of one response between its source and the client's sink. The source, whichever it
 * is, sees a sink.
 *
 * <pre>
 *   PassThroughBody | Delivery ──► CodedSink ──► CodingStream (pool) ──► CodedSink ──► ResponseSink
 *            body, flush, end                                       body, flush, end
 * </pre>
 *
 * It takes bytes while both the stream and the client do, so a slow client stops the source. The
 * end comes later than the source says it: {@link ClientResponse} waits for it.
 *
 * <p>Owner: the loop of the exchange.
 */
final class CodedSink implements ResponseSink, CodingStream.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(CodedSink.class);

  private final ResponseSink sink;
  private final ClientResponse response;
  private final boolean decodes;

  private @Nullable CodingStream stream;
  private HeaderFields trailers = HeaderFields.EMPTY;
  private long sentBytes;

  /** The source was told to wait. */
  private boolean isAwaited;

  private boolean hasEnded;

  private CodedSink(ClientResponse response, boolean decodes) {
    this.sink = response.sink();
    this.response = response;
    this.decodes = decodes;
  }

  /** Encodes for a client; null where no place is free. */
  static @Nullable CodedSink encoding(
      Compressors pool,
      ContentCoding coding,
      int level,
      long length,
      EventExecutor loop,
      ClientResponse response) {
    CodedSink coded = new CodedSink(response, false);
    coded.stream = pool.open(Compressors.Use.STREAM, coding, level, length, loop, coded);
    return coded.stream == null ? null : coded;
  }

  /** Decodes for a client; null where no place is free. */
  static @Nullable CodedSink decoding(
      Compressors pool, ContentCoding coding, EventExecutor loop, ClientResponse response) {
    CodedSink coded = new CodedSink(response, true);
    coded.stream = pool.openDecoder(coding, loop, coded);
    return coded.stream == null ? null : coded;
  }

  /** Body bytes handed to the client's sink. */
  long sentBytes() {
    return sentBytes;
  }

  /** Whether the client's sink has the end of the body. */
  boolean hasEnded() {
    return hasEnded;
  }

  void cancel() {
    CodingStream open = stream;
    if (open != null) {
      stream = null;
      open.cancel();
    }
  }

  /** The stream goes on if the client takes bytes. */
  void resume() {
    if (stream != null && sink.isWritable()) {
      stream.resume();
    }
  }

  // --- the source -------------------------------------------------------------------------------

  @Override
  public void informational(int status, HeaderFields fields) {
    sink.informational(status, fields);
  }

  @Override
  public ByteBuf beginHead(int status) {
    return sink.beginHead(status);
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    sink.head(head, contentLength, isLast);
  }

  @Override
  public void body(ByteBuf chunk) {
    if (stream == null) {
      chunk.release();
    } else {
      stream.write(chunk);
    }
  }

  @Override
  public void flush() {
    CodingStream open = stream;
    if (open == null || open.isIdle()) {
      // The head may wait alone.
      sink.flush();
    } else {
      open.flush();
    }
  }

  @Override
  public void end(HeaderFields lastFields) {
    trailers = lastFields;
    if (stream != null) {
      stream.end();
    }
  }

  @Override
  public void refuse(RequestRefusal why) {
    sink.refuse(why);
  }

  @Override
  public boolean acceptsInterim() {
    return sink.acceptsInterim();
  }

  @Override
  public boolean acceptsTrailers() {
    return sink.acceptsTrailers();
  }

  @Override
  public void abort(AbortCause cause) {
    cancel();
    sink.abort(cause);
  }

  @Override
  public void giveUp() {
    cancel();
    sink.giveUp();
  }

  @Override
  public boolean isWritable() {
    // Both are asked, so that both tell when they are again.
    boolean isReady = stream == null || stream.isReady();
    boolean takes = sink.isWritable();
    if (takes && stream != null) {
      // A sink that says so to the source does not tell it once more, to whom it has refused
      // before.
      stream.resume();
    }
    isAwaited = !(takes && isReady);
    return !isAwaited;
  }

  @Override
  public int chunkBytes() {
    return sink.chunkBytes();
  }

  /** What is written is copied at once: no chunk of the source is with the transport. */
  @Override
  public void onChunkTaken(long bytes) {}

  @Override
  public void onChunkStalled() {}

  @Override
  public boolean retractHead() {
    return sentBytes == 0 && sink.retractHead();
  }

  @Override
  public void listener(Listener listener) {
    sink.listener(listener);
  }

  // --- the stream -------------------------------------------------------------------------------

  @Override
  public void onEncoded(ByteBuf data) {
    sentBytes += data.readableBytes();
    sink.body(data);
    response.onCodedBytesSent(sentBytes);
  }

  @Override
  public void onBurstEnd() {
    sink.flush();
    if (stream == null) {
      return;
    }
    if (!sink.isWritable()) {
      stream.pause();
      return;
    }
    // A sink tells only whom it has refused last: now that was nobody. So neither the stream, which
    // may have been paused during the turn that has just ended, nor the source hears of it else.
    stream.resume();
    if (isAwaited) {
      response.onWritable();
    }
  }

  @Override
  public void onReady() {
    response.onWritable();
  }

  @Override
  public void onEnd() {
    stream = null;
    hasEnded = true;
    sink.end(trailers);
    response.onBodySent();
  }

  @Override
  public void onFailed(Throwable why) {
    stream = null;
    if (decodes && why instanceof IOException) {
      response.onNotDecoded(String.valueOf(why.getMessage()));
    } else {
      LOG.error("a response could not be coded", why);
      response.breakOff(AbortCause.INTERNAL);
    }
  }
}
