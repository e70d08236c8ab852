package io.forebay.server.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ClientHello of a new connection, within limits of size and time, and installs the TLS
 * handler of the host that it names. The ClientHello and the handshake share one timeout.
 */
public final class ClientHelloHandler extends AbstractSniHandler<TlsHost> {
  private final SniTable table;
  private final String listener;
  private final long endNanos;
  private final LongSupplier clockNanos;

  public ClientHelloHandler(
      SniTable table, String listener, Duration handshakeTime, LongSupplier clockNanos) {
    super(table.clientHelloBytes(), handshakeTime.toMillis());
    this.table = table;
    this.listener = listener;
    this.clockNanos = clockNanos;
    this.endNanos = clockNanos.getAsLong() + handshakeTime.toNanos();
  }

  @Override
  protected Future<TlsHost> lookup(ChannelHandlerContext ctx, @Nullable String hostname) {
    TlsHost host = table.of(listener, hostname);
    return host == null
        ? ctx.executor().newFailedFuture(new SSLException("no certificate for this listener"))
        : ctx.executor().newSucceededFuture(host);
  }

  @Override
  protected void onLookupComplete(
      ChannelHandlerContext ctx, @Nullable String hostname, Future<TlsHost> future)
      throws SSLException {
    TlsHost host = future.getNow();
    if (host == null) {
      ctx.close();
      return;
    }
    SslHandler handler = host.newHandler(ctx.alloc());
    boolean isPlaced = false;
    try {
      long restNanos = Math.max(1_000_000, endNanos - clockNanos.getAsLong());
      handler.setHandshakeTimeout(restNanos, TimeUnit.NANOSECONDS);
      handler.setCloseNotifyFlushTimeout(1, TimeUnit.SECONDS);
      ctx.channel().attr(TlsHost.KEY).set(host);
      // What has been read goes on to it.
      ctx.pipeline().replace(this, null, handler);
      isPlaced = true;
    } finally {
      if (!isPlaced) {
        ReferenceCountUtil.safeRelease(handler.engine());
      }
    }
  }
}
