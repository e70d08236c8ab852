package io.forebay.server.origin;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.group.AddressPolicy;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.OriginTls;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.origin.health.EndpointHealth;
import io.forebay.server.origin.health.OriginHealth;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import io.forebay.server.origin.probe.ProbeCounters;
import io.forebay.server.origin.probe.ProbeTarget;
import io.forebay.server.origin.probe.ProbedEndpoint;
import io.forebay.server.origin.probe.Prober;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.text.AddressText;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses of a node's origins are probed: all that the names of their servers resolve to
 * and the address filter lets through. Names are looked at once a second. The verdicts go to the
 * health of the endpoints, which all loops share.
 *
 * <p>A node without probes has no prober, and no thread for it.
 */
public final class OriginProbes implements AutoCloseable {
  private static final long LOOK_MILLIS = 1_000;

  private final OriginConnections shared;
  private final NameResolver names;
  private final LongSupplier clockMillis;
  private final Supplier<Prober> newProber;

  /** Held to change the prober; not while it works. */
  private @Nullable Prober prober;

  private volatile List<Probed> published = List.of();
  private final Map<ServerKey, ProbeCounters> counters = new ConcurrentHashMap<>();

  // Confined to the prober's thread.
  private final Map<EndpointKey, Probed> probed = new HashMap<>();

  /** Servers that had addresses when they were looked at before. */
  private Set<ServerKey> seen = Set.of();

  private Origins origins = Origins.NONE;

  private record ServerKey(String origin, String url) {}

  private record EndpointKey(String origin, SocketAddress address) {}

  /** An endpoint that is being probed. */
  private record Probed(
      OriginServer server, OriginHealth health, EndpointHealth endpoint, ProbedEndpoint probes) {}

  /**
   * Nothing is probed yet.
   *
   * @param random for the prober alone
   * @param clockMillis wall clock
   * @param clockNanos monotonic
   * @param log gets a line when a verdict changes
   */
  public OriginProbes(
      OriginConnections shared,
      NameResolver names,
      ByteBufAllocator allocator,
      RandomGenerator random,
      LongSupplier clockMillis,
      LongSupplier clockNanos,
      Consumer<String> log) {
    this.shared = shared;
    this.names = names;
    this.clockMillis = clockMillis;
    this.newProber =
        () -> new Prober(allocator, random, clockMillis, clockNanos, log, OriginTls::words);
  }

  /**
   * Probes what a configuration says from now on. What it says as before goes on. Before loops get
   * the configuration: addresses that are new to them begin as it says. Not on a loop, whose
   * threads a thread made here would resemble.
   */
  public synchronized void configure(Origins next) {
    for (Origin origin : next.all()) {
      shared.health(origin.name()).newEndpointsAre(initial(origin.config().probe()));
    }
    Prober running = prober;
    if (running == null) {
      if (next.all().stream().noneMatch(origin -> origin.config().probe().isOn())) {
        return;
      }
      Prober made = newProber.get();
      made.every(LOOK_MILLIS, () -> look(made));
      running = made;
      prober = made;
    }
    Prober on = running;
    on.execute(() -> {
      origins = next;
      look(on);
    });
  }

  private @Nullable ProbeStatus initial(ProbeConfig config) {
    return config.isOn() && config.initial() == ProbeConfig.Initial.UNUSABLE
        ? ProbeStatus.untested(false, clockMillis.getAsLong())
        : null;
  }

  /** What has been probed of each server; any thread. */
  public List<ServerProbes> servers() {
    Map<ServerKey, List<Probed>> byServer = new LinkedHashMap<>();
    for (Probed one : published) {
      byServer.computeIfAbsent(key(one.server), key -> new ArrayList<>()).add(one);
    }
    return byServer.entrySet().stream()
        .map(entry -> {
          ProbeCounters counted = counters.getOrDefault(entry.getKey(), new ProbeCounters());
          return new ServerProbes(
              entry.getKey().origin,
              entry.getKey().url,
              counted.probes(),
              counted.failures(),
              count(entry.getValue(), Verdict.PASSING),
              count(entry.getValue(), Verdict.FAILING));
        })
        .toList();
  }

  private static int count(List<Probed> of, Verdict verdict) {
    return (int) of.stream().filter(one -> one.probes.status().verdict() == verdict).count();
  }

  private static ServerKey key(OriginServer server) {
    return new ServerKey(server.config().name(), server.settings().url());
  }

  @Override
  public synchronized void close() {
    Prober running = prober;
    if (running != null) {
      running.execute(() -> probed.values().forEach(one -> one.probes.stop()));
      running.close();
    }
  }

  // On the prober's thread.

  /** Takes over what has become known of names. */
  private void look(Prober on) {
    Map<EndpointKey, OriginServer> wanted = wanted();
    probed
        .entrySet()
        .removeIf(entry -> {
          OriginServer server = wanted.get(entry.getKey());
          ProbedEndpoint probes = entry.getValue().probes;
          ProbeTarget target = server == null ? null : target(server, entry.getKey().address);
          if (target != null && target.isSameAs(probes.target())) {
            probes.target(target);
            return false;
          }
          stop(entry.getValue());
          return true;
        });
    wanted.forEach((key, server) -> {
      if (!probed.containsKey(key)) {
        probed.put(key, start(on, key, server));
      }
    });
    seen = wanted.values().stream().map(OriginProbes::key).collect(Collectors.toSet());
    published = List.copyOf(probed.values());
    counters.keySet().retainAll(seen);
  }

  private Map<EndpointKey, OriginServer> wanted() {
    Map<EndpointKey, OriginServer> wanted = new LinkedHashMap<>();
    for (Origin origin : origins.all()) {
      if (origin.config().probe().isOn()) {
        for (OriginServer server : origin.servers()) {
          for (SocketAddress address : addresses(server)) {
            wanted.putIfAbsent(new EndpointKey(origin.name(), address), server);
          }
        }
      }
    }
    return wanted;
  }

  private List<SocketAddress> addresses(OriginServer server) {
    SocketAddress fixed = server.fixedAddress();
    if (fixed != null) {
      return List.of(fixed);
    }
    Resolution resolution = names.latest(server.lookupName());
    if (resolution == null) {
      return List.of();
    }
    return ServerAddress.allowed(server, origins, resolution).stream()
        .map(ServerAddress::address)
        .filter(
            address -> AddressPolicy.refusal(server, origins, atProbePort(server, address)) == null)
        .limit(ServerAddress.MAX)
        .<SocketAddress>map(address -> address)
        .toList();
  }

  /** Where an address is probed. */
  private static InetSocketAddress atProbePort(OriginServer server, InetSocketAddress address) {
    Integer port = server.config().probe().port();
    return port == null ? address : new InetSocketAddress(address.getAddress(), port);
  }

  /** The server as probes see it. */
  private static OriginServer atProbePort(OriginServer server) {
    Integer port = server.config().probe().port();
    return port == null
        ? server
        : new OriginServer(
            server.config(),
            server.settings(),
            server.host(),
            port,
            server.literal(),
            server.socket(),
            server.service(),
            server.base(),
            server.tls(),
            server.sharedTls(),
            server.isAdded());
  }

  private static ProbeTarget target(OriginServer server, SocketAddress address) {
    ProbeConfig config = server.config().probe();
    OriginServer seen = atProbePort(server);
    String host = config.host() != null ? config.host() : server.config().host();
    return new ProbeTarget(
        server.label() + ": " + AddressText.of(address),
        address instanceof InetSocketAddress ip ? atProbePort(server, ip) : address,
        host != null ? host : seen.authority(),
        server.tls(),
        config.tlsName() != null ? config.tlsName() : server.tlsName(),
        config);
  }

  private Probed start(Prober on, EndpointKey key, OriginServer server) {
    OriginHealth health = shared.health(key.origin);
    EndpointHealth endpoint =
        health.acquire(key.address, server.isAdded() || seen.contains(key(server)));
    ProbeCounters counted = counters.computeIfAbsent(key(server), k -> new ProbeCounters());
    ProbedEndpoint probes =
        on.probe(target(server, key.address), counted, status -> health.onProbe(endpoint, status));
    health.onProbe(endpoint, probes.status());
    return new Probed(server, health, endpoint, probes);
  }

  private void stop(Probed one) {
    one.probes.stop();
    Origin now = origins.find(one.server.config().name());
    one.health.onProbe(one.endpoint, now == null ? null : initial(now.config().probe()));
    one.health.release(one.endpoint);
  }
}
