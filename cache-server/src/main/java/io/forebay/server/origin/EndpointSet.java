package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.origin.balance.BalancePolicy;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.origin.health.EndpointHealth;
import io.forebay.server.origin.health.SlowEndpoint;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of one origin on one event loop, and the choice among them. Names are looked at
 * whenever a request comes: new addresses are added, and those that are gone are drained.
 *
 * <pre>
 *   servers of the origin ──► addresses that the filter lets through ──► endpoints, by rank
 *                                                                          │
 *   a call ──► of the lowest rank, not avoided, not tried by the call ─────┤
 *              of these, those with room: servers have connection limits ──┴──► policy ──► one
 * </pre>
 *
 * <p>Endpoints that an operator drained are left out: neither policies nor half-open requests nor
 * the panic threshold see them.
 *
 * <p>Ranks are those of {@link ServerAddress}: priorities of an SRV name, and IPv6 behind IPv4,
 * since many nodes have no IPv6 route. Confined to the loop.
 */
final class EndpointSet {
  private final OriginPool pool;
  private final BalancePolicy policy;
  private final List<Member> members = new ArrayList<>();
  private final boolean hasNames;

  /** Whether a server has a limit of connections of its own. */
  private final boolean isLimited;

  /** Whether other origins stand in if all endpoints are ejected. */
  private final boolean hasFallback;

  /** Whether none is used while all are avoided, but for one request at a time that finds out. */
  private final boolean isCircuit;

  /** 0 if endpoints have their weight at once. */
  private final long slowStartNanos;

  /** Those that are not drained. */
  private final List<EndpointPool> all = new ArrayList<>();

  /** Those and the drained ones, for other threads too. */
  private volatile List<EndpointPool> published = List.of();

  /** Those of the lowest rank, for calls that have tried none. */
  private final List<EndpointPool> preferred = new ArrayList<>();

  private final List<EndpointPool> untried = new ArrayList<>();
  private final List<EndpointPool> roomy = new ArrayList<>();

  EndpointSet(OriginPool pool, BalancePolicy policy) {
    this.pool = pool;
    this.policy = policy;
    this.slowStartNanos = pool.origin().config().slowStart().toNanos();
    for (OriginServer server : pool.origin().servers()) {
      Member member = new Member(server);
      SocketAddress fixed = server.fixedAddress();
      if (fixed != null) {
        member.endpoints.add(new EndpointPool(pool, server, fixed, server.isAdded()));
      }
      members.add(member);
    }
    isCircuit = pool.origin().config().protection().isCircuit();
    hasFallback = !pool.origin().config().fallback().isEmpty();
    isLimited =
        pool.origin().servers().stream()
            .anyMatch(server -> server.settings().connectionLimit() != Integer.MAX_VALUE);
    hasNames = members.stream().anyMatch(member -> member.server.isNamed());
    rebuild();
  }

  /** All of them, drained ones included; any thread may read their figures. */
  List<EndpointPool> published() {
    return published;
  }

  /** What is known of their health. */
  List<EndpointHealth> health() {
    return all.stream().map(EndpointPool::health).toList();
  }

  /** The endpoint for a call's next attempt; null if there is none that it has not tried. */
  @Nullable EndpointPool choose(PooledCall call) {
    List<EndpointPool> candidates = preferred;
    boolean isProbing = isProbing();
    if (call.hasTried() || (isProbing && hasAvoided())) {
      EndpointPool probed = isProbing ? probe(call) : null;
      if (probed != null) {
        return probed;
      }
      candidates = usable(call);
    }
    if (isLimited) {
      List<EndpointPool> withRoom = select(candidates, one -> one.hasRoom(call));
      candidates = withRoom.isEmpty() ? candidates : withRoom;
    }
    return pick(candidates, call);
  }

  /** Whether ejected ones are left out, and tried again by one request. */
  private boolean isProbing() {
    return all.size() > 1 || hasFallback || isCircuit;
  }

  /** Whether every endpoint is avoided, and requests fail at once for that. */
  boolean isCircuitOpen() {
    return isCircuit && !all.isEmpty() && countUsable() == 0;
  }

  /** Whether {@link #isCircuitOpen} may be so. */
  boolean isCircuit() {
    return isCircuit;
  }

  private int countUsable() {
    int count = 0;
    for (EndpointPool endpoint : all) {
      count += endpoint.isAvoided() ? 0 : 1;
    }
    return count;
  }

  private @Nullable EndpointPool pick(List<EndpointPool> candidates, PooledCall call) {
    return switch (candidates.size()) {
      case 0 -> null;
      case 1 -> candidates.getFirst();
      default -> candidates.get(policy.choose(candidates, call));
    };
  }

  // Servers with limits.

  /** Whether a server has a limit of its own. */
  boolean isLimited() {
    return isLimited;
  }

  /**
   * Whether a connection for the call can be opened, as far as servers have limits.
   *
   * @param permit which may have a place at a server; or null
   */
  boolean hasPlace(PooledCall call, @Nullable ConnectionPermit permit) {
    return call.endpoint() == null || !placesFor(call, permit).isEmpty();
  }

  /** Takes a place for the call's connection at its endpoint's server, or at another one's. */
  boolean tryPlace(PooledCall call, ConnectionPermit permit) {
    EndpointPool chosen = call.endpoint();
    if (chosen == null || (!chosen.isDraining() && permit.tryTake(chosen))) {
      return true;
    }
    EndpointPool next = pick(placesFor(call, permit), call);
    while (next != null) {
      if (permit.tryTake(next)) {
        call.assign(next);
        return true;
      }
      next = pick(placesFor(call, permit), call);
    }
    return false;
  }

  private List<EndpointPool> placesFor(PooledCall call, @Nullable ConnectionPermit permit) {
    boolean isAnyUsable = !call.hasTried() && !(isProbing() && hasAvoided());
    return select(
        isAnyUsable ? preferred : usable(call),
        one -> one.hasPlace() || (permit != null && permit.isFor(one)));
  }

  private List<EndpointPool> select(List<EndpointPool> from, Predicate<EndpointPool> fits) {
    roomy.clear();
    for (EndpointPool one : from) {
      if (fits.test(one)) {
        roomy.add(one);
      }
    }
    return roomy;
  }

  /** Closes an idle connection to each server that has no place left; whether there was one. */
  boolean closeIdleAtFullServers() {
    boolean hasClosed = false;
    for (EndpointPool one : published) {
      if (one.hasIdle() && !one.hasPlace()) {
        one.closeOldestIdle();
        hasClosed = true;
      }
    }
    return hasClosed;
  }

  /**
   * Whether every endpoint is ejected, and none may be tried by such a request: other origins stand
   * in.
   */
  boolean isDown(boolean isSafe) {
    refresh();
    for (EndpointPool endpoint : all) {
      if (!endpoint.isAvoided() || pool.health().isProbeDue(endpoint.health(), isSafe)) {
        return false;
      }
    }
    return !all.isEmpty();
  }

  /**
   * Whether no endpoint can be expected to answer: each is avoided and no request finds out at
   * present whether it answers again, or each is drained. Not so while nothing is known of any.
   */
  boolean isSick() {
    for (EndpointPool endpoint : all) {
      if (!endpoint.isHopeless()) {
        return false;
      }
    }
    return !published.isEmpty() && members.stream().allMatch(Member::isKnown);
  }

  private boolean hasAvoided() {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).isAvoided()) {
        return true;
      }
    }
    return false;
  }

  /** An ejected endpoint whose time is up, if the call may find out whether it answers again. */
  private @Nullable EndpointPool probe(PooledCall call) {
    if (call.hasTried()) {
      return null;
    }
    boolean isSafe = call.request().isSafeToSendAgain();
    boolean isOnly = isCircuitOpen();
    for (EndpointPool endpoint : all) {
      if (endpoint.isAvoided()
          && (!isLimited || endpoint.hasRoom(call))
          && pool.health().isProbeDue(endpoint.health(), isSafe)
          && (isOnly
              ? pool.health().tryOnlyProbe(endpoint.health(), health(), isSafe)
              : pool.health().tryProbe(endpoint.health(), isSafe))) {
        return endpoint;
      }
    }
    return null;
  }

  /** The endpoints of the lowest rank that are not avoided and that the call has not tried. */
  private List<EndpointPool> usable(PooledCall call) {
    int healthy = countUsable();
    if (healthy == 0 && isCircuit) {
      return List.of();
    }
    boolean isPanic =
        healthy * 100 < pool.origin().config().ejection().panicThreshold() * all.size();
    List<EndpointPool> found = untried(call, isPanic || healthy == 0);
    if (found.isEmpty() && call.hasTried() && !hasFallback && !isCircuit) {
      // All others failed it: better one that may have recovered than no answer.
      found = untried(call, true);
    }
    boolean isEarly =
        !call.hasTried()
            && !found.isEmpty()
            && found.getFirst().rank() >= EndpointPool.BACKUP
            && !members.stream().allMatch(Member::isKnown);
    return isEarly ? List.of() : found;
  }

  /** Ejects those that are much slower than the others. */
  void ejectSlow(SlowConfig config) {
    List<EndpointHealth> group = health();
    for (SlowEndpoint found : pool.health().findSlow(group, config)) {
      for (EndpointPool endpoint : all) {
        if (endpoint.health().equals(found.health())) {
          endpoint.onSlow(found, group);
        }
      }
    }
  }

  /** Whether there is a choice, so that it matters how long an endpoint takes. */
  boolean hasChoice() {
    return all.size() > 1;
  }

  /** Endpoints that a call has not tried, of all ranks. */
  int countUntried(PooledCall call) {
    int count = 0;
    for (EndpointPool endpoint : all) {
      if (!call.hasTried(endpoint)) {
        count++;
      }
    }
    return count;
  }

  /**
   * An endpoint of the same server with an address of the other family (IPv4, IPv6) that can be
   * used and was not tried for the call; null if there is none.
   */
  @Nullable EndpointPool ofOtherFamily(PooledCall call, EndpointPool endpoint) {
    if (!(endpoint.address() instanceof InetSocketAddress own)) {
      return null;
    }
    boolean isIpv6 = own.getAddress() instanceof Inet6Address;
    for (EndpointPool other : all) {
      if (other.server().equals(endpoint.server())
          && other.address() instanceof InetSocketAddress its
          && its.getAddress() instanceof Inet6Address != isIpv6
          && !other.isAvoided()
          && !other.isDraining()
          && !call.hasTried(other)) {
        return other;
      }
    }
    return null;
  }

  private List<EndpointPool> untried(PooledCall call, boolean withAvoided) {
    untried.clear();
    int lowest = Integer.MAX_VALUE;
    for (EndpointPool endpoint : all) {
      if (endpoint.rank() <= lowest
          && (withAvoided || !endpoint.isAvoided())
          && !call.hasTried(endpoint)) {
        if (endpoint.rank() < lowest) {
          lowest = endpoint.rank();
          untried.clear();
        }
        untried.add(endpoint);
      }
    }
    return untried;
  }

  /** The endpoint with the most connections among those that have an idle one, or null. */
  @Nullable EndpointPool mostConnectedWithIdle() {
    EndpointPool most = null;
    for (EndpointPool endpoint : all) {
      if (endpoint.hasIdle() && (most == null || endpoint.connections() > most.connections())) {
        most = endpoint;
      }
    }
    return most;
  }

  /** The pool is no longer used for new calls; those that wait still are served. */
  void retire() {
    for (EndpointPool endpoint : published) {
      endpoint.closeIdle();
      endpoint.release();
    }
  }

  /** Operators drained servers, or took some back into service. */
  void applyDrains() {
    published.forEach(EndpointPool::applyDrains);
    rebuild();
  }

  // Names.

  /** Takes over what has become known of names and weights since the last time. */
  void refresh() {
    if (hasNames) {
      refreshNames();
    }
    if (slowStartNanos > 0) {
      scaleWeights();
    }
  }

  private void scaleWeights() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).updateWeight(slowStartNanos);
    }
  }

  private void refreshNames() {
    for (Member member : members) {
      if (member.server.isNamed()) {
        Resolution latest = pool.client().names().latest(member.server.lookupName());
        if (latest != null && !latest.equals(member.resolution)) {
          apply(member, latest);
        }
      }
    }
  }

  /** Takes over a server's addresses, each judged by the address filter. */
  void apply(OriginServer server, Resolution resolution) {
    for (Member member : members) {
      if (member.server.equals(server)) {
        apply(member, resolution);
      }
    }
  }

  private void apply(Member member, Resolution resolution) {
    boolean isSame = member.isKnown();
    boolean isAdded = isSame || member.server.isAdded();
    member.resolution = resolution;
    Map<SocketAddress, ServerAddress> allowed = new LinkedHashMap<>();
    for (ServerAddress one :
        ServerAddress.allowed(member.server, pool.client().origins(), resolution)) {
      allowed.put(one.address(), one);
    }
    if (isSame && allowed.equals(member.addresses)) {
      return;
    }
    member.addresses = Map.copyOf(allowed);
    List<EndpointPool> now = new ArrayList<>();
    for (EndpointPool endpoint : member.endpoints) {
      ServerAddress one = allowed.remove(endpoint.address());
      if (one == null) {
        endpoint.drain();
      } else {
        endpoint.place(one, member.addresses.values());
        now.add(endpoint);
      }
    }
    for (ServerAddress one : allowed.values()) {
      if (now.size() < ServerAddress.MAX) {
        EndpointPool added = new EndpointPool(pool, member.server, one.address(), isAdded);
        added.place(one, member.addresses.values());
        now.add(added);
      }
    }
    member.endpoints = now;
    rebuild();
  }

  private void rebuild() {
    List<EndpointPool> every = new ArrayList<>();
    members.forEach(member -> every.addAll(member.endpoints));
    published = List.copyOf(every);
    all.clear();
    for (EndpointPool endpoint : every) {
      if (!endpoint.isDrained()) {
        all.add(endpoint);
      }
    }
    if (slowStartNanos > 0) {
      scaleWeights();
    }
    preferred.clear();
    int lowest = all.stream().mapToInt(EndpointPool::rank).min().orElse(0);
    // Backups wait until it is known that the others cannot be used.
    if (lowest < EndpointPool.BACKUP || members.stream().allMatch(Member::isKnown)) {
      all.stream().filter(endpoint -> endpoint.rank() == lowest).forEach(preferred::add);
    }
  }

  /** Why there is no endpoint for a call. */
  OriginFailure noEndpoint() {
    if (!all.isEmpty()) {
      return new OriginFailure(
          OriginFailure.Kind.CONNECT_FAILED, pool.origin().label() + ": every address was tried");
    }
    if (!published.isEmpty()) {
      return new OriginFailure(
          OriginFailure.Kind.CONNECT_FAILED, pool.origin().label() + ": every address is drained");
    }
    Member first = members.getFirst();
    for (Member member : members) {
      Resolution resolution = member.resolution;
      if (resolution != null && !resolution.addresses().isEmpty()) {
        return new OriginFailure(
            OriginFailure.Kind.ADDRESS_REFUSED,
            OriginReadiness.refused(member.server, pool.client().origins(), resolution));
      }
    }
    return OriginReadiness.unresolved(first.server, first.resolution);
  }

  /** Why no call waits for a connection while the endpoints are sick. */
  OriginFailure sick() {
    return all.isEmpty()
        ? noEndpoint()
        : new OriginFailure(
            OriginFailure.Kind.CONNECT_FAILED,
            pool.origin().label() + ": every address is ejected or fails its probes");
  }

  /** One server with its addresses. */
  private static final class Member {
    final OriginServer server;
    List<EndpointPool> endpoints = new ArrayList<>();

    /** What its name stands for and the filter lets through. */
    Map<SocketAddress, ServerAddress> addresses = Map.of();

    @Nullable Resolution resolution;

    Member(OriginServer server) {
      this.server = server;
    }

    /** Whether the addresses are known, or known not to be had. */
    boolean isKnown() {
      return !server.isNamed() || resolution != null;
    }
  }
}
