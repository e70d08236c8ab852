package io.forebay.server.listen.peer;

import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.Protocol;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.TlsSession;
import io.forebay.server.listen.connection.ConnectionLimiter;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.http1.HeadReader;
import io.forebay.server.listen.http1.Http1Connection;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts the connections of other nodes, and closes all others. */
public final class NodeListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeListener.class);

  /** Its name in metrics and in the access log; no listener of the configuration has a dot. */
  public static final String NAME = "cluster.share";

  private static final long HANDSHAKE_SECONDS = 5;

  private final List<ListenerContext> loops;
  private final List<Channel> sockets = new ArrayList<>();
  private final SslContext tls;
  private final Function<SSLSession, @Nullable String> nodeOf;

  private NodeListener(
      List<ListenerContext> loops, SslContext tls, Function<SSLSession, @Nullable String> nodeOf) {
    this.loops = loops;
    this.tls = tls;
    this.nodeOf = nodeOf;
  }

  /**
   * Listens on every loop.
   *
   * @param handlers one for each loop, in the order of the transport's
   * @param counters likewise
   * @param nodeOf the node of the cluster that has shown its certificate; null for none. Called on
   *     loops
   * @throws ListenException when the address cannot be used; nothing stays bound
   */
  public static NodeListener bind(
      InetSocketAddress address,
      ServerConfig config,
      Transport transport,
      List<? extends RequestHandler> handlers,
      List<LoopCounters> counters,
      RequestLogs requestLogs,
      LongSupplier clockMillis,
      SslContext tls,
      Function<SSLSession, @Nullable String> nodeOf)
      throws ListenException {
    List<ListenerContext> loops =
        ListenerContext.ofLoops(
            transport.loops(),
            handlers,
            counters,
            requestLogs,
            config,
            ConnectionLimiter.ofNodes(config),
            clockMillis);
    NodeListener listener = new NodeListener(loops, tls, nodeOf);
    for (Loop loop : transport.loops()) {
      ChannelFuture bound =
          transport
              .listening(loop)
              .childHandler(listener.new Initializer(loops.get(loop.index())))
              .bind(address);
      bound.awaitUninterruptibly();
      Throwable cause = bound.cause();
      if (cause != null) {
        listener.close();
        throw new ListenException(
            "cluster.share.listen " + address + ": " + cause.getMessage(), cause);
      }
      listener.sockets.add(bound.channel());
    }
    for (ListenerContext context : listener.loops) {
      context.eventLoop().execute(context::startTicking);
    }
    return listener;
  }

  /** Sets up the connections of one loop. */
  private final class Initializer extends ChannelInitializer<Channel> {
    private final ListenerContext loop;
    private final HeadReader heads = new HeadReader("https");
    private final int number;

    Initializer(ListenerContext loop) {
      this.loop = loop;
      this.number = loop.counters.names().listeners().number(NAME);
    }

    @Override
    protected void initChannel(Channel channel) {
      if (!loop.admit(channel)) {
        channel.close();
        return;
      }
      SslHandler handshake = tls.newHandler(channel.alloc());
      handshake.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
      channel.pipeline().addLast(handshake, new Identification(this));
    }

    void begin(Channel channel, String node, SSLSession session) {
      InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
      ClientInfo client =
          ClientInfo.of(
                  peer.getAddress().getHostAddress(),
                  peer.getPort(),
                  Protocol.HTTP_1_1,
                  NAME,
                  number,
                  false,
                  new TlsSession(session.getProtocol(), session.getCipherSuite(), null, null))
              .ofNode(node);
      Http1Connection connection =
          new Http1Connection(loop, channel, "https", "localhost", client, heads);
      channel.pipeline().addLast(connection.decoders()).addLast(connection);
    }
  }

  /** Waits for the handshake, and closes connections of others than nodes of the cluster. */
  private final class Identification extends ChannelInboundHandlerAdapter {
    private final Initializer listener;

    Identification(Initializer listener) {
      this.listener = listener;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent done) {
        SSLSession session = ctx.pipeline().get(SslHandler.class).engine().getSession();
        String node = done.isSuccess() ? nodeOf.apply(session) : null;
        if (node == null) {
          LOG.debug("{} is no node of the cluster", ctx.channel().remoteAddress());
          ctx.close();
          return;
        }
        listener.begin(ctx.channel(), node, session);
        ctx.pipeline().remove(this);
      } else if (event == ListenerContext.Drain.NOW) {
        ctx.close();
      } else {
        ctx.fireUserEventTriggered(event);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private void stopAccepting() {
    sockets.forEach(socket -> socket.close().awaitUninterruptibly());
  }

  /** Takes no more connections; completes when all have ended what they send. */
  public CompletableFuture<Void> drain() {
    stopAccepting();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (ListenerContext loop : loops) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      loop.eventLoop().execute(() -> loop.drain(end));
    }
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }

  /** Cuts all connections; other nodes ask the next one in rank. */
  @Override
  public void close() {
    stopAccepting();
    loops.forEach(loop -> loop.eventLoop().submit(loop::cut).awaitUninterruptibly());
  }
}
