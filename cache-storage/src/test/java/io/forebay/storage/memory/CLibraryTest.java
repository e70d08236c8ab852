package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class CLibraryTest {
  private static final FunctionDescriptor MADVISE =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
  private static final int MADV_NORMAL = 0;
  private static final int NO_ADVICE = 9999;

  @Test
  void tellsWhetherAFunctionHasDoneIt() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1 << 16, 4096);
      assertTrue(CLibrary.call("madvise", MADVISE, memory, memory.byteSize(), MADV_NORMAL));
      assertFalse(CLibrary.call("madvise", MADVISE, memory, memory.byteSize(), NO_ADVICE));
    }
  }

  @Test
  void doesWithoutAFunctionThatIsNotThere() {
    FunctionDescriptor shape = FunctionDescriptor.of(ValueLayout.JAVA_INT);
    assertFalse(CLibrary.call("no_such_function_of_any_library", shape));
  }
}
