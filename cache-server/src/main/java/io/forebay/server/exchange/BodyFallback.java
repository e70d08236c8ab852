package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.DiskReads;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.FillContext;
import io.forebay.server.http.AbortCause;
import io.forebay.server.response.ResponsePlan;
import io.forebay.storage.object.StoredHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects another source for the bytes of a response that are not, or no longer, in the store:
 * missing slices ({@link PartialBody}), or else the remainder by range request ({@link
 * RemainderFetch}). Created only for bodies that are longer than a chunk, incomplete, or being
 * fetched.
 *
 * <p>Owner: the loop of the exchange.
 */
final class BodyFallback {

  /** Asks the origin for bytes of the body, in the exchange's name. */
  interface Fetches {

    /** No fill is followed any more; what is being sent goes on without. */
    void leaveFill();

    /**
     * A body that has what it lacks fetched by slice.
     *
     * @param isRest whether the response had begun without this
     */
    PartialBody slices(
        long objectId,
        int sliceBytes,
        BodyRemainder validator,
        List<Satisfiable> wanted,
        boolean isRest);

    /** Sends the bytes from {@code from} up to {@code to}, exclusive, past the store. */
    void sendRest(BodyRemainder rest, long from, long to);
  }

  private final FillContext loop;
  private final Fetches fetches;
  private final DiskReads.Owner reads;

  /** Made where a stored object lacks slices. */
  private @Nullable PartialBody parts;

  /** Whose slices are kept while they are sent, for a body that cannot be completed. */
  private @Nullable StoredBody kept;

  /** How what is sent could be gone on with if its bytes leave memory; null: not at all. */
  private @Nullable BodyRemainder rest;

  // Of the object that is sent, for the same purpose.
  private List<Satisfiable> restParts = List.of();
  private long restObjectId;
  private int restSliceBytes;

  BodyFallback(FillContext loop, Fetches fetches, DiskReads.Owner reads) {
    this.reads = reads;
    this.loop = loop;
    this.fetches = fetches;
  }

  // --- before the head --------------------------------------------------------------------------

  /** What serves a stored object that lacks slices. */
  PartialBody beginParts(StoredHead head, BodyRemainder validator, ResponsePlan plan) {
    PartialBody known = knownParts(head.objectId());
    if (known == null) {
      known = fetches.slices(head.objectId(), head.sliceBytes(), validator, plan.wanted(), false);
      parts = known;
    }
    return known;
  }

  /** What fetches slices of an object, if it has been begun with. */
  @Nullable PartialBody knownParts(long objectId) {
    PartialBody known = parts;
    if (known != null && !known.isOf(objectId)) {
      leaveParts();
      return null;
    }
    return known;
  }

  void leaveParts() {
    release();
    PartialBody leaving = parts;
    if (leaving != null) {
      parts = null;
      leaving.leave();
    }
  }

  /** Slices of a body that cannot be completed stay until the response is over (I9). */
  void keeps(StoredBody body) {
    release();
    kept = body;
  }

  private void release() {
    StoredBody body = kept;
    if (body != null) {
      kept = null;
      body.release();
    }
  }

  /** Why bytes that were to be sent are lost. */
  AbortCause causeOfLoss() {
    return parts == null ? AbortCause.STORAGE_LOST : parts.causeOfLoss();
  }

  // --- behind it --------------------------------------------------------------------------------

  /** If stored bytes of the body are lost from now on, the rest may be fetched so; null: not. */
  void mayFetchRest(
      @Nullable BodyRemainder fetchable, ResponsePlan plan, long objectId, int sliceBytes) {
    rest = fetchable;
    restParts = plan.parts();
    restObjectId = objectId;
    restSliceBytes = sliceBytes;
  }

  /**
   * The bytes of the object that is sent as the store has them and, where it may be, the origin.
   *
   * @param to end of what is wanted, exclusive; {@link Long#MAX_VALUE} while that is not known
   * @param isRest whether what is missing has been there
   */
  BodyBytes storedBytes(long to, boolean isRest) {
    PartialBody known = parts;
    if (known != null) {
      return known;
    }
    BodyRemainder fetchable = restTo(to);
    if (fetchable == null
        || restSliceBytes != loop.store().sliceBytes()
        || fetchable.totalLength() <= loop.store().inlineBytes()) {
      return stored(restObjectId, restSliceBytes);
    }
    known =
        fetches.slices(
            restObjectId,
            restSliceBytes,
            fetchable,
            restParts.isEmpty()
                ? List.of(new Satisfiable(0, Math.min(to, fetchable.totalLength()) - 1))
                : restParts,
            isRest);
    parts = known;
    return known;
  }

  /** The slices of an object as the store has them. */
  StoredBody stored(long objectId, int sliceBytes) {
    return new StoredBody(loop.lane(), loop.eventLoop(), objectId, sliceBytes, reads);
  }

  private @Nullable BodyRemainder restTo(long to) {
    BodyRemainder fetchable = rest;
    if (fetchable == null || fetchable.totalLength() >= 0) {
      return fetchable;
    }
    // A range is cut out of a body of known length only: else what is wanted is the whole.
    return to == Long.MAX_VALUE ? null : fetchable.withTotalLength(to);
  }

  /** The source, by slice, of lost bytes up to a position; null if there is none. */
  @Nullable BodyBytes elsewhere(long to) {
    if (restTo(to) == null || to == Long.MAX_VALUE || parts != null) {
      return null;
    }
    fetches.leaveFill();
    return storedBytes(to, true) instanceof PartialBody begun ? begun : null;
  }

  /** Loads are refused: the same, unless slices are what the origin is asked for already. */
  boolean fetchRefused(long from, long to) {
    BodyRemainder fetchable = restTo(to);
    if (fetchable == null || to == Long.MAX_VALUE) {
      return false;
    }
    fetches.leaveFill();
    leaveParts();
    fetches.sendRest(fetchable, from, to);
    return true;
  }

  /** The same without the store; false if that can't be. */
  boolean fetchRest(long from, long to) {
    BodyRemainder fetchable = restTo(to);
    PartialBody tried = parts;
    if (fetchable == null || to == Long.MAX_VALUE || (tried != null && !tried.isUnstored())) {
      return false;
    }
    fetches.leaveFill();
    leaveParts();
    fetches.sendRest(fetchable, from, to);
    return true;
  }
}
