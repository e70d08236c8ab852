package io.forebay.storage.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a file: which it has, and what gives them back or allocates them. It has a file
 * descriptor of its own, since that of a channel is not accessible. Where the system lacks one of
 * the functions, nothing is given back. One thread at a time.
 */
final class FileBlocks implements AutoCloseable {
  private static final int O_RDONLY = 0;
  private static final int O_RDWR = 2;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_CLOEXEC = 0x80000;

  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;

  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  private static final int ENOSPC = 28;
  private static final int EOPNOTSUPP = 95;
  private static final int EDQUOT = 122;

  private static final FunctionDescriptor OPEN =
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final FunctionDescriptor CLOSE =
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final FunctionDescriptor FALLOCATE =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG);
  private static final FunctionDescriptor LSEEK =
      FunctionDescriptor.of(
          ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

  private final int descriptor;

  private FileBlocks(int descriptor) {
    this.descriptor = descriptor;
  }

  /** The identity of the file at a path now, to be compared with that of what is opened later. */
  static @Nullable Object key(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The blocks of a file, or null where they are not accessible or it is not the file that is
   * meant: what is mapped must be what loses its pages.
   */
  static @Nullable FileBlocks open(Path file, @Nullable Object key) {
    return open(file, key, O_RDWR);
  }

  /** The same, only to ask which blocks there are. */
  static @Nullable FileBlocks openToRead(Path file, @Nullable Object key) {
    return open(file, key, O_RDONLY);
  }

  private static @Nullable FileBlocks open(Path file, @Nullable Object key, int mode) {
    long opened;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom(file.toString());
      opened = CLibrary.result("open", OPEN, path, mode | O_NONBLOCK | O_CLOEXEC);
    }
    if (opened < 0) {
      return null;
    }
    FileBlocks blocks = new FileBlocks((int) opened);
    if (key != null && key.equals(key(Path.of("/proc/self/fd/" + opened)))) {
      return blocks;
    }
    blocks.close();
    return null;
  }

  /** Gives the blocks of a part back; the file keeps its length. */
  void release(long from, long lengthBytes) throws IOException {
    long result = fallocate(KEEP_SIZE | PUNCH_HOLE, from, lengthBytes);
    if (result != 0) {
      throw failed(result);
    }
  }

  /**
   * Allocates what blocks a part lacks, all or none. Where the file system knows no such request it
   * has taken no blocks back either.
   */
  void allocate(long from, long lengthBytes) throws IOException {
    long result = fallocate(0, from, lengthBytes);
    if (result == -ENOSPC || result == -EDQUOT) {
      throw new NoSpaceException("its file system is full");
    }
    if (result != 0 && result != -EOPNOTSUPP) {
      throw failed(result);
    }
  }

  private long fallocate(int mode, long from, long lengthBytes) {
    return CLibrary.result("fallocate", FALLOCATE, descriptor, mode, from, lengthBytes);
  }

  private static IOException failed(long result) {
    return new IOException("fallocate failed with error " + -result);
  }

  /** Whether a part lacks blocks, or has some that were never written. */
  boolean hasHole(long from, long lengthBytes) {
    long hole = seek(from, SEEK_HOLE);
    return hole >= 0 && hole < from + lengthBytes;
  }

  /** Maps a part of the file; what mmap returned. */
  long map(AddressRange into, long fileOffset, long at, long lengthBytes, int access, int flags) {
    return into.mmap(descriptor, fileOffset, at, lengthBytes, access, flags);
  }

  /** Does something for each part that has blocks; false as soon as that is false. */
  boolean forEachPart(long lengthBytes, Part part) {
    long at = 0;
    while (at < lengthBytes) {
      long from = seek(at, SEEK_DATA);
      if (from < 0 || from >= lengthBytes) {
        return true;
      }
      long to = seek(from, SEEK_HOLE);
      to = to <= from ? lengthBytes : Math.min(to, lengthBytes);
      if (!part.on(from, to - from)) {
        return false;
      }
      at = to;
    }
    return true;
  }

  /** A part of a file, in whole pages. */
  @FunctionalInterface
  interface Part {
    boolean on(long from, long lengthBytes);
  }

  private long seek(long from, int what) {
    return CLibrary.result("lseek", LSEEK, descriptor, from, what);
  }

  @Override
  public void close() {
    boolean ignored = CLibrary.call("close", CLOSE, descriptor);
  }
}
