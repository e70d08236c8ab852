package io.forebay.server.deliver;

import static java.util.Objects.requireNonNull;

import io.forebay.server.http.LeaseHolder;
import io.forebay.storage.disk.HeldRecord;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.transit.TransitBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reads the slices of a stored object from the memory tier or a disk. What page cache holds of a
 * disk is read at once; the threads of the disk read other slices, and the next ones ahead.
 */
public final class StoredBody implements BodyBytes {

  /** Slices are asked for by so many bytes at a time, which a disk reads in one go. */
  private static final int READ_BYTES = 1 << 20;

  /** A response depends on so many slices at most: looking for them takes the loop's time. */
  private static final int MAX_KEPT_SLICES = 4_096;

  private final StoreLane lane;
  private final Executor loop;
  private final long objectId;
  private final int sliceBytes;
  private final DiskReads.Owner owner;
  private @Nullable DiskReads reads;

  private Runnable onLoaded = StoredBody::ignoreLoaded;

  // What was located last: bytes of a region, or of a slice that was read.
  private int region;
  private int offset;
  private @Nullable TransitBuffer located;

  /** How many slices are asked for at a time. */
  private final int slicesPerRead;

  /** Slices below this one have been asked for ahead; 0 as long as all were in memory. */
  private int askedFor;

  /** Slices that are pinned until {@link #release}, whatever the index says of them by now. */
  private final List<Kept> kept = new ArrayList<>(1);

  private record Kept(int slice, int region, int offset, int length, boolean isLong) {}

  /** Slices whose places on a disk are held until {@link #release}; null until there is one. */
  private @Nullable IntObjectHashMap<HeldRecord> heldOnDisk;

  /**
   * The slices of an object.
   *
   * @param owner holds what is read from a disk until the response is over
   */
  public StoredBody(
      StoreLane lane, Executor loop, long objectId, int sliceBytes, DiskReads.Owner owner) {
    this.owner = owner;
    this.reads = owner.diskReadsIfAny();
    this.lane = lane;
    this.loop = loop;
    this.objectId = objectId;
    this.sliceBytes = sliceBytes;
    this.slicesPerRead = Math.max(1, READ_BYTES / sliceBytes);
  }

  @Override
  public void onArrival(Runnable told) {
    onLoaded = told;
  }

  @Override
  public int locate(long position) {
    int slice = (int) (position / sliceBytes);
    int within = (int) (position % sliceBytes);
    located = null;
    Kept one = kept.isEmpty() ? null : keptAt(slice);
    if (one != null) {
      // The caller's own pin, beside ours.
      lane.pin(one.region());
      region = one.region();
      offset = one.offset() + within;
      return one.length() - within;
    }
    TransitBuffer read = reads == null ? null : reads.find(objectId, slice);
    if (read != null) {
      if (askedFor > 0) {
        readAhead(slice);
      }
      return located(read, within);
    }
    HeldRecord place = placeOf(slice);
    if (place != null) {
      return ask(slice, within, place);
    }
    return switch (lane.findSlice(objectId, slice)) {
      case HIT -> {
        region = lane.slice().region();
        offset = lane.slice().offset() + within;
        int length = lane.slice().length() - within;
        if (askedFor > 0) {
          readAhead(slice);
        }
        yield length;
      }
      case ON_DISK -> ask(slice, within, null);
      case MISS -> LOST;
      case BUSY -> BUSY;
    };
  }

  private int ask(int slice, int within, @Nullable HeldRecord place) {
    DiskReads from = owner.diskReads();
    reads = from;
    from.keepOnly(objectId, slice, slice + window());
    return switch (from.ask(objectId, slice, place, onLoaded)) {
      case HELD -> located(requireNonNull(from.find(objectId, slice)), within);
      case COMING -> {
        askedFor = Math.max(askedFor, slice + 1);
        askAhead(from, slice + Math.max(2, slicesPerRead));
        yield NOT_YET;
      }
      case REFUSED -> REFUSED;
    };
  }

  /** Where a slice is held on a disk, if it still is there. */
  private @Nullable HeldRecord placeOf(int slice) {
    HeldRecord place = heldOnDisk == null ? null : heldOnDisk.get(slice);
    return place != null && place.isReadable() ? place : null;
  }

  private int located(TransitBuffer read, int within) {
    located = read;
    offset = read.bodyOffset() + within;
    return read.bodyLength() - within;
  }

  @Override
  public ByteBuf take(Leases leases, int lengthBytes, LeaseHolder holder) {
    TransitBuffer read = located;
    return read == null
        ? leases.take(region, offset, lengthBytes, holder)
        : leases.take(read, offset, lengthBytes, holder);
  }

  /** How many slices are held or asked for behind the one that is sent. */
  private int window() {
    return slicesPerRead + slicesPerRead / 2;
  }

  private @Nullable Kept keptAt(int slice) {
    // Of one range they follow each other.
    int guess = slice - kept.getFirst().slice();
    if (guess >= 0 && guess < kept.size() && kept.get(guess).slice() == slice) {
      return kept.get(guess);
    }
    for (Kept one : kept) {
      if (one.slice() == slice) {
        return one;
      }
    }
    return null;
  }

  private static void ignoreLoaded() {}

  private void readAhead(int slice) {
    DiskReads from = reads;
    if (from == null) {
      return;
    }
    from.keepOnly(objectId, slice, slice + window());
    askedFor = Math.max(askedFor, slice + 1);
    // As long as half of what was read in one go is still to be sent there is time.
    if (askedFor <= slice + Math.max(1, slicesPerRead / 2)) {
      askAhead(from, askedFor + slicesPerRead);
    }
  }

  private void askAhead(DiskReads from, int end) {
    while (askedFor < end) {
      HeldRecord place = placeOf(askedFor);
      if (place != null) {
        if (!from.askAhead(objectId, askedFor, place)) {
          return;
        }
        askedFor++;
        continue;
      }
      StoreLane.Found found = lane.findSlice(objectId, askedFor);
      if (found == StoreLane.Found.HIT) {
        lane.unpin(lane.slice().region());
      } else if (found != StoreLane.Found.ON_DISK || !from.askAhead(objectId, askedFor, null)) {
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

  /** Whether slices could be pinned. */
  public enum Keeping {
    KEPT,
    /** Some lie on a disk and are being loaded; the waiter is told once all of them are done. */
    LOADING,
    /** The disk does not accept the load. */
    REFUSED,
    /** They, or what is kept already, are too many. */
    TOO_MANY,
    /** One is gone, or the index was busy: look the object up again. */
    GONE
  }

  /**
   * Pins the slice with a position until {@link #release}, which has to come soon, or holds it
   * where it is read from a disk. On any result but KEPT nothing stays pinned.
   *
   * @param onceLoaded run on the loop after LOADING
   */
  public Keeping keepAt(long position, Runnable onceLoaded) {
    int slice = (int) (position / sliceBytes);
    if (reads != null && reads.find(objectId, slice) != null) {
      return Keeping.KEPT;
    }
    return switch (lane.findSlice(objectId, slice)) {
      case HIT -> {
        keep(slice, false);
        yield Keeping.KEPT;
      }
      case ON_DISK -> {
        DiskReads from = owner.diskReads();
        reads = from;
        yield switch (from.ask(objectId, slice, null, onceLoaded)) {
          case HELD -> Keeping.KEPT;
          case COMING -> Keeping.LOADING;
          case REFUSED -> Keeping.REFUSED;
        };
      }
      case MISS, BUSY -> Keeping.GONE;
    };
  }

  private void keep(int slice, boolean isLong) {
    kept.add(
        new Kept(
            slice, lane.slice().region(), lane.slice().offset(), lane.slice().length(), isLong));
  }

  /**
   * Keeps the slices of a range, so that they can be read until {@link #release}: in memory, into
   * which those on a disk are loaded, however long that takes. If memory has no room for so much,
   * those on a disk stay there, and their places are held for as long as its reuse waits; whether
   * they are undamaged is not known then. On any result but KEPT nothing stays pinned, of other
   * ranges neither.
   *
   * @param onceLoaded run on the loop after LOADING
   */
  public Keeping keepAll(long from, long to, Runnable onceLoaded) {
    int first = (int) (from / sliceBytes);
    int end = (int) ((to - 1) / sliceBytes) + 1;
    if (end - first > MAX_KEPT_SLICES) {
      release();
      return Keeping.TOO_MANY;
    }
    // One for ourselves, so that it cannot reach zero before all are asked for.
    AtomicInteger pending = new AtomicInteger(1);
    Runnable onLoad =
        () -> {
          if (pending.decrementAndGet() == 0) {
            loop.execute(onceLoaded);
          }
        };
    boolean isLoading = false;
    for (int slice = first; slice < end; slice++) {
      switch (lane.findSlice(objectId, slice)) {
        case HIT -> {
          int pinned = lane.slice().region();
          if (lane.keep(pinned)) {
            keep(slice, true);
            continue;
          }
          lane.unpin(pinned);
          if (!holdOnDisk(slice)) {
            release();
            return Keeping.TOO_MANY;
          }
        }
        case ON_DISK -> {
          if (to - from > lane.mayKeepBytes()) {
            if (holdOnDisk(slice)) {
              continue;
            }
            release();
            return Keeping.TOO_MANY;
          }
          pending.incrementAndGet();
          if (!lane.load(onLoad)) {
            // Never zero any more: loads in progress notify no one.
            release();
            return Keeping.REFUSED;
          }
          isLoading = true;
        }
        case MISS, BUSY -> {
          release();
          return Keeping.GONE;
        }
      }
    }
    if (isLoading) {
      release();
      onLoad.run();
      return Keeping.LOADING;
    }
    return Keeping.KEPT;
  }

  private boolean holdOnDisk(int slice) {
    HeldRecord place = lane.hold(objectId, slice);
    if (place == null) {
      return false;
    }
    IntObjectHashMap<HeldRecord> places = heldOnDisk;
    if (places == null) {
      places = new IntObjectHashMap<>();
      heldOnDisk = places;
    }
    HeldRecord before = places.put(slice, place);
    if (before != null) {
      before.release();
    }
    return true;
  }

  /** Gives all pins back; what is read from now on is looked up. */
  public void release() {
    IntObjectHashMap<HeldRecord> places = heldOnDisk;
    heldOnDisk = null;
    if (places != null) {
      places.values().forEach(HeldRecord::release);
    }
    for (Kept one : kept) {
      if (one.isLong()) {
        lane.release(one.region());
      }
      lane.unpin(one.region());
    }
    kept.clear();
  }
}
