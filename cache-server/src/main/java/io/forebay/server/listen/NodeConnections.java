package io.forebay.server.listen;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.exchange.TrustedNetworks;
import io.forebay.server.metric.Limit;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The client connections that are open on all loops, and from where. Touched when a connection
 * comes or goes, by its loop.
 */
final class NodeConnections {

  /** Who is not counted: no address, or a trusted one. */
  private static final long NOBODY = -1;

  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<Long, Integer> byAddress = new ConcurrentHashMap<>();
  private volatile Bounds bounds;

  private record Bounds(int connections, int perAddress, TrustedNetworks trusted) {}

  /** A place that was taken, to be given back once. */
  record Place(long address) {}

  /** What was asked for and what was in its way: exactly one of the two is there. */
  record Answer(@Nullable Place place, @Nullable Limit passed) {}

  NodeConnections(ServerConfig config) {
    bounds = bounds(config);
  }

  void reconfigure(ServerConfig config) {
    bounds = bounds(config);
  }

  private static Bounds bounds(ServerConfig config) {
    return new Bounds(
        config.limits().connections(),
        config.limits().client().connectionsPerAddress(),
        TrustedNetworks.of(config.forwarding().trusted()));
  }

  int open() {
    return open.get();
  }

  /** A connection from there would like to be one more. */
  Answer take(@Nullable SocketAddress peer) {
    Answer entered = enter(peer);
    Place place = entered.place();
    if (place != null && open.incrementAndGet() > bounds.connections()) {
      giveBack(place);
      return new Answer(null, Limit.CONNECTIONS);
    }
    return entered;
  }

  void giveBack(Place place) {
    open.decrementAndGet();
    leave(place);
  }

  /** The same for a connection that has a place already, but as from somewhere else. */
  Answer enter(@Nullable SocketAddress peer) {
    Bounds now = bounds;
    Place place = new Place(now.perAddress() == 0 ? NOBODY : counted(peer, now.trusted()));
    if (place.address() != NOBODY
        && byAddress.merge(place.address(), 1, Integer::sum) > now.perAddress()) {
      leave(place);
      return new Answer(null, Limit.CONNECTIONS_PER_ADDRESS);
    }
    return new Answer(place, null);
  }

  void leave(Place place) {
    byAddress.computeIfPresent(place.address(), (key, count) -> count == 1 ? null : count - 1);
  }

  /** Whether whoever is there is one of our own proxies. */
  boolean isTrusted(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress socket
        && socket.getAddress() != null
        && bounds.trusted().contains(socket.getAddress().getHostAddress());
  }

  /** Whoever has an address of IPv6 has as a rule the whole /64 that it lies in. */
  private static long counted(@Nullable SocketAddress peer, TrustedNetworks trusted) {
    if (!(peer instanceof InetSocketAddress socket)
        || socket.getAddress() == null
        || trusted.contains(socket.getAddress().getHostAddress())) {
      return NOBODY;
    }
    InetAddress ip = socket.getAddress();
    byte[] bytes = ip.getAddress();
    long value = 0;
    for (int i = 0; i < (ip instanceof Inet6Address ? 8 : 4); i++) {
      value = value << 8 | (bytes[i] & 0xff);
    }
    return value;
  }
}
