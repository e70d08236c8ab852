package io.forebay.server.cluster.peer;

import io.forebay.server.json.Json;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers other nodes of the cluster over HTTP/1.1 and mutual TLS, on a thread of its own. A
 * connection has one request at a time. A virtual thread makes the answer, and may wait.
 */
public final class PeerListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerListener.class);
  private static final int MAX_CONNECTIONS = 1024;
  private static final int MAX_LINE = 1024;
  private static final int MAX_FIELDS = 4096;
  private static final int IDLE_SECONDS = 120;
  private static final long HANDSHAKE_SECONDS = 5;

  private final String cluster;
  private final SslContext tls;
  private final Map<String, NodeEndpoint> endpoints;
  private final Predicate<String> isMember;
  private final AtomicInteger connections = new AtomicInteger();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("peer-io", true), NioIoHandler.newFactory());
  private @Nullable Channel server;

  /**
   * A listener; {@link #bind} opens it.
   *
   * @param isMember whether a node belongs to the cluster; must not block
   */
  public PeerListener(
      String cluster,
      NodeCredentials credentials,
      List<NodeEndpoint> endpoints,
      Predicate<String> isMember)
      throws IOException {
    this.cluster = cluster;
    this.endpoints =
        endpoints.stream().collect(Collectors.toUnmodifiableMap(NodeEndpoint::path, one -> one));
    this.isMember = isMember;
    this.tls = NodeTls.forListener(credentials);
  }

  /** Listens; gives the port. */
  public int bind(InetSocketAddress address) throws IOException {
    ChannelFuture future =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 64)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    Throwable cause = future.cause();
    if (cause != null) {
      BindException named = new BindException("cluster " + address + ": " + cause.getMessage());
      named.initCause(cause);
      throw named;
    }
    server = future.channel();
    return ((InetSocketAddress) future.channel().localAddress()).getPort();
  }

  /** Open connections. Any thread. */
  int connections() {
    return connections.get();
  }

  private void accept(SocketChannel channel) {
    if (connections.incrementAndGet() > MAX_CONNECTIONS) {
      connections.decrementAndGet();
      channel.close();
      return;
    }
    channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    SslHandler handshake = tls.newHandler(channel.alloc());
    handshake.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
    channel
        .pipeline()
        .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
        .addLast(handshake)
        .addLast(new HttpServerCodec(MAX_LINE, MAX_FIELDS, MAX_FIELDS))
        .addLast(new HttpServerKeepAliveHandler())
        .addLast(new HttpObjectAggregator(MAX_LINE))
        .addLast(new Requests(handshake));
  }

  /** The requests of one connection. */
  private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final SslHandler handshake;

    /** The nodes that its certificate names; null before the first request. */
    private @Nullable Set<String> names;

    private boolean isBusy;
    private @Nullable Thread asked;

    Requests(SslHandler handshake) {
      this.handshake = handshake;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (isBusy || request.decoderResult().isFailure()) {
        ctx.close();
        return;
      }
      Set<String> known = names == null ? PeerName.nodes(cluster, certificates()) : names;
      names = known;
      if (known.stream().noneMatch(isMember)) {
        answer(ctx, HttpResponseStatus.FORBIDDEN, Json.object().put("error", "not a member"));
        return;
      }
      QueryStringDecoder target = new QueryStringDecoder(request.uri());
      NodeEndpoint endpoint = endpoints.get(target.path());
      if (endpoint == null) {
        answer(ctx, HttpResponseStatus.NOT_FOUND, Json.object().put("error", "no such resource"));
      } else if (!request.method().equals(HttpMethod.GET)) {
        answer(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, Json.object().put("error", "only GET"));
      } else {
        isBusy = true;
        asked =
            Thread.ofVirtual().name("peer").start(() -> answer(ctx, endpoint, target.parameters()));
      }
    }

    private Certificate[] certificates() {
      try {
        return handshake.engine().getSession().getPeerCertificates();
      } catch (SSLPeerUnverifiedException e) {
        return new X509Certificate[0];
      }
    }

    private void answer(
        ChannelHandlerContext ctx, NodeEndpoint endpoint, Map<String, List<String>> parameters) {
      ObjectNode body;
      try {
        body = endpoint.answer(parameters);
      } catch (InterruptedException e) {
        ctx.close();
        return;
      } catch (RuntimeException e) {
        LOG.error("a question of another node could not be answered", e);
        ctx.close();
        return;
      }
      try {
        ctx.executor()
            .execute(() -> {
              isBusy = false;
              if (body == null) {
                answer(
                    ctx, HttpResponseStatus.BAD_REQUEST, Json.object().put("error", "malformed"));
              } else {
                answer(ctx, HttpResponseStatus.OK, body);
              }
            });
      } catch (RejectedExecutionException e) {
        LOG.debug("the listener closes before an answer");
      }
    }

    /** The other node has closed the connection: interrupts the thread that makes its answer. */
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      Thread waiting = asked;
      if (waiting != null && isBusy) {
        waiting.interrupt();
      }
    }

    private void answer(ChannelHandlerContext ctx, HttpResponseStatus status, ObjectNode body) {
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(Json.bytes(body)));
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
          .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
      ctx.writeAndFlush(response);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.close().awaitUninterruptibly();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
