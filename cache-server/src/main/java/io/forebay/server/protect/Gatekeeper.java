package io.forebay.server.protect;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.http.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the gates of their routes. One per event loop, which confines it; no method
 * blocks.
 */
public final class Gatekeeper {
  private static final Refusal OF_NETWORK = Refusal.of(403, Reason.REFUSED_ACCESS);

  private final LoopCounters counters;
  private final ClientAddress address = new ClientAddress();

  public Gatekeeper(LoopCounters counters) {
    this.counters = counters;
  }

  /**
   * Whether a request is admitted that can be answered at once. If it is not, nothing has been
   * counted, and {@link #judge} says what becomes of it. Allocates nothing.
   */
  public boolean admits(RouteGate gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    return !gate.hasAccess() || gate.admits(address);
  }

  /** Why a request is refused, or null where it is admitted. Called once for each request. */
  public @Nullable Refusal judge(RouteGate gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    if (gate.hasAccess() && !gate.admits(address)) {
      counters.count(ProtectionRule.ACCESS);
      return OF_NETWORK;
    }
    return null;
  }
}
