package io.forebay.lab.load.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * One buffer for all reads of a loop, since nothing of what is read is kept: it stays in the CPU's
 * cache. Only for connections whose first handler drops what it gets before it returns.
 */
@SuppressWarnings("deprecation") // Handle, which the interface asks for.
final class SharedReadBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
  private final ByteBuf buffer;

  SharedReadBuffer(int bytes) {
    buffer = new UnpooledByteBufAllocator(true, true).directBuffer(bytes, bytes);
  }

  @Override
  public Handle newHandle() {
    return new SharedHandle();
  }

  void release() {
    buffer.release();
  }

  private final class SharedHandle extends MaxMessageHandle {
    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return buffer.clear().retain();
    }

    @Override
    public int guess() {
      return buffer.capacity();
    }
  }
}
