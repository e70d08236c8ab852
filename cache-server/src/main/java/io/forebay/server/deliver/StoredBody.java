package io.forebay.server.deliver;

import io.forebay.storage.StoreLane;

/** The slices of a stored object. */
public final class StoredBody implements BodyBytes {

  private final StoreLane lane;
  private final long objectId;
  private final int sliceBytes;

  private int region;
  private int offset;

  public StoredBody(StoreLane lane, long objectId, int sliceBytes) {
    this.lane = lane;
    this.objectId = objectId;
    this.sliceBytes = sliceBytes;
  }

  @Override
  public int locate(long position) {
    int within = (int) (position % sliceBytes);
    return switch (lane.findSlice(objectId, (int) (position / sliceBytes))) {
      case HIT -> {
        region = lane.slice().region();
        offset = lane.slice().offset() + within;
        yield lane.slice().length() - within;
      }
      case MISS -> LOST;
      case BUSY -> BUSY;
    };
  }

  /** Which slices of a range are there. */
  public enum Presence {
    ALL,
    INCOMPLETE,
    /** The index was busy: ask again in a moment. */
    BUSY
  }

  /**
   * Whether every slice of the range is there. Asked before the head is sent, since afterwards a
   * missing slice can only break the transfer off (I9).
   */
  public Presence presence(long from, long to) {
    for (long position = from - from % sliceBytes; position < to; position += sliceBytes) {
      int length = locate(position);
      if (length <= 0) {
        return length == BUSY ? Presence.BUSY : Presence.INCOMPLETE;
      }
      lane.unpin(region);
    }
    return Presence.ALL;
  }

  @Override
  public int region() {
    return region;
  }

  @Override
  public int offset() {
    return offset;
  }
}
