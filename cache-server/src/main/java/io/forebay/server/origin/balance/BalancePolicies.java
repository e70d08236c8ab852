package io.forebay.server.origin.balance;

import io.forebay.server.config.ServerConfig.Balance;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Makes the policy that the configuration names. */
public final class BalancePolicies {
  private BalancePolicies() {}

  /**
   * A policy for one origin on one event loop.
   *
   * @param random of that loop
   * @param clockNanos monotonic
   */
  public static BalancePolicy create(
      Balance balance, RandomGenerator random, LongSupplier clockNanos) {
    return switch (balance) {
      case PEAK_EWMA -> new PeakEwma(random, clockNanos);
      case ROUND_ROBIN -> new RoundRobin(random);
      case RANDOM -> new RandomChoice(random);
      case LEAST_REQUESTS -> new LeastRequests(random);
      case CONSISTENT -> new Consistent();
    };
  }
}
