package io.forebay.server.deliver;

import io.forebay.storage.StoreLane;
import java.util.concurrent.Executor;

/**
 * The slices of a stored object. One that is on a disk is brought into memory first, and while they
 * come from there the next ones are asked for ahead of need.
 */
public final class StoredBody implements BodyBytes {

  /** Slices that are asked for beyond the one that is wanted. */
  private static final int AHEAD = 2;

  private final StoreLane lane;
  private final Executor loop;
  private final long objectId;
  private final int sliceBytes;

  private Runnable onLoaded = StoredBody::tellNobody;
  private int region;
  private int offset;

  /** Slices below this one have been asked for ahead; 0 as long as all were in memory. */
  private int askedFor;

  public StoredBody(StoreLane lane, Executor loop, long objectId, int sliceBytes) {
    this.lane = lane;
    this.loop = loop;
    this.objectId = objectId;
    this.sliceBytes = sliceBytes;
  }

  @Override
  public void onArrival(Runnable told) {
    onLoaded = told;
  }

  @Override
  public int locate(long position) {
    int slice = (int) (position / sliceBytes);
    int within = (int) (position % sliceBytes);
    return switch (lane.findSlice(objectId, slice)) {
      case HIT -> {
        region = lane.slice().region();
        offset = lane.slice().offset() + within;
        int length = lane.slice().length() - within;
        if (askedFor > 0) {
          askAhead(slice);
        }
        yield length;
      }
      case ON_DISK -> {
        if (!lane.load(() -> loop.execute(onLoaded))) {
          yield LOST;
        }
        askedFor = Math.max(askedFor, slice + 1);
        askAhead(slice);
        yield NOT_YET;
      }
      case MISS -> LOST;
      case BUSY -> BUSY;
    };
  }

  private static void tellNobody() {}

  private void askAhead(int slice) {
    while (askedFor <= slice + AHEAD) {
      StoreLane.Found found = lane.findSlice(objectId, askedFor);
      if (found == StoreLane.Found.HIT) {
        lane.unpin(lane.slice().region());
      } else if (found != StoreLane.Found.ON_DISK || !lane.load(StoredBody::tellNobody)) {
        // The end of the body, or not now.
        return;
      }
      askedFor++;
    }
  }

  /** Which slices of a range are there. */
  public enum Presence {
    ALL,
    INCOMPLETE,
    /** The index was busy: ask again in a moment. */
    BUSY
  }

  /**
   * Whether every slice of the range is there, in memory or on a disk. Asked before the head is
   * sent, since afterwards a missing slice can only break the transfer off (I9).
   */
  public Presence presence(long from, long to) {
    for (long position = from - from % sliceBytes; position < to; position += sliceBytes) {
      switch (lane.findSlice(objectId, (int) (position / sliceBytes))) {
        case HIT -> lane.unpin(lane.slice().region());
        case ON_DISK -> {}
        case MISS -> {
          return Presence.INCOMPLETE;
        }
        case BUSY -> {
          return Presence.BUSY;
        }
      }
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
