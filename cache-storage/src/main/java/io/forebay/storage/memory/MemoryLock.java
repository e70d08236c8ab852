package io.forebay.storage.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/** Locks mapped memory so that it is not swapped out, if the process may. */
final class MemoryLock {
  private static final FunctionDescriptor MLOCK =
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);

  private MemoryLock() {}

  /** One line for the log: what holds the memory in place, or that nothing does. */
  static String lock(MemorySegment memory) {
    return state(isLocked(memory));
  }

  /** Locks a part of it, in whole pages; false if the process may not. */
  static boolean isLocked(MemorySegment memory) {
    return CLibrary.call("mlock", MLOCK, memory, memory.byteSize());
  }

  /** The line for the log where all parts are locked, or not. */
  static String state(boolean isLocked) {
    if (isLocked) {
      return "locked in memory";
    }
    return hasSwap()
        ? "not locked in memory, and this machine has swap: raise the limit of locked memory"
            + " (ulimit -l)"
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
