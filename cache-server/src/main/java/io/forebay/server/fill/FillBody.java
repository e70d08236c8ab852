package io.forebay.server.fill;

import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.ObjectWriter;
import io.forebay.storage.StoreLane;
import org.jspecify.annotations.Nullable;

/**
 * The body of a fill in progress, as one follower's loop reads it up to the watermark. A follower
 * that is still behind when the fill is long over reads what the store has made of it.
 */
final class FillBody implements BodyBytes {

  private final Fill fill;
  private final ObjectWriter writer;
  private final LoopContext own;
  private final StoreLane lane;
  private @Nullable StoredBody stored;
  private Runnable onArrival = () -> {};

  FillBody(Fill fill, ObjectWriter writer, LoopContext own) {
    this.fill = fill;
    this.writer = writer;
    this.own = own;
    this.lane = own.lane();
  }

  @Override
  public int locate(long position) {
    fill.onFollowerAdvanced(own);
    if (position >= writer.watermark()) {
      return NOT_YET;
    }
    StoredBody slices = stored;
    if (slices == null) {
      if (writer.locate(lane, position)) {
        return lane.slice().length();
      }
      if (!fill.isInstalled()) {
        return LOST;
      }
      // Its slices may have moved since; lookups find them where they are now.
      slices = new StoredBody(lane, own.eventLoop(), writer.objectId(), own.store().sliceBytes());
      slices.onArrival(onArrival);
      stored = slices;
    }
    return slices.locate(position);
  }

  @Override
  public void onArrival(Runnable told) {
    onArrival = told;
  }

  @Override
  public int region() {
    StoredBody slices = stored;
    return slices == null ? lane.slice().region() : slices.region();
  }

  @Override
  public int offset() {
    StoredBody slices = stored;
    return slices == null ? lane.slice().offset() : slices.offset();
  }
}
