package io.forebay.server;

import io.forebay.testing.Await;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One server of {@link ServerChaosTest} and {@link ServerGroupTest}, over HTTP/1.1 or HTTP/2 in
 * clear text. It can be killed (no listener, every connection reset), hang (it accepts and reads,
 * and sends nothing), and be started again. Bodies go out in pieces, so that a kill meets them in
 * their middle.
 *
 * <p>A path is {@code /KIND/NUMBER/LENGTH}, see {@link Kind}.
 */
final class ChaosServer implements AutoCloseable {
  private static final int PIECE = 8 * 1024;
  private static final int HANG_POLL_MILLIS = 5;
  private static final int DRIP = 500;
  private static final int DRIP_PAUSE_MILLIS = 10;
  private static final String HALF_HEAD = "HTTP/1.1 200 OK\r\nx-version: v1\r\nconte";

  /** What a body is like. */
  enum Kind {
    /** A strong entity tag, a length, ranges. */
    STRONG(true),
    /** The same without a length. */
    CHUNKED(true),
    /** A weak entity tag: equal bytes are not promised. */
    WEAK(false),
    /** No validator. */
    BARE(false),
    /** A strong entity tag, and another representation with each request. */
    CHANGING(false),
    /** The same, and ranges of it whatever If-Range says. */
    CARELESS(false);

    final boolean isResumable;

    Kind(boolean isResumable) {
      this.isResumable = isResumable;
    }

    boolean isChanging() {
      return this == CHANGING || this == CARELESS;
    }
  }

  /** What goes wrong with a server that accepts connections; each request meets it where it is. */
  enum Fault {
    NONE,
    /** Reads and sends nothing; goes on where it was when that is over. */
    HANG,
    /** Sends half a head, or over HTTP/2 nothing, and resets the connection. */
    RESET_HEAD,
    /** Sends half a head, or over HTTP/2 nothing, and nothing more, also afterwards. */
    STUCK_HEAD,
    /** Resets the request's stream, or the connection where it has none, before the head. */
    RESET_STREAM,
    /** Resets the connection in the middle of the body. */
    RESET_BODY,
    /** Sends the body in pieces of few bytes with pauses. */
    DRIP
  }

  /** What all servers of an origin have in common. */
  static final class Site {
    private final AtomicInteger versions = new AtomicInteger(1);

    /** How often each unsafe request arrived. */
    final Map<String, AtomicInteger> posts = new ConcurrentHashMap<>();

    static Kind kind(String path) {
      return Kind.valueOf(path.split("/", -1)[1]);
    }

    static int length(String path) {
      return Integer.parseInt(path.split("/", -1)[3]);
    }

    /** Whether responses may be stored. */
    static boolean isStored(String path) {
      return path.hashCode() % 2 == 0;
    }

    /** All of a representation. */
    static byte[] body(String path, String version) {
      return Edge.bytes((path + version).hashCode(), length(path));
    }

    private String version(String path) {
      return kind(path).isChanging() ? "v" + versions.incrementAndGet() : "v1";
    }
  }

  private final EventLoopGroup group;
  private final String address;
  private final boolean isHttp2;
  private final Site site;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final int port;
  private Channel listener;
  private volatile Fault fault = Fault.NONE;

  /**
   * A server that is up.
   *
   * @param port 0 for any
   */
  ChaosServer(EventLoopGroup group, String address, int port, boolean isHttp2, Site site) {
    this.group = group;
    this.address = address;
    this.isHttp2 = isHttp2;
    this.site = site;
    this.listener = bind(port);
    this.port = ((InetSocketAddress) listener.localAddress()).getPort();
  }

  int port() {
    return port;
  }

  /** Connections that it got. */
  int accepted() {
    return accepted.get();
  }

  /** Requests that it got. */
  int requests() {
    return requests.get();
  }

  boolean isUp() {
    return listener.isOpen() && fault == Fault.NONE;
  }

  /** Closes it by a reset instead of an orderly end. */
  private static ChannelFuture reset(Channel connection) {
    try {
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      // It is closed already.
    }
    return connection.close();
  }

  void kill() {
    listener.close().syncUninterruptibly();
    for (Channel connection : connections) {
      reset(connection).awaitUninterruptibly();
    }
    fault = Fault.NONE;
  }

  /** From now on that is wrong with it. */
  void fail(Fault newFault) {
    fault = newFault;
  }

  /** Nothing is wrong with it any more: it goes on where it hung, or listens again. */
  void start() {
    fault = Fault.NONE;
    if (!listener.isOpen()) {
      // The kernel may listen for a moment after the channel was closed.
      Await.until(
          "the address is free",
          () -> {
            try {
              listener = bind(port);
              return true;
            } catch (Exception e) {
              if (e instanceof BindException) {
                return false;
              }
              throw e;
            }
          });
    }
  }

  private Channel bind(int at) {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel connection) {
                connections.add(connection);
                accepted.incrementAndGet();
                if (isHttp2) {
                  connection
                      .pipeline()
                      .addLast(Http2FrameCodecBuilder.forServer().build())
                      .addLast(new Http2MultiplexHandler(streams()));
                } else {
                  connection.pipeline().addLast(new HttpServerCodec());
                  addAnswers(connection);
                }
              }
            })
        .bind(address, at)
        .syncUninterruptibly()
        .channel();
  }

  private ChannelInitializer<Channel> streams() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel stream) {
        stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true));
        addAnswers(stream);
      }
    };
  }

  private void addAnswers(Channel channel) {
    channel.pipeline().addLast(new HttpObjectAggregator(64 * 1024), new Answers());
  }

  /** Answers the requests of one connection, or of one stream. */
  private final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      requests.incrementAndGet();
      if (request.method().equals(HttpMethod.POST)) {
        String id = request.content().toString(StandardCharsets.US_ASCII);
        site.posts.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
        HttpResponse head = head(HttpResponseStatus.OK, "v1", 2);
        whenAwake(context, () -> body(context, head, new byte[] {'o', 'k'}, 0));
        return;
      }
      String path = request.uri();
      String range = request.headers().get("range");
      String ifRange = request.headers().get("if-range");
      whenAwake(context, () -> answer(context, path, range, ifRange));
    }

    private void answer(ChannelHandlerContext context, String path, String range, String ifRange) {
      Kind kind = Site.kind(path);
      String version = site.version(path);
      String tag = "\"" + version + "\"";
      byte[] whole = Site.body(path, version);
      boolean isPart =
          range != null && (ifRange == null || ifRange.equals(tag) || kind == Kind.CARELESS);
      byte[] sent = whole;
      HttpResponseStatus status = HttpResponseStatus.OK;
      String contentRange = null;
      if (isPart) {
        String[] ends = range.substring("bytes=".length()).split("-", -1);
        int first = Integer.parseInt(ends[0]);
        int last = ends[1].isEmpty() ? whole.length - 1 : Integer.parseInt(ends[1]);
        last = Math.min(last, whole.length - 1);
        sent = Arrays.copyOfRange(whole, first, last + 1);
        status = HttpResponseStatus.PARTIAL_CONTENT;
        contentRange = "bytes " + first + "-" + last + "/" + whole.length;
      }
      HttpResponse head = head(status, version, kind == Kind.CHUNKED ? -1 : sent.length);
      if (contentRange != null) {
        head.headers().set("content-range", contentRange);
      }
      if (kind != Kind.BARE) {
        head.headers().set("etag", kind == Kind.WEAK ? "W/" + tag : tag);
      }
      head.headers().set("cache-control", Site.isStored(path) ? "max-age=3600" : "no-store");
      body(context, head, sent, 0);
    }

    private HttpResponse head(HttpResponseStatus status, String version, int length) {
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
      head.headers().set("x-version", version);
      if (length >= 0) {
        head.headers().set("content-length", length);
      } else {
        head.headers().set("transfer-encoding", "chunked");
      }
      return head;
    }

    /** Sends the head if there is one, then the body from there, piece by piece. */
    private void body(
        ChannelHandlerContext context, @Nullable HttpResponse head, byte[] body, int from) {
      Fault now = fault;
      if (head != null) {
        if (now == Fault.RESET_HEAD || now == Fault.STUCK_HEAD || now == Fault.RESET_STREAM) {
          breakHead(context, now);
          return;
        }
        context.write(head);
      } else if (now == Fault.RESET_BODY) {
        ChannelFuture ignored = reset(connection(context));
        return;
      }
      int to = Math.min(body.length, from + (now == Fault.DRIP ? DRIP : PIECE));
      if (to > from) {
        context.write(new DefaultHttpContent(Unpooled.wrappedBuffer(body, from, to - from)));
      }
      if (to == body.length) {
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        return;
      }
      context.flush();
      context
          .executor()
          .schedule(
              () -> whenAwake(context, () -> body(context, null, body, to)),
              now == Fault.DRIP ? DRIP_PAUSE_MILLIS : ThreadLocalRandom.current().nextInt(3),
              TimeUnit.MILLISECONDS);
    }

    /** Instead of a head. */
    private void breakHead(ChannelHandlerContext context, Fault now) {
      if (isHttp2 && now == Fault.RESET_STREAM) {
        context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
        return;
      }
      Channel connection = connection(context);
      if (!isHttp2 && now != Fault.RESET_STREAM) {
        ChannelHandlerContext codec = connection.pipeline().context(HttpServerCodec.class);
        codec.writeAndFlush(Unpooled.copiedBuffer(HALF_HEAD, StandardCharsets.US_ASCII));
      }
      if (now != Fault.STUCK_HEAD) {
        ChannelFuture ignored = reset(connection);
      }
    }

    private static Channel connection(ChannelHandlerContext context) {
      Channel parent = context.channel().parent();
      return parent instanceof ServerChannel ? context.channel() : parent;
    }

    private void whenAwake(ChannelHandlerContext context, Runnable next) {
      if (!context.channel().isActive()) {
        return;
      }
      if (fault == Fault.HANG) {
        context
            .executor()
            .schedule(() -> whenAwake(context, next), HANG_POLL_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        next.run();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  @Override
  public void close() {
    kill();
  }
}
