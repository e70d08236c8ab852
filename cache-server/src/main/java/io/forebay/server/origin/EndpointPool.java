package io.forebay.server.origin;

import io.forebay.core.key.RendezvousHash;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.ServerCounters;
import io.forebay.server.origin.balance.Candidate;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.origin.health.EndpointHealth;
import io.forebay.server.origin.health.EndpointHealth.Ejection;
import io.forebay.server.origin.health.SlowEndpoint;
import io.forebay.server.text.AddressText;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to one endpoint, which is one address of a server. Idle ones are
 * taken most recent first. Confined to the loop.
 */
final class EndpointPool extends Candidate {

  /** Rank of the first endpoint that is a backup. */
  static final int BACKUP = ServerAddress.RANKS;

  private final OriginPool pool;
  private final OriginServer server;
  private final SocketAddress address;
  private final EndpointHealth health;
  private final ServerCounters counters;
  private final ServerConnections serverConnections;
  private final ArrayDeque<PooledConnection> idle = new ArrayDeque<>();

  /** Null where every call has a connection of its own, which is HTTP/1.1. */
  private final @Nullable SharedConnections shared;

  private int connections;
  private int rank;
  private boolean isDraining;
  private boolean isDrained;
  private boolean isReleased;

  /**
   * No connections yet.
   *
   * @param isAdded whether the address joins others that are in use
   */
  EndpointPool(OriginPool pool, OriginServer server, SocketAddress address, boolean isAdded) {
    super(RendezvousHash.number(number(server, address)), server.settings().weight());
    this.pool = pool;
    this.server = server;
    this.address = address;
    this.health = pool.health().acquire(address, isAdded);
    this.shared = server.protocol() == OriginProtocol.HTTP1 ? null : new SharedConnections(this);
    LoopCounters loop = pool.client().counters();
    this.counters =
        loop.originServer(
            loop.names()
                .originServers()
                .number(server.config().name() + " " + server.settings().url()));
    this.serverConnections = pool.permits().useServer(server.settings().url());
    this.isDrained = findDrain();
    this.rank = server.settings().isBackup() ? BACKUP : 0;
  }

  OriginPool pool() {
    return pool;
  }

  OriginServer server() {
    return server;
  }

  /** What identifies the endpoint on every node. */
  private static String number(OriginServer server, SocketAddress address) {
    String text =
        address instanceof InetSocketAddress ip && !ip.isUnresolved()
            ? ip.getAddress().getHostAddress() + ":" + ip.getPort()
            : AddressText.of(address);
    return text + server.base().prefix();
  }

  SocketAddress address() {
    return address;
  }

  /** Endpoints of a higher rank are used only if none of a lower one can be. */
  int rank() {
    return rank;
  }

  /** Takes over what its name says of it now, as of an address that {@code of} holds. */
  void place(ServerAddress now, Collection<ServerAddress> of) {
    rank = (server.settings().isBackup() ? BACKUP : 0) + now.rank(of);
    changeWeight(now.weight());
  }

  /** Whether it gets no more requests: its name lost this address, or an operator drained it. */
  boolean isDraining() {
    return isDraining || isDrained;
  }

  /** Whether an operator drained it. */
  boolean isDrained() {
    return isDrained;
  }

  /** Looks whether an operator drained it, or took it back into service. */
  void applyDrains() {
    isDrained = findDrain();
    if (isDrained) {
      closeIdle();
    }
  }

  private boolean findDrain() {
    return pool.client()
            .shared()
            .drains()
            .find(server.config().name(), server.settings().url(), AddressText.of(address))
        != null;
  }

  void drain() {
    isDraining = true;
    closeIdle();
    release();
  }

  // Health.

  EndpointHealth health() {
    return health;
  }

  /** This loop has no more use for the endpoint. */
  void release() {
    if (!isReleased) {
      isReleased = true;
      pool.health().release(health);
      pool.permits().leaveServer(server.settings().url());
    }
  }

  /** Whether it gets no requests while others can be used. */
  boolean isAvoided() {
    return health.isAvoided();
  }

  /** Whether it gets no requests, and none finds out at present whether it answers again. */
  boolean isHopeless() {
    Ejection ejection = health.ejection();
    return health.isAvoided()
        && (health.isFailingProbes() || ejection == null || !ejection.isProbing());
  }

  /** Takes over how much of its weight it has while it starts slowly. */
  void updateWeight(long slowStartNanos) {
    scaleWeight(pool.health().weightShare(health, slowStartNanos));
  }

  /** What this loop counts of the server. */
  ServerCounters counters() {
    return counters;
  }

  /** How long it took until a response's head came. */
  void onLatency(long nanos) {
    SlowConfig slow = server.config().ejection().slow();
    if (slow.factor() > 0
        && pool.endpoints().hasChoice()
        && pool.health().onLatency(health, slow, nanos)) {
      pool.endpoints().ejectSlow(slow);
    }
  }

  /** A response's head came. */
  void onAnswer(int status) {
    if (status >= 502 && status <= 504) {
      countEjection(
          pool.health()
              .onGatewayError(
                  health,
                  pool.endpoints().health(),
                  server.config().ejectionInForce(),
                  server.label(),
                  status));
    } else {
      pool.health().onAnswer(health, server.label());
    }
  }

  /** A connection could not be opened, or a request got no response. */
  void onFailure(String reason) {
    counters.failures++;
    countEjection(
        pool.health()
            .onFailure(
                health,
                pool.endpoints().health(),
                server.config().ejectionInForce(),
                server.label(),
                reason));
  }

  /** It is much slower than the others. */
  void onSlow(SlowEndpoint found, List<EndpointHealth> group) {
    countEjection(pool.health().onSlow(found, group, server.config().ejection(), server.label()));
  }

  private void countEjection(boolean isEjected) {
    if (isEjected) {
      counters.ejections++;
    }
  }

  // Connections.

  /** A connection is being opened. */
  void addConnection() {
    connections++;
  }

  /** A connection closed, or could not be opened. */
  void removeConnection() {
    connections--;
  }

  /** The connections of all loops to the server, over all its addresses. */
  ServerConnections serverConnections() {
    return serverConnections;
  }

  /** How many of them there may be. */
  int maxConnections() {
    return server.settings().connectionLimit();
  }

  /** Whether one more may be opened. */
  boolean hasPlace() {
    return serverConnections.open() < maxConnections();
  }

  /** Whether there are more than there may be, since a reload. */
  boolean isOverLimit() {
    return serverConnections.open() > maxConnections();
  }

  /** Whether a call can be sent without waiting for a connection of others to end. */
  boolean hasRoom(PooledCall call) {
    return hasPlace()
        || (!call.needsOwnConnection() && hasIdle(call))
        || (shared != null && shared.mayTake(call));
  }

  /** Whether this endpoint has fewer connections than its share, measured by another one's. */
  boolean isBehind(EndpointPool other) {
    return (connections + 1L) * other.weight() < (long) other.connections * weight();
  }

  int connections() {
    return connections;
  }

  boolean hasIdle() {
    return !idle.isEmpty();
  }

  /** Starts a call on a connection that it shares, or lets it wait for one; or does neither. */
  boolean takesShared(PooledCall call) {
    return shared != null && shared.take(call);
  }

  @Nullable SharedConnections shared() {
    return shared;
  }

  void addIdle(PooledConnection connection) {
    idle.addFirst(connection);
    pool.countIdle(1);
  }

  void removeIdle(PooledConnection connection) {
    if (idle.remove(connection)) {
      pool.countIdle(-1);
    }
  }

  /** Whether an idle connection may serve a call. */
  boolean hasIdle(PooledCall call) {
    for (PooledConnection connection : idle) {
      if (connection.canServe(call)) {
        return true;
      }
    }
    return false;
  }

  @Nullable PooledConnection takeIdle(PooledCall call) {
    Iterator<PooledConnection> each = idle.iterator();
    while (each.hasNext()) {
      PooledConnection connection = each.next();
      if (!connection.isUsable()) {
        each.remove();
        pool.countIdle(-1);
        connection.close();
      } else if (connection.canServe(call)) {
        each.remove();
        pool.countIdle(-1);
        return connection;
      }
    }
    return null;
  }

  /** Closes the connection that has been idle longest. */
  void closeOldestIdle() {
    PooledConnection oldest = idle.pollLast();
    if (oldest != null) {
      pool.countIdle(-1);
      oldest.close();
    }
  }

  void closeIdle() {
    while (hasIdle()) {
      closeOldestIdle();
    }
  }

  @Override
  public String toString() {
    return AddressText.of(address);
  }
}
