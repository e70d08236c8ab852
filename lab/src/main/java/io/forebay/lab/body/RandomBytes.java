package io.forebay.lab.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** The table that all bodies are windows of: once for the process, never written to again. */
final class RandomBytes {
  /** A prime below 4 MiB. */
  static final int SIZE = 4_194_301;

  private static final long SEED = 0x466f_7265_6261_79L;
  private static final ByteBuffer TABLE = filled();

  private RandomBytes() {}

  private static ByteBuffer filled() {
    ByteBuffer table = ByteBuffer.allocateDirect(SIZE);
    SplittableRandom random = new SplittableRandom(SEED);
    while (table.remaining() >= Long.BYTES) {
      table.putLong(random.nextLong());
    }
    while (table.hasRemaining()) {
      table.put((byte) random.nextInt());
    }
    return table.flip();
  }

  static byte at(int index) {
    return TABLE.get(index);
  }

  /** A buffer of its own, since event loops must not share the state of one. */
  static ByteBuf window(int index, int length) {
    return Unpooled.wrappedBuffer(TABLE.slice(index, length));
  }
}
