package io.forebay.testing;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** An HTTP/2 client that checks nothing it sends, and gives credit only when told to. */
public final class Http2Client implements AutoCloseable {

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel channel;
  private final Http2FrameCodec codec;
  private final Frames frames = new Frames();
  private final ConcurrentHashMap<Http2FrameStream, Answer> answers = new ConcurrentHashMap<>();
  public final CompletableFuture<Long> goAway = new CompletableFuture<>();

  /** Text that one thread collects and another reads. */
  public static final class Text {
    private final StringBuilder text = new StringBuilder();

    public synchronized void append(String more) {
      text.append(more);
    }

    public synchronized int length() {
      return text.length();
    }

    @Override
    public synchronized String toString() {
      return text.toString();
    }
  }

  /** What has come back on one stream. */
  public static final class Answer {
    public final LinkedBlockingQueue<Http2Headers> heads = new LinkedBlockingQueue<>();
    public final CompletableFuture<String> end = new CompletableFuture<>();
    public final Text body = new Text();

    public Http2Headers head() throws InterruptedException {
      Http2Headers head = heads.poll(20, TimeUnit.SECONDS);
      if (head == null) {
        throw new AssertionError("no head");
      }
      return head;
    }

    /** {@code end}, or {@code reset} and the error. */
    public String end() throws Exception {
      return end.get(20, TimeUnit.SECONDS);
    }
  }

  /**
   * Connects.
   *
   * @param trusted PEM file of the certificate or authority to trust
   * @param window how much each stream may send before it is given credit
   */
  public Http2Client(int port, Path trusted, int window) throws Exception {
    this(port, "127.0.0.1", window, builder -> builder.trustManager(trusted.toFile()));
  }

  /**
   * Connects.
   *
   * @param serverName what the ClientHello asks for; nothing when it is an address
   * @param tls says whom to trust, and what to show
   */
  public Http2Client(int port, String serverName, int window, UnaryOperator<SslContextBuilder> tls)
      throws Exception {
    codec =
        Http2FrameCodecBuilder.forClient()
            .validateHeaders(false)
            .encoderEnforceMaxConcurrentStreams(false)
            .encoderIgnoreMaxHeaderListSize(true)
            .initialSettings(Http2Settings.defaultSettings().initialWindowSize(window))
            .build();
    SslContext context =
        tls.apply(SslContextBuilder.forClient())
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2))
            .build();
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel ch) {
                    ch.pipeline()
                        .addLast(context.newHandler(ch.alloc(), serverName, port), codec, frames);
                  }
                })
            .connect("127.0.0.1", port)
            .sync()
            .channel();
    channel.pipeline().get(SslHandler.class).handshakeFuture().sync();
  }

  public static Http2Headers get(String path) {
    return request("GET", path);
  }

  public static Http2Headers request(String method, String path) {
    return new DefaultHttp2Headers(false)
        .method(method)
        .scheme("https")
        .authority("a.example")
        .path(path);
  }

  /** Opens a stream. */
  public Answer open(Http2Headers headers, boolean isEnd) throws Exception {
    Answer answer = new Answer();
    CompletableFuture<Void> sent = new CompletableFuture<>();
    channel
        .eventLoop()
        .execute(() -> {
          Http2FrameStream stream = frames.newStream();
          answers.put(stream, answer);
          channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, isEnd).stream(stream));
          sent.complete(null);
        });
    sent.get(10, TimeUnit.SECONDS);
    return answer;
  }

  public Answer get(Http2Headers headers) throws Exception {
    return open(headers, true);
  }

  public void data(Answer answer, String text, boolean isEnd) {
    Http2FrameStream stream = stream(answer);
    channel.writeAndFlush(
        new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1), isEnd)
            .stream(stream));
  }

  public void reset(Answer answer) {
    channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream(answer)));
  }

  /** Opens the stream's and the connection's window by that much. */
  public void credit(Answer answer, int lengthBytes) {
    channel.writeAndFlush(new DefaultHttp2WindowUpdateFrame(lengthBytes).stream(stream(answer)));
  }

  private Http2FrameStream stream(Answer answer) {
    return answers.entrySet().stream()
        .filter(entry -> entry.getValue().equals(answer))
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  public Channel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private final class Frames extends Http2ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      switch (message) {
        case Http2HeadersFrame frame -> {
          Answer answer = answer(frame.stream());
          answer.heads.add(frame.headers());
          if (frame.isEndStream()) {
            answer.end.complete("end");
          }
        }
        case Http2DataFrame frame -> {
          Answer answer = answer(frame.stream());
          answer.body.append(frame.content().toString(StandardCharsets.ISO_8859_1));
          if (frame.isEndStream()) {
            answer.end.complete("end");
          }
        }
        case Http2ResetFrame frame ->
            answer(frame.stream()).end.complete("reset " + Http2Error.valueOf(frame.errorCode()));
        case Http2GoAwayFrame frame -> goAway.complete(frame.errorCode());
        default -> {}
      }
      ReferenceCountUtil.release(message);
    }

    private Answer answer(Http2FrameStream stream) {
      return answers.computeIfAbsent(stream, id -> new Answer());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      goAway.complete(-1L);
      answers.values().forEach(answer -> answer.end.complete("closed"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // The server's view is what a test asserts.
    }
  }
}
