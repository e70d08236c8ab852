package io.forebay.server.listen;

import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.listen.connection.ConnectionLimiter;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.http3.Http3Listener;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Transport;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.QuicTlsHosts;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The listening sockets of a node: for each configured listener one on every loop, which the kernel
 * spreads connections over (SO_REUSEPORT). All are bound before the first connection is accepted,
 * so that a node listens everywhere or nowhere.
 */
public final class Listeners implements AutoCloseable {

  /** Ports that the system may choose for TCP before one of them is free for UDP too. */
  private static final int PORT_TRIES = 16;

  private final List<ListenerContext> loops;
  private final List<Channel> sockets;
  private final List<Http3Listener> http3;
  private final List<Bound> bound;
  private final ConnectionLimiter connections;

  /**
   * An address that is being listened on; the port is the real one.
   *
   * @param isDirect whether a client that is told of it can connect to it as it is: neither a
   *     Unix-domain socket nor one that wants to hear of a proxy first
   */
  public record Bound(String name, String scheme, String host, int port, boolean isDirect) {}

  private Listeners(
      List<ListenerContext> loops,
      List<Channel> sockets,
      List<Http3Listener> http3,
      List<Bound> bound,
      ConnectionLimiter connections) {
    this.loops = loops;
    this.sockets = sockets;
    this.http3 = http3;
    this.bound = bound;
    this.connections = connections;
  }

  /**
   * Binds every listener on every loop; nothing is accepted before {@link #accept}.
   *
   * @param exchanges one per loop, in the order of the transport's loops
   * @param counters one per loop, likewise
   * @param clockMillis wall clock
   * @param tls the certificates in force
   * @throws ListenException when an address or a certificate cannot be used; nothing stays bound
   */
  public static Listeners bind(
      ServerConfig config,
      Transport transport,
      List<? extends RequestHandler> exchanges,
      List<LoopCounters> counters,
      RequestLogs requestLogs,
      LongSupplier clockMillis,
      ClientTls tls)
      throws ListenException {
    ConnectionLimiter connections = new ConnectionLimiter(config);
    List<ListenerContext> loops =
        ListenerContext.ofLoops(
            transport.loops(), exchanges, counters, requestLogs, config, connections, clockMillis);
    List<Channel> sockets = new ArrayList<>();
    List<Http3Listener> http3 = new ArrayList<>();
    List<Bound> bound = new ArrayList<>();
    SecretKey tokenKey = tokenKey();
    try {
      for (ListenerConfig listener : config.listeners()) {
        if (config.http3().isOn(listener.name())) {
          Http3Listener udp =
              new Http3Listener(
                  listener.name(), config.http3(), transport, loops, tls, tokenKey, clockMillis);
          http3.add(udp);
          bound.add(bindBoth(listener, config.http3(), transport, loops, sockets, tls, udp));
        } else {
          bound.add(bindOne(listener, config.http3(), transport, loops, sockets, tls));
        }
      }
    } catch (ListenException e) {
      sockets.forEach(socket -> socket.close().awaitUninterruptibly());
      http3.forEach(Http3Listener::close);
      throw e;
    }
    return new Listeners(loops, sockets, http3, List.copyOf(bound), connections);
  }

  /** Binds TCP and UDP to one port. Port 0 becomes one that is free for both. */
  private static Bound bindBoth(
      ListenerConfig listener,
      Http3Config http3,
      Transport transport,
      List<ListenerContext> loops,
      List<Channel> sockets,
      ClientTls tls,
      Http3Listener udp)
      throws ListenException {
    int tries = listener.address().port() == 0 ? PORT_TRIES : 1;
    for (int left = tries - 1; ; left--) {
      int others = sockets.size();
      Bound tcp = bindOne(listener, http3, transport, loops, sockets, tls);
      InetSocketAddress address = new InetSocketAddress(tcp.host(), tcp.port());
      try {
        holdUdp(listener.address(), address).close();
      } catch (ListenException e) {
        if (left == 0) {
          throw e;
        }
        List<Channel> own = sockets.subList(others, sockets.size());
        own.forEach(socket -> socket.close().awaitUninterruptibly());
        own.clear();
        continue;
      }
      Throwable cause = udp.bind(address);
      if (cause != null) {
        throw failure("listen (UDP)", listener.address(), cause);
      }
      return tcp;
    }
  }

  /** Of the tokens that QUIC clients bring back; those of a node before this start are void. */
  private static SecretKey tokenKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * Checks that {@link #bind} would succeed and that the other addresses are free, before a start
   * creates anything. Nothing stays bound: connections are refused until the node is ready.
   *
   * @param others addresses on which other parts of this node will listen, by their purpose
   */
  public static void check(ServerConfig config, Map<String, Address> others)
      throws ListenException {
    List<ServerSocket> held = new ArrayList<>();
    List<DatagramSocket> heldUdp = new ArrayList<>();
    try {
      for (ListenerConfig listener : config.listeners()) {
        Path file = listener.address().unixFile();
        if (file == null) {
          InetSocketAddress address = resolve(listener.address());
          held.add(hold("listen", listener.address(), address));
          if (config.http3().isOn(listener.name())) {
            String missing = QuicTlsHosts.missing();
            if (missing != null) {
              throw new ListenException(
                  "listener " + listener.name() + ": HTTP/3 is not available here: " + missing);
            }
            heldUdp.add(holdUdp(listener.address(), address));
          }
        } else {
          UnixSocket.check(file);
        }
      }
      for (Map.Entry<String, Address> other : others.entrySet()) {
        held.add(hold(other.getKey(), other.getValue(), resolve(other.getValue())));
      }
    } finally {
      held.forEach(Listeners::close);
      heldUdp.forEach(DatagramSocket::close);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It holds nothing any more.
      return;
    }
  }

  private static Bound bindOne(
      ListenerConfig listener,
      Http3Config http3,
      Transport transport,
      List<ListenerContext> loops,
      List<Channel> sockets,
      ClientTls tls)
      throws ListenException {
    Path file = listener.address().unixFile();
    if (file != null) {
      List<ConnectionInitializer> initializers =
          loops.stream()
              .map(loop -> new ConnectionInitializer(loop, listener, tls::table, http3))
              .toList();
      sockets.add(UnixSocket.bind(file, transport, initializers));
      return new Bound(listener.name(), scheme(listener), listener.address().host(), 0, false);
    }
    InetSocketAddress address = resolve(listener.address());
    checkFree(listener.address(), address);
    for (int i = 0; i < loops.size(); i++) {
      ChannelFuture future =
          transport
              .listening(transport.loops().get(i))
              .option(ChannelOption.AUTO_READ, false)
              .childHandler(new ConnectionInitializer(loops.get(i), listener, tls::table, http3))
              .bind(address);
      future.awaitUninterruptibly();
      Throwable cause = future.cause();
      if (cause != null) {
        throw failure("listen", listener.address(), cause);
      }
      sockets.add(future.channel());
      // With port 0 the first socket has got a port; the others share it.
      address = (InetSocketAddress) future.channel().localAddress();
    }
    return new Bound(
        listener.name(),
        scheme(listener),
        address.getAddress().getHostAddress(),
        address.getPort(),
        !listener.proxyProtocol());
  }

  private static String scheme(ListenerConfig listener) {
    return listener.isTls() ? "https" : "http";
  }

  /** The address to bind. */
  public static InetSocketAddress resolve(Address address) throws ListenException {
    if (address.host().isEmpty() || address.host().equals("*")) {
      return new InetSocketAddress(address.port());
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
    } catch (UnknownHostException e) {
      throw new ListenException("listen " + text(address) + ": no such host", e);
    }
  }

  /**
   * SO_REUSEPORT would let two nodes of one user share a port without a word, each with half of the
   * connections; a socket without it finds out.
   */
  private static void checkFree(Address configured, InetSocketAddress address)
      throws ListenException {
    if (address.getPort() != 0) {
      close(hold("listen", configured, address));
    }
  }

  private static ServerSocket hold(String what, Address configured, InetSocketAddress address)
      throws ListenException {
    ServerSocket probe = null;
    try {
      probe = new ServerSocket();
      probe.setReuseAddress(true);
      probe.bind(address, 1);
      return probe;
    } catch (IOException e) {
      if (probe != null) {
        close(probe);
      }
      throw failure(what, configured, e);
    }
  }

  /** Likewise for QUIC. */
  private static DatagramSocket holdUdp(Address configured, InetSocketAddress address)
      throws ListenException {
    try {
      return new DatagramSocket(address);
    } catch (IOException e) {
      throw failure("listen (UDP)", configured, e);
    }
  }

  private static ListenException failure(String what, Address address, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    String reason = message;
    if (message.contains("in use")) {
      reason = "address in use by another process";
    } else if (message.contains("annot assign") || message.contains("not available")) {
      reason = "no such address on this machine";
    } else if (message.contains("ermission denied")) {
      reason = "permission denied; ports below 1024 require the privilege to bind them";
    }
    return new ListenException(what + " " + text(address) + ": " + reason, cause);
  }

  private static String text(Address address) {
    String host = address.host().indexOf(':') >= 0 ? "[" + address.host() + "]" : address.host();
    return host + ":" + address.port();
  }

  /** What is being listened on, in the order configured. */
  public List<Bound> bound() {
    return bound;
  }

  /** Client connections open now, on all loops. */
  public int connections() {
    return connections.open();
  }

  /** Starts to accept, on all loops. */
  public void accept() {
    for (ListenerContext loop : loops) {
      loop.eventLoop().execute(loop::startTicking);
    }
    sockets.forEach(socket -> socket.config().setAutoRead(true));
    http3.forEach(Http3Listener::accept);
  }

  /** Takes new limits and timeouts for connections to come. Returns when every loop has them. */
  public void reconfigure(ServerConfig config) {
    connections.reconfigure(config);
    for (ListenerContext loop : loops) {
      loop.eventLoop().submit(() -> loop.reconfigure(config)).syncUninterruptibly();
    }
  }

  /**
   * Closes the listening sockets; connections stay, and with them the UDP sockets that they are on.
   * Returns when that is done.
   */
  public void stopAccepting() {
    http3.forEach(Http3Listener::stopAccepting);
    List<ChannelFuture> closing = sockets.stream().map(Channel::close).toList();
    closing.forEach(ChannelFuture::awaitUninterruptibly);
  }

  /**
   * Ends connections as they can be ended: idle ones now, the others with the response they are at.
   * Returns when none is left or the time is over.
   *
   * @return whether none is left
   */
  public boolean drain(Duration bound) throws InterruptedException {
    stopAccepting();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (ListenerContext loop : loops) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      loop.eventLoop().execute(() -> loop.drain(end));
    }
    try {
      CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]))
          .get(bound.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Cuts what is left. Not to be called by a loop. */
  @Override
  public void close() {
    stopAccepting();
    for (ListenerContext loop : loops) {
      loop.eventLoop().submit(loop::cut).awaitUninterruptibly();
    }
    http3.forEach(Http3Listener::close);
  }
}
