package io.forebay.server.listen.http1;

import io.forebay.server.listen.connection.DirectWrites;
import io.forebay.server.listen.connection.LargeWriteQuota;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.pacing.SocketPace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The output of a connection. Writes during a read are flushed once, at its end. Owns the chunk
 * size. Confined to the event loop.
 */
final class ResponseOutput implements LargeWriteQuota.Holder {

  /** A client that takes this much of one response without stalling gets large chunks. */
  private static final long QUICK_BYTES = 256 * 1024;

  private final ListenerContext loop;
  private final Channel channel;
  private final BooleanSupplier idle;
  private final boolean isSecure;
  private final boolean writesDirectly;

  // Null before the handler is added and after the end.
  private @Nullable ChannelHandlerContext context;

  /** Null before anything is paced. */
  private @Nullable SocketPace pace;

  private boolean isReading;
  private boolean needsFlush;
  private boolean isWide;

  /** {@code idle} says whether no response is being sent. */
  ResponseOutput(ListenerContext loop, Channel channel, boolean isSecure, BooleanSupplier idle) {
    this.loop = loop;
    this.channel = channel;
    this.isSecure = isSecure;
    this.idle = idle;
    this.writesDirectly = !isSecure && DirectWrites.isSupported(channel);
  }

  void open(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** The transport reads: what is written from now on is gathered until {@link #readComplete}. */
  void reading() {
    isReading = true;
  }

  void readComplete(ChannelHandlerContext ctx) {
    isReading = false;
    if (needsFlush || loop.directWrites.holds(channel)) {
      needsFlush = false;
      flush(ctx);
    }
  }

  /** How fast the socket sends from now on. */
  void pace(long bytesPerSecond) {
    SocketPace socket = pace;
    if (socket == null) {
      if (bytesPerSecond == Pacing.UNPACED) {
        return;
      }
      socket = new SocketPace(channel);
      pace = socket;
    }
    socket.rate(bytesPerSecond);
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  ByteBuf allocate(int lengthBytes) {
    return channel.alloc().directBuffer(lengthBytes);
  }

  /** Takes the buffer over. */
  void write(ByteBuf buffer) {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      buffer.release();
      return;
    }
    loop.counters.bytesToClients += buffer.readableBytes();
    if (writesDirectly && loop.directWrites.add(channel, buffer)) {
      return;
    }
    loop.directWrites.spill(ctx);
    ctx.write(buffer, ctx.voidPromise());
  }

  void flushSoon() {
    if (isReading) {
      needsFlush = true;
    } else if (context != null) {
      flush(context);
    }
  }

  private void flush(ChannelHandlerContext ctx) {
    if (loop.directWrites.holds(channel)) {
      loop.directWrites.send(ctx);
    } else {
      ctx.flush();
    }
  }

  /** Sends all that is queued; the future ends behind its last byte. */
  ChannelFuture flushAll() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return channel.newSucceededFuture();
    }
    needsFlush = false;
    loop.directWrites.spill(ctx);
    return ctx.writeAndFlush(Unpooled.EMPTY_BUFFER);
  }

  /** Hands all that is queued to the transport. */
  void flushNow() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      needsFlush = false;
      loop.directWrites.spill(ctx);
      ctx.flush();
    }
  }

  /** Nothing is written any more. */
  void end() {
    ChannelHandlerContext ctx = context;
    context = null;
    if (ctx != null) {
      loop.directWrites.spill(ctx);
    }
    if (isWide) {
      loop.largeWrites.release(this);
    }
  }

  // ---- the size of chunks

  int chunkBytes() {
    if (!isWide) {
      return LargeWriteQuota.DEFAULT_CHUNK_BYTES;
    }
    return isSecure ? LargeWriteQuota.LARGE_TLS_CHUNK_BYTES : LargeWriteQuota.LARGE_CHUNK_BYTES;
  }

  void onChunkTaken(long sentBytes) {
    if (!isWide && sentBytes >= QUICK_BYTES && context != null) {
      isWide = loop.largeWrites.tryAcquire(this);
    }
  }

  void onChunkStalled() {
    if (isWide) {
      loop.largeWrites.release(this);
    }
  }

  @Override
  public boolean isIdle() {
    return idle.getAsBoolean();
  }

  @Override
  public void onRevoked() {
    isWide = false;
  }

  @Override
  public Channel channel() {
    return channel;
  }
}
