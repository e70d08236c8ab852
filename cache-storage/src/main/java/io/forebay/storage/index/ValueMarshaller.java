package io.forebay.storage.index;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.InvalidMarshallableException;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;
import org.jspecify.annotations.Nullable;

/** Forty-eight bytes a value, in the order of the picture of {@link IndexValue}. */
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
    byte spare = in.readByte();
    assert spare == 0;
    int diskRegion = in.readInt();
    int diskOffset = in.readInt();
    int diskLength = in.readInt();
    value.disk(device, diskRegion, diskOffset, diskLength);
    long birth = in.readLong();
    value.identity(kind, birth, in.readLong());
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
    out.writeByte((byte) 0);
    out.writeInt(value.diskRegion());
    out.writeInt(value.diskOffset());
    out.writeInt(value.diskLength());
    out.writeLong(value.birth());
    out.writeLong(value.objectId());
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
