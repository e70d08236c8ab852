package io.forebay.server.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import java.io.IOException;

/**
 * Sends one buffer with one system call, past Netty's outbound buffer and without a promise. For
 * sockets of epoll alone, and only where nothing of the pipeline changes what is written.
 */
public final class DirectWrite {
  private DirectWrite() {}

  /** Whether nothing waits in a channel's queue, so that bytes may go out in front of it. */
  public static boolean isQueueEmpty(Channel channel) {
    var queue = channel.unsafe().outboundBuffer();
    return queue != null && queue.isEmpty() && queue.totalPendingWriteBytes() == 0;
  }

  /**
   * Sends what the socket takes.
   *
   * @return whether that was all, and the buffer is released; else the channel is to write the rest
   */
  public static boolean send(Channel channel, ByteBuf buffer) {
    if (!(channel instanceof AbstractEpollStreamChannel socket)
        || !channel.isActive()
        || !buffer.hasMemoryAddress()
        || !isQueueEmpty(channel)) {
      return false;
    }
    try {
      int sent =
          socket
              .fd()
              .writeAddress(buffer.memoryAddress(), buffer.readerIndex(), buffer.writerIndex());
      buffer.skipBytes(Math.max(0, sent));
    } catch (IOException e) {
      // Netty meets it again, and tells who waits for the write.
      return false;
    }
    if (buffer.isReadable()) {
      return false;
    }
    buffer.release();
    return true;
  }
}
