package io.forebay.server.ring;

import io.forebay.storage.memory.MappedFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * Writes the ring of one event loop. It never waits for readers and does not know whether there are
 * any: the oldest records make room for new ones. {@link #append} is confined to the loop.
 */
public final class RingWriter implements AutoCloseable {
  private final MappedFile file;
  private final MemorySegment memory;
  private final long size;

  // The loop's. Positions, and the places in the area that they stand for.
  private long tail;
  private long tailAt;
  private long head;

  /**
   * Lengths of the records and paddings between head and tail, in units of the alignment, as a ring
   * of their own: those in the file have left the caches of the processor by the time they are
   * needed, and another process of this user could have changed them.
   */
  private final short[] lengths;

  private int first;
  private int next;

  /** Written by the loop alone; others may read it a moment late. */
  private long sequence;

  private RingWriter(MappedFile file, long size) {
    this.file = file;
    this.memory = file.memory();
    this.size = size;
    // Between two paddings there are records of the least length at most.
    lengths = new short[(int) (size / RingLayout.TEXTS_AT) + 3];
  }

  /**
   * Makes the ring of a loop.
   *
   * @param fileBytes of the whole file
   */
  static RingWriter create(Path path, long fileBytes, int loop, long startMillis)
      throws IOException {
    long size = (fileBytes - RingLayout.HEADER_LENGTH) & -RingLayout.ALIGNMENT;
    if (size < 2L * RingLayout.MAX_RECORD) {
      throw new IllegalArgumentException("a ring of " + fileBytes + " bytes");
    }
    MappedFile file = MappedFile.create(path, RingLayout.HEADER_LENGTH + size);
    MemorySegment memory = file.memory();
    memory.set(RingLayout.INT, RingLayout.VERSION_OFFSET, RingLayout.VERSION);
    memory.set(RingLayout.INT, RingLayout.LOOP_OFFSET, loop);
    memory.set(RingLayout.LONG, RingLayout.SIZE_OFFSET, size);
    memory.set(RingLayout.LONG, RingLayout.PROCESS_OFFSET, ProcessHandle.current().pid());
    memory.set(RingLayout.LONG, RingLayout.START_OFFSET, startMillis);
    // Last: a reader that finds the magic finds the rest.
    RingLayout.release(memory, RingLayout.MAGIC_OFFSET, RingLayout.MAGIC);
    return new RingWriter(file, size);
  }

  /** Writes the record that the encoder has built. */
  public void append(RecordEncoder record) {
    int length = record.finish(sequence);
    long padding = tailAt + length > size ? size - tailAt : 0;
    long end = tail + padding + length;
    if (end - head > size) {
      giveUp(end - size);
    }
    if (padding > 0) {
      long place = RingLayout.HEADER_LENGTH + tailAt;
      memory.set(RingLayout.INT, place, (int) padding);
      memory.set(RingLayout.INT, place + RingLayout.KIND_AT, RingLayout.KIND_PADDING);
      note(padding);
      tailAt = 0;
    }
    note(length);
    MemorySegment.copy(
        record.bytes(),
        0,
        memory,
        ValueLayout.JAVA_BYTE,
        RingLayout.HEADER_LENGTH + tailAt,
        length);
    tail = end;
    tailAt = tailAt + length == size ? 0 : tailAt + length;
    sequence++;
    RingLayout.release(memory, RingLayout.TAIL_OFFSET, end);
  }

  /** Raises the head to the first record that begins at the position or behind it. */
  private void giveUp(long position) {
    while (head < position) {
      head += (long) lengths[first] * RingLayout.ALIGNMENT;
      first = first + 1 == lengths.length ? 0 : first + 1;
    }
    RingLayout.release(memory, RingLayout.HEAD_OFFSET, head);
    // Before the bytes that take the place of the records which were given up.
    VarHandle.storeStoreFence();
  }

  private void note(long length) {
    lengths[next] = (short) (length / RingLayout.ALIGNMENT);
    next = next + 1 == lengths.length ? 0 : next + 1;
  }

  /** Records since the start. */
  long records() {
    return sequence;
  }

  /** Notes an orderly stop, and unmaps the file; the loop must have ended. */
  void close(long stopMillis) {
    memory.set(RingLayout.LONG, RingLayout.STOP_OFFSET, stopMillis);
    file.close();
  }

  /** Unmaps the file as it is. */
  @Override
  public void close() {
    file.close();
  }
}
