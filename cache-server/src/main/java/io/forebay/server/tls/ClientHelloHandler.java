package io.forebay.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ClientHello of a new connection, within limits of size and time, and installs the TLS
 * handler of the host that it names. The ClientHello and the handshake share one timeout.
 */
public final class ClientHelloHandler extends AbstractSniHandler<TlsHost> {
  /** Fatal, unrecognized_name (RFC 8446 §6.2), in a record of TLS 1.2, as before any hello. */
  private static final byte[] UNRECOGNIZED_NAME = {21, 3, 3, 0, 2, 2, 112};

  private final Supplier<SniTable> tables;
  private final SniTable table;
  private final String listener;
  private final long endNanos;
  private boolean offersChallenge;
  private final LongSupplier clockNanos;

  public ClientHelloHandler(
      Supplier<SniTable> tables, String listener, Duration handshakeTime, LongSupplier clockNanos) {
    this(tables, tables.get(), listener, handshakeTime, clockNanos);
  }

  private ClientHelloHandler(
      Supplier<SniTable> tables,
      SniTable table,
      String listener,
      Duration handshakeTime,
      LongSupplier clockNanos) {
    super(table.clientHelloBytes(), handshakeTime.toMillis());
    this.tables = tables;
    this.table = table;
    this.listener = listener;
    this.clockNanos = clockNanos;
    this.endNanos = clockNanos.getAsLong() + handshakeTime.toNanos();
  }

  @Override
  protected Future<TlsHost> lookup(ChannelHandlerContext ctx, @Nullable ByteBuf clientHello)
      throws Exception {
    if (clientHello != null && table.isFingerprinting()) {
      ctx.channel().attr(Ja4.KEY).set(Ja4.of(clientHello));
    }
    offersChallenge = clientHello != null && OfferedProtocols.offersOnlyChallenge(clientHello);
    return super.lookup(ctx, clientHello);
  }

  @Override
  protected Future<TlsHost> lookup(ChannelHandlerContext ctx, @Nullable String hostname) {
    CompletionStage<?> ordered = offersChallenge ? null : table.request(hostname);
    if (ordered == null) {
      return found(ctx, table, hostname);
    }
    // The time for the handshake goes on; it ends the wait.
    Promise<TlsHost> found = ctx.executor().newPromise();
    ordered.whenComplete((ignored, failure) ->
        ctx.executor()
            .execute(() -> PromiseNotifier.cascade(found(ctx, tables.get(), hostname), found)));
    return found;
  }

  private Future<TlsHost> found(
      ChannelHandlerContext ctx, SniTable current, @Nullable String hostname) {
    TlsHost host = offersChallenge ? current.challenge(hostname) : current.of(listener, hostname);
    return host == null
        ? ctx.executor().newFailedFuture(new NoCertificateException(listener, hostname))
        : ctx.executor().newSucceededFuture(host);
  }

  @Override
  protected void onLookupComplete(
      ChannelHandlerContext ctx, @Nullable String hostname, Future<TlsHost> future)
      throws SSLException {
    if (ctx.isRemoved() || !ctx.channel().isActive()) {
      // The client left while its certificate was ordered, or the name has too many connections.
      return;
    }
    TlsHost host = future.getNow();
    if (host == null) {
      ctx.writeAndFlush(Unpooled.wrappedBuffer(UNRECOGNIZED_NAME))
          .addListener(ChannelFutureListener.CLOSE);
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
