package io.forebay.storage.index;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;
import net.openhft.chronicle.core.io.InvalidMarshallableException;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;
import org.jspecify.annotations.Nullable;

/**
 * Serializes values as sixty-eight bytes in the layout of {@link IndexValue}, as nine words written
 * directly to the map's memory. Checked calls of {@code Bytes} for each field would dominate the
 * cost of an insert, and so of a rebuild, before the JIT compiler optimizes them.
 */
final class ValueMarshaller
    implements SizedReader<IndexValue>, SizedWriter<IndexValue>, ReadResolvable<ValueMarshaller> {
  static final ValueMarshaller INSTANCE = new ValueMarshaller();

  private static final Memory MEMORY = OS.memory();

  private static final int LIFE_OFFSET = 8;
  private static final int DISK_OFFSET = 16;
  private static final int DISK_LIFE_OFFSET = 24;
  private static final int EXPIRES_OFFSET = 32;
  private static final int BIRTH_OFFSET = 36;
  private static final int OBJECT_OFFSET = 44;
  private static final int SCOPE_0_OFFSET = 52;
  private static final int SCOPE_1_OFFSET = 60;

  private ValueMarshaller() {}

  @Override
  public IndexValue read(Bytes<?> in, long size, @Nullable IndexValue using) {
    IndexValue value = using == null ? new IndexValue() : using;
    long at = in.addressForRead(in.readPosition());
    long place = MEMORY.readLong(at);
    long life = MEMORY.readLong(at + LIFE_OFFSET);
    long disk = MEMORY.readLong(at + DISK_OFFSET);
    long diskLife = MEMORY.readLong(at + DISK_LIFE_OFFSET);
    int length = high(life);
    value.memory(low(place), low(life), high(place), length);
    value.disk((short) disk, high(disk), high(diskLife), low(diskLife), length);
    value.flags((byte) (disk >>> 24));
    value.identity(
        (byte) (disk >>> 16),
        MEMORY.readLong(at + BIRTH_OFFSET),
        MEMORY.readLong(at + OBJECT_OFFSET));
    value.fate(
        MEMORY.readInt(at + EXPIRES_OFFSET),
        MEMORY.readLong(at + SCOPE_0_OFFSET),
        MEMORY.readLong(at + SCOPE_1_OFFSET));
    in.readSkip(IndexValue.LENGTH);
    return value;
  }

  @Override
  public long size(IndexValue value) {
    return IndexValue.LENGTH;
  }

  @Override
  public void write(Bytes<?> out, long size, IndexValue value) {
    long at = out.addressForWrite(out.writePosition());
    int device =
        (value.diskDevice() & 0xFFFF) | ((value.kind() & 0xFF) << 16) | (value.flags() << 24);
    MEMORY.writeLong(at, word(value.region(), value.offset()));
    MEMORY.writeLong(at + LIFE_OFFSET, word(value.generation(), value.length()));
    MEMORY.writeLong(at + DISK_OFFSET, word(device, value.diskRegion()));
    MEMORY.writeLong(at + DISK_LIFE_OFFSET, word(value.diskOffset(), value.diskGeneration()));
    MEMORY.writeInt(at + EXPIRES_OFFSET, value.expiresSeconds());
    MEMORY.writeLong(at + BIRTH_OFFSET, value.birth());
    MEMORY.writeLong(at + OBJECT_OFFSET, value.objectId());
    MEMORY.writeLong(at + SCOPE_0_OFFSET, value.scope0());
    MEMORY.writeLong(at + SCOPE_1_OFFSET, value.scope1());
    out.writeSkip(IndexValue.LENGTH);
  }

  /** Two words of the picture as one of eight bytes, little-endian. */
  private static long word(int low, int high) {
    return (low & 0xFFFF_FFFFL) | ((long) high << 32);
  }

  private static int low(long word) {
    return (int) word;
  }

  private static int high(long word) {
    return (int) (word >>> 32);
  }

  @Override
  public void readMarshallable(WireIn wire) throws InvalidMarshallableException {
    // Nothing was written.
  }

  @Override
  public void writeMarshallable(WireOut wire) throws InvalidMarshallableException {
    // Nothing to write.
  }

  @Override
  public ValueMarshaller readResolve() {
    return INSTANCE;
  }
}
