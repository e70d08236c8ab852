package io.forebay.server.origin.probe;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.text.Printable;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderResultProvider;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One probe, on a connection of its own. It ends once, at the latest when its time is up. Confined
 * to the prober's thread.
 *
 * <pre>
 *   CONNECTING ─► SECURING (https) ─► WAITING for the head ─► READING (if text is expected)
 *        └──────────────┴────────────────────┴───────────────────┴──► over: null, or a failure
 * </pre>
 */
final class ProbeAttempt extends ChannelInboundHandlerAdapter {
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_HEAD = 32 * 1024;
  private static final int MAX_PIECE = 64 * 1024;
  private static final int MAX_INTERIM = 16;

  private enum Stage {
    CONNECTING("no connection"),
    SECURING("no TLS handshake"),
    WAITING("no response"),
    READING("the expected text did not come"),
    OVER("");

    private final String missing;

    Stage(String missing) {
      this.missing = missing;
    }
  }

  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final Function<Throwable, String> tlsProblem;
  private final ProbeTarget target;
  private final ProbeConfig config;
  private final Consumer<@Nullable String> done;

  private Stage stage = Stage.CONNECTING;
  private @Nullable Channel channel;
  private @Nullable ScheduledFuture<?> timer;
  private @Nullable ByteBuf body;
  private boolean hasHead;
  private int interim;

  /**
   * A probe that has not begun.
   *
   * @param done called once on the loop: null, or why the probe failed
   */
  ProbeAttempt(
      EventLoop loop,
      ByteBufAllocator allocator,
      Function<Throwable, String> tlsProblem,
      ProbeTarget target,
      Consumer<@Nullable String> done) {
    this.loop = loop;
    this.allocator = allocator;
    this.tlsProblem = tlsProblem;
    this.target = target;
    this.config = target.config();
    this.done = done;
  }

  private static Class<? extends Channel> channelType(SocketAddress address) {
    return address instanceof UnixDomainSocketAddress
        ? NioDomainSocketChannel.class
        : NioSocketChannel.class;
  }

  private int port() {
    return target.address() instanceof InetSocketAddress address ? address.getPort() : 0;
  }

  void start() {
    timer = loop.schedule(this::onTooLate, config.timeout().toNanos(), TimeUnit.NANOSECONDS);
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(channelType(target.address()))
            .disableResolver()
            .option(ChannelOption.ALLOCATOR, allocator)
            // The timer bounds all stages together.
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened.pipeline().addLast(decoder(), ProbeAttempt.this);
                  }
                })
            .connect(target.address());
    channel = connecting.channel();
    connecting.addListener((ChannelFuture future) -> {
      // Without a file descriptor there is no channel, and Netty answers on a thread of its own.
      if (loop.inEventLoop()) {
        onConnected(future);
      } else {
        loop.execute(() -> onConnected(future));
      }
    });
  }

  /** Ends it; its result does not matter. */
  void abort() {
    finish("aborted");
  }

  private static HttpResponseDecoder decoder() {
    return new HttpResponseDecoder(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_LINE)
            .setMaxHeaderSize(MAX_HEAD)
            .setMaxChunkSize(MAX_PIECE)
            .setValidateHeaders(true));
  }

  private void onConnected(ChannelFuture future) {
    if (stage == Stage.OVER) {
      future.channel().close();
    } else if (!future.isSuccess()) {
      finish("cannot connect: " + Printable.line(future.cause()));
    } else if (config.type() == ProbeConfig.Type.TCP) {
      finish(null);
    } else {
      SslContext tls = target.tls();
      if (tls == null) {
        send(future.channel());
      } else {
        secure(future.channel(), tls);
      }
    }
  }

  private void secure(Channel connected, SslContext tls) {
    stage = Stage.SECURING;
    SslHandler handler = tls.newHandler(allocator, target.tlsName(), port());
    handler.setHandshakeTimeoutMillis(0);
    connected.pipeline().addFirst(handler);
    handler
        .handshakeFuture()
        .addListener(future -> {
          if (stage != Stage.SECURING) {
            return;
          }
          if (future.isSuccess()) {
            send(connected);
          } else {
            finish("TLS failed: " + tlsProblem.apply(future.cause()));
          }
        });
  }

  private void send(Channel connected) {
    stage = Stage.WAITING;
    String request =
        config.method()
            + " "
            + config.path()
            + " HTTP/1.1\r\nhost: "
            + target.authority()
            + "\r\nuser-agent: forebay-probe\r\naccept: */*\r\naccept-encoding: identity\r\n"
            + "connection: close\r\n\r\n";
    connected.writeAndFlush(ByteBufUtil.writeAscii(allocator, request));
  }

  // The response.

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (stage == Stage.OVER) {
        return;
      }
      if (stage != Stage.WAITING && stage != Stage.READING) {
        finish("the server sent data before a request");
      } else if (message instanceof DecoderResultProvider decoded
          && decoded.decoderResult().isFailure()) {
        onInvalid(decoded.decoderResult().cause());
      } else {
        if (message instanceof HttpResponse response) {
          onHead(response.status().code());
        }
        if (message instanceof HttpContent content && stage == Stage.READING) {
          onBody(content.content(), message instanceof LastHttpContent);
        }
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void onInvalid(Throwable cause) {
    if (cause instanceof PrematureChannelClosureException) {
      onClosed();
    } else {
      finish("not valid HTTP: " + Printable.line(cause));
    }
  }

  private void onHead(int status) {
    if (status >= 100 && status < 200 && status != 101) {
      interim++;
      if (interim > MAX_INTERIM) {
        finish("more than " + MAX_INTERIM + " interim responses");
      }
    } else if (!config.accepts(status)) {
      finish("status " + status);
    } else if (config.text() == null) {
      finish(null);
    } else {
      hasHead = true;
      stage = Stage.READING;
    }
  }

  private void onBody(ByteBuf piece, boolean isLast) {
    String text = config.text();
    if (!hasHead || text == null) {
      return;
    }
    ByteBuf seen = body;
    if (seen == null) {
      seen = allocator.heapBuffer();
      body = seen;
    }
    // What was searched before is not searched again, but for the start of a match at its end.
    int from = Math.max(0, seen.readableBytes() - text.length() + 1);
    int room = (int) config.textWithin() - seen.readableBytes();
    seen.writeBytes(piece, piece.readerIndex(), Math.min(room, piece.readableBytes()));
    if (new String(
            seen.array(),
            seen.arrayOffset() + from,
            seen.readableBytes() - from,
            StandardCharsets.ISO_8859_1)
        .contains(text)) {
      finish(null);
    } else if (piece.readableBytes() > room || (piece.readableBytes() == room && !isLast)) {
      finish("the first " + config.textWithin() + " bytes do not have the expected text");
    } else if (isLast) {
      finish("the body does not have the expected text");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    // That of a handshake is told by its future.
    if (stage != Stage.SECURING) {
      onClosed();
    }
  }

  private void onClosed() {
    finish(
        stage == Stage.READING
            ? "the connection was closed before the expected text"
            : "the connection was closed before a response");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // That of a handshake is told by its future.
    if (stage != Stage.SECURING) {
      finish(Printable.line(cause));
    }
  }

  // The end.

  private void onTooLate() {
    finish(stage.missing + " within " + config.timeout().toMillis() + " ms");
  }

  private void finish(@Nullable String failure) {
    if (stage == Stage.OVER) {
      return;
    }
    stage = Stage.OVER;
    if (timer != null) {
      timer.cancel(false);
    }
    if (body != null) {
      body.release();
      body = null;
    }
    if (channel != null) {
      channel.close();
    }
    done.accept(failure);
  }
}
