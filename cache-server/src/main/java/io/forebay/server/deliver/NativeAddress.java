package io.forebay.server.deliver;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The address of a direct buffer's first byte, without {@code Unsafe}. */
final class NativeAddress {
  private NativeAddress() {}

  static long of(ByteBuffer direct) {
    return MemorySegment.ofBuffer(direct).address();
  }
}
