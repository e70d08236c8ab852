package io.forebay.server.deliver;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.LeaseHolder;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The leased chunks of one event loop: creates them, releases them, and replaces by private copies
 * those that a socket has not accepted within one to two ticks. For transports that keep views of a
 * buffer, replacing comes too late; there every chunk is copied before it is sent.
 *
 * <p>Owner: one loop; {@link #onTick} is called by it a few times a second.
 */
public final class Leases {

  private static final int FREE_LIST_LIMIT = 1024;

  private final StoreLane lane;
  private final ByteBufAllocator allocator;
  private final CopyQuota copies;
  private final LoopCounters counters;
  private final boolean isSwappable;

  /** Whether the memory tier is divided among lanes. */
  private final boolean hasCells;

  /**
   * Per loop, because absolute reads of a buffer are free of shared state but its views are not.
   */
  private final ByteBuffer[] regionBuffers;

  private final long[] regionAddresses;
  private final ArrayDeque<LeasedBuf> free = new ArrayDeque<>();

  /** Sentinel of the ring of outstanding chunks, oldest first. */
  private final LeasedBuf outstanding;

  /** Sentinel of the ring of chunks that go on from a private copy, the longest stalled first. */
  private final LeasedBuf copied;

  /** Reads that hold buffers. */
  private final List<DiskReads> reads = new ArrayList<>();

  private int tick;

  /** Whether the disks are told at the end of this turn of the loop what was asked for. */
  private boolean isStartingReads;

  /**
   * The leases of one loop.
   *
   * @param isSwappable whether the transport asks a buffer for its address at every write; one that
   *     keeps a view over several writes would go on sending from the region after a swap
   */
  public Leases(
      ObjectStore store,
      StoreLane lane,
      ByteBufAllocator allocator,
      CopyQuota copies,
      LoopCounters counters,
      boolean isSwappable) {
    this.lane = lane;
    this.allocator = allocator;
    this.copies = copies;
    this.counters = counters;
    this.isSwappable = isSwappable;
    this.hasCells = store.cells() > 1;
    int regions = store.allRegions();
    this.regionBuffers = new ByteBuffer[regions];
    this.regionAddresses = new long[regions];
    for (int region = 0; region < regions; region++) {
      regionBuffers[region] = store.regionBuffer(region).duplicate();
      regionAddresses[region] = NativeAddress.of(regionBuffers[region]);
    }
    this.outstanding = sentinel();
    this.copied = sentinel();
  }

  private LeasedBuf sentinel() {
    // A buffer begins as a ring of itself.
    return new LeasedBuf(this, LeasedBuf.noBacking());
  }

  /** The quota of what is held for single clients. */
  public CopyQuota copies() {
    return copies;
  }

  /** Copies pinned bytes behind what a buffer holds. */
  public void copyTo(ByteBuf out, int region, int offset, int lengthBytes) {
    countRemote(region, lengthBytes);
    ByteBuffer bytes = regionBuffers[region];
    bytes.limit(offset + lengthBytes).position(offset);
    out.writeBytes(bytes);
    // Absolute views are bounded by the limit: put it back.
    bytes.clear();
  }

  /** Copies bytes of a head that was found behind what a buffer holds. */
  public void copyTo(ByteBuf out, StoredHead head, int offset, int lengthBytes) {
    TransitBuffer read = head.read();
    if (read == null) {
      copyTo(out, head.region(), offset, lengthBytes);
    } else {
      out.writeBytes(read.bytes().slice(read.recordOffset() + offset, lengthBytes));
    }
  }

  private void countRemote(int region, int lengthBytes) {
    if (hasCells && lane.isOfAnotherCell(region)) {
      counters.remoteBytes += lengthBytes;
    }
  }

  /** Copies bytes of a head that was found onto the heap. */
  public byte[] copy(StoredHead head, int offset, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    TransitBuffer read = head.read();
    if (read == null) {
      regionBuffers[head.region()].get(offset, bytes);
    } else {
      read.bytes().get(read.recordOffset() + offset, bytes);
    }
    return bytes;
  }

  /** A buffer over pinned bytes; takes over one pin on the region. */
  public ByteBuf take(int region, int offset, int lengthBytes, LeaseHolder holder) {
    countRemote(region, lengthBytes);
    LeasedBuf buf = next();
    buf.lease(region, regionBuffers[region], regionAddresses[region], offset, lengthBytes, holder);
    return taken(buf);
  }

  /** A buffer over bytes that were read from a disk; a holder of them more. */
  ByteBuf take(TransitBuffer read, int offset, int lengthBytes, LeaseHolder holder) {
    read.retain();
    LeasedBuf buf = next();
    buf.lease(read, offset, lengthBytes, holder);
    return taken(buf);
  }

  private LeasedBuf next() {
    LeasedBuf buf = free.pollLast();
    return buf == null ? new LeasedBuf(this, LeasedBuf.noBacking()) : buf;
  }

  private LeasedBuf taken(LeasedBuf buf) {
    if (!isSwappable && copyOut(buf)) {
      return buf;
    }
    buf.takenAtTick = tick;
    link(outstanding, buf);
    return buf;
  }

  void unpin(int region) {
    lane.unpin(region);
  }

  /** One more pin on a region that is pinned already. */
  void pin(int region) {
    lane.pin(region);
  }

  void returnCopy(int lengthBytes) {
    copies.giveBack(lengthBytes);
  }

  void recycle(LeasedBuf buf) {
    unlink(buf);
    if (free.size() < FREE_LIST_LIMIT) {
      free.addLast(buf);
    }
  }

  private static void link(LeasedBuf ring, LeasedBuf buf) {
    buf.older = ring.older;
    buf.newer = ring;
    ring.older.newer = buf;
    ring.older = buf;
  }

  private static void unlink(LeasedBuf buf) {
    buf.older.newer = buf.newer;
    buf.newer.older = buf.older;
    buf.older = buf;
    buf.newer = buf;
  }

  int tick() {
    return tick;
  }

  /** Has reads that hold buffers give them back at a tick if they are not used. */
  void watch(DiskReads holding) {
    reads.add(holding);
  }

  /**
   * Has what is queued at the lane read, once all that this turn of the loop handles has asked: so
   * one reader is woken for many requests, not one for each, which would take the CPU from the loop
   * where there is no idle one.
   */
  public void startReads(Executor loop) {
    if (!isStartingReads) {
      isStartingReads = true;
      loop.execute(this::startQueuedReads);
    }
  }

  private void startQueuedReads() {
    isStartingReads = false;
    lane.startReads();
  }

  /** Copies out what has been outstanding since before the last tick. */
  @SuppressWarnings("ReferenceEquality") // the ring ends at its sentinel
  public void onTick() {
    List<Refused> refused = new ArrayList<>(0);
    LeasedBuf buf = outstanding.newer;
    while (buf != outstanding && tick - buf.takenAtTick >= 1) {
      LeasedBuf next = buf.newer;
      if (isSwappable && copyOut(buf)) {
        unlink(buf);
        link(copied, buf);
        buf.holder().onCopied();
      } else {
        refused.add(new Refused(buf, buf.holder()));
      }
      buf = next;
    }
    tick++;
    reads.removeIf(one -> !one.onTick(tick));
    // Aborting releases buffers and so edits the rings; hence after the walk.
    refused.forEach(this::makeRoomOrGiveUp);
  }

  /** A chunk that found no space for a copy, and its holder at that time. */
  private record Refused(LeasedBuf buf, LeaseHolder holder) {}

  /**
   * Where the bound is reached somebody has to go, and it is who has stalled the longest: else a
   * few clients that never read could use up the bound, and every slow one after them would be
   * broken off.
   */
  @SuppressWarnings("ReferenceEquality") // the ring ends at its sentinel
  private void makeRoomOrGiveUp(Refused refused) {
    LeasedBuf buf = refused.buf();
    // It may have gone with the connection of one before it.
    while (buf.isHeldBy(refused.holder())) {
      LeasedBuf longest = copied.newer;
      if (!isSwappable || longest == copied || longest.takenAtTick - buf.takenAtTick >= 0) {
        refused.holder().onCopyRefused();
        return;
      }
      unlink(longest);
      longest.holder().onCopyRefused();
      if (buf.isHeldBy(refused.holder()) && copyOut(buf)) {
        unlink(buf);
        link(copied, buf);
        return;
      }
    }
  }

  /** Puts a private copy in the place of the region; false when there is no room for it. */
  private boolean copyOut(LeasedBuf buf) {
    int length = buf.copyLengthBytes();
    if (!copies.reserve(length)) {
      counters.hit(LimitKey.PRIVATE_COPIES);
      return false;
    }
    ByteBuf into;
    try {
      into = allocator.directBuffer(Math.max(1, length));
    } catch (OutOfMemoryError e) {
      // The allocator's own bound: the same to us as that of the copies.
      copies.giveBack(length);
      return false;
    }
    buf.detach(into);
    counters.privateCopies++;
    counters.privateCopyBytes += length;
    return true;
  }
}
