package io.forebay.server.esi;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Where an assembled page goes: the client's sink, through an encoder if the client accepts one.
 */
final class PageOutput implements CodingStream.Listener {

  private static final int CHUNK_BYTES = 64 * 1024;

  /** After this much in one turn other connections of the loop get theirs. */
  private static final int TURN_BYTES = 1024 * 1024;

  private final PageAssembly page;
  private final ResponseSink sink;
  private final long maxBytes;
  private final int chunkBytes;

  private @Nullable CodingStream encoder;
  private long pageBytes;
  private long sentBytes;
  private int turnBytes;
  private boolean isDirty;
  private boolean isHeadUnsent = true;
  private boolean isTooLarge;
  private boolean hasYielded;

  PageOutput(PageAssembly page, ResponseSink sink, long maxBytes) {
    this.page = page;
    this.sink = sink;
    this.maxBytes = maxBytes;
    this.chunkBytes = Math.max(1, Math.min(CHUNK_BYTES, sink.chunkBytes()));
  }

  /** What is written goes through that. */
  void encoder(CodingStream stream) {
    encoder = stream;
  }

  /** Body bytes handed to the client's sink. */
  long sentBytes() {
    return sentBytes;
  }

  /** Whether anything has been written. */
  boolean hasBegun() {
    return pageBytes > 0;
  }

  /** Whether more is to be written than a page may have. */
  boolean isTooLarge() {
    return isTooLarge;
  }

  /** Whether the turn ended although the client takes more. */
  boolean hasYielded() {
    return hasYielded;
  }

  /** How many bytes can be written now; with 0 the caller waits for the next turn. */
  int room() {
    if (pageBytes >= maxBytes) {
      isTooLarge = true;
      return 0;
    }
    if (turnBytes >= TURN_BYTES) {
      hasYielded = true;
      return 0;
    }
    if (!isWritable()) {
      // What is not flushed never drains.
      flush();
      if (!isWritable()) {
        return 0;
      }
    }
    return (int) Math.min(chunkBytes, maxBytes - pageBytes);
  }

  private boolean isWritable() {
    CodingStream stream = encoder;
    // Both are asked, so that both tell when they are again.
    boolean isReady = stream == null || stream.isReady();
    boolean takes = sink.isWritable();
    if (takes && stream != null) {
      stream.resume();
    }
    return isReady && takes;
  }

  void write(ByteBuf bytes) {
    int length = bytes.readableBytes();
    pageBytes += length;
    turnBytes += length;
    isDirty = true;
    CodingStream stream = encoder;
    if (stream == null) {
      sentBytes += length;
      sink.body(bytes);
    } else {
      stream.write(bytes);
    }
  }

  void flush() {
    if (isHeadUnsent) {
      // It does not wait for the encoder, nor for a fragment that comes first.
      isHeadUnsent = false;
      sink.flush();
    }
    if (isDirty) {
      isDirty = false;
      CodingStream stream = encoder;
      if (stream == null) {
        sink.flush();
      } else {
        stream.flush();
      }
    }
  }

  /** A turn begins. */
  void beginTurn() {
    turnBytes = 0;
    hasYielded = false;
    CodingStream stream = encoder;
    if (stream != null && sink.isWritable()) {
      stream.resume();
    }
  }

  /** All has been written. */
  void end() {
    CodingStream stream = encoder;
    if (stream == null) {
      sink.end(HeaderFields.EMPTY);
      page.onEnded();
    } else {
      stream.end();
    }
  }

  /** Nothing follows. */
  void cancel() {
    CodingStream stream = encoder;
    encoder = null;
    if (stream != null) {
      stream.cancel();
    }
  }

  // --- the encoder ------------------------------------------------------------------------------

  @Override
  public void onEncoded(ByteBuf data) {
    sentBytes += data.readableBytes();
    sink.body(data);
  }

  @Override
  public void onBurstEnd() {
    sink.flush();
    CodingStream stream = encoder;
    if (stream != null && !sink.isWritable()) {
      stream.pause();
    } else {
      page.wake();
    }
  }

  @Override
  public void onReady() {
    page.wake();
  }

  @Override
  public void onEnd() {
    encoder = null;
    sink.end(HeaderFields.EMPTY);
    page.onEnded();
  }

  @Override
  public void onFailed(Throwable why) {
    encoder = null;
    page.onEncodingFailed(why);
  }
}
