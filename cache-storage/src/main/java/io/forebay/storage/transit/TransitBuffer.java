package io.forebay.storage.transit;

import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One record that was read from a disk, or several that were read together: a part of a slab.
 *
 * <pre>
 *   0          start      start + length   room
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

  private final TransitSlab slab;

  /** Where it begins in the slab. */
  private final int at;

  private final int room;
  private final int length;

  /** Where the record begins in the slab. */
  private int start;

  private MemorySegment record;

  @SuppressWarnings("unused") // by its handle
  private volatile int holders = 1;

  /** Held once. */
  TransitBuffer(TransitPool pool, TransitSlab slab, int at, int room, int length) {
    this.pool = pool;
    this.whole = null;
    this.slab = slab;
    this.at = at;
    this.room = room;
    this.length = length;
    this.start = at;
    this.record = slab.memory().asSlice(at, length);
  }

  private TransitBuffer(TransitBuffer whole, int start, int length) {
    this.pool = whole.pool;
    this.whole = whole;
    this.slab = whole.slab;
    this.at = whole.at;
    this.room = whole.room;
    this.length = length;
    this.start = start;
    this.record = slab.memory().asSlice(start, length);
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

  /** Where the record lies in the buffer; for who fills it, before anybody else has it. */
  public void startsAt(int offset) {
    Objects.checkFromIndexSize(offset, length, room);
    start = at + offset;
    record = slab.memory().asSlice(start, length);
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
    return slab.memory().address();
  }

  /**
   * Memory that it is a part of, for access to its own part: shared, so only for absolute access
   * and as what views are made of.
   */
  public ByteBuffer bytes() {
    return slab.bytes();
  }

  /** A view of all of it, for who fills it. */
  public ByteBuffer room() {
    return slab.bytes().slice(at, room).order(ByteOrder.LITTLE_ENDIAN);
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
      pool.giveBack(slab, at, room);
    }
  }
}
