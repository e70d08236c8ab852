package io.forebay.server.fill;

import io.forebay.core.policy.BodyRemainder;

/**
 * Stores the head of an object from a partial response (RFC 9110 §15.3.7); its slices are written
 * as a run of slices.
 */
sealed interface PartialHead {

  /** It is stored. */
  record Stored(FillHead head, PartialObject object) implements PartialHead {}

  /** What else is missing of the body could not be told to be of the same. */
  record Unsuited() implements PartialHead {}

  /** It is no longer stored, if it was: a purge came, or another write was faster. */
  record Overtaken() implements PartialHead {}

  record NoRoom() implements PartialHead {}

  /** Stores it; the outcome is recorded before a request can find it through the fill. */
  static PartialHead store(
      FillContext loop,
      FillRequest order,
      ReceivedHead whole,
      long birth,
      FillOutcomeRecorder outcomeRecorder) {
    // A marker on its way from a disk will be there when the whole is asked for.
    if ((StorableHead.isMarkerOnDisk(loop, order, whole) && loop.lane().load(() -> {}))
        || !(StorableHead.of(loop, order, whole, birth) instanceof StorableHead.Made made)) {
      return new Unsuited();
    }
    BodyRemainder rest = made.rest(loop, order);
    if (rest == null) {
      return new Unsuited();
    }
    return switch (loop.lane().putHead(made.spec())) {
      case INSTALLED -> {
        made.writeMarkers(loop, order, birth);
        outcomeRecorder.storable(made);
        yield new Stored(
            made.head(),
            new PartialObject(
                made.spec().hi(),
                made.spec().lo(),
                loop.lane().partialObjectId(),
                loop.store().sliceBytes(),
                rest,
                made.spec().storageClass()));
      }
      case PURGED, OLDER, GONE, INCOMPLETE -> new Overtaken();
      case NO_SPACE, BUSY -> new NoRoom();
    };
  }
}
