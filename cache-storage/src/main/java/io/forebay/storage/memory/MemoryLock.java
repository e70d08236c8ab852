package io.forebay.storage.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps mapped memory from being swapped out, where the process may. */
final class MemoryLock {
  private MemoryLock() {}

  /** One line for the log: what holds the memory in place, or that nothing does. */
  @SuppressWarnings("restricted")
  static String lock(MemorySegment memory) {
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle mlock =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("mlock"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
      int result = (int) mlock.invokeExact(memory, memory.byteSize());
      if (result == 0) {
        return "locked in memory";
      }
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
    }
    return hasSwap()
        ? "not locked in memory and this machine swaps: raise the limit of locked memory (ulimit -l)"
        : "not locked in memory; this machine has no swap";
  }

  private static boolean hasSwap() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
        if (line.startsWith("SwapTotal:")) {
          return !line.contains(" 0 kB");
        }
      }
    } catch (java.io.IOException e) {
      return true;
    }
    return true;
  }
}
