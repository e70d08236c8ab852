package io.forebay.server.origin;

import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.drain.Drain;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.origin.health.EndpointHealth;
import io.forebay.server.origin.health.EndpointHealth.Ejection;
import io.forebay.server.origin.health.OriginHealth;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.text.AddressText;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One origin with its servers and their endpoints at this moment, for reports. Figures of event
 * loops are read while these count on.
 *
 * @param balance name of the policy
 * @param connections open or being opened
 * @param adaptive its adaptive limit, or null if it has none
 */
public record OriginStatus(
    String name,
    String balance,
    int connections,
    int maxConnections,
    @Nullable LimitStatus adaptive,
    List<Server> servers) {
  /** State of an endpoint that gets its share of the requests. */
  static final String USABLE = "usable";

  /**
   * A server of the configuration.
   *
   * @param connections open or being opened to all its addresses
   * @param maxConnections 0 for no limit of its own
   * @param problem why it has no endpoint, or what is wrong with some of its addresses; or null
   */
  public record Server(
      String url,
      int weight,
      boolean isBackup,
      int connections,
      int maxConnections,
      @Nullable String problem,
      List<Endpoint> endpoints) {}

  /**
   * An address of a server.
   *
   * @param state {@code usable}, {@code ejected} or {@code half-open}; {@code failing} or {@code
   *     untested} because of its probes; {@code draining} or, once nothing is in progress, {@code
   *     drained}
   * @param why what led to the state, or null
   * @param sinceMillis when that was, wall clock; 0 if it is usable
   * @param connections open or being opened
   * @param requests in progress
   * @param latencyMillis moving average of the time to the head of a response, averaged over the
   *     loops; negative if not known, as for the only endpoint of an origin
   * @param failuresInARow since the last answer
   * @param ejections since the address is known
   * @param weightShare percent of its weight that it has while it starts slowly; else 100
   * @param probe what probes have found, or null if it is not probed
   */
  public record Endpoint(
      String address,
      String state,
      @Nullable String why,
      long sinceMillis,
      int connections,
      int requests,
      double latencyMillis,
      int failuresInARow,
      int ejections,
      int weightShare,
      @Nullable ProbeStatus probe) {}

  /** Every origin of a configuration. Any thread. */
  public static List<OriginStatus> all(
      Origins origins,
      List<PooledOriginClient> clients,
      OriginConnections shared,
      NameResolver names) {
    return origins.all().stream()
        .map(origin -> {
          List<EndpointPool> pools =
              clients.stream().flatMap(client -> client.endpoints(origin).stream()).toList();
          return new OriginStatus(
              origin.name(),
              origin.config().balance().name().toLowerCase(Locale.ROOT).replace('_', '-'),
              shared.open(origin.name()),
              origin.config().maxConnections(),
              shared.limit(origin.config()),
              origin.directory() == null
                  ? origin.servers().stream()
                      .map(server -> server(server, origins, pools, shared, names))
                      .toList()
                  : List.of(directory(origin, shared)));
        })
        .toList();
  }

  /** A directory, as the only server; its connections are open files. */
  private static Server directory(Origin origin, OriginConnections shared) {
    return new Server(
        origin.config().source(), 1, false, shared.open(origin.name()), 0, null, List.of());
  }

  private static Server server(
      OriginServer server,
      Origins origins,
      List<EndpointPool> pools,
      OriginConnections shared,
      NameResolver names) {
    String problem = OriginReadiness.problem(server, origins, names);
    List<SocketAddress> addresses = List.of();
    SocketAddress fixed = server.fixedAddress();
    Resolution resolution = fixed == null ? names.latest(server.lookupName()) : null;
    if (fixed != null) {
      addresses = List.of(fixed);
    } else if (resolution != null) {
      addresses =
          ServerAddress.allowed(server, origins, resolution).stream()
              .<SocketAddress>map(ServerAddress::address)
              .toList();
      if (problem == null && resolution.failure() != null) {
        problem = "its last addresses are used: " + resolution.failure();
      }
    }
    List<Endpoint> endpoints = new ArrayList<>();
    for (SocketAddress at : addresses) {
      endpoints.add(
          endpoint(
              at,
              shared
                  .drains()
                  .find(server.config().name(), server.settings().url(), AddressText.of(at)),
              shared.health(server.config().name()),
              server.config().slowStart().toNanos(),
              pools.stream()
                  .filter(pool -> pool.server().equals(server) && pool.address().equals(at))
                  .toList()));
    }
    return new Server(
        server.settings().url(),
        server.settings().weight(),
        server.settings().isBackup(),
        shared.open(server.config().name(), server.settings().url()),
        server.settings().maxConnections(),
        problem,
        List.copyOf(endpoints));
  }

  private static Endpoint endpoint(
      SocketAddress address,
      @Nullable Drain drain,
      OriginHealth of,
      long slowStartNanos,
      List<EndpointPool> pools) {
    EndpointHealth health = of.find(address);
    int connections = pools.stream().mapToInt(EndpointPool::connections).sum();
    int requests = pools.stream().mapToInt(EndpointPool::requests).sum();
    State state =
        drain == null
            ? State.of(health)
            : new State(
                connections + requests == 0 ? "drained" : "draining",
                drain.why(),
                drain.sinceMillis());
    return new Endpoint(
        AddressText.of(address),
        state.word,
        state.why,
        state.sinceMillis,
        connections,
        requests,
        pools.stream()
            .filter(pool -> pool.latency().hasBegun())
            .mapToDouble(pool -> pool.latency().nanos(pool.pool().loop().ticker().nanoTime()) / 1e6)
            .average()
            .orElse(-1),
        health == null ? 0 : health.failuresInARow(),
        health == null ? 0 : health.ejections(),
        health == null ? 100 : of.weightShare(health, slowStartNanos),
        health == null ? null : health.probe());
  }

  /** Whether an endpoint is used, and if not, why. */
  private record State(String word, @Nullable String why, long sinceMillis) {
    static State of(@Nullable EndpointHealth health) {
      ProbeStatus probe = health == null ? null : health.probe();
      if (probe != null && !probe.isUsable()) {
        return new State(
            probe.verdict().word(),
            probe.lastFailure() == null ? "no probe has ended yet" : probe.lastFailure(),
            probe.sinceMillis());
      }
      Ejection ejection = health == null ? null : health.ejection();
      return ejection == null
          ? new State(USABLE, null, 0)
          : new State(
              ejection.isProbing() ? "half-open" : "ejected",
              ejection.reason(),
              ejection.sinceMillis());
    }
  }
}
