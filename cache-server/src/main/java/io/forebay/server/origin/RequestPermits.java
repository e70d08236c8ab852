package io.forebay.server.origin;

import io.forebay.server.config.AdaptiveLimitConfig;
import io.forebay.server.origin.limit.AdaptiveLimit;
import java.util.function.LongSupplier;

/**
 * The permits for requests in progress at one origin, as many as its adaptive limit, shared by all
 * event loops. They are handed on as those for connections are, see {@link
 * OriginConnectionPermits}; also when the limit grows.
 */
final class RequestPermits {
  private final AdaptiveLimit limit;
  private final WaitingLoops<RequestGate> gates = new WaitingLoops<>();

  RequestPermits(AdaptiveLimitConfig config, LongSupplier clockNanos) {
    this.limit = new AdaptiveLimit(config, clockNanos);
  }

  AdaptiveLimit limit() {
    return limit;
  }

  /** A reload brought other bounds, perhaps. */
  void configure(AdaptiveLimitConfig config) {
    limit.configure(config);
    grantFree();
  }

  WaitingLoops<RequestGate> gates() {
    return gates;
  }

  boolean tryAcquire() {
    return limit.tryEnter();
  }

  /** A permit for a request that has to go on. */
  void acquire() {
    limit.enter();
  }

  /** A request is over: its permit goes to the one that has waited longest, or is free. */
  void release() {
    if (limit.inProgress() <= limit.limit() && gates.tellLongest(RequestGate::onGranted)) {
      return;
    }
    limit.leave();
    grantFree();
  }

  /** Hands out what is free. */
  private void grantFree() {
    while (gates.longest(null) != null && limit.tryEnter()) {
      if (!gates.tellLongest(RequestGate::onGranted)) {
        limit.leave();
      }
    }
  }

  /** The head of a response came so long after the request was sent. */
  void onResponse(long nanos) {
    if (limit.onResponse(nanos)) {
      grantFree();
    }
  }

  /** The origin has too much to do, as it says, or as its silence does. */
  void onRejected() {
    if (limit.onRejected()) {
      grantFree();
    }
  }
}
