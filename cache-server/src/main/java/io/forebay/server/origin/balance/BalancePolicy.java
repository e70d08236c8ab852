package io.forebay.server.origin.balance;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Chooses the endpoint for a request. An instance belongs to one origin on one event loop and may
 * keep state; loops do not coordinate.
 */
public interface BalancePolicy {

  /**
   * Chooses among the endpoints that may be used.
   *
   * @param candidates two or more, in the order of the configuration
   * @param key number of the request's URL, for policies that keep a URL at its endpoint; computed
   *     when asked for
   * @return index of the chosen one
   */
  int choose(List<? extends Candidate> candidates, LongSupplier key);
}
