package io.forebay.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bytes of a device. Positioned reads and writes only, so that a bad device is an exception and
 * never a signal. Any thread.
 */
public interface BlockFile extends AutoCloseable {
  /** Reads until the buffer is full; an end of file before that is an exception. */
  void read(ByteBuffer into, long at) throws IOException;

  /** Writes all of the buffer. */
  void write(ByteBuffer from, long at) throws IOException;

  /** Returns once everything written before is on the device. */
  void force() throws IOException;

  @Override
  void close() throws IOException;
}
