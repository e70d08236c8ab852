package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.disk.HeldRecord;
import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.SliceRun;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.KeptRegions;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.transit.TransitBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The interface of one event loop to the store. Only that loop's thread uses it, and no method
 * blocks: if something is not available at once, the result is a miss or "busy".
 *
 * <p>A hit leaves one pin on the region that {@link #head} or {@link #slice} names. While it is
 * held the bytes stay as they are; the caller gives it back with {@link #unpin}, exactly once, and
 * soon: a pinned region can't be reused. A head that {@link #findRead} has found in what was read
 * from a disk holds that instead.
 */
public final class StoreLane {
  /** How a lookup ended. */
  public enum Found {
    HIT,
    MISS,
    /** Not in memory but on a disk: {@link #load} brings it in, {@link #read} reads it. */
    ON_DISK,
    /** The index was locked for longer than a loop waits: try again later, or do without. */
    BUSY
  }

  private final StoreState core;
  private final int lane;
  private final RegionPins pins;
  private final KeptRegions kept;
  private final int regionBytes;

  /** Regions of this lane's cell. */
  private final int nearFrom;

  private final int nearCount;
  private final int firstTierEnd;
  private final Purges purges;
  private final SampleRing samples = new SampleRing();
  public final LaneLookup lookup;
  final LaneBirths births;
  public final LaneInstaller installs;

  /** In place of an {@link #installCount}. */
  public static final long UNKNOWN = -1;

  private boolean lacksRoom;

  public StoreLane(StoreState core, int lane, int nearEntries) {
    this.core = core;
    this.lane = lane;
    this.pins = core.pins;
    this.kept = core.regions.kept();
    this.regionBytes = core.regions.regionBytes();
    RegionPart cell = core.space.part(core.space.cellOfLane(lane));
    this.nearFrom = cell.from();
    this.nearCount = cell.count();
    this.firstTierEnd = core.regions.end(0);
    this.purges = core.purges;
    ObjectIndex.Cursor cursor = core.index.nonBlockingCursor();
    this.lookup = new LaneLookup(core, lane, nearEntries, cursor, samples);
    this.births = new LaneBirths(core.births, lane);
    this.installs = new LaneInstaller(core, lane, cursor, lookup, births, samples);
  }

  public int index() {
    return lane;
  }

  /** The cell that this lane writes in. */
  public int cell() {
    return core.space.cellOfLane(lane);
  }

  /** Whether a region is of another cell of the first tier than this lane's. */
  public boolean isOfAnotherCell(int region) {
    // Below the first region, the difference is no small number either.
    return Integer.compareUnsigned(region - nearFrom, nearCount) >= 0 && region < firstTierEnd;
  }

  public SampleRing samples() {
    return samples;
  }

  /** Looks an object or marker up. On a hit, {@link #head} is filled and one pin is taken. */
  public Found find(long hi, long lo, byte[] keyText, int keyTextLength) {
    try {
      return lookup.find(hi, lo, keyText, keyTextLength);
    } catch (InternalError e) {
      return lost(e);
    }
  }

  /**
   * How often heads were installed under keys like this one, or {@link #UNKNOWN} while the index
   * may get keys in other ways. Who reads it before a {@link #find} that ends in a miss, and the
   * same again later, would find nothing then either.
   */
  public long installCount(long lo) {
    return core.isIndexComplete() ? core.installs.of(lo) : UNKNOWN;
  }

  /** A mapped page can't be read: that is a miss, and all that follows is. */
  private Found lost(InternalError e) {
    core.lose(String.valueOf(e.getMessage()));
    return Found.MISS;
  }

  /**
   * Looks up an object that this lane has found recently; callers use {@link #find} for all others.
   * True if {@link #head} is filled and one pin is taken. The access is counted only by a call of
   * {@link #askedFor} before the next lookup.
   */
  public boolean findNear(long hi, long lo, byte[] keyText, int keyTextLength) {
    try {
      return lookup.findNear(hi, lo, keyText, keyTextLength) == Found.HIT;
    } catch (InternalError e) {
      return lost(e) == Found.HIT;
    }
  }

  /** Whether {@link #findNearCopy} may find a copy of the object under a key. */
  public boolean hasNearCopies(long hi, long lo) {
    return lookup.hasNearCopies(hi, lo);
  }

  /**
   * Looks up the copy of an object by the key of the object. True if {@link #findNear} would find
   * both at this moment, neither has to be looked at for a purge, and they were linked: then {@link
   * #head} is that of the copy, not soft, one pin is taken, on its region, and the object counts as
   * asked for. The copy counts by {@link #askedFor}.
   *
   * @param tag as it was linked
   * @param keyText of the object
   * @param suffixLength of what the key text of the copy has behind that of the object
   */
  public boolean findNearCopy(
      long hi, long lo, long tag, byte[] keyText, int keyTextLength, int suffixLength) {
    try {
      return lookup.findNearCopy(hi, lo, tag, keyText, keyTextLength, suffixLength);
    } catch (InternalError e) {
      return lost(e) == Found.HIT;
    }
  }

  /**
   * What lies under the second key is a copy of what lies under the first: this lane has just found
   * both by {@link #findNear}, and the caller has compared them. It stays so as long as the two
   * records are there.
   *
   * @param tag which copy it is: any number by which the caller tells them apart, and which key
   *     text it has
   */
  public void linkNearCopy(long hi, long lo, long tag, long copyHi, long copyLo) {
    lookup.linkNearCopy(hi, lo, tag, copyHi, copyLo);
  }

  /** What {@link #findNear} has found is the answer. */
  public void askedFor() {
    lookup.askedFor();
  }

  /**
   * Looks a head up that another one lists, in memory only, and without counting it as asked for.
   * On a hit, {@link #head} is filled and one pin is taken; {@link #keyText} is for the caller to
   * judge.
   */
  public Found findListed(long hi, long lo) {
    return lookup.findListed(hi, lo);
  }

  /** The key of the head found last, while it is pinned. */
  public byte[] keyText() {
    return lookup.keyText();
  }

  /** What purges may match of an object that was found and is held. */
  public long[] scopes(StoredHead found) {
    return lookup.scopes(found);
  }

  /**
   * After {@link Found#ON_DISK}: brings the record into memory. The waiter is told, on some other
   * thread, when it is there or can't be had; looking it up again tells which. False if too much is
   * asked of the disk already: then it counts as a miss.
   */
  public boolean load(Runnable waiter) {
    return lookup.read(DiskWaiter.inMemory(waiter));
  }

  /**
   * After {@link Found#ON_DISK}: has the record read for a waiter that can use it in a transit
   * buffer. Heads without their body come into memory all the same, and so does what is read again.
   * False if too much is asked of the disk already.
   */
  public boolean read(DiskWaiter waiter) {
    return lookup.read(waiter);
  }

  /**
   * The same for one of several records: the disk reads those that lie one behind the other in one
   * go, from {@link #startReads} on.
   */
  public boolean queueRead(DiskWaiter waiter) {
    return lookup.queue(waiter);
  }

  /** Has what was queued read; to be called once the last one is. */
  public void startReads() {
    lookup.startReads();
  }

  /**
   * After {@link Found#ON_DISK}: the record of a slice, or of a head with its body, if page cache
   * has it, without waiting. The caller holds it once; null if it has to be {@link #read}.
   */
  public @Nullable TransitBuffer readCached() {
    return lookup.readCached();
  }

  /**
   * After {@link Found#ON_DISK} of a head: looks for it in what was read since, which may be more
   * than one reader's. This asks the purges and the index once more, so whenever the read began,
   * the answer is that of now. On a hit, {@link #head} is filled and holds the bytes once more.
   *
   * @param read held by the caller
   * @return ON_DISK if the index names another record by now
   */
  public Found findRead(TransitBuffer read, byte[] keyText, int keyTextLength) {
    try {
      return lookup.findRead(read, keyText, keyTextLength);
    } catch (InternalError e) {
      return lost(e);
    }
  }

  /**
   * The copy of a slice on a disk, wherever else the slice is: its region is not reused for a
   * while. Null if there is none, or it cannot be held. To be released by this lane.
   */
  public @Nullable HeldRecord hold(long objectId, int sliceIndex) {
    return lookup.hold(objectId, sliceIndex);
  }

  /** Whether the disk that the last look found something on has time for what nobody waits for. */
  public boolean mayReadAhead() {
    return lookup.mayReadAhead();
  }

  /** What the last hit found. */
  public StoredHead head() {
    return lookup.head();
  }

  /**
   * Looks a slice up that a head just found names. On a hit, {@link #slice} is filled and one pin
   * is held.
   */
  public Found findSlice(long objectId, int sliceIndex) {
    try {
      return lookup.findSlice(objectId, sliceIndex);
    } catch (InternalError e) {
      return lost(e);
    }
  }

  /** Where the last {@link #findSlice} or {@link ObjectWriter#locate} found bytes. */
  public SliceLocation slice() {
    return lookup.slice();
  }

  /** One more pin on a region that this lane has pinned already. */
  public void pin(int region) {
    if (pins.count(lane, region) <= 0) {
      throw new IllegalStateException("region " + region + " is not pinned by lane " + lane);
    }
    pins.pin(lane, region);
  }

  /**
   * Keeps a region that this lane has pinned from being reclaimed until {@link #release}, so that a
   * long delivery may depend on it.
   *
   * @return false where so many are kept already that this one may not be
   */
  public boolean keep(int region) {
    return kept.keep(region);
  }

  public void release(int region) {
    kept.release(region);
  }

  /** Bytes that could be kept at most, if they lay close together. */
  public long mayKeepBytes() {
    return (long) kept.limit() * regionBytes;
  }

  public void unpin(int region) {
    pins.unpin(lane, region);
  }

  /** Gives back what a find has taken for a head, wherever that lies. */
  public void unpin(StoredHead found) {
    lookup.unpin(found);
  }

  /**
   * Begins an object that is kept only as a whole. Null if it may not be stored: no space, too
   * large, or born before what purges still remember.
   */
  public @Nullable ObjectWriter begin(HeadSpec spec) {
    return begin(spec, false);
  }

  /**
   * Begins an object.
   *
   * @param mayBePartial whether it is useful although it lacks slices; then it is never too large
   */
  public @Nullable ObjectWriter begin(HeadSpec spec, boolean mayBePartial) {
    return begin(spec, mayBePartial, false);
  }

  /**
   * The same for readers who could not have anywhere else what is lost of it: {@link
   * ObjectWriter#retainsUnread}. Null also where as many regions as may be are kept for deliveries.
   */
  public @Nullable ObjectWriter beginRetaining(HeadSpec spec) {
    return begin(spec, false, true);
  }

  private @Nullable ObjectWriter begin(HeadSpec spec, boolean mayBePartial, boolean retainsUnread) {
    lacksRoom = false;
    if (core.isLost()
        || (retainsUnread && core.regions.kept().isFull())
        || !core.fits(core.headLength(spec) + core.inlineBytes)
        || (!mayBePartial && spec.totalLength() > core.unfinishedLimit() + core.disk.bytes())) {
      return null;
    }
    births.add(spec.bodyBirth());
    long objectId = purges.next();
    // What is copied is looked at after it was announced: a purge that matches it is in the table
    // for as long as this is being written, or has killed it already.
    if (objectId >= 0 && core.births.admits(spec.birth()) && isCopyable(spec.copied())) {
      ObjectWriter writer =
          ObjectWriter.begin(
              core,
              this,
              spec.with(spec.totalLength(), Arrays.copyOf(spec.keyText(), spec.keyTextLength())),
              mayBePartial,
              retainsUnread,
              objectId);
      if (writer != null) {
        core.unfinished.add(writer.fill());
        return writer;
      }
    }
    births.remove(spec.bodyBirth());
    return null;
  }

  private boolean isCopyable(HeadSpec.@Nullable Copied source) {
    return source == null || lookup.names(source.hi(), source.lo(), source.objectId()) == Found.HIT;
  }

  /**
   * Begins to write slices that a stored object lacks. Null if there is no space for them, or too
   * much is being written already.
   */
  public @Nullable ObjectWriter beginSlices(SliceRun run) {
    lacksRoom = false;
    if (core.isLost()) {
      return null;
    }
    births.add(run.birth());
    ObjectWriter writer = ObjectWriter.begin(core, this, run);
    if (writer == null) {
      births.remove(run.birth());
    } else {
      core.unfinished.add(writer.fill());
    }
    return writer;
  }

  /**
   * Whether the last {@link #begin} or {@link #beginSlices} failed only because no region was
   * spare, so that it may succeed once the reclaimer has run.
   */
  public boolean lacksRoom() {
    return lacksRoom;
  }

  void lacksRoom(boolean does) {
    lacksRoom = does;
  }

  /** Installs a head without a body, such as a vary marker. */
  public InstallOutcome putMarker(HeadSpec spec) {
    return installs.putSmall(spec, ByteBuffer.allocate(0), InstallUpdate.ANY);
  }

  /** The same, but only in the place of the one of that number: else it is GONE. */
  public InstallOutcome replaceMarker(HeadSpec spec, long objectId) {
    return installs.putSmall(spec, ByteBuffer.allocate(0), objectId);
  }

  /**
   * Installs the head of an object of known length of which no slice is there yet; {@link
   * #partialObjectId} names it then. Its slices are written by {@link #beginSlices}.
   */
  public InstallOutcome putHead(HeadSpec spec) {
    return installs.putHead(spec);
  }

  /** The object that the last {@link #putHead} has installed. */
  public long partialObjectId() {
    return installs.partialObjectId();
  }

  /** Installs a head and its whole small body in one go. */
  public InstallOutcome putSmall(HeadSpec spec, ByteBuffer body) {
    return installs.putSmall(spec, body, InstallUpdate.ANY);
  }

  /**
   * Installs a new head for a body that is already there, as a 304 asks for. The length is the
   * body's own; the birth of the body stays what it was.
   */
  public InstallOutcome refresh(HeadSpec newHead, long expectedObjectId) {
    return installs.refresh(newHead, expectedObjectId);
  }

  /**
   * Forgets one key, because a client's request says that it changed. Returns whether it is gone
   * for sure: false if the index was busy, or is being rebuilt and did not have the key yet.
   */
  public boolean invalidate(long hi, long lo) {
    return lookup.invalidate(hi, lo);
  }

  /**
   * Forgets one key if it names this object: its origin has another one by now. False if the index
   * was busy.
   */
  public boolean drop(long hi, long lo, long objectId) {
    return lookup.drop(hi, lo, objectId);
  }

  /**
   * Forgets one key and everything under a base scope (its variants), also what the index does not
   * have yet. Bounded: beyond the share of the purge table that clients may fill, only the key
   * itself is forgotten, and the answer is that of {@link #invalidate(long, long)}.
   */
  public boolean invalidate(long hi, long lo, long baseScope) {
    boolean isPurged = purges.invalidate(baseScope);
    boolean isForgotten = invalidate(hi, lo);
    return isForgotten || isPurged;
  }

  /**
   * Kills everything under a base scope, because a client's request says that it changed, and gives
   * the birth of that request's own response, which is what it changed to. -1 where the response
   * must not be stored: the scope is to be invalidated by {@link #invalidate(long, long, long)}.
   *
   * @param scopes of the response
   * @param requested a birth taken before the request was sent, so that no purge since then is
   *     evaded
   */
  public long replace(long baseScope, long[] scopes, long requested) {
    long birth = purges.replace(baseScope, scopes, requested);
    // Asked last: a purge that has been forgotten closed the door to earlier births before that.
    return core.births.admits(requested) ? birth : -1;
  }

  /**
   * Kills what has a scope, because a client's request says that it changed; nothing where the
   * share of the purge table that clients may fill is used up.
   */
  public boolean invalidateScope(long scope) {
    return purges.invalidate(scope);
  }

  /** Whether an object that is being stored is dead by a purge. */
  public boolean isDead(HeadSpec spec) {
    return installs.check(spec, spec.bodyBirth()) == Purges.DEAD;
  }

  /**
   * Whether a purge, hard or soft, may have overruled an object that is being stored, or was until
   * a moment ago.
   */
  public boolean isOverruled(HeadSpec spec) {
    // Asked last, as in replace: once it is stored, or refused, the purge may be forgotten.
    return installs.check(spec, spec.bodyBirth()) != Purges.ALIVE
        || !core.births.admits(spec.bodyBirth());
  }
}
