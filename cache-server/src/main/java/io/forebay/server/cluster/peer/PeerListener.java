package io.forebay.server.cluster.peer;

import io.forebay.server.json.Json;
import io.forebay.storage.purge.PurgePosition;
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
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers other nodes of the cluster, over HTTP/1.1 and mutual TLS, on a thread of its own. A
 * connection has one request at a time; an answer that waits for a purge waits on a virtual thread.
 */
public final class PeerListener implements AutoCloseable {
  static final String POSITION = "/forebay/position";

  private static final int MAX_CONNECTIONS = 1024;
  private static final int MAX_LINE = 1024;
  private static final int MAX_FIELDS = 4096;
  private static final int IDLE_SECONDS = 120;
  private static final long HANDSHAKE_SECONDS = 5;
  private static final long MAX_WAIT_MILLIS = 10_000;

  /** The position of this node. */
  public interface OwnPosition {
    @Nullable PurgePosition applied();

    /** Waits until a revision is applied, or for some time. */
    boolean await(long revision, String epoch, long nanos) throws InterruptedException;
  }

  private final String cluster;
  private final String node;
  private final SslContext tls;
  private final OwnPosition position;
  private final Predicate<String> isMember;
  private final AtomicInteger connections = new AtomicInteger();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("peer-io", true), NioIoHandler.newFactory());
  private @Nullable Channel server;

  /**
   * Of a node.
   *
   * @param isMember whether a node belongs to the cluster; must not block
   */
  public PeerListener(
      String cluster,
      String node,
      NodeCredentials credentials,
      OwnPosition position,
      Predicate<String> isMember)
      throws IOException {
    this.cluster = cluster;
    this.node = node;
    this.position = position;
    this.isMember = isMember;
    try {
      this.tls =
          SslContextBuilder.forServer(
                  credentials.key(), credentials.chain().toArray(new X509Certificate[0]))
              .sslProvider(SslProvider.JDK)
              .protocols("TLSv1.3")
              .trustManager(credentials.cas().toArray(new X509Certificate[0]))
              .clientAuth(ClientAuth.REQUIRE)
              .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("cluster.tls: " + e.getMessage(), e);
    }
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
    private boolean isBusy;

    Requests(SslHandler handshake) {
      this.handshake = handshake;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (isBusy || request.decoderResult().isFailure()) {
        ctx.close();
        return;
      }
      if (PeerName.nodes(cluster, certificates()).stream().noneMatch(isMember)) {
        answer(ctx, HttpResponseStatus.FORBIDDEN, Json.object().put("error", "not a member"));
        return;
      }
      QueryStringDecoder target = new QueryStringDecoder(request.uri());
      if (!target.path().equals(POSITION)) {
        answer(ctx, HttpResponseStatus.NOT_FOUND, Json.object().put("error", "no such resource"));
      } else if (!request.method().equals(HttpMethod.GET)) {
        answer(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, Json.object().put("error", "only GET"));
      } else {
        ask(ctx, target);
      }
    }

    private Certificate[] certificates() {
      try {
        return handshake.engine().getSession().getPeerCertificates();
      } catch (SSLPeerUnverifiedException e) {
        return new X509Certificate[0];
      }
    }

    private void ask(ChannelHandlerContext ctx, QueryStringDecoder target) {
      String atLeast = parameter(target, "at-least");
      String epoch = parameter(target, "epoch");
      String wait = parameter(target, "wait");
      if (!atLeast.matches("[0-9]{1,18}")
          || !epoch.matches("[0-9a-f]{32}")
          || !wait.matches("[0-9]{1,9}")) {
        answer(ctx, HttpResponseStatus.BAD_REQUEST, Json.object().put("error", "malformed"));
        return;
      }
      isBusy = true;
      long nanos = TimeUnit.MILLISECONDS.toNanos(Math.min(Long.parseLong(wait), MAX_WAIT_MILLIS));
      Thread ignored =
          Thread.ofVirtual()
              .name("peer")
              .start(() -> await(ctx, Long.parseLong(atLeast), epoch, nanos));
    }

    private void await(ChannelHandlerContext ctx, long revision, String epoch, long nanos) {
      try {
        boolean ignored = position.await(revision, epoch, nanos);
      } catch (InterruptedException e) {
        ctx.close();
        return;
      }
      PurgePosition at = position.applied();
      ObjectNode body = Json.object().put("node", node);
      if (at != null) {
        body.put("position", at.toString());
      }
      ctx.executor()
          .execute(() -> {
            isBusy = false;
            answer(ctx, HttpResponseStatus.OK, body);
          });
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

  private static String parameter(QueryStringDecoder target, String name) {
    List<String> values = target.parameters().getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }

  @Override
  public void close() {
    if (server != null) {
      server.close().awaitUninterruptibly();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
