package io.forebay.storage.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls functions of the C library that improve a memory tier (huge pages, locking, giving pages
 * back), and does without them where they are not available. Called once per tier or region, so the
 * cost of a call does not matter.
 */
final class CLibrary {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

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
  @SuppressWarnings("restricted")
  static long result(String function, FunctionDescriptor shape, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      MemorySegment state = arena.allocate(STATE);
      List<Object> all = new ArrayList<>(List.of(arguments));
      all.addFirst(state);
      Object result =
          linker
              .downcallHandle(
                  linker.defaultLookup().findOrThrow(function),
                  shape,
                  Linker.Option.captureCallState("errno"))
              .invokeWithArguments(all);
      long value = ((Number) result).longValue();
      return value < 0 ? -(int) ERRNO.get(state, 0L) : value;
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return MISSING;
    }
  }
}
