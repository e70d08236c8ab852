package io.forebay.testing;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.http3.DefaultHttp3DataFrame;
import io.netty.handler.codec.http3.DefaultHttp3Headers;
import io.netty.handler.codec.http3.DefaultHttp3HeadersFrame;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.http3.Http3ClientConnectionHandler;
import io.netty.handler.codec.http3.Http3DataFrame;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3GoAwayFrame;
import io.netty.handler.codec.http3.Http3Headers;
import io.netty.handler.codec.http3.Http3HeadersFrame;
import io.netty.handler.codec.http3.Http3RequestStreamInboundHandler;
import io.netty.handler.codec.http3.Http3Settings;
import io.netty.handler.codec.http3.Http3SettingsFrame;
import io.netty.handler.codec.quic.DefaultQuicStreamFrame;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicConnectionCloseEvent;
import io.netty.handler.codec.quic.QuicException;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamResetException;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An HTTP/3 client that checks little of what it sends, and takes bodies as it is told. */
public final class Http3Client implements AutoCloseable {

  /** A machine that is busy with ten times as much as it can do is slow, not wrong. */
  private static final int PATIENCE_SECONDS = 50;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel socket;
  private final QuicChannel channel;

  /** What the server has said at first. */
  public final CompletableFuture<Http3Settings> settings = new CompletableFuture<>();

  /** Done when the server takes no more streams soon. */
  public final CompletableFuture<Void> goAwayAnnounced = new CompletableFuture<>();

  /** The first stream that the server does not take. */
  public final CompletableFuture<Long> goAway = new CompletableFuture<>();

  /** The error that the server closed the connection with, or -1 where it just ended. */
  public final CompletableFuture<Integer> closed = new CompletableFuture<>();

  /** What has come back on one stream. */
  public static final class Answer {
    public final LinkedBlockingQueue<Http3Headers> heads = new LinkedBlockingQueue<>();
    public final CompletableFuture<String> end = new CompletableFuture<>();
    public final Http2Client.Text body = new Http2Client.Text();

    /** DATA frames without data. */
    public final AtomicInteger emptyFrames = new AtomicInteger();

    private final QuicStreamChannel stream;

    private Answer(QuicStreamChannel stream) {
      this.stream = stream;
    }

    public QuicStreamChannel stream() {
      return stream;
    }

    public Http3Headers head() throws InterruptedException {
      Http3Headers head = heads.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (head == null) {
        throw new AssertionError(
            "no head; the stream: "
                + (end.isDone() ? end.getNow("") : "open")
                + ", the connection: "
                + (stream.parent().isActive() ? "open" : "closed"));
      }
      return head;
    }

    public String status() throws InterruptedException {
      return head().status().toString();
    }

    /** {@code end}, or {@code reset} and the error. */
    public String end() throws Exception {
      return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  public Http3Client(int port, Path trusted) throws Exception {
    this(port, trusted, 1 << 20);
  }

  /**
   * Connects.
   *
   * @param trusted PEM file of the certificate or authority to trust
   * @param window how much each stream may send before something of it is read
   */
  public Http3Client(int port, Path trusted, int window) throws Exception {
    this(port, "127.0.0.1", window, builder -> builder.trustManager(trusted.toFile()));
  }

  /**
   * Connects.
   *
   * @param serverName what the ClientHello asks for; nothing when it is an address
   * @param tls says whom to trust, and what to show
   */
  public Http3Client(
      int port, String serverName, int window, UnaryOperator<QuicSslContextBuilder> tls)
      throws Exception {
    QuicSslContext context =
        tls.apply(QuicSslContextBuilder.forClient()).applicationProtocols("h3").build();
    ChannelHandler codec =
        Http3.newQuicClientCodecBuilder()
            .sslEngineProvider(quic -> context.newEngine(quic.alloc(), serverName, port))
            .maxIdleTimeout(30, TimeUnit.SECONDS)
            .initialMaxData(16L << 20)
            .initialMaxStreamDataBidirectionalLocal(window)
            .build();
    socket =
        new Bootstrap()
            .group(group)
            .channel(NioDatagramChannel.class)
            .handler(codec)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    try {
      channel =
          QuicChannel.newBootstrap(socket)
              .handler(
                  new ChannelInitializer<QuicChannel>() {
                    @Override
                    protected void initChannel(QuicChannel ch) {
                      ch.pipeline()
                          .addLast(
                              new Http3ClientConnectionHandler(
                                  new Control(), null, null, null, true),
                              new Events());
                    }
                  })
              .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .connect()
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      socket.close().awaitUninterruptibly();
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
      throw e;
    }
    channel.closeFuture().addListener(done -> closed.complete(-1));
  }

  public static Http3Headers request(String method, String path) {
    return new DefaultHttp3Headers(false)
        // The codec knows a HEAD by an AsciiString alone.
        .method(AsciiString.of(method))
        .scheme("https")
        .authority("a.example")
        .path(path);
  }

  /** Opens a stream. */
  public Answer open(Http3Headers headers, boolean isEnd) throws Exception {
    Reader reader = new Reader();
    QuicStreamChannel stream = Http3.newRequestStream(channel, reader).sync().getNow();
    stream.pipeline().addFirst(new StreamEnd());
    Answer answer = new Answer(stream);
    reader.answer.complete(answer);
    write(answer, new DefaultHttp3HeadersFrame(headers), isEnd);
    return answer;
  }

  public Answer get(String path) throws Exception {
    return open(request("GET", path), true);
  }

  /**
   * Sends bytes of a stream as they are, with its end, past what Netty's codec holds to be right;
   * all that comes back, or how it ends.
   */
  public String exchange(byte[] request) throws Exception {
    StringBuilder received = new StringBuilder();
    CompletableFuture<String> end = new CompletableFuture<>();
    ChannelHandler reader =
        new SimpleChannelInboundHandler<ByteBuf>() {
          @Override
          protected void channelRead0(ChannelHandlerContext ctx, ByteBuf data) {
            received.append(data.toString(StandardCharsets.ISO_8859_1));
          }

          @Override
          public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event == ChannelInputShutdownReadComplete.INSTANCE) {
              end.complete(received.toString());
            }
          }

          @Override
          public void channelInactive(ChannelHandlerContext ctx) {
            end.complete("closed");
          }

          @Override
          public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end.complete(
                cause instanceof QuicStreamResetException reset
                    ? "reset " + name(reset.applicationProtocolCode())
                    : cause.toString());
          }
        };
    QuicStreamChannel stream =
        channel.createStream(QuicStreamType.BIDIRECTIONAL, reader).sync().getNow();
    stream
        .writeAndFlush(Unpooled.wrappedBuffer(request))
        .addListener(QuicStreamChannel.SHUTDOWN_OUTPUT);
    return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Opens a unidirectional stream with these first bytes; it is ended, and may be refused. */
  public void unidirectional(byte[] bytes) throws Exception {
    QuicStreamChannel stream;
    try {
      stream =
          channel
              .createStream(QuicStreamType.UNIDIRECTIONAL, new ChannelInboundHandlerAdapter())
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      // No stream is free yet, or the connection is closed; the caller retries or checks.
      return;
    }
    boolean isCritical = bytes[0] < 4;
    stream
        .writeAndFlush(Unpooled.wrappedBuffer(bytes))
        .addListener(written -> {
          if (!isCritical) {
            stream.shutdownOutput();
          }
        });
  }

  /** Sends bytes on the control stream, behind the SETTINGS. */
  public void control(byte[] bytes) {
    Channel control = Http3.getLocalControlStream(channel);
    if (control == null) {
      throw new AssertionError("no control stream");
    }
    // Past the codec, which takes frames only.
    control.pipeline().firstContext().writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  public void data(Answer answer, String text, boolean isEnd) {
    write(
        answer,
        new DefaultHttp3DataFrame(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1)),
        isEnd);
  }

  private static void write(Answer answer, Object frame, boolean isEnd) {
    answer
        .stream
        .eventLoop()
        .execute(() -> {
          if (isEnd) {
            answer.stream.pipeline().get(StreamEnd.class).isNext = true;
          }
          answer.stream.writeAndFlush(frame);
        });
  }

  /**
   * Ends a stream with the bytes of its last frame. An end that is sent by itself can be lost:
   * quiche forgets a stream once all its bytes are acknowledged.
   */
  private static final class StreamEnd extends ChannelOutboundHandlerAdapter {
    private boolean isNext;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      boolean isLast = isNext && message instanceof ByteBuf;
      isNext &= !isLast;
      ctx.write(isLast ? new DefaultQuicStreamFrame((ByteBuf) message, true) : message, promise);
    }
  }

  /** Wants nothing of that stream any more. */
  public void reset(Answer answer) {
    answer.stream.shutdown(Http3ErrorCode.H3_REQUEST_CANCELLED.code());
  }

  /** Whether what comes is taken as it comes. */
  public void reads(Answer answer, boolean isReading) {
    answer.stream.config().setAutoRead(isReading);
  }

  public QuicChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    socket.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static String name(long code) {
    for (Http3ErrorCode error : Http3ErrorCode.values()) {
      if (error.code() == code) {
        return error.name();
      }
    }
    return Long.toString(code);
  }

  /** Handlers run before the future of the stream that they are for is done. */
  private static final class Reader extends Http3RequestStreamInboundHandler {
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    @Override
    protected void channelRead(ChannelHandlerContext ctx, Http3HeadersFrame frame) {
      answer.thenAccept(to -> to.heads.add(frame.headers()));
    }

    @Override
    protected void channelRead(ChannelHandlerContext ctx, Http3DataFrame frame) {
      String text = frame.content().toString(StandardCharsets.ISO_8859_1);
      frame.release();
      answer.thenAccept(to -> {
        to.body.append(text);
        if (text.isEmpty()) {
          to.emptyFrames.incrementAndGet();
        }
      });
    }

    @Override
    protected void channelInputClosed(ChannelHandlerContext ctx) {
      end("end");
    }

    @Override
    protected void handleQuicException(ChannelHandlerContext ctx, QuicException exception) {
      if (exception instanceof QuicStreamResetException reset) {
        end("reset " + name(reset.applicationProtocolCode()));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      end("closed");
    }

    private void end(String how) {
      answer.thenAccept(to -> to.end.complete(how));
    }
  }

  private final class Control extends ChannelInboundHandlerAdapter {
    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http3GoAwayFrame frame) {
        var _ =
            frame.id() == (1L << 62) - 4
                ? goAwayAnnounced.complete(null)
                : goAway.complete(frame.id());
      }
      if (message instanceof Http3SettingsFrame frame) {
        settings.complete(frame.settings());
      }
      ReferenceCountUtil.release(message);
    }
  }

  private final class Events extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof QuicConnectionCloseEvent close) {
        closed.complete(close.error());
      }
      ctx.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // The server's view is what a test asserts.
    }
  }

  /** The error the connection was closed with. */
  public int closed() throws Exception {
    try {
      return closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("still open", e);
    }
  }
}
