package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.storage.lane.ObjectWriter;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the part of a body that the store has not accepted yet: if the store has no space, bytes
 * still arrive until the origin's socket is paused. Confined to a fill's event loop.
 */
final class PendingBody {

  private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(0);

  /** Takes over a buffer. */
  void add(ByteBuf data) {
    buffers.add(data);
  }

  /**
   * Puts in the place of each buffer what a function gives for it, or nothing where that is null.
   */
  void replaceEach(Function<ByteBuf, @Nullable ByteBuf> replacement) {
    for (int count = buffers.size(); count > 0; count--) {
      ByteBuf next = replacement.apply(buffers.remove());
      if (next != null) {
        buffers.add(next);
      }
    }
  }

  boolean isEmpty() {
    return buffers.isEmpty();
  }

  /** Lets a writer have what it takes; gives how many bytes that was. */
  long moveTo(ObjectWriter writer) {
    long moved = 0;
    while (!buffers.isEmpty()) {
      ByteBuf data = buffers.element();
      moved += append(writer, data);
      if (data.isReadable()) {
        break;
      }
      buffers.remove().release();
    }
    return moved;
  }

  /** Appends what the writer takes of a buffer and moves on its reader index. */
  private static int append(ObjectWriter writer, ByteBuf data) {
    int before = data.readableBytes();
    for (ByteBuffer bytes : data.nioBuffers()) {
      int length = bytes.remaining();
      boolean isAll = writer.append(bytes);
      data.skipBytes(length - bytes.remaining());
      if (!isAll) {
        break;
      }
    }
    return before - data.readableBytes();
  }

  /** Passes all of it to another listener, and the end of the body if it has arrived. */
  void moveTo(OriginListener listener, boolean isEnded) {
    while (!buffers.isEmpty()) {
      listener.onData(buffers.remove());
    }
    listener.onReadComplete();
    if (isEnded) {
      listener.onEnd(HeaderFields.EMPTY);
    }
  }

  void release() {
    while (!buffers.isEmpty()) {
      buffers.remove().release();
    }
  }
}
