package io.forebay.server.origin;

import io.forebay.server.config.ProxyConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.OriginTls;
import io.forebay.server.origin.group.OriginUrl;
import io.forebay.server.origin.proxy.ConnectTunnel;
import io.forebay.server.text.Printable;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens one new connection for one call: looks up the name of the endpoint's server again if its
 * answer has run out, tries endpoints in turn, and performs the TLS handshake, all within the
 * connect timeout. Where the server has addresses of both families, an attempt over one of them
 * waits for a fraction of it before the other is tried. It holds a permit from the beginning, which
 * an established connection takes over; if no place is left at the server, the call waits. If the
 * call is abandoned meanwhile, the connection is completed and goes to the pool.
 *
 * <pre>
 *   endpoint chosen ──name──► looked up ──┬─still there──► connect ──fails──► next endpoint
 *   none yet ──► all names looked up ─────┴─gone────────► choose again
 * </pre>
 */
final class OriginConnector {
  private static final int LEAST_ATTEMPTS = 3;
  private static final long MIN_ATTEMPT_MILLIS = 1;

  private final OriginPool pool;
  private final PooledCall call;
  private final ConnectionPermit permit;
  private final PooledOriginClient client;
  private final Deadline deadline;

  /** The server whose name is asked for, or whose endpoint is being connected to. */
  private OriginServer server;

  /** So many endpoints are tried: three, or as many as a request may be sent to. */
  private final int maxAttempts;

  private int attempts;

  /** What a failure says that the latest attempt had. */
  private long boundMillis;

  private int pendingLookups;

  /** Counted as a connection of this endpoint; null before and after. */
  private @Nullable EndpointPool opening;

  /** Where other calls may wait for the connection; null before and after. */
  private @Nullable SharedConnections sharing;

  private @Nullable Channel channel;

  /** Where connections to the server begin if they go through a proxy. */
  private @Nullable InetSocketAddress proxyAddress;

  private boolean isTlsRunning;
  private boolean isDone;

  OriginConnector(OriginPool pool, PooledCall call, ConnectionPermit permit) {
    this.pool = pool;
    this.call = call;
    this.permit = permit;
    this.client = pool.client();
    this.server = pool.origin().servers().getFirst();
    this.maxAttempts = Math.max(LEAST_ATTEMPTS, 1 + pool.origin().config().retry().attempts());
    this.deadline = new Deadline(client.loop(), this::onTooLate);
  }

  void start() {
    deadline.in(pool.origin().config().connectTimeout().toNanos());
    EndpointPool chosen = call.endpoint();
    if (chosen == null || chosen.isDraining()) {
      chosen = pool.endpoints().choose(call);
      call.assign(chosen);
    }
    if (chosen == null) {
      lookUpAll();
    } else if (!chosen.server().isNamed()) {
      connect(chosen);
    } else {
      lookUp(chosen);
    }
  }

  // Names.

  private void lookUp(EndpointPool chosen) {
    server = chosen.server();
    client
        .names()
        .resolve(
            server.lookupName(),
            client.loop(),
            resolution -> {
              if (!isOver()) {
                pool.endpoints().apply(chosen.server(), resolution);
                if (chosen.isDraining()) {
                  onLookedUp();
                } else {
                  connect(chosen);
                }
              }
            });
  }

  /** No server's address is known, or none that may be used. */
  private void lookUpAll() {
    List<OriginServer> named =
        pool.origin().servers().stream().filter(OriginServer::isNamed).toList();
    if (named.isEmpty()) {
      onLookedUp();
      return;
    }
    server = named.getFirst();
    pendingLookups = named.size();
    for (OriginServer one : named) {
      client
          .names()
          .resolve(
              one.lookupName(),
              client.loop(),
              resolution -> {
                pendingLookups--;
                if (opening == null && !isOver()) {
                  pool.endpoints().apply(one, resolution);
                  onLookedUp();
                }
              });
    }
  }

  private void onLookedUp() {
    EndpointPool chosen = pool.endpoints().choose(call);
    if (chosen != null) {
      call.assign(chosen);
      connect(chosen);
    } else if (pendingLookups == 0) {
      finish();
      permit.release();
      call.fail(pool.endpoints().noEndpoint());
    }
  }

  /** Whether an answer comes too late: the connector is done, or ends because its call is. */
  private boolean isOver() {
    if (!isDone && call.isDone()) {
      finish();
      permit.release();
    }
    return isDone;
  }

  // Attempts.

  /** The proxy's address is the first of its name: what it reaches is the same from each. */
  private void lookUpProxy(EndpointPool endpoint, OriginUrl proxy) {
    client
        .names()
        .resolve(
            proxy.host(),
            client.loop(),
            resolution -> {
              if (isOver()) {
                return;
              }
              if (resolution.addresses().isEmpty()) {
                fail(
                    Kind.NAME_NOT_RESOLVED,
                    "name " + proxy.host() + " of the proxy does not resolve");
                return;
              }
              proxyAddress = new InetSocketAddress(resolution.addresses().getFirst(), proxy.port());
              connect(endpoint);
            });
  }

  private void connect(EndpointPool endpoint) {
    if (attempts == 0 && endpoint.takesShared(call)) {
      finish();
      permit.release();
      return;
    }
    server = endpoint.server();
    OriginUrl proxy = server.proxy();
    if (proxy != null && proxyAddress == null) {
      InetAddress literal = proxy.literal();
      if (literal == null) {
        lookUpProxy(endpoint, proxy);
        return;
      }
      proxyAddress = new InetSocketAddress(literal, proxy.port());
    }
    SocketAddress address = proxyAddress == null ? endpoint.address() : proxyAddress;
    if (!permit.tryTake(endpoint)) {
      onServerFull();
      return;
    }
    opening = endpoint;
    endpoint.addConnection();
    ConnectionSetup setup = new ConnectionSetup(endpoint, call);
    beginSharing(setup);
    int left =
        Math.clamp(pool.endpoints().countUntried(call), 1, Math.max(1, maxAttempts - attempts));
    attempts++;
    long attemptMillis =
        Math.max(
            MIN_ATTEMPT_MILLIS, TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos()) / left);
    if (proxyAddress == null
        && attempts < maxAttempts
        && pool.endpoints().ofOtherFamily(call, endpoint) != null) {
      attemptMillis =
          Math.min(attemptMillis, server.config().egress().otherFamilyAfter().toMillis());
      boundMillis = attemptMillis;
    } else {
      boundMillis = timeoutMillis();
    }
    if (!EndpointSocket.hasSource(server.config().egress(), address)) {
      onAttemptFailed(
          endpoint,
          Kind.CONNECT_FAILED,
          "cannot connect to " + endpoint + ": no source-address of its family");
      return;
    }
    ChannelFuture connecting =
        EndpointSocket.connect(
            client,
            endpoint.server().config().egress(),
            address,
            (int) Math.min(attemptMillis, Integer.MAX_VALUE),
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel initialised) {
                setup.initialize(initialised.pipeline());
              }
            });
    channel = connecting.channel();
    connecting.addListener((ChannelFuture future) -> {
      // Without a file descriptor there is no channel, and Netty answers on a thread of its own.
      if (client.loop().inEventLoop()) {
        onAttempted(setup, future);
      } else {
        client.loop().execute(() -> onAttempted(setup, future));
      }
    });
  }

  /** Every place at the server was taken since it was chosen. */
  private void onServerFull() {
    if (pool.endpoints().tryPlace(call, permit)) {
      EndpointPool next = call.endpoint();
      if (next != null) {
        connect(next);
        return;
      }
    }
    finish();
    permit.release();
    pool.enqueue(call);
  }

  private void onAttempted(ConnectionSetup setup, ChannelFuture future) {
    if (isDone) {
      future.channel().close();
    } else if (future.isSuccess()) {
      onConnected(setup, future.channel());
    } else {
      onConnectFailed(setup.endpoint(), future.cause());
    }
  }

  private void onConnected(ConnectionSetup setup, Channel connected) {
    ProxyConfig proxy = server.config().egress().proxy();
    if (proxy == null) {
      onReached(setup, connected);
      return;
    }
    ConnectTunnel.open(connected, setup.endpoint().toString(), proxy.authorization())
        .addListener(opened -> {
          if (isDone) {
            connected.close();
          } else if (opened.isSuccess()) {
            // After this burst of reads, as after a handshake.
            client.loop().execute(() -> onTunnelOpened(setup, connected));
          } else {
            connected.close();
            onAttemptFailed(setup.endpoint(), Kind.CONNECT_FAILED, Printable.line(opened.cause()));
          }
        });
  }

  private void onTunnelOpened(ConnectionSetup setup, Channel connected) {
    if (isDone) {
      connected.close();
    } else if (setup.isUntouched(connected)) {
      onReached(setup, connected);
    } else {
      connected.close();
      onAttemptFailed(
          setup.endpoint(),
          Kind.CONNECT_FAILED,
          "the proxy closed the connection, or sent data, before a request");
    }
  }

  /** What is sent now goes to the server. */
  private void onReached(ConnectionSetup setup, Channel connected) {
    if (server.config().egress().proxyProtocol()) {
      connected.writeAndFlush(ProxyHeader.of(connected.alloc(), setup.client()));
    }
    SslContext tls = setup.tls();
    if (tls == null) {
      onReady(setup, connected);
      return;
    }
    isTlsRunning = true;
    SslHandler handler = tls.newHandler(connected.alloc(), server.tlsName(), server.port());
    // The connect timeout is what bounds the handshake.
    handler.setHandshakeTimeoutMillis(0);
    connected.pipeline().addFirst(handler);
    handler
        .handshakeFuture()
        .addListener(future -> {
          if (isDone) {
            connected.close();
          } else if (!future.isSuccess()) {
            connected.close();
            onAttemptFailed(
                setup.endpoint(),
                OriginTls.isCertificateRefused(future.cause())
                    ? Kind.TLS_CERTIFICATE
                    : Kind.TLS_FAILED,
                "TLS failed: " + OriginTls.words(future.cause()));
          } else {
            // After this burst of reads: bytes in it precede the request and give the
            // connection away as one that cannot be trusted.
            client.loop().execute(() -> onHandshakeDone(setup, connected));
          }
        });
  }

  private void onHandshakeDone(ConnectionSetup setup, Channel connected) {
    if (isDone) {
      return;
    }
    String problem = setup.problem();
    if (problem != null) {
      onAttemptFailed(setup.endpoint(), Kind.CONNECT_FAILED, problem);
      connected.close();
      return;
    }
    onReady(setup, connected);
  }

  private void onReady(ConnectionSetup setup, Channel connected) {
    if (setup.endpoint().isDrained() && !call.isDone()) {
      // Meanwhile: nothing has been sent, so the request can go elsewhere.
      EndpointPool next = pool.endpoints().choose(call);
      if (next != null) {
        tryNext(next);
        connected.close();
        return;
      }
    }
    finish();
    opening = null;
    PooledConnection connection = setup.connection();
    boolean isUnused = call.isDone();
    connection.onOpen(permit);
    if (!isUnused) {
      connection.start(call);
    }
    SharedConnections shared = sharing;
    sharing = null;
    Http2Transport http2 = setup.http2();
    if (shared != null) {
      // Calls that wait may have a use for it.
      shared.onOpened(http2);
    }
    if (isUnused && (http2 == null || !http2.isBusy())) {
      if (connection.isUsable() && setup.client() == null) {
        pool.onFree(connection);
      } else {
        connection.close();
      }
    }
  }

  /** Tells calls that may use the connection as well that they can wait for it. */
  private void beginSharing(ConnectionSetup setup) {
    sharing = setup.mayBeShared() ? setup.endpoint().shared() : null;
    if (sharing != null) {
      sharing.onOpening();
    }
  }

  private void onConnectFailed(EndpointPool endpoint, Throwable cause) {
    if (cause instanceof ConnectTimeoutException) {
      onAttemptFailed(endpoint, Kind.CONNECT_TIMEOUT, tooLate(endpoint, boundMillis));
    } else {
      onAttemptFailed(
          endpoint, kindOf(cause), "cannot connect to " + endpoint + ": " + Printable.line(cause));
    }
  }

  /** Nothing has been sent, so any request may go to another endpoint. */
  private void onAttemptFailed(EndpointPool endpoint, Kind kind, String detail) {
    endpoint.onFailure(detail);
    call.observeFailure(kind);
    if (attempts < maxAttempts && deadline.remainingNanos() > 0 && !call.isDone()) {
      call.markTried(endpoint);
      // Where packets of one family get lost, its other addresses would take their time, too.
      EndpointPool next =
          kind == Kind.CONNECT_TIMEOUT ? pool.endpoints().ofOtherFamily(call, endpoint) : null;
      if (next == null) {
        next = pool.endpoints().choose(call);
      }
      if (next != null) {
        pool.watch().onProblem(pool.origin(), server.label() + ": " + detail);
        tryNext(next);
        return;
      }
    }
    fail(kind, detail);
  }

  private void tryNext(EndpointPool next) {
    endNoConnection();
    isTlsRunning = false;
    call.assign(next);
    connect(next);
  }

  private static Kind kindOf(Throwable cause) {
    return switch (cause) {
      // A kind of ConnectException to Netty, so it goes first.
      case NoRouteToHostException ignored -> Kind.CONNECT_UNROUTABLE;
      case ConnectException ignored -> Kind.CONNECT_REFUSED;
      default -> Kind.CONNECT_FAILED;
    };
  }

  private void onTooLate() {
    if (isDone) {
      return;
    }
    Channel unfinished = channel;
    EndpointPool target = opening;
    if (unfinished == null || target == null) {
      fail(
          Kind.NAME_TIMEOUT,
          "no answer for name " + server.shownName() + " within " + timeoutMillis() + " ms");
      return;
    }
    String detail = tooLate(target, timeoutMillis());
    target.onFailure(detail);
    call.observeFailure(Kind.CONNECT_TIMEOUT);
    fail(Kind.CONNECT_TIMEOUT, detail);
    unfinished.close();
  }

  private String tooLate(EndpointPool target, long millis) {
    return (isTlsRunning ? "no TLS handshake with " : "no connection to ")
        + target
        + " within "
        + millis
        + " ms";
  }

  private long timeoutMillis() {
    return pool.origin().config().connectTimeout().toMillis();
  }

  private void finish() {
    isDone = true;
    deadline.stop();
  }

  private void endNoConnection() {
    if (opening != null) {
      opening.removeConnection();
      opening = null;
    }
    SharedConnections shared = sharing;
    sharing = null;
    if (shared != null) {
      shared.onOpenFailed();
    }
  }

  /** Ends it in failure. Done comes first: closing a channel tells its listeners at once. */
  private void fail(Kind kind, String detail) {
    finish();
    endNoConnection();
    permit.release();
    call.fail(kind, server.label() + ": " + detail);
  }
}
