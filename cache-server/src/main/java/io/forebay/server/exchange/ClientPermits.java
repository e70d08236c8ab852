package io.forebay.server.exchange;

import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fairness.ClientLimiter.Kind;
import io.forebay.server.fairness.ClientNetwork;
import io.forebay.server.fill.Fill;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.protect.Gatekeeper;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.protect.rate.Usage;
import io.forebay.server.runtime.RuntimeConfig;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places that one exchange has taken of those of its client's network, and what its fetch has
 * taken of the limits of its route. A hit has none: it does not even find out whose it is.
 */
final class ClientPermits {
  private final ClientLimiter clients;
  private final LoopCounters counters;
  private final ClientLimits limits;
  private final int tunnels;
  private final long network;
  private final String address;
  private final Set<Kind> taken = EnumSet.noneOf(Kind.class);
  private final Gatekeeper gatekeeper;
  private final ClientRequest request;

  /** Of the route, where it limits fetches. */
  private final @Nullable RouteProtection gate;

  /** Of the fetch that is counted; null where none is. */
  private @Nullable Usage fetch;

  /** Name of the limit on fetches that refused. */
  private @Nullable String refusing;

  private boolean isOver;

  ClientPermits(
      ClientLimiter clients, Gatekeeper gatekeeper, LoopCounters counters, ClientRequest request) {
    this.clients = clients;
    this.gatekeeper = gatekeeper;
    this.counters = counters;
    this.request = request;
    RouteProtection ofRoute = request.config().gate(request.route());
    this.gate = ofRoute != null && ofRoute.limitsFetches() ? ofRoute : null;
    RuntimeConfig config = request.config();
    this.limits = config.config().limits().client();
    this.tunnels = config.config().tunnels().perClient();
    this.address = request.client().address();
    this.network =
        request.isFromPeer()
            // What its clients may do, that node limits.
            ? ClientNetwork.NOBODY
            : network(config, request, address);
  }

  private static long network(RuntimeConfig config, ClientRequest request, String address) {
    return config.upstream().trusts(request.client())
        ? ClientNetwork.of(address, request.view().fields(), config.upstream()::trusts)
        : ClientNetwork.of(request.client().ip());
  }

  boolean mayWait() {
    return take(Kind.WAITING, limits.waiting(), LimitKey.WAITING_PER_CLIENT);
  }

  boolean mayFetch() {
    refusing = null;
    if (!take(Kind.FETCH, limits.fetches(), LimitKey.FETCHES_PER_CLIENT)) {
      return false;
    }
    if (gate == null || fetch != null || isOver) {
      return true;
    }
    refusing = gatekeeper.refusesFetch(gate, request.view());
    fetch = gatekeeper.usage();
    if (refusing != null) {
      giveBack(Kind.FETCH);
    }
    return refusing == null;
  }

  boolean mayTunnel() {
    return take(Kind.TUNNEL, tunnels, LimitKey.TUNNELS_PER_CLIENT);
  }

  private boolean take(Kind kind, int most, LimitKey limit) {
    if (most == 0 || network == ClientNetwork.NOBODY || isOver || taken.contains(kind)) {
      return true;
    }
    if (!clients.take(kind, network, most)) {
      counters.hit(limit);
      return false;
    }
    taken.add(kind);
    return true;
  }

  /** Nothing waits for an origin's answer any more: the offer was accepted. */
  void tunnelBegins() {
    giveBack(Kind.WAITING);
    giveBack(Kind.FETCH);
    fetchEnds();
  }

  /** The origin is not asked, or has answered: the limits of the route count the fetch no more. */
  void fetchEnds() {
    if (fetch != null) {
      fetch.end();
      fetch = null;
    }
  }

  void tunnelEnds() {
    giveBack(Kind.TUNNEL);
  }

  /** The exchange ends, its fill may continue: then the permit is returned when the fill ends. */
  void leaveFetchTo(Fill fill) {
    boolean isOfClient = taken.remove(Kind.FETCH);
    Usage counted = fetch;
    fetch = null;
    if (isOfClient || counted != null) {
      fill.whenOver(() -> {
        if (isOfClient) {
          clients.giveBack(Kind.FETCH, network);
        }
        if (counted != null) {
          counted.end();
        }
      });
    }
  }

  /** Gives everything back; from then on nothing is taken. */
  void ends() {
    isOver = true;
    fetchEnds();
    giveBack(Kind.WAITING);
    giveBack(Kind.FETCH);
    giveBack(Kind.TUNNEL);
  }

  private void giveBack(Kind kind) {
    if (taken.remove(kind)) {
      clients.giveBack(kind, network);
    }
  }

  /** Why the request is refused. */
  OriginFailure tooMany(LimitKey limit) {
    if (refusing != null && gate != null) {
      return new OriginFailure(
          OriginFailure.Kind.FETCH_LIMIT,
          "the fetch limit " + refusing + " of protection " + gate.name() + " is reached");
    }
    return new OriginFailure(
        OriginFailure.Kind.CLIENT_LIMIT,
        "requests from the network of " + address + " have reached " + limit.key());
  }
}
