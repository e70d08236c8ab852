package io.forebay.server.cluster.peer;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.peer.PeerConnection.Answer;
import io.forebay.server.cluster.purge.PositionClient;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import io.forebay.storage.purge.PurgePosition;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks the endpoints of other nodes. Connections are kept for the next question, since a handshake
 * takes longer than all else of one. Any thread that may block.
 */
public final class PeerClient implements PositionClient, AutoCloseable {
  private static final int MAX_ANSWER = 64 << 10;
  private static final int MAX_LINE = 1024;
  private static final int MAX_FIELDS = 4096;
  private static final int MAX_TEXT = 300;
  private static final int MAX_PORT = 65_535;
  private static final int CONNECT_MILLIS = 1_000;
  private static final long GRACE_MILLIS = 2_000;

  /** Shorter than the listener's, so that this end closes. */
  private static final int IDLE_SECONDS = 100;

  /** Connections to one node that wait for a question. */
  private static final int MAX_IDLE = 2;

  private final String cluster;
  private final SslContext tls;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("peer-ask", true), NioIoHandler.newFactory());

  /** Connections without a question, the one that was used last first. Guarded by itself. */
  private final Map<Node, Deque<PeerConnection>> idle = new HashMap<>();

  /** Where a node listens. */
  private record Node(String name, String address) {}

  public PeerClient(String cluster, NodeCredentials credentials) throws IOException {
    this.cluster = cluster;
    this.tls = NodeTls.toNode(credentials, ClusterTls.byChain(credentials.cas()));
  }

  @Override
  public @Nullable PurgePosition ask(Member member, long atLeast, String epoch, long waitMillis)
      throws IOException, InterruptedException {
    ObjectNode json =
        get(
            member,
            PositionEndpoint.PATH
                + "?at-least="
                + atLeast
                + "&epoch="
                + epoch
                + "&wait="
                + waitMillis,
            waitMillis);
    String text = Json.text(json, "position", MAX_TEXT, new InputProblems());
    return text == null ? null : PurgePosition.parse(text);
  }

  /**
   * The answer of a node.
   *
   * @param target path and query
   * @param waitMillis how long the node may take to answer
   * @throws IOException when it does not answer, or its certificate is another node's
   */
  public ObjectNode get(Member member, String target, long waitMillis)
      throws IOException, InterruptedException {
    Node node = new Node(member.name(), member.address());
    URI uri = uri(member, target);
    try {
      PeerConnection kept = takeIdle(node);
      if (kept != null) {
        try {
          return json(member, answer(node, kept, target, waitMillis));
        } catch (ExecutionException e) {
          // The node has closed it meanwhile, perhaps because it was started anew.
        }
      }
      return json(member, answer(node, connect(node, uri), target, waitMillis));
    } catch (ExecutionException e) {
      String why = e.getCause() == null ? null : e.getCause().getMessage();
      throw new IOException(
          "cannot be asked" + (why == null ? "" : ": " + Printable.json(why)), e.getCause());
    }
  }

  /** Sends a question, and keeps the connection if it can be used again. */
  private Answer answer(Node node, PeerConnection connection, String target, long waitMillis)
      throws ExecutionException, IOException, InterruptedException {
    CompletableFuture<Answer> asked = connection.ask(node.address(), target);
    boolean isKept = false;
    try {
      Answer answer = asked.get(waitMillis + GRACE_MILLIS, TimeUnit.MILLISECONDS);
      isKept = answer.isKept() && keep(node, connection);
      return answer;
    } catch (TimeoutException e) {
      throw new IOException("does not answer", e);
    } finally {
      if (!isKept) {
        connection.close();
      }
    }
  }

  private PeerConnection connect(Node node, URI uri)
      throws ExecutionException, InterruptedException {
    // Looks the name up, which may block.
    InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
    CompletableFuture<PeerConnection> opened = new CompletableFuture<>();
    ChannelFuture connecting =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    opened.complete(open(channel));
                  }
                })
            .connect(address);
    boolean isConnected = false;
    try {
      isConnected = connecting.await().isSuccess();
    } finally {
      if (!isConnected) {
        connecting.channel().close();
      }
    }
    if (!isConnected) {
      throw new ExecutionException(connecting.cause());
    }
    PeerConnection connection = opened.join();
    connecting.channel().closeFuture().addListener(closed -> forget(node, connection));
    return connection;
  }

  private PeerConnection open(SocketChannel channel) {
    SslHandler handshake = tls.newHandler(channel.alloc());
    PeerConnection connection = new PeerConnection(cluster, channel, handshake);
    handshake.setHandshakeTimeout(GRACE_MILLIS, TimeUnit.MILLISECONDS);
    channel
        .pipeline()
        .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
        .addLast(handshake)
        .addLast(new HttpClientCodec(MAX_LINE, MAX_FIELDS, MAX_FIELDS))
        .addLast(new HttpObjectAggregator(MAX_ANSWER))
        .addLast(connection);
    return connection;
  }

  /** The connection that was used last; null for none. */
  private @Nullable PeerConnection takeIdle(Node node) {
    synchronized (idle) {
      Deque<PeerConnection> waiting = idle.get(node);
      return waiting == null ? null : waiting.pollFirst();
    }
  }

  /** Keeps a connection for the next question; false where it is closed, or there are enough. */
  private boolean keep(Node node, PeerConnection connection) {
    synchronized (idle) {
      if (!connection.isOpen()) {
        return false;
      }
      Deque<PeerConnection> waiting = idle.computeIfAbsent(node, one -> new ArrayDeque<>());
      return waiting.size() < MAX_IDLE && waiting.offerFirst(connection);
    }
  }

  private void forget(Node node, PeerConnection connection) {
    synchronized (idle) {
      Deque<PeerConnection> waiting = idle.get(node);
      if (waiting != null) {
        boolean ignored = waiting.remove(connection);
        if (waiting.isEmpty()) {
          idle.remove(node);
        }
      }
    }
  }

  /** The address is what etcd has, or nothing where that cannot be read. */
  private static URI uri(Member member, String target) throws IOException {
    try {
      URI uri = URI.create("https://" + member.address() + target);
      if (uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getPort() > 0
          && uri.getPort() <= MAX_PORT
          && uri.toString().endsWith(uri.getPort() + target)) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Said below, as for any other text that is no address.
    }
    throw new IOException("has no address in etcd that can be used");
  }

  private static ObjectNode json(Member member, Answer answer) throws IOException {
    if (!answer.names().contains(member.name())) {
      throw new IOException("has a certificate for another node");
    }
    if (answer.status() != 200) {
      throw new IOException("answers " + answer.status());
    }
    try {
      return Json.object(answer.body());
    } catch (AdminError e) {
      throw new IOException("answers no JSON", e);
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
