package io.forebay.storage.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;

/**
 * Asks the C library for what a tier is better off with, and does without where it is not to be
 * had: on another platform, or in a process that may not call it. Asked once a tier, so that the
 * cost of a call does not matter.
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
