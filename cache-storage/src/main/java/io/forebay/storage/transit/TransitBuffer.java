package io.forebay.storage.transit;

import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One record that was read from a disk.
 *
 * <pre>
 *   0          start      start + length   capacity + 2 pages
 *   | block    | record   | block          |
 * </pre>
 *
 * <p>Its bytes do not change while anybody holds it. A holder may retain it for another thread; the
 * last release gives it back to its pool.
 */
public final class TransitBuffer {
  /** Direct I/O reads whole blocks: a record may begin within the first, and end within a last. */
  private static final int PAGE = 4096;

  private static final VarHandle HOLDERS;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(TransitBuffer.class, "holders", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TransitPool pool;
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
    this.capacity = capacity;
    this.owned = new NativeMemory(capacity + 2L * PAGE, PAGE);
    this.memory = owned.segment();
    this.bytes = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    this.record = memory;
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
    if (before == 1) {
      pool.giveBack(this);
    }
  }
}
