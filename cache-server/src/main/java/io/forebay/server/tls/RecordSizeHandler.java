package io.forebay.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;

/**
 * Writes small TLS records at the start of a connection and after idle periods. A client can read a
 * record only when it is complete, and the initial congestion window holds less than a record of 16
 * KiB, so a large first record would cost one more round trip. Later records are large, which costs
 * less.
 *
 * <p>Records are cut from what was written without copying it; only pieces smaller than a record
 * are put together.
 */
final class RecordSizeHandler extends SslHandler {
  static final int SMALL = 4 * 1024;
  static final int LARGE = 16 * 1024;

  /** Sent in small records first. */
  static final int SMALL_BYTES = 32 * 1024;

  /** After which the window has closed again (RFC 5681 §4.1, as kernels do it). */
  private static final long IDLE_NANOS = 1_000_000_000L;

  private final LongSupplier clockNanos;
  private long sentAtNanos;
  private long sentBytes;
  private boolean isLarge;

  RecordSizeHandler(SSLEngine engine, LongSupplier clockNanos) {
    super(engine);
    this.clockNanos = clockNanos;
    setWrapDataSize(SMALL);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof ByteBuf bytes) {
      sentBytes += bytes.readableBytes();
    }
    super.write(ctx, message, promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) throws Exception {
    long now = clockNanos.getAsLong();
    if (isLarge && now - sentAtNanos > IDLE_NANOS) {
      isLarge = false;
      sentBytes = 0;
      setWrapDataSize(SMALL);
    }
    sentAtNanos = now;
    super.flush(ctx);
    if (!isLarge && sentBytes >= SMALL_BYTES) {
      isLarge = true;
      setWrapDataSize(LARGE);
    }
  }
}
