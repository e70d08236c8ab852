package io.forebay.storage.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls functions of the C library that improve a memory tier (huge pages, locking, giving pages
 * back), and does without them where they are not available. Called once per tier or region, so the
 * cost of a call matters little.
 */
final class CLibrary {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final Map<Signature, MethodHandle> LINKED = new ConcurrentHashMap<>();

  /** The result of a function that is not there: as the kernel says it of a system call. */
  static final long MISSING = -38;

  private CLibrary() {}

  /**
   * Whether the function is there and has done it.
   *
   * @param shape its result is an int, 0 for done
   */
  static boolean call(String function, FunctionDescriptor shape, Object... arguments) {
    return result(function, shape, arguments) == 0;
  }

  /**
   * What the function returned; if it is negative, the negative error number.
   *
   * @param shape its result is an int or a long
   */
  static long result(String function, FunctionDescriptor shape, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      Object[] all = new Object[arguments.length + 1];
      all[0] = state;
      System.arraycopy(arguments, 0, all, 1, arguments.length);
      MethodHandle linked =
          LINKED.computeIfAbsent(new Signature(function, shape), CLibrary::linked);
      long value = ((Number) linked.invoke(all)).longValue();
      return value < 0 ? -(int) ERRNO.get(state, 0L) : value;
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return MISSING;
    }
  }

  /** The function as one of an array of its arguments. */
  @SuppressWarnings("restricted")
  private static MethodHandle linked(Signature signature) {
    Linker linker = Linker.nativeLinker();
    MethodHandle handle =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow(signature.function),
            signature.shape,
            Linker.Option.captureCallState("errno"));
    return handle
        .asType(handle.type().generic())
        .asSpreader(Object[].class, handle.type().parameterCount());
  }

  private record Signature(String function, FunctionDescriptor shape) {}
}
