package io.forebay.server.ring;

import io.forebay.server.counters.LoopCounters.CacheResult;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A finished request as a ring has it. Immutable. Texts are as clients and origins sent them: they
 * may hold any character up to 255.
 */
public final class RingRecord {
  private static final CacheResult[] RESULTS = CacheResult.values();

  private final int loop;
  private final long sequence;
  private final long startMillis;
  private final long durationNanos;
  private final long firstByteNanos;
  private final long fetchNanos;
  private final long bytes;
  private final long fill;
  private final int status;
  private final CacheResult cache;
  private final boolean isCut;
  private final @Nullable String[] texts = new @Nullable String[RingText.values().length];

  /** Takes a whole record apart; what lies outside of its bounds is left out. */
  RingRecord(int loop, RecordBytes from) {
    this.loop = loop;
    sequence = from.longAt(RingLayout.SEQUENCE_AT);
    startMillis = from.longAt(RingLayout.START_AT);
    durationNanos = from.longAt(RingLayout.DURATION_AT);
    firstByteNanos = from.longAt(RingLayout.FIRST_BYTE_AT);
    fetchNanos = from.longAt(RingLayout.FETCH_AT);
    bytes = from.longAt(RingLayout.BYTES_AT);
    fill = from.longAt(RingLayout.FILL_AT);
    status = from.shortAt(RingLayout.STATUS_AT);
    int result = from.byteAt(RingLayout.CACHE_AT);
    cache = result >= 0 && result < RESULTS.length ? RESULTS[result] : CacheResult.REFUSED;
    isCut = (from.byteAt(RingLayout.FLAGS_AT) & RingLayout.FLAG_CUT) != 0;
    int end = Math.min(from.length(), RingLayout.TEXTS_AT + from.intAt(RingLayout.TEXTS_LENGTH_AT));
    int at = RingLayout.TEXTS_AT;
    while (at + RingLayout.TEXT_PREFIX <= end) {
      RingText text = RingText.of((byte) from.byteAt(at));
      int length = from.shortAt(at + 1);
      at += RingLayout.TEXT_PREFIX;
      if (length < 0 || length > end - at) {
        break;
      }
      if (text != null) {
        texts[text.ordinal()] = from.text(at, length);
      }
      at += length;
    }
  }

  /** The bytes of a record, copied out of a ring. */
  static final class RecordBytes {
    final byte[] bytes = new byte[RingLayout.MAX_RECORD];
    private final ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    private int length;

    void length(int newLength) {
      length = newLength;
    }

    int length() {
      return length;
    }

    long longAt(int at) {
      return view.getLong(at);
    }

    int intAt(int at) {
      return view.getInt(at);
    }

    int shortAt(int at) {
      return view.getShort(at);
    }

    int byteAt(int at) {
      return bytes[at];
    }

    String text(int at, int textLength) {
      return new String(bytes, at, textLength, StandardCharsets.ISO_8859_1);
    }
  }

  public int loop() {
    return loop;
  }

  /** Records of its loop before it, since the start of the node. */
  public long sequence() {
    return sequence;
  }

  /** When the request's first byte came. */
  public long startMillis() {
    return startMillis;
  }

  public long durationNanos() {
    return durationNanos;
  }

  /** When the request ended, in nanoseconds since 1970: rings are in this order. */
  public long endNanos() {
    return startMillis * 1_000_000 + Math.max(0, durationNanos);
  }

  /** Until the first byte of the response; -1 where there was none. */
  public long firstByteNanos() {
    return firstByteNanos;
  }

  /** Of a fetch of the request's own; -1 where there was none. */
  public long fetchNanos() {
    return fetchNanos;
  }

  public long bytes() {
    return bytes;
  }

  /** Number of the fetch that the request led or joined; 0 for none. */
  public long fill() {
    return fill;
  }

  /** Status sent, or 0. */
  public int status() {
    return status;
  }

  public CacheResult cache() {
    return cache;
  }

  /** The result's name as the access log has it. */
  public String cacheName() {
    return cache.name().toLowerCase(Locale.ROOT);
  }

  /** Whether some text is not whole. */
  public boolean isCut() {
    return isCut;
  }

  /** A text; null where there is none. */
  public @Nullable String text(RingText text) {
    return texts[text.ordinal()];
  }

  /** The same, empty where there is none. */
  public String textOrEmpty(RingText text) {
    String value = texts[text.ordinal()];
    return value == null ? "" : value;
  }

  /** Path and query. */
  public String target() {
    String query = text(RingText.QUERY);
    String path = textOrEmpty(RingText.PATH);
    return query == null ? path : path + "?" + query;
  }

  /** Scheme, host, path and query. */
  public String url() {
    return textOrEmpty(RingText.SCHEME) + "://" + textOrEmpty(RingText.HOST) + target();
  }
}
