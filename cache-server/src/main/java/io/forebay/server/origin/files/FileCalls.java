package io.forebay.server.origin.files;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The system calls that open and read files below a directory. The JDK has none that opens a path
 * and cannot leave a directory, none that finds out what a file is before it opens it, and none
 * that says when an open file was modified. Results below 0 are negative error numbers. Called on
 * threads that may block.
 */
final class FileCalls {
  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EXDEV = 18;
  static final int ENOTDIR = 20;
  static final int ENFILE = 23;
  static final int EMFILE = 24;
  static final int ENAMETOOLONG = 36;
  static final int ENOSYS = 38;
  static final int ELOOP = 40;

  /** Bytes of a path with its NUL at most ({@code PATH_MAX}). */
  static final int MAX_PATH = 4096;

  private static final long SYS_OPENAT2 = 437;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_BASIC_STATS = 0x7ff;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_CLOEXEC = 0x80000;

  /** A handle that is not opened: neither a FIFO nor a device notices. */
  private static final int O_PATH = 0x200000;

  /** No {@code ..}, absolute link or link of {@code /proc} leads out of the directory. */
  private static final long RESOLVE_BENEATH_WITHOUT_MAGIC_LINKS = 0x8 | 0x2;

  private static final int HOW_BYTES = 24;
  private static final int STATX_BYTES = 256;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SYSCALL =
      handle(
          "syscall",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.firstVariadicArg(2),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle STATX =
      handle(
          "statx",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle PREAD =
      handle(
          "pread",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  /** The arguments of one thread's calls. */
  private static final ThreadLocal<Arguments> ARGUMENTS = ThreadLocal.withInitial(Arguments::new);

  private static final class Arguments {
    private final ByteBuffer path = direct(MAX_PATH);
    private final ByteBuffer how = direct(HOW_BYTES);
    private final ByteBuffer statx = direct(STATX_BYTES);
    private final MemorySegment state = MemorySegment.ofBuffer(direct((int) STATE.byteSize()));

    private static ByteBuffer direct(int bytes) {
      return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    MemorySegment path(byte[] of) {
      path.clear().put(of).put((byte) 0);
      return MemorySegment.ofBuffer(path.clear());
    }

    int error() {
      return -(int) ERRNO.get(state, 0L);
    }
  }

  private FileCalls() {}

  @SuppressWarnings("restricted") // the calls are checked against their manual pages
  private static MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
  }

  /** A handle of a path, which need not be below anything. */
  static int openPath(byte[] path) {
    return open(path, O_PATH | O_CLOEXEC);
  }

  /** Opens for reading what a handle stands for: the same file, whatever its name is by now. */
  static int reopen(int handle) {
    byte[] path = ("/proc/self/fd/" + handle).getBytes(StandardCharsets.US_ASCII);
    return open(path, O_NONBLOCK | O_CLOEXEC);
  }

  private static int open(byte[] path, int flags) {
    Arguments own = ARGUMENTS.get();
    try {
      int opened = (int) OPEN.invokeExact(own.state, own.path(path), flags);
      return opened < 0 ? own.error() : opened;
    } catch (Throwable e) {
      throw new LinkageError("open", e);
    }
  }

  /**
   * A handle of a path below a directory. Links are followed as long as they stay below it.
   *
   * @param path relative; shorter than {@link #MAX_PATH}
   */
  static int openBeneath(int directory, byte[] path) {
    Arguments own = ARGUMENTS.get();
    own.how
        .clear()
        .putLong(O_PATH | O_CLOEXEC)
        .putLong(0)
        .putLong(RESOLVE_BENEATH_WITHOUT_MAGIC_LINKS);
    try {
      long opened =
          (long)
              SYSCALL.invokeExact(
                  own.state,
                  SYS_OPENAT2,
                  (long) directory,
                  own.path(path),
                  MemorySegment.ofBuffer(own.how.clear()),
                  (long) HOW_BYTES);
      return opened < 0 ? own.error() : (int) opened;
    } catch (Throwable e) {
      throw new LinkageError("openat2", e);
    }
  }

  /**
   * What an open file or a handle stands for.
   *
   * @return null where it cannot be told
   */
  static @Nullable FileState state(int descriptor) {
    Arguments own = ARGUMENTS.get();
    try {
      int result =
          (int)
              STATX.invokeExact(
                  own.state,
                  descriptor,
                  own.path(new byte[0]),
                  AT_EMPTY_PATH,
                  STATX_BASIC_STATS,
                  MemorySegment.ofBuffer(own.statx.clear()));
      if (result < 0) {
        return null;
      }
    } catch (Throwable e) {
      throw new LinkageError("statx", e);
    }
    // struct statx: stx_mode, stx_ino, stx_size, and stx_mtime with its nanoseconds.
    return new FileState(
        own.statx.getShort(28) & 0xffff,
        own.statx.getLong(32),
        own.statx.getLong(40),
        own.statx.getLong(112),
        own.statx.getInt(120));
  }

  /**
   * Reads from a position.
   *
   * @param into direct
   * @return bytes, 0 at the end of the file
   */
  static int read(int descriptor, ByteBuffer into, long at) {
    Arguments own = ARGUMENTS.get();
    try {
      long read =
          (long)
              PREAD.invokeExact(
                  own.state, descriptor, MemorySegment.ofBuffer(into), (long) into.remaining(), at);
      return read < 0 ? own.error() : (int) read;
    } catch (Throwable e) {
      throw new LinkageError("pread", e);
    }
  }

  static void close(int descriptor) {
    try {
      int ignored = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new LinkageError("close", e);
    }
  }

  /** An error number in words. */
  static String text(int error) {
    return switch (error) {
      case EPERM, EACCES -> "permission denied";
      case ENOENT -> "no such file or directory";
      case ENOTDIR -> "not a directory";
      case ENFILE, EMFILE -> "too many open files";
      case ENOSYS -> "openat2 is missing: Linux 5.6 or later is needed";
      default -> "error " + error;
    };
  }
}
