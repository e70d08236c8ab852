package io.forebay.cli.doctor;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel knows of its own clock (adjtimex(2)).
 *
 * @param isSynchronised whether a daemon keeps it right
 * @param maxErrorMicros the most that it is said to be wrong by
 */
record KernelClock(boolean isSynchronised, long maxErrorMicros) {
  /** Of {@code struct timex} on machines of 64 bits; the rest is not read. */
  private static final int TIMEX_BYTES = 208;

  private static final int MAX_ERROR_AT = 24;
  private static final int STATUS_AT = 40;
  private static final int UNSYNCHRONISED = 0x40;

  /** That of this machine; null where it does not tell. Reading needs no privileges. */
  @SuppressWarnings("restricted")
  static @Nullable KernelClock here() {
    if (!System.getProperty("os.name").equals("Linux") || ValueLayout.ADDRESS.byteSize() != 8) {
      return null;
    }
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle adjtimex =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("adjtimex"),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              Linker.Option.critical(true));
      // Zero modes: nothing is set.
      MemorySegment timex = MemorySegment.ofArray(new long[TIMEX_BYTES / Long.BYTES]);
      int state = (int) adjtimex.invokeExact(timex);
      return state < 0
          ? null
          : new KernelClock(
              (timex.get(ValueLayout.JAVA_INT, STATUS_AT) & UNSYNCHRONISED) == 0,
              timex.get(ValueLayout.JAVA_LONG, MAX_ERROR_AT));
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return null;
    }
  }
}
