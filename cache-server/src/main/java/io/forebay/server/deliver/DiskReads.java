package io.forebay.server.deliver;

import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.disk.HeldRecord;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.transit.TransitBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Slices that were read from a disk for one response and are not in the memory tier: the one that
 * is being sent, and those read ahead of it. They are held until they have been sent or the
 * response is over, and for no longer than two ticks without a use: a client that stalls has them
 * read anew.
 *
 * <p>Owner: the loop of the exchange.
 */
public final class DiskReads {

  /** Who owns the reads of a response; they are made at the first look that needs the disk. */
  public interface Owner {

    DiskReads diskReads();

    /** The same; null if none have been made. */
    @Nullable DiskReads diskReadsIfAny();
  }

  /** What became of a slice that was asked for. */
  enum Asked {
    /** It is held now. */
    HELD,
    /** It is being read; the waiter is told. */
    COMING,
    /** The disk does not accept the read. */
    REFUSED
  }

  private record Held(long objectId, int slice, TransitBuffer bytes) {}

  private final StoreLane lane;
  private final Executor loop;
  private final Leases leases;
  private final List<Held> held = new ArrayList<>(2);

  /**
   * What has been asked for and has not been told yet: it may be read by now, and wait for its turn
   * on the loop. Asking the disk again would read it again.
   */
  private final List<Waiter> coming = new ArrayList<>(2);

  private int usedAtTick;

  /** Whether {@link Leases} looks at this at each tick. */
  private boolean isWatched;

  /** From then on nothing is held: reads that complete later are released. */
  private boolean isOver;

  public DiskReads(StoreLane lane, Executor loop, Leases leases) {
    this.lane = lane;
    this.loop = loop;
    this.leases = leases;
  }

  private void hold(long objectId, int slice, TransitBuffer bytes) {
    held.add(new Held(objectId, slice, bytes));
    usedAtTick = leases.tick();
    if (!isWatched) {
      isWatched = true;
      leases.watch(this);
    }
  }

  /** Gives back what was not used since the last tick but one; false when nothing is held. */
  boolean onTick(int tick) {
    if (tick - usedAtTick >= 2) {
      giveBack();
    }
    isWatched = !held.isEmpty();
    return isWatched;
  }

  /** A slice that is held, or null. */
  @Nullable TransitBuffer find(long objectId, int slice) {
    for (Held one : held) {
      if (one.slice == slice && one.objectId == objectId) {
        usedAtTick = leases.tick();
        return one.bytes;
      }
    }
    return null;
  }

  /**
   * Asks for a slice; what is COMING is read from the end of this turn on.
   *
   * @param place where it lies; null: where the lane has just found it on a disk
   * @param onRead run on the loop after COMING; another look tells what there is
   */
  Asked ask(long objectId, int slice, @Nullable HeldRecord place, Runnable onRead) {
    Waiter earlier = coming(objectId, slice);
    if (earlier != null) {
      earlier.tell(onRead);
      return Asked.COMING;
    }
    TransitBuffer cached = place == null ? lane.readCached() : place.readCached();
    if (cached != null) {
      hold(objectId, slice, cached);
      return Asked.HELD;
    }
    Waiter waiter = new Waiter(objectId, slice, place);
    waiter.tell(onRead);
    return read(waiter) ? Asked.COMING : Asked.REFUSED;
  }

  private @Nullable Waiter coming(long objectId, int slice) {
    for (Waiter one : coming) {
      if (one.slice == slice && one.objectId == objectId) {
        return one;
      }
    }
    return null;
  }

  private boolean read(Waiter waiter) {
    HeldRecord place = waiter.place;
    boolean isQueued = place == null ? lane.queueRead(waiter) : place.read(waiter);
    if (isQueued) {
      coming.add(waiter);
      leases.startReads(loop);
    }
    return isQueued;
  }

  /** The same ahead of need: false where the disk has enough to do. */
  boolean askAhead(long objectId, int slice, @Nullable HeldRecord place) {
    if (coming(objectId, slice) != null) {
      return true;
    }
    boolean mayRead = place == null ? lane.mayReadAhead() : place.mayReadAhead();
    return mayRead && read(new Waiter(objectId, slice, place));
  }

  /** Gives back all slices but those of a window. */
  void keepOnly(long objectId, int first, int last) {
    for (int n = held.size() - 1; n >= 0; n--) {
      Held one = held.get(n);
      if (one.objectId != objectId || one.slice < first || one.slice > last) {
        held.remove(n).bytes.release();
      }
    }
  }

  /** The response is over: gives all slices back, and those that are being read when they come. */
  public void end() {
    isOver = true;
    giveBack();
  }

  private void giveBack() {
    for (Held one : held) {
      one.bytes.release();
    }
    held.clear();
  }

  private void onRead(Waiter waiter, @Nullable TransitBuffer read) {
    coming.remove(waiter);
    HeldRecord place = waiter.place;
    if (read == null && place != null) {
      // It may be in memory by now; only the index tells.
      place.lost();
    }
    if (read != null) {
      if (!isOver && find(waiter.objectId, waiter.slice) == null) {
        hold(waiter.objectId, waiter.slice, read);
      } else {
        read.release();
      }
    }
    waiter.told.forEach(Runnable::run);
  }

  /** One slice that is being read. */
  private final class Waiter implements DiskWaiter {
    private final long objectId;
    private final int slice;
    private final @Nullable HeldRecord place;

    /** Nobody as long as it is merely read ahead. */
    private final List<Runnable> told = new ArrayList<>(0);

    Waiter(long objectId, int slice, @Nullable HeldRecord place) {
      this.objectId = objectId;
      this.slice = slice;
      this.place = place;
    }

    void tell(Runnable onRead) {
      if (!told.contains(onRead)) {
        told.add(onRead);
      }
    }

    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer read) {
      loop.execute(() -> DiskReads.this.onRead(this, read));
    }
  }
}
