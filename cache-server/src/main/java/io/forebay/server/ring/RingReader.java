package io.forebay.server.ring;

import io.forebay.server.ring.RingRecord.RecordBytes;
import io.forebay.storage.memory.MappedFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a ring, of a process that runs or of one that is gone, without the writer noticing. It
 * begins with the oldest record. If the writer overtakes it, it goes on some records ahead and
 * counts what it lost. Confined to one thread.
 */
public final class RingReader implements AutoCloseable {
  /** After it was overtaken it goes on this part of the ring behind the oldest record. */
  private static final int SLACK = 8;

  private final Path path;
  private final MappedFile file;
  private final MemorySegment memory;
  private final long size;
  private final int loop;
  private final RecordBytes bytes = new RecordBytes();

  private long position;

  /** Records before it are passed over. */
  private long skippedTo;

  private long expected = -1;
  private long lost;

  private RingReader(Path path, MappedFile file, long size) {
    this.path = path;
    this.file = file;
    this.memory = file.memory();
    this.size = size;
    loop = memory.get(RingLayout.INT, RingLayout.LOOP_OFFSET);
    position = RingLayout.acquire(memory, RingLayout.HEAD_OFFSET);
  }

  /**
   * Opens a ring.
   *
   * @throws IOException when it is none that this version can read
   */
  public static RingReader open(Path path) throws IOException {
    MappedFile file = MappedFile.openToRead(path);
    try {
      return new RingReader(path, file, checkedSize(path, file.memory()));
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static long checkedSize(Path path, MemorySegment memory) throws DamagedRingException {
    if (memory.byteSize() < RingLayout.HEADER_LENGTH
        || RingLayout.acquire(memory, RingLayout.MAGIC_OFFSET) != RingLayout.MAGIC) {
      throw new DamagedRingException(path + " is not a request ring");
    }
    int version = memory.get(RingLayout.INT, RingLayout.VERSION_OFFSET);
    if (version != RingLayout.VERSION) {
      throw new DamagedRingException(
          path + " has version " + version + ", this program reads version " + RingLayout.VERSION);
    }
    long size = memory.get(RingLayout.LONG, RingLayout.SIZE_OFFSET);
    if (size < 2L * RingLayout.MAX_RECORD
        || size % RingLayout.ALIGNMENT != 0
        || size != memory.byteSize() - RingLayout.HEADER_LENGTH) {
      throw new DamagedRingException(path + " was cut: it does not have the length it names");
    }
    return size;
  }

  /** Leaves out what the ring has now: only later records follow. */
  public void skipToEnd() {
    position = RingLayout.acquire(memory, RingLayout.TAIL_OFFSET);
  }

  /**
   * The next record; null where there is none yet.
   *
   * @throws IOException when the file does not hold records
   */
  public @Nullable RingRecord next() throws IOException {
    long tail = RingLayout.acquire(memory, RingLayout.TAIL_OFFSET);
    while (position < tail) {
      long at = position % size;
      int length = memory.get(RingLayout.INT, RingLayout.HEADER_LENGTH + at);
      int kind = memory.get(RingLayout.INT, RingLayout.HEADER_LENGTH + at + RingLayout.KIND_AT);
      boolean isRecord = isRecord(length, kind, at);
      if (isRecord) {
        MemorySegment.copy(
            memory, ValueLayout.JAVA_BYTE, RingLayout.HEADER_LENGTH + at, bytes.bytes, 0, length);
      }
      // What was read above is of this record if the head, read after it, is not behind it.
      VarHandle.loadLoadFence();
      long head = RingLayout.acquire(memory, RingLayout.HEAD_OFFSET);
      if (head > position) {
        position = head;
        skippedTo = head + size / SLACK;
        continue;
      }
      if (!isRecord && !isPadding(length, kind, at)) {
        throw new DamagedRingException(path + " is damaged at position " + position);
      }
      long begin = position;
      position += length;
      if (isRecord && begin >= skippedTo) {
        return taken(length);
      }
    }
    return null;
  }

  private RingRecord taken(int length) {
    bytes.length(length);
    RingRecord record = new RingRecord(loop, bytes);
    if (expected >= 0) {
      lost += Math.max(0, record.sequence() - expected);
    }
    expected = record.sequence() + 1;
    return record;
  }

  private boolean isRecord(int length, int kind, long at) {
    return kind == RingLayout.KIND_REQUEST
        && length >= RingLayout.TEXTS_AT
        && length <= RingLayout.MAX_RECORD
        && length % RingLayout.ALIGNMENT == 0
        && length <= size - at;
  }

  private boolean isPadding(int length, int kind, long at) {
    return kind == RingLayout.KIND_PADDING && length == size - at;
  }

  /** Records that the writer overwrote before they were read. */
  public long lost() {
    return lost;
  }

  public int loop() {
    return loop;
  }

  /** Process that writes it, or wrote it. */
  public long process() {
    return memory.get(RingLayout.LONG, RingLayout.PROCESS_OFFSET);
  }

  /** When its process started, in milliseconds since 1970. */
  public long startMillis() {
    return memory.get(RingLayout.LONG, RingLayout.START_OFFSET);
  }

  /** When its process stopped in order; 0 while it runs, and where it was killed. */
  public long stopMillis() {
    return RingLayout.acquire(memory, RingLayout.STOP_OFFSET);
  }

  @Override
  public void close() {
    file.close();
  }
}
