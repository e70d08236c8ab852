package io.forebay.server.exchange;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fill.RecoveryFetches;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.storage.ObjectStore;

/**
 * The place that one exchange has among those that ask origins while the index is rebuilt: the
 * store may still turn out to have what it lacks, an object or some of its slices.
 *
 * <p>Owner: the loop of the exchange.
 */
final class RecoveryPlace {

  /** So often, and so long each time, a request waits for the rebuild of the index. */
  private static final int MAX_WAITS = 20;

  static final long WAIT_MILLIS = 100;

  private final RecoveryFetches places;
  private final ObjectStore store;
  private final LoopCounters counters;
  private boolean isTaken;
  private byte waits;

  RecoveryPlace(RecoveryFetches places, ObjectStore store, LoopCounters counters) {
    this.places = places;
    this.store = store;
    this.counters = counters;
  }

  /** Whether the store may turn out to have what is missing, and fetches of that have a limit. */
  boolean isNeeded() {
    return places.isLimited() && !store.isIndexComplete();
  }

  /** Whether the origin may be asked: so many exchanges at once may. */
  boolean take() {
    isTaken = isTaken || places.tryBegin();
    return isTaken;
  }

  boolean isTaken() {
    return isTaken;
  }

  /** Whether to look again after a while; often enough, and not for ever. */
  boolean mayWait() {
    if (waits >= MAX_WAITS) {
      return false;
    }
    if (waits == 0) {
      counters.recoveryWaits++;
    }
    waits++;
    return true;
  }

  /** Counts a request that is refused after its last wait, and says why. */
  OriginFailure refuse() {
    counters.hit(LimitKey.RECOVERY_FETCHES);
    return new OriginFailure(
        OriginFailure.Kind.OVERLOADED,
        "the index is being rebuilt, and the limit on requests to the origin is reached");
  }

  /** The origin is not asked any more. */
  void end() {
    if (isTaken) {
      isTaken = false;
      places.end();
    }
  }
}
