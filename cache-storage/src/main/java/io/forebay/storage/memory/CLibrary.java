package io.forebay.storage.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;

/**
 * Calls functions of the C library that improve a memory tier (huge pages, locking), and does
 * without them where they are not available. Called once per tier, so the cost of a call does not
 * matter.
 */
final class CLibrary {
  private CLibrary() {}

  /**
   * Whether the function is there and has done it.
   *
   * @param shape its result is an int, 0 for done
   */
  @SuppressWarnings("restricted")
  static boolean call(String function, FunctionDescriptor shape, Object... arguments) {
    try {
      Linker linker = Linker.nativeLinker();
      Object result =
          linker
              .downcallHandle(linker.defaultLookup().findOrThrow(function), shape)
              .invokeWithArguments(arguments);
      return result.equals(0);
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return false;
    }
  }
}
