package io.forebay.storage.transit;

import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One record that was read from a disk, or several that were read together.
 *
 * <pre>
 *   0          start      start + length   capacity + 3 pages
 *   | block    | record   | block          |
 *
 *   | block    | record | record | record | block          |
 *                part     part     part      each with holders of its own
 * </pre>
 *
 * <p>Its bytes do not change while anybody holds it. A holder may retain it for another thread; the
 * last release gives it back to its pool.
 */
public final class TransitBuffer {
  /** Direct I/O reads whole blocks: a record may begin within the first, and end within a last. */
  private static final int PAGE = 4096;

  /** What a record may be longer than the capacity: a slice of that length has a header. */
  static final int HEADER_ROOM = PAGE;

  private static final VarHandle HOLDERS;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(TransitBuffer.class, "holders", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TransitPool pool;

  /** What this is a part of, held as long as this is; null for a buffer of its own. */
  private final @Nullable TransitBuffer whole;

  private final NativeMemory owned;
  private final MemorySegment memory;
  private final ByteBuffer bytes;
  private final int capacity;
  private int length;
  private int start;
  private MemorySegment record;

  @SuppressWarnings("unused") // by its handle
  private volatile int holders;

  TransitBuffer(TransitPool pool, int capacity) {
    this.pool = pool;
    this.whole = null;
    this.capacity = capacity;
    this.owned = new NativeMemory(capacity + HEADER_ROOM + 2L * PAGE, PAGE);
    this.memory = owned.segment();
    this.bytes = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    this.record = memory;
  }

  private TransitBuffer(TransitBuffer whole, int start, int length) {
    this.pool = whole.pool;
    this.whole = whole;
    this.capacity = whole.capacity;
    this.owned = whole.owned;
    this.memory = whole.memory;
    this.bytes = whole.bytes;
    this.record = memory;
    take(length);
    startsAt(start);
  }

  /**
   * One of several records that were read together: a buffer that is held once by the caller and
   * holds this one until its own last release. Only for who holds this one.
   *
   * @param offset of the record from {@link #memory}
   */
  public TransitBuffer part(int offset, int partLength) {
    retain();
    return new TransitBuffer(this, start + offset, partLength);
  }

  /** Before it is given out: held once. */
  void take(int newLength) {
    length = newLength;
    holders = 1;
    startsAt(0);
  }

  /** Where the record lies in the buffer; for who fills it, before anybody else has it. */
  public void startsAt(int offset) {
    start = offset;
    record = memory.asSlice(offset, length);
  }

  void free() {
    owned.close();
  }

  int capacity() {
    return capacity;
  }

  /** Length of the record. */
  public int length() {
    return length;
  }

  /** The record. */
  public MemorySegment memory() {
    return record;
  }

  /** Address of {@link #bytes}. */
  public long address() {
    return memory.address();
  }

  /** All of the buffer; shared, so only for absolute access and as what views are made of. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** A view of all of it, for who fills it. */
  public ByteBuffer room() {
    return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).clear();
  }

  /** Where the record begins in {@link #bytes}. */
  public int recordOffset() {
    return start;
  }

  /** Where the body of a slice's record begins in {@link #bytes}. */
  public int bodyOffset() {
    return start + SliceRecord.LENGTH;
  }

  /** Length of the body of a slice's record. */
  public int bodyLength() {
    return record.get(Layouts.INT, SliceRecord.BODY_LENGTH_OFFSET);
  }

  /** One more holder; only for who holds it. */
  public void retain() {
    int before = (int) HOLDERS.getAndAdd(this, 1);
    if (before <= 0) {
      throw new IllegalStateException("nobody holds this buffer");
    }
  }

  /** One holder less. */
  public void release() {
    int before = (int) HOLDERS.getAndAdd(this, -1);
    if (before <= 0) {
      throw new IllegalStateException("nobody holds this buffer");
    }
    if (before == 1 && whole != null) {
      whole.release();
    } else if (before == 1) {
      pool.giveBack(this);
    }
  }
}
