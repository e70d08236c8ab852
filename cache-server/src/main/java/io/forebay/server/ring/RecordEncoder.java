package io.forebay.server.ring;

import io.forebay.core.http.Latin1Text;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.text.SecretMask;
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

  /** Where the text that was added last begins. */
  private int textStart;

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
      CacheResult cache) {
    INTS.set(bytes, RingLayout.KIND_AT, RingLayout.KIND_REQUEST);
    LONGS.set(bytes, RingLayout.START_AT, startMillis);
    LONGS.set(bytes, RingLayout.DURATION_AT, durationNanos);
    LONGS.set(bytes, RingLayout.FIRST_BYTE_AT, firstByteNanos);
    LONGS.set(bytes, RingLayout.FETCH_AT, fetchNanos);
    LONGS.set(bytes, RingLayout.BYTES_AT, bodyBytes);
    LONGS.set(bytes, RingLayout.FILL_AT, fill);
    SHORTS.set(bytes, RingLayout.STATUS_AT, (short) status);
    bytes[RingLayout.CACHE_AT] = (byte) cache.ordinal();
    bytes[RingLayout.FLAGS_AT] = 0;
    end = RingLayout.TEXTS_AT;
    return this;
  }

  /** Adds a text, if there is one, of which characters are bytes; at most once each. */
  public void text(RingText text, @Nullable CharSequence value) {
    if (value == null) {
      return;
    }
    int length = value.length();
    if (length > text.maxLength()) {
      length = text.maxLength();
      bytes[RingLayout.FLAGS_AT] |= RingLayout.FLAG_CUT;
    }
    bytes[end] = text.tag();
    SHORTS.set(bytes, end + 1, (short) length);
    textStart = end + RingLayout.TEXT_PREFIX;
    copy(value, length);
    end = textStart + length;
  }

  /** Of characters beyond 255 the low byte is taken. */
  @SuppressWarnings("deprecation") // this is what it is for, and the only one that copies at once
  private void copy(CharSequence value, int length) {
    switch (value) {
      case String string -> string.getBytes(0, length, bytes, textStart);
      case Latin1Text octets -> octets.copyTo(bytes, textStart, 0, length);
      default -> {
        for (int i = 0; i < length; i++) {
          bytes[textStart + i] = (byte) value.charAt(i);
        }
      }
    }
  }

  /**
   * Hides secrets in the text that was added last.
   *
   * @param isQuery whether it begins with the name of a parameter
   */
  public void mask(SecretMask mask, boolean isQuery) {
    end = mask.apply(bytes, textStart, end, isQuery);
    SHORTS.set(bytes, textStart - Short.BYTES, (short) (end - textStart));
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
