package io.forebay.server.fill;

import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.ObjectWriter;
import io.forebay.storage.StoreLane;

/** The body of a fill in progress, as one follower's loop reads it up to the watermark. */
final class FillBody implements BodyBytes {

  private final Fill fill;
  private final ObjectWriter writer;
  private final LoopContext own;
  private final StoreLane lane;

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
    return writer.locate(lane, position) ? lane.slice().length() : LOST;
  }

  @Override
  public int region() {
    return lane.slice().region();
  }

  @Override
  public int offset() {
    return lane.slice().offset();
  }
}
