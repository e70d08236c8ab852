package io.forebay.server.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Where the fields of a ring's file lie; pictured in the documentation of the package. */
final class RingLayout {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS = LONG.varHandle();

  /** {@code FBRING01} in the order of its bytes. */
  static final long MAGIC = 0x3130474E49524246L;

  static final int VERSION = 1;

  static final long MAGIC_OFFSET = 0;
  static final long VERSION_OFFSET = 8;
  static final long LOOP_OFFSET = 12;
  static final long SIZE_OFFSET = 16;
  static final long PROCESS_OFFSET = 24;
  static final long START_OFFSET = 32;
  static final long STOP_OFFSET = 40;
  static final long TAIL_OFFSET = 128;
  static final long HEAD_OFFSET = 192;
  static final int HEADER_LENGTH = 4096;

  static final int KIND_REQUEST = 1;
  static final int KIND_PADDING = 2;

  static final int KIND_AT = 4;
  static final int SEQUENCE_AT = 8;
  static final int START_AT = 16;
  static final int DURATION_AT = 24;
  static final int FIRST_BYTE_AT = 32;
  static final int FETCH_AT = 40;
  static final int BYTES_AT = 48;
  static final int FILL_AT = 56;
  static final int STATUS_AT = 64;
  static final int CACHE_AT = 66;
  static final int FLAGS_AT = 67;
  static final int TEXTS_LENGTH_AT = 68;
  static final int TEXTS_AT = 72;

  /** Of a text: its tag and its length. */
  static final int TEXT_PREFIX = 3;

  static final int ALIGNMENT = 8;
  static final int MAX_RECORD = 2048;
  static final int FLAG_CUT = 1;

  private RingLayout() {}

  static long acquire(MemorySegment memory, long offset) {
    return (long) LONGS.getAcquire(memory, offset);
  }

  static void release(MemorySegment memory, long offset, long value) {
    LONGS.setRelease(memory, offset, value);
  }

  static int aligned(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }
}
