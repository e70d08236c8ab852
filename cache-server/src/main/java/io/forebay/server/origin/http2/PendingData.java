package io.forebay.server.origin.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Body bytes that wait for a suspended call. Their number is bounded by the window of the stream;
 * small pieces are copied together, so that neither their objects nor the buffers that they were
 * read into add to it.
 */
final class PendingData {
  private static final int SMALL = 2048;
  private static final int BLOCK = 16 * 1024;

  private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);

  /** The last piece, where more may be copied into it. */
  private @Nullable ByteBuf block;

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** Takes ownership. */
  void add(ByteBuf data, ByteBufAllocator allocator) {
    if (data.readableBytes() >= SMALL) {
      block = null;
      pieces.add(data);
      return;
    }
    ByteBuf into = block;
    if (into == null || into.maxWritableBytes() < data.readableBytes()) {
      into = allocator.buffer(SMALL, BLOCK);
      pieces.add(into);
      block = into;
    }
    into.writeBytes(data);
    data.release();
  }

  @Nullable ByteBuf poll() {
    ByteBuf first = pieces.poll();
    if (pieces.isEmpty()) {
      block = null;
    }
    return first;
  }

  void release() {
    for (ByteBuf piece = poll(); piece != null; piece = poll()) {
      piece.release();
    }
  }
}
