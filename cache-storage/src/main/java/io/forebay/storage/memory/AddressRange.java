package io.forebay.storage.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A range of addresses into which the files of several tiers are mapped, one behind the other, so
 * that one segment holds them all and a place in it is one number.
 *
 * <pre>
 *  base
 *  +--------+-----------------+-----------------+-----+
 *  | header | regions, first  | regions, second | ... |
 *  +--------+-----------------+-----------------+-----+
 *  0        4096              one file each
 * </pre>
 *
 * <p>An access to a part that nothing is mapped into is a fault. The maker maps, before any other
 * thread uses the segment, and closes.
 */
public final class AddressRange implements AutoCloseable {
  static final int PAGE = 4096;

  /** Pages of this size are used where file and address allow it. */
  private static final long HUGE_PAGE = 2L << 20;

  private static final int PROT_NONE = 0;
  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;

  private static final int MAP_SHARED = 0x01;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_SHARED_VALIDATE = 0x03;
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int MAP_SYNC = 0x8_0000;

  private static final int MS_SYNC = 4;

  private static final FunctionDescriptor MMAP =
      FunctionDescriptor.of(
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_LONG);
  private static final FunctionDescriptor MUNMAP =
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
  private static final FunctionDescriptor MSYNC =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;

  private AddressRange(long reserved, long reservedBytes, long base, long bytes) {
    this.segment = segment(reserved, reservedBytes, base, bytes, arena);
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(
      long reserved, long reservedBytes, long base, long bytes, Arena arena) {
    return MemorySegment.ofAddress(base)
        .reinterpret(bytes, arena, closed -> unmap(reserved, reservedBytes));
  }

  private static void unmap(long address, long bytes) {
    boolean ignored = CLibrary.call("munmap", MUNMAP, address, bytes);
  }

  /**
   * Reserves addresses; it takes no memory.
   *
   * @param aligned the place in it whose address is to be a multiple of the alignment
   * @param alignment a power of two; at least that of huge pages is used
   */
  public static AddressRange reserve(long bytes, long aligned, long alignment) throws IOException {
    long unit = Math.max(alignment, HUGE_PAGE);
    long reservedBytes = roundUp(bytes, PAGE) + 2 * unit;
    long reserved =
        CLibrary.result(
            "mmap",
            MMAP,
            0L,
            reservedBytes,
            PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
            -1,
            0L);
    if (reserved < 0) {
      throw failed("reserving " + (bytes >> 20) + " MiB of addresses", reserved);
    }
    return new AddressRange(
        reserved, reservedBytes, roundUp(reserved + aligned, unit) - aligned, bytes);
  }

  /** All of it. */
  public MemorySegment segment() {
    return segment;
  }

  /** How far the stores into a mapped file reach. */
  enum Sync {
    /** As those into any mapped file. */
    NONE,
    /** The file system allocates blocks durably before a store can reach them (DAX). */
    METADATA
  }

  /**
   * Maps a part of a file at a place; with MAP_SYNC where its file system offers that.
   *
   * @param fileOffset a multiple of the size of its pages, as the place's address is
   */
  Sync map(FileBlocks file, long fileOffset, long at, long bytes) throws IOException {
    int access = PROT_READ | PROT_WRITE;
    if (file.map(this, fileOffset, at, bytes, access, MAP_SHARED_VALIDATE | MAP_SYNC) >= 0) {
      return Sync.METADATA;
    }
    require(file.map(this, fileOffset, at, bytes, access, MAP_SHARED));
    return Sync.NONE;
  }

  /** The same to read only. */
  void mapToRead(FileBlocks file, long fileOffset, long at, long bytes) throws IOException {
    require(file.map(this, fileOffset, at, bytes, PROT_READ, MAP_SHARED));
  }

  /** Memory of this process at a place. */
  void mapAnonymous(long at, long bytes) throws IOException {
    require(mmap(-1, 0, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS));
  }

  /** What mmap returned, over what was at the place before. */
  long mmap(int descriptor, long fileOffset, long at, long bytes, int access, int flags) {
    MemorySegment part = segment.asSlice(at, bytes);
    return CLibrary.result(
        "mmap", MMAP, part.address(), bytes, access, flags | MAP_FIXED, descriptor, fileOffset);
  }

  private static void require(long result) throws IOException {
    if (result < 0) {
      throw failed("mmap", result);
    }
  }

  private static IOException failed(String what, long result) {
    return new IOException(what + " failed with error " + -result);
  }

  /** Has what was written to a part of a mapped file reach the file. */
  static void force(MemorySegment part) throws IOException {
    long result = CLibrary.result("msync", MSYNC, part, part.byteSize(), MS_SYNC);
    if (result < 0) {
      throw failed("msync", result);
    }
  }

  static long roundUp(long value, long unit) {
    return (value + unit - 1) / unit * unit;
  }

  @Override
  public void close() {
    arena.close();
  }
}
