package io.forebay.server.protect;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.protect.rate.RateBuckets;
import io.forebay.server.protect.rate.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the gates of their routes. One per event loop, which confines it; no method
 * blocks.
 */
public final class Gatekeeper {
  private static final Refusal OF_NETWORK = Refusal.of(403, Reason.REFUSED_ACCESS);

  private final LoopCounters counters;
  private final RateLimiter rates;
  private final ClientAddress address = new ClientAddress();

  /**
   * For one loop.
   *
   * @param buckets of the node
   */
  public Gatekeeper(LoopCounters counters, RateBuckets buckets) {
    this.counters = counters;
    this.rates = new RateLimiter(buckets, counters);
  }

  /**
   * Whether a request is admitted that can be answered at once. If it is not, nothing has been
   * counted, and {@link #judge} says what becomes of it. Allocates nothing.
   */
  public boolean admits(RouteGate gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    return (!gate.hasAccess() || gate.admits(address))
        && (gate.limits().length == 0
            || rates.takeAll(gate.limits(), request, gate.route(), address.hi(), address.lo()));
  }

  /** Why a request is refused, or null where it is admitted. Called once for each request. */
  public @Nullable Refusal judge(RouteGate gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    if (gate.hasAccess() && !gate.admits(address)) {
      counters.count(ProtectionRule.ACCESS);
      return OF_NETWORK;
    }
    int limit = rates.take(gate.limits(), request, gate.route(), address.hi(), address.lo());
    if (limit != RateLimiter.NONE) {
      counters.count(ProtectionRule.RATE_LIMIT);
      return RateLimitRefusal.of(gate.limits(), limit, rates.waitNanos());
    }
    return null;
  }
}
