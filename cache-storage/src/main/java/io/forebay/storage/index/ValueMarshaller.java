package io.forebay.storage.index;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.InvalidMarshallableException;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;
import org.jspecify.annotations.Nullable;

/** Sixty-eight bytes a value, in the order of the picture of {@link IndexValue}. */
final class ValueMarshaller
    implements SizedReader<IndexValue>, SizedWriter<IndexValue>, ReadResolvable<ValueMarshaller> {
  static final ValueMarshaller INSTANCE = new ValueMarshaller();

  private ValueMarshaller() {}

  @Override
  public IndexValue read(Bytes<?> in, long size, @Nullable IndexValue using) {
    IndexValue value = using == null ? new IndexValue() : using;
    int region = in.readInt();
    int offset = in.readInt();
    int generation = in.readInt();
    int length = in.readInt();
    value.memory(region, generation, offset, length);
    short device = in.readShort();
    byte kind = in.readByte();
    byte flags = in.readByte();
    int diskRegion = in.readInt();
    int diskOffset = in.readInt();
    int diskGeneration = in.readInt();
    value.disk(device, diskRegion, diskGeneration, diskOffset, length);
    value.flags(flags);
    int expiresSeconds = in.readInt();
    long birth = in.readLong();
    long objectId = in.readLong();
    value.identity(kind, birth, objectId);
    long scope0 = in.readLong();
    value.fate(expiresSeconds, scope0, in.readLong());
    return value;
  }

  @Override
  public long size(IndexValue value) {
    return IndexValue.LENGTH;
  }

  @Override
  public void write(Bytes<?> out, long size, IndexValue value) {
    out.writeInt(value.region());
    out.writeInt(value.offset());
    out.writeInt(value.generation());
    out.writeInt(value.length());
    out.writeShort((short) value.diskDevice());
    out.writeByte(value.kind());
    out.writeByte((byte) value.flags());
    out.writeInt(value.diskRegion());
    out.writeInt(value.diskOffset());
    out.writeInt(value.diskGeneration());
    out.writeInt(value.expiresSeconds());
    out.writeLong(value.birth());
    out.writeLong(value.objectId());
    out.writeLong(value.scope0());
    out.writeLong(value.scope1());
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
