package io.forebay.server.deliver;

import static java.util.Objects.requireNonNull;

import io.forebay.server.http.LeaseHolder;
import io.forebay.storage.transit.TransitBuffer;
import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A read-only buffer directly over stored bytes: of a mapped region, which stays pinned until the
 * buffer is released, or of a record read from a disk, which it holds. If a socket does not accept
 * the bytes in time, {@link #detach(ByteBuf)} replaces the memory by a private copy and releases
 * the pin or the record, so that a stalled reader holds neither.
 *
 * <p>Owner: the loop that took it from {@link Leases}; release happens there too, because a channel
 * releases what it has written on its own loop.
 *
 * <pre>
 *   leased:    region buffer  |........[base ............ base+capacity)......|
 *   detached:  private copy            [0 ... capacity - copiedFrom)           base = -copiedFrom
 * </pre>
 *
 * Indexes stay what they were across the swap: index i is always byte {@code base + i} of what
 * backs it. Bytes before {@code copiedFrom} have been sent and are not readable afterwards.
 */
final class LeasedBuf extends AbstractReferenceCountedByteBuf {

  private final Leases owner;

  private ByteBuffer backing;
  private @Nullable ByteBuffer scratch;
  private long address;
  private int base;
  private int capacity;
  private int region;

  /** What backs it instead of a region: a record that was read from a disk. */
  private @Nullable TransitBuffer read;

  /** Holds the private copy after a swap; null while leased. */
  private @Nullable ByteBuf copy;

  /** Whether views of this buffer may exist, whose positions cannot be known. */
  private boolean hasViews;

  private @Nullable LeaseHolder holder;

  // Ring of the loop's leased chunks, kept by Leases.
  LeasedBuf older = this;
  LeasedBuf newer = this;
  int takenAtTick;

  LeasedBuf(Leases owner, ByteBuffer backing) {
    super(Integer.MAX_VALUE);
    this.owner = owner;
    this.backing = backing;
  }

  /** Takes over one pin on the region. */
  void lease(
      int region,
      ByteBuffer regionBuffer,
      long regionAddress,
      int offset,
      int length,
      LeaseHolder holder) {
    this.region = region;
    begin(regionBuffer, regionAddress, offset, length, holder);
  }

  /** Takes over one hold of a record that was read from a disk. */
  void lease(TransitBuffer record, int offset, int length, LeaseHolder holder) {
    this.read = record;
    begin(record.bytes(), record.address(), offset, length, holder);
  }

  private void begin(
      ByteBuffer bytes, long bytesAddress, int offset, int length, LeaseHolder newHolder) {
    this.backing = bytes;
    this.scratch = null;
    this.address = bytesAddress + offset;
    this.base = offset;
    this.capacity = length;
    this.copy = null;
    this.hasViews = false;
    this.holder = newHolder;
    resetRefCnt();
    setIndex0(length);
  }

  /** Gives back what backs it, unless that is a copy. */
  private void unlease() {
    TransitBuffer record = read;
    if (record == null) {
      owner.unpin(region);
    } else {
      read = null;
      record.release();
    }
  }

  private void setIndex0(int length) {
    clear();
    writerIndex(length);
  }

  LeaseHolder holder() {
    return requireNonNull(holder);
  }

  /** Whether it is still out for the same transfer; instances are used again. */
  @SuppressWarnings("ReferenceEquality") // two transfers may well be equal
  boolean isHeldBy(LeaseHolder other) {
    return holder == other;
  }

  /** Bytes that a swap would have to copy now. */
  int copyLengthBytes() {
    return capacity - copyFrom();
  }

  private int copyFrom() {
    return hasViews ? 0 : readerIndex();
  }

  /**
   * Goes on from a private copy and gives the region's pin back.
   *
   * @param into a direct buffer with room for {@link #copyLengthBytes}; ownership passes
   */
  void detach(ByteBuf into) {
    int from = copyFrom();
    int length = capacity - from;
    into.clear();
    into.writeBytes(backing.slice(base + from, length));
    ByteBuffer bytes = into.internalNioBuffer(0, length).slice();
    unlease();
    copy = into;
    backing = bytes;
    scratch = null;
    address = NativeAddress.of(bytes) - from;
    base = -from;
  }

  @Override
  protected void deallocate() {
    ByteBuf held = copy;
    copy = null;
    scratch = null;
    LeaseHolder told = holder;
    holder = null;
    if (held == null) {
      unlease();
    } else {
      owner.returnCopy(capacity + base);
      held.release();
    }
    owner.recycle(this);
    if (told != null) {
      told.onLeaseReleased();
    }
  }

  private int at(int index) {
    return base + index;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int maxCapacity() {
    return capacity;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public boolean isWritable(int numBytes) {
    return false;
  }

  @Override
  public int ensureWritable(int minWritableBytes, boolean force) {
    return 1;
  }

  @Override
  public ByteBuf ensureWritable(int minWritableBytes) {
    if (minWritableBytes > 0) {
      throw new ReadOnlyBufferException();
    }
    return this;
  }

  @Override
  public ByteBufAllocator alloc() {
    return PooledByteBufAllocator.DEFAULT;
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public boolean hasMemoryAddress() {
    return true;
  }

  @Override
  public long memoryAddress() {
    return address;
  }

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    checkIndex(index, length);
    hasViews = true;
    return backing.slice(at(index), length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    checkIndex(index, length);
    ByteBuffer view = scratch;
    if (view == null) {
      view = backing.duplicate();
      scratch = view;
    }
    view.limit(at(index) + length).position(at(index));
    return view;
  }

  @Override
  public ByteBuf slice(int index, int length) {
    hasViews = true;
    return super.slice(index, length);
  }

  @Override
  public ByteBuf retainedSlice(int index, int length) {
    hasViews = true;
    return super.retainedSlice(index, length);
  }

  @Override
  public ByteBuf duplicate() {
    hasViews = true;
    return super.duplicate();
  }

  @Override
  public ByteBuf retainedDuplicate() {
    hasViews = true;
    return super.retainedDuplicate();
  }

  @Override
  public ByteBuf readSlice(int length) {
    hasViews = true;
    return super.readSlice(length);
  }

  @Override
  public ByteBuf readRetainedSlice(int length) {
    hasViews = true;
    return super.readRetainedSlice(length);
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().directBuffer(Math.max(1, length)).writeBytes(backing.slice(at(index), length));
  }

  @Override
  protected byte _getByte(int index) {
    return backing.get(at(index));
  }

  @Override
  protected short _getShort(int index) {
    return backing.getShort(at(index));
  }

  @Override
  protected short _getShortLE(int index) {
    return Short.reverseBytes(_getShort(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return ((_getByte(index) & 0xff) << 16)
        | ((_getByte(index + 1) & 0xff) << 8)
        | (_getByte(index + 2) & 0xff);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return (_getByte(index) & 0xff)
        | ((_getByte(index + 1) & 0xff) << 8)
        | ((_getByte(index + 2) & 0xff) << 16);
  }

  @Override
  protected int _getInt(int index) {
    return backing.getInt(at(index));
  }

  @Override
  protected int _getIntLE(int index) {
    return Integer.reverseBytes(_getInt(index));
  }

  @Override
  protected long _getLong(int index) {
    return backing.getLong(at(index));
  }

  @Override
  protected long _getLongLE(int index) {
    return Long.reverseBytes(_getLong(index));
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf destination, int destinationIndex, int length) {
    checkIndex(index, length);
    destination.setBytes(destinationIndex, backing.slice(at(index), length));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] destination, int destinationIndex, int length) {
    checkIndex(index, length);
    backing.get(at(index), destination, destinationIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer destination) {
    int length = destination.remaining();
    checkIndex(index, length);
    destination.put(backing.slice(at(index), length));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    byte[] bytes = new byte[length];
    getBytes(index, bytes, 0, length);
    out.write(bytes);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    return out.write(backing.slice(at(index), length));
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    return out.write(backing.slice(at(index), length), position);
  }

  @Override
  protected void _setByte(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShort(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShortLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMedium(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setInt(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setIntLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLong(int index, long value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLongLE(int index, long value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer source) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, InputStream in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) {
    throw new ReadOnlyBufferException();
  }

  /** An empty buffer's backing, for instances that wait in the free list. */
  static ByteBuffer noBacking() {
    return Unpooled.EMPTY_BUFFER.nioBuffer();
  }
}
