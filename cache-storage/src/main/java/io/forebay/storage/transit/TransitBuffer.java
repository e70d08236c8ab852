package io.forebay.storage.transit;

import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One record that was read from a disk. Its bytes do not change while anybody holds it. Whoever
 * holds it may hand it to another thread and retain it there; the last release ends its life.
 */
public final class TransitBuffer {
  private static final long ALIGNMENT = 4096;
  private static final VarHandle HOLDERS;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(TransitBuffer.class, "holders", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TransitPool pool;
  private final Arena arena;
  private final MemorySegment memory;
  private final ByteBuffer bytes;
  private int length;

  @SuppressWarnings("unused") // by its handle
  private volatile int holders;

  TransitBuffer(TransitPool pool, int capacity) {
    this.pool = pool;
    this.arena = Arena.ofShared();
    this.memory = arena.allocate(capacity, ALIGNMENT);
    this.bytes = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Before it is given out: held once. */
  void take(int newLength) {
    length = newLength;
    holders = 1;
  }

  void free() {
    arena.close();
  }

  int capacity() {
    return (int) memory.byteSize();
  }

  /** Length of the record. */
  public int length() {
    return length;
  }

  /** The record's bytes and what is behind them. */
  public MemorySegment memory() {
    return memory;
  }

  /** All of the buffer; shared, so only for absolute access and as what views are made of. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** A view for one reader of a device, over the room of the record. */
  public ByteBuffer room() {
    return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).clear().limit(length);
  }

  /** Where the body of a slice's record begins. */
  public int bodyOffset() {
    return SliceRecord.LENGTH;
  }

  /** Length of the body of a slice's record. */
  public int bodyLength() {
    return memory.get(Layouts.INT, SliceRecord.BODY_LENGTH_OFFSET);
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
