package io.forebay.server.listen.connection;

import io.forebay.server.config.ConnectionLimits;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.TrustedNetworks;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fairness.ClientNetwork;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the open client connections of all event loops, in total and per address, network, name
 * and certificate. Called by a connection's loop when it opens or closes.
 */
public final class ConnectionLimiter {

  private static final Place UNCOUNTED = new Place(ClientNetwork.NOBODY, ClientNetwork.NOBODY);

  private final AtomicInteger open = new AtomicInteger();
  private final ClientLimiter places = new ClientLimiter();
  private volatile Bounds bounds;

  private record Bounds(
      int connections, int perAddress, ConnectionLimits others, TrustedNetworks trusted) {
    Bounds inTotal() {
      return new Bounds(connections, 0, ConnectionLimits.NONE, trusted);
    }
  }

  /**
   * A permit, to be released once.
   *
   * @param client whose address is counted, or {@link ClientNetwork#NOBODY}
   * @param network that is counted, or {@link ClientNetwork#NOBODY}
   */
  record Place(long client, long network) {}

  /** What was asked for and what was in its way: exactly one of the two is there. */
  record Answer(@Nullable Place place, @Nullable LimitKey passed) {}

  public ConnectionLimiter(ServerConfig config) {
    bounds = bounds(config);
  }

  /** Limits connections in total alone: a node of the cluster stands for many clients. */
  public static ConnectionLimiter ofNodes(ServerConfig config) {
    ConnectionLimiter limiter = new ConnectionLimiter(config);
    limiter.bounds = limiter.bounds.inTotal();
    return limiter;
  }

  public void reconfigure(ServerConfig config) {
    bounds = bounds(config);
  }

  private static Bounds bounds(ServerConfig config) {
    return new Bounds(
        config.limits().connections(),
        config.limits().client().connectionsPerAddress(),
        config.limits().client().connections(),
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
    int perNetwork = now.others().perNetwork();
    InetAddress address =
        now.perAddress() == 0 && perNetwork == 0 ? null : counted(peer, now.trusted());
    if (address == null) {
      return new Answer(UNCOUNTED, null);
    }
    long client = now.perAddress() == 0 ? ClientNetwork.NOBODY : ClientNetwork.of(address);
    if (client != ClientNetwork.NOBODY
        && !places.take(ClientLimiter.Kind.CONNECTION, client, now.perAddress())) {
      return new Answer(null, LimitKey.CONNECTIONS_PER_ADDRESS);
    }
    long network =
        perNetwork == 0 ? ClientNetwork.NOBODY : ConnectionKeys.network(address, now.others());
    if (network != ClientNetwork.NOBODY
        && !places.take(ClientLimiter.Kind.CONNECTION_OF_NETWORK, network, perNetwork)) {
      leave(new Place(client, ClientNetwork.NOBODY));
      return new Answer(null, LimitKey.CONNECTIONS_PER_NETWORK);
    }
    return new Answer(new Place(client, network), null);
  }

  void leave(Place place) {
    if (place.client() != ClientNetwork.NOBODY) {
      places.giveBack(ClientLimiter.Kind.CONNECTION, place.client());
    }
    if (place.network() != ClientNetwork.NOBODY) {
      places.giveBack(ClientLimiter.Kind.CONNECTION_OF_NETWORK, place.network());
    }
  }

  /** One more connection of a key, of which there may be that many; to be left once if true. */
  boolean take(ClientLimiter.Kind kind, long key, int most) {
    return places.take(kind, key, most);
  }

  void leave(ClientLimiter.Kind kind, long key) {
    places.giveBack(kind, key);
  }

  /** Whether the peer is a trusted proxy. */
  boolean isTrusted(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress socket
        && socket.getAddress() != null
        && bounds.trusted().contains(socket.getAddress().getHostAddress());
  }

  private static @Nullable InetAddress counted(
      @Nullable SocketAddress peer, TrustedNetworks trusted) {
    return !(peer instanceof InetSocketAddress socket)
            || socket.getAddress() == null
            || trusted.contains(socket.getAddress().getHostAddress())
        ? null
        : socket.getAddress();
  }
}
