package io.forebay.storage.disk;

import io.forebay.storage.memory.NativeMemory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one file that take what page cache holds and never wait for the device: {@code preadv2}
 * with {@code RWF_NOWAIT} (Linux 4.14). Where the system or the file system lacks it nothing is
 * found, and after the first such answer nobody asks again. Any thread.
 *
 * <p>It has a file descriptor of its own, since that of a channel cannot be had. Should the file
 * have been replaced meanwhile, what it reads is not the record that was wanted.
 */
final class CachedReads implements AutoCloseable {
  private static final int RWF_NOWAIT = 0x8;

  /** Should something else than a file be there by now, opening it does not wait for it. */
  private static final int O_NONBLOCK = 0x800;

  private static final int O_CLOEXEC = 0x80000;
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;

  private static final long VECTOR_BYTES = 16;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final @Nullable MethodHandle OPEN = open();
  private static final @Nullable MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final @Nullable MethodHandle PREADV2 =
      handle(
          "preadv2",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT),
          Linker.Option.captureCallState("errno"));

  /** The arguments of one thread's calls. */
  private static final ThreadLocal<Call> CALL = ThreadLocal.withInitial(Call::new);

  private static final class Call {
    private final MemorySegment vector = NativeMemory.collected(VECTOR_BYTES, Long.BYTES);
    private final MemorySegment state =
        NativeMemory.collected(STATE.byteSize(), STATE.byteAlignment());
  }

  /** Held, shared, in a read; taken alone to close, since the number may be used again. */
  private final ReentrantReadWriteLock closing = new ReentrantReadWriteLock();

  private int descriptor;
  private volatile boolean isAvailable;

  private CachedReads(int descriptor) {
    this.descriptor = descriptor;
    this.isAvailable = descriptor >= 0;
  }

  private static @Nullable MethodHandle open() {
    return handle(
        "open",
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
        Linker.Option.firstVariadicArg(2));
  }

  @SuppressWarnings("restricted") // the call is checked against its manual page
  private static @Nullable MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    Optional<MemorySegment> symbol = LINKER.defaultLookup().find(name);
    if (symbol.isEmpty()) {
      symbol = SymbolLookup.loaderLookup().find(name);
    }
    return symbol.map(found -> LINKER.downcallHandle(found, type, options)).orElse(null);
  }

  /** For a file that is there. One that can't be opened is never found anything in. */
  static CachedReads open(Path file) {
    MethodHandle open = OPEN;
    if (open == null || CLOSE == null || PREADV2 == null) {
      return new CachedReads(-1);
    }
    byte[] name = file.toString().getBytes(StandardCharsets.UTF_8);
    MemorySegment path = NativeMemory.collected(name.length + 1L, 1);
    MemorySegment.copy(name, 0, path, ValueLayout.JAVA_BYTE, 0, name.length);
    try {
      return new CachedReads((int) open.invokeExact(path, O_NONBLOCK | O_CLOEXEC));
    } catch (Throwable e) {
      throw new LinkageError("open", e);
    }
  }

  boolean isAvailable() {
    return isAvailable;
  }

  /** Fills native memory; false if page cache does not have all of it. */
  boolean read(MemorySegment into, long at) {
    MethodHandle call = PREADV2;
    if (call == null || !isAvailable || !closing.readLock().tryLock()) {
      return false;
    }
    try {
      return isAvailable && read(call, descriptor, into, at);
    } finally {
      closing.readLock().unlock();
    }
  }

  private boolean read(MethodHandle call, int file, MemorySegment into, long at) {
    Call own = CALL.get();
    long length = into.byteSize();
    own.vector.set(ValueLayout.ADDRESS, 0, into);
    own.vector.set(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS.byteSize(), length);
    long read;
    try {
      read = (long) call.invokeExact(own.state, file, own.vector, 1, at, RWF_NOWAIT);
    } catch (Throwable e) {
      throw new LinkageError("preadv2", e);
    }
    if (read < 0) {
      int errno = (int) ERRNO.get(own.state, 0L);
      if (errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS) {
        isAvailable = false;
      }
      // An error of the device is for the readers, which report it.
    }
    return read == length;
  }

  @Override
  public void close() {
    closing.writeLock().lock();
    try {
      MethodHandle close = CLOSE;
      isAvailable = false;
      if (descriptor >= 0 && close != null) {
        int ignored = (int) close.invokeExact(descriptor);
      }
      descriptor = -1;
    } catch (Throwable e) {
      throw new LinkageError("close", e);
    } finally {
      closing.writeLock().unlock();
    }
  }
}
