package io.forebay.server.listen;

import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.listen.InheritedSockets.Entry;
import io.forebay.server.listen.InheritedSockets.Kind;
import io.forebay.server.listen.connection.ConnectionLimiter;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.http3.Http3Listener;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Transport;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.QuicTlsHosts;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.UnixChannel;
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

  public static final int TOKEN_KEY_BYTES = 32;

  private final List<ListenerContext> loops;
  private final List<OpenSocket> sockets;
  private final List<OpenHttp3> http3;
  private final List<Bound> bound;
  private final SecretKey tokenKey;
  private final ConnectionLimiter connections;

  /**
   * An address that is being listened on; the port is the real one.
   *
   * @param isDirect whether a client that is told of it can connect to it as it is: neither a
   *     Unix-domain socket nor one that wants to hear of a proxy first
   */
  public record Bound(String name, String scheme, String host, int port, boolean isDirect) {}

  /** A socket that accepts connections, and the listener that it is of. */
  private record OpenSocket(ListenerConfig listener, Channel channel) {}

  private record OpenHttp3(ListenerConfig listener, Http3Listener udp) {}

  private Listeners(
      List<ListenerContext> loops,
      List<OpenSocket> sockets,
      List<OpenHttp3> http3,
      List<Bound> bound,
      ConnectionLimiter connections,
      SecretKey tokenKey) {
    this.loops = loops;
    this.tokenKey = tokenKey;
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
   * @param inherited sockets that are open already; what no listener takes stays there
   * @param tokenKey of the tokens of QUIC clients
   * @throws ListenException when an address or a certificate cannot be used; nothing stays bound
   */
  public static Listeners bind(
      ServerConfig config,
      Transport transport,
      List<? extends RequestHandler> exchanges,
      List<LoopCounters> counters,
      RequestLogs requestLogs,
      LongSupplier clockMillis,
      ClientTls tls,
      InheritedSockets inherited,
      SecretKey tokenKey)
      throws ListenException {
    ConnectionLimiter connections = new ConnectionLimiter(config);
    List<ListenerContext> loops =
        ListenerContext.ofLoops(
            transport.loops(), exchanges, counters, requestLogs, config, connections, clockMillis);
    Binder binder =
        new Binder(config.http3(), transport, loops, tls, inherited, tokenKey, clockMillis);
    try {
      for (ListenerConfig listener : config.listeners()) {
        binder.open(listener);
      }
    } catch (ListenException e) {
      binder.undo();
      throw e;
    }
    return new Listeners(
        loops, binder.sockets, binder.http3, List.copyOf(binder.bound), connections, tokenKey);
  }

  /** Opens the sockets of one listener after the other. */
  private static final class Binder {
    private final Http3Config config;
    private final Transport transport;
    private final List<ListenerContext> loops;
    private final ClientTls tls;
    private final InheritedSockets inherited;
    private final SecretKey tokenKey;
    private final LongSupplier clockMillis;
    private final List<OpenSocket> sockets = new ArrayList<>();
    private final List<OpenHttp3> http3 = new ArrayList<>();
    private final List<Bound> bound = new ArrayList<>();

    Binder(
        Http3Config config,
        Transport transport,
        List<ListenerContext> loops,
        ClientTls tls,
        InheritedSockets inherited,
        SecretKey tokenKey,
        LongSupplier clockMillis) {
      this.config = config;
      this.transport = transport;
      this.loops = loops;
      this.tls = tls;
      this.inherited = inherited;
      this.tokenKey = tokenKey;
      this.clockMillis = clockMillis;
    }

    void open(ListenerConfig listener) throws ListenException {
      Path file = listener.address().unixFile();
      if (file != null) {
        openUnix(listener, file);
        return;
      }
      List<Integer> open = inherited.take(listener, Kind.TCP);
      if (!config.isOn(listener.name())) {
        bound.add(openTcp(listener, open));
        return;
      }
      Http3Listener udp =
          new Http3Listener(listener.name(), config, transport, loops, tls, tokenKey, clockMillis);
      http3.add(new OpenHttp3(listener, udp));
      List<Integer> openUdp = inherited.take(listener, Kind.UDP);
      bound.add(
          open.isEmpty() && openUdp.isEmpty()
              ? bindBoth(listener, udp)
              : inheritBoth(listener, udp, open, openUdp));
    }

    void undo() {
      sockets.forEach(socket -> socket.channel().close().awaitUninterruptibly());
      http3.forEach(one -> one.udp().close());
    }

    private void openUnix(ListenerConfig listener, Path file) throws ListenException {
      List<ConnectionInitializer> initializers =
          loops.stream()
              .map(loop -> new ConnectionInitializer(loop, listener, tls::table, config))
              .toList();
      List<Integer> open = inherited.take(listener, Kind.UNIX);
      requireEpoll(listener, open);
      if (open.isEmpty()) {
        sockets.add(new OpenSocket(listener, UnixSocket.bind(file, transport, initializers)));
      }
      for (int descriptor : open) {
        sockets.add(
            new OpenSocket(
                listener, UnixSocket.inherit(file, descriptor, transport, initializers)));
      }
      bound.add(new Bound(listener.name(), scheme(listener), listener.address().host(), 0, false));
    }

    /** Binds TCP and UDP to one port. Port 0 becomes one that is free for both. */
    private Bound bindBoth(ListenerConfig listener, Http3Listener udp) throws ListenException {
      int tries = listener.address().port() == 0 ? PORT_TRIES : 1;
      for (int left = tries - 1; ; left--) {
        int others = sockets.size();
        Bound tcp = openTcp(listener, List.of());
        InetSocketAddress address = new InetSocketAddress(tcp.host(), tcp.port());
        try {
          holdUdp(listener.address(), address).close();
        } catch (ListenException e) {
          if (left == 0) {
            throw e;
          }
          List<OpenSocket> own = sockets.subList(others, sockets.size());
          own.forEach(socket -> socket.channel().close().awaitUninterruptibly());
          own.clear();
          continue;
        }
        openUdp(listener, udp, address, List.of());
        return tcp;
      }
    }

    /** Takes the sockets that are there of TCP and UDP, and binds those of the other. */
    private Bound inheritBoth(
        ListenerConfig listener, Http3Listener udp, List<Integer> open, List<Integer> openUdp)
        throws ListenException {
      Bound tcp = openTcp(listener, open);
      InetSocketAddress address = new InetSocketAddress(tcp.host(), tcp.port());
      if (openUdp.isEmpty()) {
        holdUdp(listener.address(), address).close();
      }
      openUdp(listener, udp, address, openUdp);
      return tcp;
    }

    private void openUdp(
        ListenerConfig listener,
        Http3Listener udp,
        InetSocketAddress address,
        List<Integer> descriptors)
        throws ListenException {
      Throwable cause = udp.bind(address, spread(listener, descriptors));
      if (cause != null) {
        throw failure("listen (UDP)", listener.address(), cause);
      }
    }

    private Bound openTcp(ListenerConfig listener, List<Integer> open) throws ListenException {
      List<List<Integer>> byLoop = spread(listener, open);
      InetSocketAddress address = resolve(listener.address());
      if (open.isEmpty()) {
        checkFree(listener.address(), address);
      }
      for (int i = 0; i < loops.size(); i++) {
        List<ChannelFuture> opening = new ArrayList<>();
        for (int descriptor : byLoop.get(i)) {
          opening.add(
              of(listener, i, transport.listening(transport.loops().get(i), descriptor))
                  .register());
        }
        if (opening.isEmpty()) {
          opening.add(of(listener, i, transport.listening(transport.loops().get(i))).bind(address));
        }
        for (ChannelFuture future : opening) {
          Throwable cause = future.awaitUninterruptibly().cause();
          if (cause != null) {
            throw failure("listen", listener.address(), cause);
          }
          sockets.add(new OpenSocket(listener, future.channel()));
          // With port 0 the first socket has got a port; the others share it.
          address = (InetSocketAddress) future.channel().localAddress();
        }
      }
      return new Bound(
          listener.name(),
          scheme(listener),
          address.getAddress().getHostAddress(),
          address.getPort(),
          !listener.proxyProtocol());
    }

    private ServerBootstrap of(ListenerConfig listener, int loop, ServerBootstrap bootstrap) {
      return bootstrap
          .option(ChannelOption.AUTO_READ, false)
          .childHandler(new ConnectionInitializer(loops.get(loop), listener, tls::table, config));
    }

    private List<List<Integer>> spread(ListenerConfig listener, List<Integer> open)
        throws ListenException {
      requireEpoll(listener, open);
      try {
        return InheritedSockets.spread(open, loops.size());
      } catch (IOException e) {
        throw failure("listen", listener.address(), e);
      }
    }

    private void requireEpoll(ListenerConfig listener, List<Integer> open) throws ListenException {
      if (!open.isEmpty() && !transport.name().equals("epoll")) {
        open.forEach(InheritedSockets::closeQuietly);
        throw new ListenException(
            "listen "
                + text(listener.address())
                + ": sockets that are open already require epoll, but the transport is "
                + transport.name());
      }
    }
  }

  /** A new key of the tokens that QUIC clients bring back. */
  public static byte[] newTokenKey() {
    byte[] key = new byte[TOKEN_KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /** That key of these bytes. */
  public static SecretKey tokenKey(byte[] key) {
    return new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * Checks that {@link #bind} would succeed and that the other addresses are free, before a start
   * creates anything. Nothing stays bound: connections are refused until the node is ready.
   *
   * @param others addresses on which other parts of this node will listen, by their purpose
   * @param inherited sockets that are open already
   */
  public static void check(
      ServerConfig config, Map<String, Address> others, InheritedSockets inherited)
      throws ListenException {
    List<ServerSocket> held = new ArrayList<>();
    List<DatagramSocket> heldUdp = new ArrayList<>();
    try {
      for (ListenerConfig listener : config.listeners()) {
        Path file = listener.address().unixFile();
        if (file == null) {
          InetSocketAddress address = resolve(listener.address());
          if (!inherited.has(listener, Kind.TCP)) {
            held.add(hold("listen", listener.address(), address));
          }
          if (config.http3().isOn(listener.name())) {
            String missing = QuicTlsHosts.missing();
            if (missing != null) {
              throw new ListenException(
                  "listener " + listener.name() + ": HTTP/3 is not available here: " + missing);
            }
            if (!inherited.has(listener, Kind.UDP)) {
              heldUdp.add(holdUdp(listener.address(), address));
            }
          }
        } else if (!inherited.has(listener, Kind.UNIX)) {
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
    sockets.forEach(socket -> socket.channel().config().setAutoRead(true));
    http3.forEach(one -> one.udp().accept());
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
    http3.forEach(one -> one.udp().stopAccepting());
    List<ChannelFuture> closing = sockets.stream().map(socket -> socket.channel().close()).toList();
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
    return within(bound, onLoops(ListenerContext::drain));
  }

  /** What a loop does to its connections, and completes when it is done. */
  private interface Ending {
    void begin(ListenerContext loop, CompletableFuture<Void> done);
  }

  private CompletableFuture<Void> onLoops(Ending ending) {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (ListenerContext loop : loops) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      loop.eventLoop().execute(() -> ending.begin(loop, end));
    }
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }

  private static boolean within(Duration bound, CompletableFuture<Void> ended)
      throws InterruptedException {
    try {
      ended.get(bound.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  // --- handing the sockets over -----------------------------------------------------------------

  /**
   * The open sockets, for the process that takes them over. It has descriptors of its own then;
   * these go on accepting.
   */
  public List<Entry> open() {
    List<Entry> open = new ArrayList<>();
    for (OpenSocket socket : sockets) {
      Kind kind = socket.listener().address().unixFile() == null ? Kind.TCP : Kind.UNIX;
      open.add(entry(socket.listener(), kind, socket.channel()));
    }
    for (OpenHttp3 one : http3) {
      one.udp().sockets().forEach(socket -> open.add(entry(one.listener(), Kind.UDP, socket)));
    }
    return open;
  }

  private static Entry entry(ListenerConfig listener, Kind kind, Channel socket) {
    if (!(socket instanceof UnixChannel known)) {
      throw new IllegalStateException("only sockets of epoll can be handed over");
    }
    return new Entry(
        listener.name(), kind, InheritedSockets.text(listener.address()), known.fd().intValue());
  }

  /** The key of the tokens that QUIC clients bring back. */
  public byte[] tokenKey() {
    return tokenKey.getEncoded();
  }

  /**
   * Asks the connections that are open to end with their next response; accepting goes on, and new
   * connections end with their first one. Returns when those that were open are gone or the time is
   * over.
   */
  public void endConnections(Duration bound) throws InterruptedException {
    boolean ignored = within(bound, onLoops(ListenerContext::beginEnding));
  }

  /**
   * Stops to accept without closing a socket, ends what connections are at, and leaves the sockets
   * open, off their loops. New connections wait in the queues of the sockets. Nothing of this
   * listens any more.
   *
   * @param grace how long a new connection may wait for its first request
   * @param bound how long requests in progress have; then they are cut
   * @return how many connections were cut
   */
  public int detach(Duration grace, Duration bound) throws InterruptedException {
    // Not by their read switch: a read that is pending would still accept once more, after all.
    sockets.stream()
        .map(socket -> socket.channel().deregister())
        .toList()
        .forEach(ChannelFuture::syncUninterruptibly);
    sockets.clear();
    http3.forEach(one -> one.udp().stopAccepting());
    CompletableFuture<Void> gone = onLoops(ListenerContext::endRequests);
    boolean isDone = within(grace.compareTo(bound) < 0 ? grace : bound, gone);
    if (!isDone && grace.compareTo(bound) < 0) {
      loops.forEach(loop -> loop.eventLoop().execute(loop::endIdle));
      isDone = within(bound.minus(grace), gone);
    }
    int left = isDone ? 0 : connections.open();
    loops.forEach(loop -> loop.eventLoop().submit(loop::cut).awaitUninterruptibly());
    http3.forEach(one -> one.udp().detach());
    http3.clear();
    return left;
  }

  /** Cuts what is left. Not to be called by a loop. */
  @Override
  public void close() {
    stopAccepting();
    for (ListenerContext loop : loops) {
      loop.eventLoop().submit(loop::cut).awaitUninterruptibly();
    }
    http3.forEach(one -> one.udp().close());
  }
}
