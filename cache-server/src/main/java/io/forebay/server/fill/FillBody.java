package io.forebay.server.fill;

import io.forebay.server.deliver.BodyBytes;
import io.forebay.storage.ObjectWriter;
import io.forebay.storage.StoreLane;

/** The body of a fill in progress, as one follower's loop reads it up to the watermark. */
final class FillBody implements BodyBytes {

  private final ObjectWriter writer;
  private final StoreLane lane;

  FillBody(ObjectWriter writer, StoreLane lane) {
    this.writer = writer;
    this.lane = lane;
  }

  @Override
  public int locate(long position) {
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
