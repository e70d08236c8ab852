package io.forebay.server.listen.connection;

import io.forebay.server.loop.DirectWrite;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sends with one system call what a connection writes before it flushes, bypassing Netty's outbound
 * buffer; docs/DECISIONS.md has the savings. Only while that buffer is empty, only for epoll
 * sockets without TLS, and only up to a limit. Anything larger, and what the socket does not
 * accept, is written through Netty in order.
 *
 * <pre>
 *           write ─┬─► gathered ──── flush ──────────► writev ── all taken
 *                  │      └── more comes than fits, ─┐    └── part of it, or an error
 *                  │          or the end             ▼             ▼
 *                  └────────────────────────────► Netty's queue ─► flush
 * </pre>
 *
 * <p>One per loop, empty between the events of two connections. Confined to that loop.
 */
public final class DirectWrites {

  static final int MAX_BUFFERS = 64;

  /** A chunk for a client of which nothing is known yet, and what goes before it. */
  static final int MAX_BYTES = LargeWriteQuota.DEFAULT_CHUNK_BYTES + 32 * 1024;

  /** Of {@code struct iovec}: the address, and the length behind it. */
  private static final int VECTOR_BYTES = 16;

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private final ByteBuf[] buffers = new ByteBuf[MAX_BUFFERS];
  private final MemorySegment vectors =
      MemorySegment.ofBuffer(ByteBuffer.allocateDirect(MAX_BUFFERS * VECTOR_BYTES));
  private int count;
  private int lengthBytes;
  private @Nullable Channel owner;

  /** Whether what this channel writes may be gathered at all. */
  public static boolean isSupported(Channel channel) {
    return channel instanceof AbstractEpollStreamChannel;
  }

  /** Takes a buffer over, if it may go out with those before; false leaves all as it was. */
  public boolean add(Channel channel, ByteBuf buffer) {
    int length = buffer.readableBytes();
    if (count == 0) {
      if (!DirectWrite.isQueueEmpty(channel)) {
        return false;
      }
    } else if (!channel.equals(owner) || count == MAX_BUFFERS) {
      return false;
    }
    if (!buffer.hasMemoryAddress() || length > MAX_BYTES - lengthBytes) {
      return false;
    }
    owner = channel;
    buffers[count++] = buffer;
    lengthBytes += length;
    return true;
  }

  /** Whether something of that channel has been gathered. */
  public boolean holds(Channel channel) {
    return count > 0 && channel.equals(owner);
  }

  /** Hands what has been gathered to Netty's queue. */
  public void spill(ChannelHandlerContext ctx) {
    if (holds(ctx.channel())) {
      for (int i = 0; i < count; i++) {
        ctx.write(buffers[i], ctx.voidPromise());
      }
      clear();
    }
  }

  /** Sends what has been gathered; what the socket does not take, Netty does. */
  public void send(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    if (!holds(channel)) {
      return;
    }
    long sent = 0;
    // The number of a socket that is closed may be another's by now.
    if (channel.isOpen() && channel instanceof AbstractEpollStreamChannel socket) {
      try {
        sent = write(socket.fd());
      } catch (IOException e) {
        // Netty meets it again, and ends the connection as it always does.
      }
    }
    boolean isAllSent = sent == lengthBytes;
    for (int i = 0; i < count; i++) {
      ByteBuf buffer = buffers[i];
      int taken = (int) Math.min(sent, buffer.readableBytes());
      sent -= taken;
      buffer.skipBytes(taken);
      if (buffer.isReadable()) {
        ctx.write(buffer, ctx.voidPromise());
      } else {
        buffer.release();
      }
    }
    clear();
    if (!isAllSent) {
      ctx.flush();
    }
  }

  private long write(FileDescriptor socket) throws IOException {
    if (count == 1) {
      ByteBuf only = buffers[0];
      return socket.writeAddress(only.memoryAddress(), only.readerIndex(), only.writerIndex());
    }
    for (int i = 0; i < count; i++) {
      ByteBuf buffer = buffers[i];
      long at = (long) i * VECTOR_BYTES;
      vectors.set(WORD, at, buffer.memoryAddress() + buffer.readerIndex());
      vectors.set(WORD, at + WORD.byteSize(), buffer.readableBytes());
    }
    return socket.writevAddresses(vectors.address(), count);
  }

  private void clear() {
    Arrays.fill(buffers, 0, count, null);
    count = 0;
    lengthBytes = 0;
    owner = null;
  }
}
