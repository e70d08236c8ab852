package io.forebay.server.exchange;

import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.origin.call.OriginFailure;

/**
 * How an exchange goes on. Classes that wait for something on its behalf (content, a fill, an
 * origin) say by this what follows from what they found, and know nothing else of the exchange.
 *
 * <p>A method that returns a {@link Step} decides; the caller returns the step, or has it {@link
 * #run}. Confined to the loop of the exchange.
 */
interface Continuation {

  /** Takes the step and those that follow; for callbacks, not from within a step. */
  void run(Step first);

  /** Looks up again after a moment, because the index was busy. */
  Step lookUpSoon();

  /** Looks up again in so long; however often. */
  Step lookUpIn(long millis);

  /** Whether {@link #lookUpSoon} would still look up: how often is bounded. */
  boolean mayLookUpAgain();

  /** The next fetch is for that reason. */
  Step fetchBecause(Reason why);

  /** The request goes to the origin past the store. */
  Step passBecause(Reason why);

  /** What the stored object lacks cannot be fetched by range: all of it is fetched. */
  Step onPartsRefused();

  /** The origin failed before it sent a head: a stale response is served if one may be. */
  Step onOriginFailed(OriginFailure failure);

  /** Ends with a local reply, because the origin gave no response that could be sent on. */
  Step refuse(OriginFailure failure);

  /** Ends with a local reply. */
  Step refuse(int status, String text, Reason why, ProxyError error);
}
