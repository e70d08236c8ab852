package io.forebay.server.listen.connection;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.TrustedNetworks;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fairness.ClientNetwork;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the open client connections of all event loops, in total and per address. Called by a
 * connection's loop when it opens or closes.
 */
public final class ConnectionLimiter {

  private final AtomicInteger open = new AtomicInteger();
  private final ClientLimiter places = new ClientLimiter();
  private volatile Bounds bounds;

  private record Bounds(int connections, int perAddress, TrustedNetworks trusted) {}

  /** A permit, to be released once. */
  record Place(long network) {}

  /** What was asked for and what was in its way: exactly one of the two is there. */
  record Answer(@Nullable Place place, @Nullable LimitKey passed) {}

  public ConnectionLimiter(ServerConfig config) {
    bounds = bounds(config);
  }

  public void reconfigure(ServerConfig config) {
    bounds = bounds(config);
  }

  private static Bounds bounds(ServerConfig config) {
    return new Bounds(
        config.limits().connections(),
        config.limits().client().connectionsPerAddress(),
        TrustedNetworks.of(config.forwarding().trusted()));
  }

  public int open() {
    return open.get();
  }

  /** A connection from there would like to be one more. */
  Answer take(@Nullable SocketAddress peer) {
    Answer entered = enter(peer);
    Place place = entered.place();
    if (place != null && open.incrementAndGet() > bounds.connections()) {
      giveBack(place);
      return new Answer(null, LimitKey.CONNECTIONS);
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
    long network = now.perAddress() == 0 ? ClientNetwork.NOBODY : counted(peer, now.trusted());
    if (network != ClientNetwork.NOBODY
        && !places.take(ClientLimiter.Kind.CONNECTION, network, now.perAddress())) {
      return new Answer(null, LimitKey.CONNECTIONS_PER_ADDRESS);
    }
    return new Answer(new Place(network), null);
  }

  void leave(Place place) {
    places.giveBack(ClientLimiter.Kind.CONNECTION, place.network());
  }

  /** Whether the peer is a trusted proxy. */
  boolean isTrusted(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress socket
        && socket.getAddress() != null
        && bounds.trusted().contains(socket.getAddress().getHostAddress());
  }

  private static long counted(@Nullable SocketAddress peer, TrustedNetworks trusted) {
    if (!(peer instanceof InetSocketAddress socket)
        || socket.getAddress() == null
        || trusted.contains(socket.getAddress().getHostAddress())) {
      return ClientNetwork.NOBODY;
    }
    return ClientNetwork.of(socket.getAddress());
  }
}
