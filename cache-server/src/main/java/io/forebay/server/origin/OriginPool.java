package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.origin.balance.BalancePolicies;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.health.OriginHealth;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's part of one origin: its endpoints with their connections, and the requests that
 * wait because of the connection limit. Confined to the loop, except the two numbers that other
 * loops read.
 *
 * <p>The limit holds for all endpoints together. Requests therefore wait at the origin: a
 * connection that becomes free serves the request whose turn it is ({@link CallQueue}), also if
 * another endpoint was chosen for it. Only where that endpoint has fewer connections than its share
 * is the free one closed, and its permit used for a connection there. So neither requests nor new
 * endpoints starve at the limit. Servers may have limits too; a request waits for them in the same
 * queue once no server that may serve it has a place left.
 */
final class OriginPool implements WaitingCalls.Limit, WaitingLoops.Member {

  /**
   * How much longer than its own a pool lets another loop's request wait before it gives a
   * connection away. Giving away means closing and connecting anew, so it is done to prevent
   * starvation, not to share evenly.
   */
  private static final long HANDOVER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PooledOriginClient client;
  private final Origin origin;
  private final OriginConnectionPermits permits;
  private final OriginCounters counters;
  private final OriginWatch watch;
  private final int most;

  private final OriginHealth health;
  private final RetryBudget retries;
  private final EndpointSet endpoints;
  private final WaitingCalls waiting;

  /** Null without an adaptive limit. */
  private final @Nullable RequestGate gate;

  private int idle;
  private boolean isRetired;

  /** Written by the loop, read by others. */
  private volatile int idleCount;

  OriginPool(
      PooledOriginClient client,
      Origin origin,
      OriginConnectionPermits permits,
      OriginCounters counters,
      OriginWatch watch,
      OriginHealth health,
      @Nullable RequestPermits requests) {
    this.client = client;
    this.origin = origin;
    this.permits = permits;
    this.counters = counters;
    this.watch = watch;
    this.health = health;
    this.retries =
        new RetryBudget(origin.config().retry().budget(), client.loop().ticker()::nanoTime);
    this.most = origin.config().maxConnections();
    this.endpoints =
        new EndpointSet(
            this,
            BalancePolicies.create(
                origin.config().balance(), client.random(), client.loop().ticker()::nanoTime));
    this.waiting = new WaitingCalls(this, this);
    this.gate = requests == null ? null : new RequestGate(this, requests);
    permits.join(this);
  }

  @Override
  public EventLoop loop() {
    return client.loop();
  }

  PooledOriginClient client() {
    return client;
  }

  Origin origin() {
    return origin;
  }

  /** What this loop counts of the origin. */
  OriginCounters counters() {
    return counters;
  }

  /** For connections of all loops to the origin. */
  OriginConnectionPermits permits() {
    return permits;
  }

  OriginWatch watch() {
    return watch;
  }

  @Override
  public long waitingSinceNanos() {
    return waiting.sinceNanos();
  }

  int idleCount() {
    return idleCount;
  }

  OriginHealth health() {
    return health;
  }

  EndpointSet endpoints() {
    return endpoints;
  }

  /** An endpoint got or lost an idle connection. */
  void countIdle(int change) {
    idle += change;
    idleCount = idle;
  }

  /** Sends a call by an idle connection, a new one, or once there is one. */
  void submit(PooledCall call) {
    retries.onRequest();
    if (call.request().hop().upgrade() != null
        && origin.config().protocol() == OriginProtocol.HTTP2) {
      call.fail(
          OriginFailure.Kind.UPGRADE_FAILED,
          origin.label() + ": an upgrade needs HTTP/1.1, and the origin is set to http2");
      return;
    }
    if (gate == null) {
      sendAdmitted(call);
    } else {
      gate.submit(call);
    }
  }

  /** Sends a call that no adaptive limit holds back. */
  void sendAdmitted(PooledCall call) {
    endpoints.refresh();
    EndpointPool chosen = endpoints.choose(call);
    if (endpoints.isCircuit() && isRefused(chosen)) {
      call.fail(endpoints.sick());
      return;
    }
    call.assign(chosen);
    dispatch(call);
  }

  /** Whether the circuit is open for a call with that choice. */
  private boolean isRefused(@Nullable EndpointPool chosen) {
    if (chosen != null) {
      if (!chosen.isAvoided()) {
        health.onCircuitClosed(origin.label());
      }
      return false;
    }
    if (!endpoints.isCircuitOpen()) {
      return false;
    }
    counters.circuitRefused++;
    counters.circuitOpened += health.onCircuitOpen(origin.label()) ? 1 : 0;
    return true;
  }

  /**
   * Sends a call that stands in for an earlier one, to another endpoint where there is one.
   *
   * @param isElsewhere whether only another one will do, and only if no request waits
   * @return whether there is an endpoint, and the budget allows for it
   */
  boolean submitAgain(PooledCall call, @Nullable EndpointPool before, boolean isElsewhere) {
    endpoints.refresh();
    if (before != null && (isElsewhere || endpoints.countUntried(call) > 1)) {
      call.markTried(before);
    }
    EndpointPool next = endpoints.choose(call);
    boolean isUseless = isElsewhere && (next == null || next.isAvoided() || !waiting.isEmpty());
    if (next == null || isUseless || (gate != null && !gate.passNow(call, isElsewhere))) {
      return false;
    }
    if (!retries.tryTake()) {
      call.leaveGate();
      return false;
    }
    client.counters().originRetries++;
    call.countedBy(this);
    call.assign(next);
    dispatch(call);
    return true;
  }

  /**
   * Chooses another endpoint for a call that got no response, or none that it wants.
   *
   * @return null if there is none, or the budget does not allow for it
   */
  @Nullable EndpointPool another(PooledCall call, EndpointPool failed) {
    if (client.isClosed() || call.retries() >= origin.config().retry().attempts()) {
      return null;
    }
    call.markTried(failed);
    EndpointPool next = endpoints.choose(call);
    return next != null && retries.tryTake() ? next : null;
  }

  /** Takes one retry out of the budget, for a request that goes to another origin. */
  boolean takeRetry() {
    return retries.tryTake();
  }

  /** Sends a call again to another endpoint. */
  void sendAgain(PooledCall call, EndpointPool next) {
    client.counters().originRetries++;
    call.countRetry();
    call.assign(next);
    dispatch(call);
  }

  /** Sends a call to its endpoint: by a connection that is there, or a new one. */
  void dispatch(PooledCall call) {
    EndpointPool chosen = call.endpoint();
    if (chosen != null && chosen.takesShared(call)) {
      return;
    }
    PooledConnection connection =
        chosen == null || call.needsOwnConnection() ? null : chosen.takeIdle(call);
    if (connection != null) {
      connection.start(call);
      return;
    }
    ConnectionPermit permit = waiting.isEmpty() ? acquire(call) : null;
    if (permit != null) {
      connect(call, permit);
      return;
    }
    PooledConnection other = waiting.isEmpty() ? idleInstead(call) : null;
    if (other != null) {
      other.start(call);
    } else {
      enqueue(call);
    }
  }

  /** A permit for a connection for the call, which may be assigned to another endpoint; or null. */
  private @Nullable ConnectionPermit acquire(PooledCall call) {
    if (endpoints.isLimited() && !endpoints.hasPlace(call, null)) {
      return null;
    }
    ConnectionPermit permit = permits.tryAcquire(most);
    if (permit != null && endpoints.isLimited() && !endpoints.tryPlace(call, permit)) {
      permit.returnUnused(this);
      return null;
    }
    return permit;
  }

  /** At the limit: an idle connection to another endpoint that may serve the call, or null. */
  private @Nullable PooledConnection idleInstead(PooledCall call) {
    EndpointPool other = endpoints.mostConnectedWithIdle();
    return other != null && mayServe(other, call) ? other.takeIdle(call) : null;
  }

  /** Whether a connection to that endpoint may serve a call for which another may be chosen. */
  private static boolean mayServe(EndpointPool endpoint, PooledCall call) {
    if (call.needsOwnConnection()) {
      return false;
    }
    EndpointPool chosen = call.endpoint();
    if (chosen == endpoint) {
      return !endpoint.isDraining();
    }
    if (endpoint.isDraining() || endpoint.isAvoided() || call.hasTried(endpoint)) {
      return false;
    }
    return chosen == null
        || chosen.isDraining()
        || (endpoint.rank() <= chosen.rank() && (!chosen.isBehind(endpoint) || !chosen.hasPlace()));
  }

  /**
   * Sends a call again by a new connection.
   *
   * @param kept the permit of the connection that died under it, if it has one
   */
  void retry(PooledCall call, @Nullable ConnectionPermit kept) {
    ConnectionPermit permit = kept == null ? acquire(call) : kept;
    if (permit == null) {
      enqueue(call);
    } else {
      connect(call, permit);
    }
  }

  /** A connection has nothing to do: it serves who waits, here or elsewhere, or is kept. */
  void onFree(PooledConnection connection) {
    EndpointPool endpoint = connection.endpoint();
    OriginPool other = permits.longestWaiting(this);
    PooledCall next = nextFor(connection);
    boolean isOver = permits.open() > most || endpoint.isOverLimit();
    if (next != null && !isOver && !isOvertaken(next, other)) {
      waiting.removeWaiting(next);
      connection.start(next);
    } else if (!waiting.isEmpty()
        || isRetired
        || endpoint.isDraining()
        || other != null
        || isOver) {
      // The request that waits gets its permit.
      connection.close();
    } else {
      endpoint.addIdle(connection);
      connection.onKept(origin.config().keepAlive().toNanos());
      if (permits.longestWaiting(this) != null) {
        yieldIdle();
      }
    }
  }

  /** The waiting call whose turn it is, if the connection may serve it; or null. */
  private @Nullable PooledCall nextFor(PooledConnection connection) {
    EndpointPool endpoint = connection.endpoint();
    PooledCall next =
        endpoints.isLimited()
            ? waiting.first(call -> mayServe(endpoint, call) && connection.canServe(call))
            : waiting.first();
    return next != null && mayServe(endpoint, next) && connection.canServe(next) ? next : null;
  }

  /**
   * A connection that calls share may have room for another one.
   *
   * @return false if it takes no more calls, so that its permit becomes free
   */
  boolean onRoom(PooledConnection connection) {
    EndpointPool endpoint = connection.endpoint();
    if (isRetired || endpoint.isDraining() || permits.open() > most || endpoint.isOverLimit()) {
      return false;
    }
    OriginPool other = permits.longestWaiting(this);
    PooledCall next = nextFor(connection);
    while (next != null && !isOvertaken(next, other)) {
      waiting.removeWaiting(next);
      connection.start(next);
      next = nextFor(connection);
    }
    return other == null || !hasWaitedLong(other);
  }

  /** Closes an idle connection if another loop waits. */
  void yieldIdle() {
    if (permits.longestWaiting(this) != null) {
      closeIdle();
    }
  }

  /** Closes an idle connection that stands in the way of requests that wait, if there is one. */
  private boolean closeIdle() {
    if (idle == 0) {
      return false;
    }
    boolean hasClosed = endpoints.isLimited() && endpoints.closeIdleAtFullServers();
    if (!hasClosed && isOriginFull()) {
      EndpointPool endpoint = endpoints.mostConnectedWithIdle();
      if (endpoint != null) {
        endpoint.closeOldestIdle();
        hasClosed = true;
      }
    }
    return hasClosed;
  }

  /** Whether it is the origin's limit that requests wait for, and not those of its servers. */
  private boolean isOriginFull() {
    return !endpoints.isLimited() || permits.open() >= most;
  }

  /** Another loop, or this one, gave up a permit for this pool. */
  void onGranted(ConnectionPermit permit) {
    if (waiting.isEmpty()) {
      permit.release();
    } else if (!use(permit)) {
      permit.returnUnused(this);
    }
  }

  /** Something may have become free for requests that wait. */
  void serveWaiting() {
    boolean isServed = true;
    while (isServed && !waiting.isEmpty()) {
      isServed = serveOne();
    }
  }

  private boolean serveOne() {
    if (endpoints.isLimited() && waiting.first(call -> endpoints.hasPlace(call, null)) == null) {
      return false;
    }
    ConnectionPermit permit = permits.tryAcquire(most);
    if (permit == null) {
      return false;
    }
    boolean isUsed = use(permit);
    if (!isUsed) {
      permit.returnUnused(this);
    }
    return isUsed;
  }

  /** Opens a connection for the first request that waits and that can have one. */
  private boolean use(ConnectionPermit permit) {
    PooledCall next = waiting.first();
    if (endpoints.isLimited()) {
      next = waiting.first(call -> endpoints.hasPlace(call, permit));
      while (next != null && !endpoints.tryPlace(next, permit)) {
        next = waiting.first(call -> endpoints.hasPlace(call, permit));
      }
    }
    if (next == null) {
      return false;
    }
    waiting.removeWaiting(next);
    connect(next, permit);
    return true;
  }

  /** The configuration no longer has this origin as it is: nothing is kept from now on. */
  void retire() {
    isRetired = true;
    endpoints.retire();
    if (gate != null) {
      gate.retire();
    }
    if (waiting.isEmpty()) {
      permits.leave(this);
    }
  }

  @Override
  public void onWaiting(boolean isAny) {
    if (isRetired && isAny) {
      permits.join(this);
    } else if (isRetired) {
      permits.leave(this);
    }
  }

  /** What became of the call does not matter any more; the loop is stopping. */
  void failWaiting(OriginFailure failure) {
    for (EndpointPool endpoint : endpoints.published()) {
      SharedConnections shared = endpoint.shared();
      if (shared != null) {
        shared.failWaiting(failure);
      }
    }
    waiting.failAll(failure);
    if (gate != null) {
      gate.failWaiting(failure);
    }
  }

  @Override
  public void look() {
    if (endpoints.isLimited()) {
      serveWaiting();
    }
  }

  /**
   * Not so while a connection is idle: it is closed, and the request goes to an endpoint that is
   * avoided, as it does below the limit.
   */
  @Override
  public boolean isHopeless() {
    return permits.idle() == 0 && endpoints.isSick();
  }

  private boolean isOvertaken(PooledCall next, @Nullable OriginPool other) {
    if (other == null) {
      return false;
    }
    long since = other.waitingSinceNanos();
    return since != WaitingCalls.NOT_WAITING
        && since - next.waitingSinceNanos() < 0
        && hasWaitedLong(other);
  }

  private boolean hasWaitedLong(OriginPool other) {
    long since = other.waitingSinceNanos();
    return since != WaitingCalls.NOT_WAITING && loop().ticker().nanoTime() - since > HANDOVER_NANOS;
  }

  /** Lets a call wait for a connection. */
  void enqueue(PooledCall call) {
    // Who waits until an idle connection is closed for it waits for no response.
    if (waiting.add(call, permits.idle()) && !serveOne() && !closeIdle()) {
      permits.askForIdle(this, isOriginFull());
    }
  }

  @Override
  public LimitKey key() {
    return isOriginFull() ? LimitKey.ORIGIN_CONNECTIONS : LimitKey.ORIGIN_SERVER_CONNECTIONS;
  }

  @Override
  public OriginFailure reached(String then) {
    return new OriginFailure(
        OriginFailure.Kind.TOO_MANY_CONNECTIONS,
        origin.label()
            + (isOriginFull()
                ? ": all " + most + " connections are in use "
                : ": every server has as many connections as it may ")
            + then);
  }

  private void connect(PooledCall call, ConnectionPermit permit) {
    new OriginConnector(this, call, permit).start();
  }
}
