package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a tier: a mapped file with allocated blocks, or anonymous memory that ends with the
 * process. One shared arena, closed at shutdown, because closing one costs a handshake with all
 * threads.
 */
public final class TierMemory implements AutoCloseable, Pages {
  private static final int ZEROS = 1 << 20;

  /** Advice for madvise: allocate and map for writing. */
  private static final int POPULATE = 23;

  /** What stays free in a control group beside the tier, for the kernel's own needs. */
  private static final long GROUP_RESERVE_BYTES = 16L << 20;

  private final Arena arena;
  private final MemorySegment memory;
  private final @Nullable FileChannel channel;
  private final @Nullable FileBlocks blocks;
  private final Headroom headroom;
  private final boolean isNew;
  private final boolean isLockWanted;
  private final String lockState;
  private final String pageState;
  private final @Nullable String fixedBecause;

  private TierMemory(
      Arena arena,
      MemorySegment memory,
      @Nullable FileChannel channel,
      @Nullable FileBlocks blocks,
      Headroom headroom,
      boolean isNew,
      boolean lock,
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
    this.lockState = lock ? lock() : "not locked in memory, by configuration";
    this.pageState = HugePages.state(memory);
    this.fixedBecause =
        channel == null
            ? "it is memory of this process, not a file on a tmpfs"
            : hasHugePages || !pageState.equals(HugePages.SMALL)
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
    boolean exists = PrivateFiles.check(file);
    if (exists) {
      refuseForeign(file);
    }
    boolean isNew = !exists || Files.size(file) != lengthBytes;
    if (isNew) {
      // What the old file holds is given back before the room is measured.
      Files.deleteIfExists(file);
      make(file, lengthBytes, headroom);
    }
    Object key = FileBlocks.key(file);
    FileChannel channel = PrivateFiles.open(file);
    FileBlocks blocks = FileBlocks.open(file, key);
    Arena arena = Arena.ofShared();
    boolean done = false;
    try {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes, arena);
      TierMemory tier =
          new TierMemory(
              arena,
              memory,
              channel,
              blocks,
              headroom,
              isNew,
              lock,
              HugePages.areOffered(file.toRealPath()));
      done = true;
      return tier;
    } finally {
      if (!done) {
        arena.close();
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

  /** Under another name until it is whole, since it has its length from the beginning. */
  private static void make(Path file, long lengthBytes, Headroom headroom) throws IOException {
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel channel = PrivateFiles.createNew(made)) {
        checkRoom(made, lengthBytes, headroom);
        fill(channel, file, lengthBytes);
      }
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(made);
    }
  }

  /** Memory of this process only. */
  public static TierMemory anonymous(long lengthBytes, Headroom headroom, boolean lock)
      throws NoSpaceException {
    OptionalLong room = headroom.bytes();
    if (room.isPresent() && room.getAsLong() < lengthBytes + GROUP_RESERVE_BYTES) {
      throw groupTooSmall(lengthBytes, room.getAsLong());
    }
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = arena.allocate(lengthBytes, TierHeader.LENGTH);
      return new TierMemory(arena, memory, null, null, headroom, true, lock, false);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new NoSpaceException(
          "no memory for a tier of " + mebibytes(lengthBytes) + ": reduce store.memory");
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
      throw new NoSpaceException("the control group leaves " + mebibytes(room.getAsLong()));
    }
    allocateAnyway(from, lengthBytes);
  }

  /** The same for so little that no control group is asked. */
  public void allocateAnyway(long from, long lengthBytes) throws IOException {
    blocks().allocate(from, lengthBytes);
    MemorySegment part = memory.asSlice(from, lengthBytes);
    // So that the kernel clears the pages now, and not in the first access of an event loop. Where
    // it cannot (Linux before 5.14), the first access does.
    boolean ignored = CLibrary.call("madvise", HugePages.MADVISE, part, lengthBytes, POPULATE);
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
  public void force() {
    if (channel != null) {
      memory.force();
    }
  }

  @Override
  public void close() throws IOException {
    arena.close();
    if (blocks != null) {
      blocks.close();
    }
    if (channel != null) {
      channel.close();
    }
  }

  private static void refuseForeign(Path file) throws IOException {
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      ByteBuffer start = ByteBuffer.allocate(Long.BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      if (channel.read(start, 0) == Long.BYTES) {
        long magic = start.getLong(0);
        if (magic != 0 && !TierHeader.isOurs(magic)) {
          throw new ForeignFileException(
              file + " is not a Forebay memory tier: move it away or name another directory");
        }
      }
    }
  }

  private static void checkRoom(Path file, long lengthBytes, Headroom headroom) throws IOException {
    long free = Files.getFileStore(file).getUsableSpace();
    if (free < lengthBytes) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s has %s free and the memory tier needs %s: enlarge it or reduce store.memory",
              file.toAbsolutePath().getParent(),
              mebibytes(free),
              mebibytes(lengthBytes)));
    }
    OptionalLong room = headroom.bytes();
    if (room.isPresent() && room.getAsLong() < lengthBytes + GROUP_RESERVE_BYTES) {
      throw groupTooSmall(lengthBytes, room.getAsLong());
    }
  }

  private static NoSpaceException groupTooSmall(long lengthBytes, long room) {
    return new NoSpaceException(
        String.format(
            Locale.ROOT,
            "the control group leaves %s and the memory tier needs %s: raise its limit or"
                + " reduce store.memory",
            mebibytes(room),
            mebibytes(lengthBytes)));
  }

  private static void fill(FileChannel channel, Path file, long lengthBytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
    long at = 0;
    try {
      // The last byte first: a tmpfs with huge=within_size goes by the length that the file has.
      channel.write(zeros.limit(1), lengthBytes - 1);
      while (at < lengthBytes) {
        zeros.clear().limit((int) Math.min(ZEROS, lengthBytes - at));
        at += channel.write(zeros, at);
      }
    } catch (IOException e) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s: writing %s failed at %s (%s): free some space or reduce store.memory",
              file,
              mebibytes(lengthBytes),
              mebibytes(at),
              e.getMessage()));
    }
  }

  private static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }

  /** Copies inside a tier. */
  public static void copy(MemorySegment memory, long from, long to, long lengthBytes) {
    MemorySegment.copy(memory, Layouts.BYTE, from, memory, Layouts.BYTE, to, lengthBytes);
  }
}
