package io.forebay.server.fill;

import io.forebay.server.fill.history.FillKey;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The node's fills in progress, by base key and, once known, by variant key; and the fetches of
 * missing slices, by object and slice. A fill is registered before the index is looked up again, or
 * asked whether anything was installed since, and installs before it is removed. So a request that
 * finds neither fill nor object, or neither fetch nor slice, may start one (I6). Any thread.
 */
public final class FillTable {

  private static final int AWAITING_ROOM_LIMIT = 128;
  private static final int CONTENT_LIMIT = 256;
  private static final int MANIFEST_LIMIT = 256;

  private final ConcurrentHashMap<FillKey, Fill> fills = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<SliceKey, SliceFill> slices = new ConcurrentHashMap<>();
  private final Set<Fill> ahead = ConcurrentHashMap.newKeySet();
  private final AtomicInteger unlisted = new AtomicInteger();
  private final AtomicInteger refusedLoads = new AtomicInteger();
  private volatile int limit;
  private volatile int refusedLoadLimit;
  private final AtomicInteger contents = new AtomicInteger();
  private final AtomicInteger awaitingRoom = new AtomicInteger();
  private final AtomicInteger manifests = new AtomicInteger();
  private final RecoveryFetches recovery = new RecoveryFetches();

  /** One slice of one object: objects are never given the same number. */
  record SliceKey(long objectId, int slice) {}

  public FillTable(int limit, int refusedLoadLimit) {
    this.limit = limit;
    this.refusedLoadLimit = refusedLoadLimit;
  }

  public @Nullable Fill find(FillKey key) {
    return fills.get(key);
  }

  /** Whether the bound on fills is reached: the caller then passes through unstored (I5). */
  public boolean isFull() {
    return size() >= limit;
  }

  /** Sets the bounds; fetches beyond lower ones go on. */
  public void limit(int fills, int refusedLoads) {
    limit = fills;
    refusedLoadLimit = refusedLoads;
  }

  /**
   * Whether one exchange more may ask the origin for what a disk refuses to load: a slow disk must
   * not send all of its hits to the origin. It says so with {@link #endRefusedLoad} when done.
   */
  public boolean tryBeginRefusedLoad() {
    if (refusedLoads.incrementAndGet() <= refusedLoadLimit) {
      return true;
    }
    refusedLoads.decrementAndGet();
    return false;
  }

  public void endRefusedLoad() {
    refusedLoads.decrementAndGet();
  }

  /** Of requests for what the store may still turn out to have. */
  public RecoveryFetches recovery() {
    return recovery;
  }

  /** Registers a fill unless another is there; returns the one that is. */
  public @Nullable Fill register(FillKey key, Fill fill) {
    return fills.putIfAbsent(key, fill);
  }

  /** Replaces a fill that a purge has overtaken; false if another one already has. */
  public boolean replace(FillKey key, Fill overtaken, Fill fill) {
    return fills.replace(key, overtaken, fill);
  }

  void leave(FillKey key, Fill fill) {
    fills.remove(key, fill);
  }

  /** A fill that is ahead of clients begins; it is {@link Fill#giveUp given up} if they wait. */
  public void beginAhead(Fill fill) {
    ahead.add(fill);
  }

  public void endAhead(Fill fill) {
    ahead.remove(fill);
  }

  /** A request of a client waits at the limit of an origin. */
  void giveWay() {
    for (Fill fill : ahead) {
      fill.giveUp();
    }
  }

  /** The fetch that brings a slice of an object. */
  public @Nullable SliceFill find(long objectId, int slice) {
    return slices.get(new SliceKey(objectId, slice));
  }

  /** Registers a fetch for one slice unless another is there for it; false if one is. */
  boolean register(SliceKey key, SliceFill fill) {
    return slices.putIfAbsent(key, fill) == null;
  }

  void leave(SliceKey key, SliceFill fill) {
    slices.remove(key, fill);
  }

  /**
   * A fetch that is not registered by key counts as one fill from here on: one of slices, however
   * many, and one that nobody shares.
   */
  void beginUnregistered() {
    unlisted.incrementAndGet();
  }

  void endUnregistered() {
    unlisted.decrementAndGet();
  }

  /**
   * Whether one fill more may hold its origin until the store has room, with what had been read of
   * it by then: two reads of 64 KiB at most, so all of them hold some 16 MiB (I5). It says so with
   * {@link #endSpaceWait} when it goes on.
   */
  boolean tryBeginSpaceWait() {
    if (awaitingRoom.incrementAndGet() <= AWAITING_ROOM_LIMIT) {
      return true;
    }
    awaitingRoom.decrementAndGet();
    return false;
  }

  /** The same beyond the bound. */
  void beginSpaceWait() {
    awaitingRoom.incrementAndGet();
  }

  void endSpaceWait() {
    awaitingRoom.decrementAndGet();
  }

  /**
   * Whether one exchange more may hold the content of a QUERY, of up to 64 KiB: all of them hold
   * some 16 MiB (I5). It says so with {@link #endContent} when it is over.
   */
  public boolean tryBeginContent() {
    if (contents.incrementAndGet() <= CONTENT_LIMIT) {
      return true;
    }
    contents.decrementAndGet();
    return false;
  }

  public void endContent() {
    contents.decrementAndGet();
  }

  /**
   * Whether one fill more may hold a manifest until all of it has come, of up to 256 KiB: all of
   * them hold some 64 MiB (I5). It says so with {@link #endManifest} when it goes on.
   */
  boolean tryBeginManifest() {
    if (manifests.incrementAndGet() <= MANIFEST_LIMIT) {
      return true;
    }
    manifests.decrementAndGet();
    return false;
  }

  void endManifest() {
    manifests.decrementAndGet();
  }

  public int size() {
    return (int) fills.mappingCount() + unlisted.get();
  }
}
