package io.forebay.server.exchange;

import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fairness.ClientLimiter.Kind;
import io.forebay.server.fairness.ClientNetwork;
import io.forebay.server.fill.Fill;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.runtime.RuntimeConfig;
import java.util.EnumSet;
import java.util.Set;

/**
 * The places that one exchange has taken of those of its client's network. A hit has none: it does
 * not even find out whose it is.
 */
final class ClientPermits {
  private final ClientLimiter clients;
  private final LoopCounters counters;
  private final ClientLimits limits;
  private final int tunnels;
  private final long network;
  private final String address;
  private final Set<Kind> taken = EnumSet.noneOf(Kind.class);
  private boolean isOver;

  ClientPermits(ClientLimiter clients, LoopCounters counters, ClientRequest request) {
    this.clients = clients;
    this.counters = counters;
    RuntimeConfig config = request.config();
    this.limits = config.config().limits().client();
    this.tunnels = config.config().tunnels().perClient();
    this.address = request.client().address();
    this.network = ClientNetwork.of(address, request.view().fields(), config.upstream()::trusts);
  }

  boolean mayWait() {
    return take(Kind.WAITING, limits.waiting(), LimitKey.WAITING_PER_CLIENT);
  }

  boolean mayFetch() {
    return take(Kind.FETCH, limits.fetches(), LimitKey.FETCHES_PER_CLIENT);
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
  }

  void tunnelEnds() {
    giveBack(Kind.TUNNEL);
  }

  /** The exchange ends, its fill may continue: then the permit is returned when the fill ends. */
  void leaveFetchTo(Fill fill) {
    if (taken.remove(Kind.FETCH)) {
      fill.whenOver(() -> clients.giveBack(Kind.FETCH, network));
    }
  }

  /** Gives everything back; from then on nothing is taken. */
  void ends() {
    isOver = true;
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
    return new OriginFailure(
        OriginFailure.Kind.CLIENT_LIMIT,
        "requests from the network of " + address + " have reached " + limit.key());
  }
}
