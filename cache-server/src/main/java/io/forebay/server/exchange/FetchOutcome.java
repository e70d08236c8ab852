package io.forebay.server.exchange;

import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.storage.object.StoredHead;
import org.jspecify.annotations.Nullable;

/**
 * The results of the fetches for which an exchange has waited, as far as the next lookup needs
 * them: a response just fetched or validated for this request may answer it although it could
 * answer no other. Created by the first fetch.
 *
 * <p>Owner: the loop of the exchange.
 */
final class FetchOutcome {

  /** A head born at or after this was confirmed by the origin for this very exchange. */
  private long confirmedSinceBirth = Long.MAX_VALUE;

  /** Whether it was a fetch of this exchange that had it confirmed. */
  private boolean isConfirmedOwn;

  /** What was confirmed; its head may have been written anew since. */
  private long confirmedObjectId;

  /** A head born at or after this is what was fetched for this very exchange, or beside it. */
  private long fetchedSinceBirth = Long.MAX_VALUE;

  /** Whether it was this exchange that had it fetched. */
  private boolean isFetchOwn;

  /** Validators of a stale object were tried and what they confirmed is gone: fetch it whole. */
  private boolean isPlainFetchNeeded;

  /** What the origin sends by range is of no use to the store. */
  private boolean isWholeFetchNeeded;

  /** The origin failed, so stale may do where the rules allow it. */
  private @Nullable OriginFailure originFailure;

  void confirmed(long birth, boolean isOwn, long objectId) {
    confirmedSinceBirth = birth;
    isConfirmedOwn = isOwn;
    confirmedObjectId = objectId;
  }

  void fetched(long birth, boolean isOwn) {
    fetchedSinceBirth = birth;
    isFetchOwn = isOwn;
  }

  void vanished() {
    isPlainFetchNeeded = true;
  }

  boolean isPlainFetchNeeded() {
    return isPlainFetchNeeded;
  }

  void rangeUnsuited() {
    isWholeFetchNeeded = true;
  }

  boolean isWholeFetchNeeded() {
    return isWholeFetchNeeded;
  }

  void failed(OriginFailure failure) {
    originFailure = failure;
  }

  @Nullable OriginFailure originFailure() {
    return originFailure;
  }

  /** As what a stored object answers the request; null if it has to be good enough by itself. */
  @Nullable CacheResult resultOf(
      StoredHead head, StoredMeta meta, ClientRequest request, long now) {
    if (head.softPurged() && request.arrivalPurgeSequence() > head.birth()) {
      // A soft purge that this request came after and the head did not: confirmed, but too early.
      return null;
    }
    // The object that has replaced it meanwhile was fetched for another request.
    boolean isOwn = isConfirmedOwn && head.objectId() == confirmedObjectId;
    if (head.birth() >= confirmedSinceBirth && (isOwn || !Sharing.isNeverFresh(meta))) {
      return CacheResult.REVALIDATED;
    }
    // The request that caused the fetch may use it in any case, others only if it is reusable.
    boolean isUsable =
        head.birth() >= fetchedSinceBirth
            && (isFetchOwn
                || Decider.decide(request.view(), request.route(), meta, head.softPurged(), now)
                    instanceof Decision.Serve);
    if (!isUsable) {
      return null;
    }
    return isFetchOwn ? CacheResult.MISS : CacheResult.JOINED;
  }
}
