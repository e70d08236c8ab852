package io.forebay.server.origin;

import io.forebay.core.policy.ProxyStatus;
import io.forebay.server.origin.OriginFailure.Kind;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.text.Printable;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens one new connection for one call: resolves the name, tries the addresses in turn, and
 * performs the TLS handshake, all within the connect timeout. It holds a permit from the beginning,
 * which an established connection takes over. If the call is abandoned meanwhile, the connection is
 * completed and goes to the pool.
 */
final class OriginConnector {
  private static final int MAX_ADDRESSES = 3;
  private static final long MIN_ATTEMPT_MILLIS = 1;

  private final OriginPool pool;
  private final PooledCall call;
  private final Origin origin;
  private final PooledOriginClient client;
  private final Deadline deadline;

  private List<InetAddress> addresses = List.of();
  private int tried;
  private @Nullable Channel channel;
  private @Nullable InetSocketAddress target;
  private boolean isTlsRunning;
  private boolean isDone;

  OriginConnector(OriginPool pool, PooledCall call) {
    this.pool = pool;
    this.call = call;
    this.origin = pool.origin();
    this.client = pool.client();
    this.deadline = new Deadline(client.loop(), this::onTooLate);
  }

  void start() {
    deadline.in(origin.config().connectTimeout().toNanos());
    InetAddress literal = origin.literal();
    if (literal != null) {
      onAddresses(List.of(literal));
    } else {
      client.names().resolve(origin.host(), client.loop(), this::onResolved);
    }
  }

  private void onResolved(Resolution resolution) {
    if (isDone) {
      return;
    }
    if (call.isDone()) {
      finish();
      pool.releaseSlot();
      return;
    }
    if (resolution.addresses().isEmpty()) {
      String rcode = resolution.rcode();
      finish();
      pool.releaseSlot();
      call.fail(
          new OriginFailure(
              Kind.NAME_NOT_RESOLVED,
              origin.label()
                  + ": name "
                  + origin.host()
                  + " does not resolve: "
                  + Printable.line(resolution.failure()),
              rcode == null ? ProxyStatus.NO_MORE : ProxyStatus.rcode(rcode)));
      return;
    }
    List<InetAddress> allowed =
        AddressPolicy.allowed(origin, client.origins(), resolution.addresses());
    if (allowed.isEmpty()) {
      finish();
      pool.releaseSlot();
      call.fail(
          Kind.ADDRESS_REFUSED,
          OriginReadiness.refused(origin, client.origins(), resolution.addresses()));
      return;
    }
    onAddresses(allowed);
  }

  private void onAddresses(List<InetAddress> found) {
    addresses = ordered(found);
    tryNext();
  }

  /** IPv4 first, each family beginning with another address every time. */
  private List<InetAddress> ordered(List<InetAddress> found) {
    if (found.size() == 1) {
      return found;
    }
    int rotation = pool.nextRotation();
    List<InetAddress> v4 = found.stream().filter(a -> !(a instanceof Inet6Address)).toList();
    List<InetAddress> v6 = found.stream().filter(a -> a instanceof Inet6Address).toList();
    List<InetAddress> ordered = new ArrayList<>(found.size());
    for (List<InetAddress> family : List.of(v4, v6)) {
      for (int i = 0; i < family.size(); i++) {
        ordered.add(family.get((i + rotation % family.size()) % family.size()));
      }
    }
    return ordered.subList(0, Math.min(MAX_ADDRESSES, ordered.size()));
  }

  private void tryNext() {
    InetSocketAddress address = new InetSocketAddress(addresses.get(tried), origin.port());
    int left = addresses.size() - tried;
    tried++;
    target = address;
    long attemptMillis =
        Math.max(
            MIN_ATTEMPT_MILLIS, TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos()) / left);
    OriginConnection connection = new OriginConnection(pool);
    ChannelFuture connecting =
        new Bootstrap()
            .group(client.loop())
            .channel(client.channelClass())
            .disableResolver()
            .option(ChannelOption.ALLOCATOR, client.allocator())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            // A failed write must not throw away a response that has already arrived.
            .option(ChannelOption.AUTO_CLOSE, false)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) Math.min(attemptMillis, Integer.MAX_VALUE))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel initialised) {
                    initialised.pipeline().addLast(connection.decoder(), connection);
                  }
                })
            .connect(address);
    channel = connecting.channel();
    connecting.addListener((ChannelFuture future) -> {
      // Without a file descriptor there is no channel, and Netty answers on a thread of its own.
      if (client.loop().inEventLoop()) {
        onAttempted(connection, future);
      } else {
        client.loop().execute(() -> onAttempted(connection, future));
      }
    });
  }

  private void onAttempted(OriginConnection connection, ChannelFuture future) {
    if (isDone) {
      future.channel().close();
    } else if (future.isSuccess()) {
      onConnected(connection, future.channel());
    } else {
      onConnectFailed(future.cause());
    }
  }

  private void onConnected(OriginConnection connection, Channel connected) {
    SslContext tls = origin.tls();
    if (tls == null) {
      onReady(connection);
      return;
    }
    isTlsRunning = true;
    SslHandler handler = tls.newHandler(connected.alloc(), origin.tlsName(), origin.port());
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
            fail(
                OriginTls.isCertificateRefused(future.cause())
                    ? Kind.TLS_CERTIFICATE
                    : Kind.TLS_FAILED,
                "TLS failed: " + OriginTls.words(future.cause()));
          } else {
            // After this burst of reads: bytes in it precede the request and give the
            // connection away as one that cannot be trusted.
            client.loop().execute(() -> onHandshakeDone(connection, connected));
          }
        });
  }

  private void onHandshakeDone(OriginConnection connection, Channel connected) {
    if (isDone) {
      return;
    }
    if (!connection.isUsable()) {
      fail(Kind.CONNECT_FAILED, "the origin closed the connection, or sent data, before a request");
      connected.close();
      return;
    }
    onReady(connection);
  }

  private void onReady(OriginConnection connection) {
    finish();
    connection.onOpen();
    if (call.isDone() && connection.isUsable()) {
      pool.onFree(connection);
    } else if (call.isDone()) {
      connection.close();
    } else {
      connection.start(call);
    }
  }

  private void onConnectFailed(Throwable cause) {
    if (tried < addresses.size() && deadline.remainingNanos() > 0 && !call.isDone()) {
      tryNext();
    } else if (cause instanceof ConnectTimeoutException) {
      onTooLate();
    } else {
      fail(kindOf(cause), "cannot connect to " + target + ": " + Printable.line(cause));
    }
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
    long millis = origin.config().connectTimeout().toMillis();
    Channel unfinished = channel;
    if (unfinished == null) {
      fail(Kind.NAME_TIMEOUT, "no answer for name " + origin.host() + " within " + millis + " ms");
      return;
    }
    fail(
        Kind.CONNECT_TIMEOUT,
        (isTlsRunning ? "no TLS handshake with " : "no connection to ")
            + target
            + " within "
            + millis
            + " ms");
    unfinished.close();
  }

  private void finish() {
    isDone = true;
    deadline.stop();
  }

  /** Ends it in failure. Done comes first: closing a channel tells its listeners at once. */
  private void fail(Kind kind, String detail) {
    finish();
    pool.releaseSlot();
    call.fail(kind, origin.label() + ": " + detail);
  }
}
