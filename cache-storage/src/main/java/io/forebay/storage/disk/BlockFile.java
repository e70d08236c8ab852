package io.forebay.storage.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The bytes of a device. Positioned reads and writes only, so that a bad device is an exception and
 * never a signal. Any thread.
 */
public interface BlockFile extends AutoCloseable {
  /** Reads until the buffer is full; an end of file before that is an exception. */
  void read(ByteBuffer into, long at) throws IOException;

  /**
   * Reads into a buffer that begins on a page and has room for the whole pages around the bytes,
   * wherever they begin.
   *
   * @return where the first byte that was asked for lies in it
   */
  default int readWithin(ByteBuffer room, int length, long at) throws IOException {
    read(room.clear().limit(length), at);
    return 0;
  }

  /** Whether {@link #readCached} may find anything: not past page cache. */
  default boolean mayReadCached() {
    return false;
  }

  /**
   * Fills native memory from page cache, without waiting for the device; for event loops.
   *
   * @return false if some of it was not there; what is in the memory then is undefined
   */
  default boolean readCached(MemorySegment into, long at) {
    return false;
  }

  /** Writes all of the buffer. */
  void write(ByteBuffer from, long at) throws IOException;

  /**
   * Tells the device that a part holds nothing; it reads as zeros then. One thread.
   *
   * @return false if that is not possible here
   */
  default boolean trim(long at, long length) throws IOException {
    return false;
  }

  /** Returns once everything written before is on the device. */
  void force() throws IOException;

  @Override
  void close() throws IOException;
}
