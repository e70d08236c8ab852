package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the first tier: a mapped file with allocated blocks, or anonymous memory that ends
 * with the process. One shared arena, closed at shutdown, because closing one costs a handshake
 * with all threads; where middle tiers follow, the {@link AddressRange} that has them all.
 */
public final class TierMemory implements AutoCloseable, Pages {
  /** What stays free in a control group beside the tier, for the kernel's own needs. */
  static final long GROUP_RESERVE_BYTES = 16L << 20;

  /** Null for what lies in a range. */
  private final @Nullable Arena arena;

  private final MemorySegment memory;
  private final @Nullable FileChannel channel;
  private final @Nullable FileBlocks blocks;
  private final Headroom headroom;
  private final boolean isNew;
  private final boolean isLockWanted;
  private final String nodeState;
  private final String lockState;
  private final String pageState;
  private final @Nullable String fixedBecause;

  private TierMemory(
      @Nullable Arena arena,
      MemorySegment memory,
      @Nullable FileChannel channel,
      @Nullable FileBlocks blocks,
      Headroom headroom,
      boolean isNew,
      boolean lock,
      NodeBinding nodes,
      boolean hasHugePages) {
    this.arena = arena;
    this.memory = memory;
    this.channel = channel;
    this.blocks = blocks;
    this.headroom = headroom;
    this.isNew = isNew;
    this.isLockWanted = lock;
    // Before it is locked: that makes the mappings.
    HugePages.ask(memory);
    // Memory of this process was touched when it was allocated.
    this.nodeState = channel == null ? nodes.bindAndMove(memory) : nodes.bind(memory);
    this.lockState = lock ? lock() : "not locked in memory, by configuration";
    // To look, the kernel walks through all that this process has mapped below.
    this.pageState = channel == null || hasHugePages ? HugePages.state(memory) : HugePages.SMALL;
    this.fixedBecause =
        channel == null
            ? "it is memory of this process, not a file on a tmpfs"
            : hasHugePages
                ? "its file system gives, or may give, pages of 2 MiB"
                : blocks == null ? "its file cannot be opened for fallocate" : null;
  }

  /** Locks what is there. Locking a hole would allocate its pages. */
  private String lock() {
    FileBlocks own = blocks;
    if (own == null || isNew) {
      return MemoryLock.lock(memory);
    }
    return MemoryLock.state(
        own.forEachPart(
            memory.byteSize(),
            (from, lengthBytes) -> MemoryLock.isLocked(memory.asSlice(from, lengthBytes))));
  }

  /**
   * Maps a file, making it first if it is not there or has another length. Made files are written
   * from end to end, so that a full file system is an exception here and not a signal later.
   */
  public static TierMemory map(Path file, long lengthBytes, Headroom headroom, boolean lock)
      throws IOException {
    return map(file, lengthBytes, headroom, lock, null, NodeBinding.NONE);
  }

  /**
   * The same at the beginning of a range.
   *
   * @param range null for a mapping of its own
   * @param nodes where its pages come from
   */
  public static TierMemory map(
      Path file,
      long lengthBytes,
      Headroom headroom,
      boolean lock,
      @Nullable AddressRange range,
      NodeBinding nodes)
      throws IOException {
    boolean isNew =
        TierFileMaker.prepare(
            file, lengthBytes, GROUP_RESERVE_BYTES, headroom, "store.memory", nodes);
    Object key = FileBlocks.key(file);
    FileChannel channel = PrivateFiles.open(file);
    FileBlocks blocks = FileBlocks.open(file, key);
    Arena arena = range == null ? Arena.ofShared() : null;
    boolean done = false;
    try {
      MemorySegment memory =
          arena != null
              ? channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes, arena)
              : mapped(file, lengthBytes, blocks, range);
      TierMemory tier =
          new TierMemory(
              arena,
              memory,
              channel,
              blocks,
              headroom,
              isNew,
              lock,
              nodes,
              HugePages.areOffered(file.toRealPath()));
      done = true;
      return tier;
    } finally {
      if (!done) {
        if (arena != null) {
          arena.close();
        }
        channel.close();
        if (blocks != null) {
          blocks.close();
        }
        if (isNew) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static MemorySegment mapped(
      Path file, long lengthBytes, @Nullable FileBlocks blocks, @Nullable AddressRange range)
      throws IOException {
    if (blocks == null || range == null) {
      throw new IOException(file + " cannot be mapped before other tiers: it cannot be opened");
    }
    AddressRange.Sync ignored = range.map(blocks, 0, 0, lengthBytes);
    return range.segment().asSlice(0, lengthBytes);
  }

  /** Memory of this process only. */
  public static TierMemory anonymous(long lengthBytes, Headroom headroom, boolean lock)
      throws NoSpaceException {
    return anonymous(lengthBytes, headroom, lock, NodeBinding.NONE);
  }

  /** The same, with its pages on these nodes. */
  public static TierMemory anonymous(
      long lengthBytes, Headroom headroom, boolean lock, NodeBinding nodes)
      throws NoSpaceException {
    requireRoom(lengthBytes, headroom);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = arena.allocate(lengthBytes, TierHeader.LENGTH);
      return new TierMemory(arena, memory, null, null, headroom, true, lock, nodes, false);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new NoSpaceException(
          "no memory for a tier of "
              + TierFileMaker.mebibytes(lengthBytes)
              + ": reduce store.memory");
    }
  }

  /** The same at the beginning of a range. */
  public static TierMemory anonymous(
      long lengthBytes, Headroom headroom, boolean lock, NodeBinding nodes, AddressRange range)
      throws IOException {
    requireRoom(lengthBytes, headroom);
    range.mapAnonymous(0, lengthBytes);
    MemorySegment memory = range.segment().asSlice(0, lengthBytes);
    return new TierMemory(null, memory, null, null, headroom, true, lock, nodes, false);
  }

  private static void requireRoom(long lengthBytes, Headroom headroom) throws NoSpaceException {
    OptionalLong room = headroom.bytes();
    if (room.isPresent() && room.getAsLong() < lengthBytes + GROUP_RESERVE_BYTES) {
      throw TierFileMaker.groupTooSmall(lengthBytes, room.getAsLong(), "store.memory");
    }
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Whether its bytes were made at this start and hold nothing. */
  public boolean isNew() {
    return isNew;
  }

  public boolean outlivesProcess() {
    return channel != null;
  }

  /**
   * Whether the file is still as long as what is mapped of it: a page beyond its end is a fault.
   */
  public boolean isWhole() throws IOException {
    return channel == null || channel.size() >= memory.byteSize();
  }

  public String lockState() {
    return lockState;
  }

  /** Of which nodes its pages are, as a part of a line for the log. */
  public String nodeState() {
    return nodeState;
  }

  /** Of which size its pages are, as a part of a line for the log. */
  public String pageState() {
    return pageState;
  }

  @Override
  public @Nullable String fixedBecause() {
    return fixedBecause;
  }

  @Override
  public void release(long from, long lengthBytes) throws IOException {
    blocks().release(from, lengthBytes);
  }

  @Override
  public void allocate(long from, long lengthBytes) throws IOException {
    OptionalLong room = headroom.bytes();
    if (room.isPresent() && room.getAsLong() < lengthBytes + GROUP_RESERVE_BYTES) {
      // Beyond the limit the kernel would not refuse, but end a process.
      throw new NoSpaceException(
          "the control group leaves " + TierFileMaker.mebibytes(room.getAsLong()));
    }
    allocateAnyway(from, lengthBytes);
  }

  /** The same for so little that no control group is asked. */
  public void allocateAnyway(long from, long lengthBytes) throws IOException {
    blocks().allocate(from, lengthBytes);
    MemorySegment part = memory.asSlice(from, lengthBytes);
    // So that the kernel clears the pages now, and not in the first access of an event loop. Where
    // it cannot (Linux before 5.14), the first access does.
    boolean ignored =
        CLibrary.call("madvise", HugePages.MADVISE, part, lengthBytes, HugePages.POPULATE);
    if (isLockWanted) {
      boolean _ = MemoryLock.isLocked(part);
    }
  }

  /** Whether a part lacks pages, or has some that were never touched; false if not known. */
  public boolean hasHole(long from, long lengthBytes) {
    return blocks != null && blocks.hasHole(from, lengthBytes);
  }

  private FileBlocks blocks() throws IOException {
    FileBlocks own = blocks;
    if (own == null) {
      throw new IOException(String.valueOf(fixedBecause));
    }
    return own;
  }

  /** Has what was written reach the file, where that is not memory itself. */
  public void force() throws IOException {
    if (channel != null && arena != null) {
      memory.force();
    } else if (channel != null) {
      AddressRange.force(memory);
    }
  }

  @Override
  public void close() throws IOException {
    if (arena != null) {
      arena.close();
    }
    if (blocks != null) {
      blocks.close();
    }
    if (channel != null) {
      channel.close();
    }
  }

  /** Copies inside a tier. */
  public static void copy(MemorySegment memory, long from, long to, long lengthBytes) {
    MemorySegment.copy(memory, Layouts.BYTE, from, memory, Layouts.BYTE, to, lengthBytes);
  }
}
