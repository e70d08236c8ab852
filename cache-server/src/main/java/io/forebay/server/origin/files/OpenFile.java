package io.forebay.server.origin.files;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * A file that is open for reading. One thread at a time.
 *
 * @param state when it was opened
 */
record OpenFile(int descriptor, FileState state) {

  /**
   * Fills the buffer from a position.
   *
   * @return false if the file ends before that, or cannot be read
   */
  boolean read(ByteBuf into, int length, long at) {
    ByteBuffer bytes = into.nioBuffer(into.writerIndex(), length);
    while (bytes.hasRemaining()) {
      int read = FileCalls.read(descriptor, bytes, at + bytes.position());
      if (read <= 0) {
        return false;
      }
      bytes.position(bytes.position() + read);
    }
    into.writerIndex(into.writerIndex() + length);
    return true;
  }

  /** Whether it is still what it was when it was opened. */
  boolean isUnchanged() {
    FileState now = FileCalls.state(descriptor);
    return now != null && now.hasSameBytes(state);
  }

  void close() {
    FileCalls.close(descriptor);
  }
}
