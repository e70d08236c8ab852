package io.forebay.storage.lane;

import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceRun;

/**
 * Writes slices that a stored object lacks. There is no head to write: each slice becomes a slice
 * of the object as soon as it is whole, if the object's key still names that object then, and else
 * never (I2). Whatever ends the run early, its whole slices stay.
 */
final class SliceRunWriter extends SlicesWriter {

  SliceRunWriter(StoreState core, StoreLane lane, SliceRun run) {
    super(core, lane, run.spec(), run.objectId(), false, run.firstSlice());
  }

  @Override
  InstallOutcome index(int slice) {
    return switch (lane.lookup.names(spec.hi(), spec.lo(), objectId)) {
      case HIT -> indexed(slice, install(slice));
      case BUSY -> InstallOutcome.BUSY;
      default -> InstallOutcome.GONE;
    };
  }

  @Override
  boolean commitHead() {
    return true;
  }

  @Override
  InstallOutcome complete() {
    sealTail();
    return indexAll();
  }

  /** What the run has brought stays the object's, unless more came than the object lacks. */
  @Override
  void discard() {
    if (hasFailed()) {
      discardSlices();
    }
  }
}
