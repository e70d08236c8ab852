package io.forebay.storage.index;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.InvalidMarshallableException;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;
import org.jspecify.annotations.Nullable;

/** Serializes keys as sixteen bytes. Stateless: the map's file stores only the class name. */
final class KeyMarshaller
    implements SizedReader<IndexKey>, SizedWriter<IndexKey>, ReadResolvable<KeyMarshaller> {
  static final KeyMarshaller INSTANCE = new KeyMarshaller();

  private KeyMarshaller() {}

  @Override
  public IndexKey read(Bytes<?> in, long size, @Nullable IndexKey using) {
    IndexKey key = using == null ? new IndexKey() : using;
    key.high = in.readLong();
    key.low = in.readLong();
    return key;
  }

  @Override
  public long size(IndexKey key) {
    return IndexKey.LENGTH;
  }

  @Override
  public void write(Bytes<?> out, long size, IndexKey key) {
    out.writeLong(key.high);
    out.writeLong(key.low);
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
  public KeyMarshaller readResolve() {
    return INSTANCE;
  }
}
