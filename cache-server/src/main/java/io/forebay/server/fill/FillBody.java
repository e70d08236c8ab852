package io.forebay.server.fill;

import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.ObjectWriter;
import io.forebay.storage.StoreLane;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The body of a fill in progress, as one follower's loop reads it up to the watermark. A follower
 * that is so far behind that the bytes are no longer where they were written reads what the store
 * has made of them.
 */
final class FillBody implements BodyBytes {

  private final Fill fill;
  private final ObjectWriter writer;
  private final LoopContext own;
  private final StoreLane lane;
  private final Supplier<BodyBytes> whatIsStored;
  private @Nullable BodyBytes stored;
  private Runnable onArrival = () -> {};

  /** Where the byte lies that was found last: as lookups find it, or as the fill wrote it. */
  private boolean isInStore;

  /** The store has been asked for bytes and tells when they are there. */
  private boolean isAwaited;

  FillBody(Fill fill, ObjectWriter writer, LoopContext own, Supplier<BodyBytes> whatIsStored) {
    this.fill = fill;
    this.writer = writer;
    this.own = own;
    this.lane = own.lane();
    this.whatIsStored = whatIsStored;
  }

  @Override
  public int locate(long position) {
    fill.onFollowerAdvanced(own);
    if (position >= writer.watermark() || isAwaited) {
      return NOT_YET;
    }
    isInStore = false;
    if (writer.locate(lane, position)) {
      return lane.slice().length();
    }
    if (position >= writer.releasedBytes() && !fill.isInstalled()) {
      return LOST;
    }
    // Its slices may have moved since; lookups find them where they are now.
    isInStore = true;
    int length = slices().locate(position);
    isAwaited = length == NOT_YET;
    return length;
  }

  private BodyBytes slices() {
    BodyBytes slices = stored;
    if (slices == null) {
      slices = whatIsStored.get();
      slices.onArrival(this::onStoredArrival);
      stored = slices;
    }
    return slices;
  }

  private void onStoredArrival() {
    isAwaited = false;
    onArrival.run();
  }

  @Override
  public void onArrival(Runnable told) {
    onArrival = told;
  }

  @Override
  public int region() {
    return isInStore ? slices().region() : lane.slice().region();
  }

  @Override
  public int offset() {
    return isInStore ? slices().offset() : lane.slice().offset();
  }
}
