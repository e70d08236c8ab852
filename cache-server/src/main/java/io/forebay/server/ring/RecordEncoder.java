package io.forebay.server.ring;

import io.forebay.server.counters.LoopCounters.CacheResult;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Builds one record after the other in a buffer of its own: {@link #begin}, the texts, then {@link
 * RingWriter#append}. Allocates nothing. Confined to one thread.
 */
public final class RecordEncoder {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes = new byte[RingLayout.MAX_RECORD];
  private int end;

  public RecordEncoder() {}

  /** Begins a record with its numbers. */
  public RecordEncoder begin(
      long startMillis,
      long durationNanos,
      long firstByteNanos,
      long fetchNanos,
      long bodyBytes,
      long fill,
      int status,
      CacheResult cache,
      boolean isCut) {
    INTS.set(bytes, RingLayout.KIND_AT, RingLayout.KIND_REQUEST);
    LONGS.set(bytes, RingLayout.START_AT, startMillis);
    LONGS.set(bytes, RingLayout.DURATION_AT, durationNanos);
    LONGS.set(bytes, RingLayout.FIRST_BYTE_AT, firstByteNanos);
    LONGS.set(bytes, RingLayout.FETCH_AT, fetchNanos);
    LONGS.set(bytes, RingLayout.BYTES_AT, bodyBytes);
    LONGS.set(bytes, RingLayout.FILL_AT, fill);
    SHORTS.set(bytes, RingLayout.STATUS_AT, (short) status);
    bytes[RingLayout.CACHE_AT] = (byte) cache.ordinal();
    bytes[RingLayout.FLAGS_AT] = (byte) (isCut ? RingLayout.FLAG_CUT : 0);
    end = RingLayout.TEXTS_AT;
    return this;
  }

  /** Adds a text; at most once each. */
  public void text(RingText text, byte[] source, int from, int length) {
    int taken = prefix(text, length);
    System.arraycopy(source, from, bytes, end, taken);
    end += taken;
  }

  /** The same of a String whose characters are bytes; others become question marks. */
  public void text(RingText text, @Nullable String value) {
    if (value == null) {
      return;
    }
    int taken = prefix(text, value.length());
    for (int i = 0; i < taken; i++) {
      char c = value.charAt(i);
      bytes[end + i] = c < 0x100 ? (byte) c : (byte) '?';
    }
    end += taken;
  }

  private int prefix(RingText text, int length) {
    int taken = length;
    if (taken > text.maxLength()) {
      taken = text.maxLength();
      bytes[RingLayout.FLAGS_AT] |= RingLayout.FLAG_CUT;
    }
    bytes[end] = text.tag();
    SHORTS.set(bytes, end + 1, (short) taken);
    end += RingLayout.TEXT_PREFIX;
    return taken;
  }

  /** Ends the record and gives its length, which {@link #bytes} has. */
  int finish(long sequence) {
    int length = RingLayout.aligned(end);
    INTS.set(bytes, 0, length);
    LONGS.set(bytes, RingLayout.SEQUENCE_AT, sequence);
    INTS.set(bytes, RingLayout.TEXTS_LENGTH_AT, end - RingLayout.TEXTS_AT);
    return length;
  }

  byte[] bytes() {
    return bytes;
  }
}
