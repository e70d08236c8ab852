package io.forebay.server.metric;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes records as lines of JSON. What came on the wire is taken as ISO 8859-1, so that every byte
 * has a character and the line is valid UTF-8 whatever a client sends. Confined to one thread.
 */
final class AccessFormat {
  /** Version of the lines' schema; raised when a field changes its meaning or goes. */
  static final int SCHEMA_VERSION = 1;

  /** No line is longer: every byte escaped, with room for numbers, names and short texts. */
  static final int MAX_LINE_LENGTH = AccessRecord.TEXT_LENGTH * 6 + 8 * 128 * 6 + 1024;

  private static final int MAX_SHORT_TEXT = 128;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[][] CACHE_NAMES;

  static {
    LoopCounters.CacheResult[] results = LoopCounters.CacheResult.values();
    CACHE_NAMES = new byte[results.length][];
    for (int i = 0; i < results.length; i++) {
      CACHE_NAMES[i] =
          results[i].name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
    }
  }

  private static final byte[] START =
      ("{\"v\":" + SCHEMA_VERSION + ",\"ts\":\"").getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REQUEST_ID = name("request_id");
  private static final byte[] TRACEPARENT = name("traceparent");
  private static final byte[] CLIENT = name("client");
  private static final byte[] METHOD = name("method");
  private static final byte[] SCHEME = name("scheme");
  private static final byte[] HOST = name("host");
  private static final byte[] TARGET = name("target");
  private static final byte[] PROTOCOL = name("protocol");
  private static final byte[] STATUS = name("status");
  private static final byte[] BYTES = name("bytes");
  private static final byte[] DURATION = name("duration_us");
  private static final byte[] FIRST_BYTE = name("first_byte_us");
  private static final byte[] CACHE = name("cache");
  private static final byte[] REASON = name("reason");
  private static final byte[] ROUTE = name("route");
  private static final byte[] ORIGIN = name("origin");
  private static final byte[] FETCH = name("fetch_us");
  private static final byte[] REFERER = name("referer");
  private static final byte[] USER_AGENT = name("user_agent");
  private static final byte[] ABORT = name("abort");
  private static final byte[] TRUNCATED = ",\"truncated\":true".getBytes(StandardCharsets.US_ASCII);

  // The second that the text is of; lines of one second share it.
  private long second = Long.MIN_VALUE;
  private byte[] secondText = new byte[0];

  private static byte[] name(String name) {
    return (",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII);
  }

  /** Appends one line; the buffer must have {@link #MAX_LINE_LENGTH} bytes left. */
  void append(ByteBuffer out, AccessRecord record) {
    out.put(START);
    timestamp(out, record.epochMillis);
    out.put((byte) '"');
    wire(out, REQUEST_ID, record, AccessRecord.REQUEST_ID);
    wire(out, TRACEPARENT, record, AccessRecord.TRACEPARENT);
    text(out, CLIENT, record.client);
    text(out, METHOD, record.method);
    text(out, SCHEME, record.scheme);
    wire(out, HOST, record, AccessRecord.HOST);
    target(out, record);
    text(out, PROTOCOL, record.protocol);
    number(out, STATUS, record.status);
    number(out, BYTES, record.bytes);
    number(out, DURATION, Math.max(record.durationNanos, 0) / 1000);
    micros(out, FIRST_BYTE, record.firstByteNanos);
    out.put(CACHE).put((byte) '"').put(CACHE_NAMES[record.cache.ordinal()]).put((byte) '"');
    text(out, REASON, record.reason);
    text(out, ROUTE, record.route);
    text(out, ORIGIN, record.origin);
    micros(out, FETCH, record.fetchNanos);
    wire(out, REFERER, record, AccessRecord.REFERER);
    wire(out, USER_AGENT, record, AccessRecord.USER_AGENT);
    text(out, ABORT, record.abort);
    if (record.isTruncated) {
      out.put(TRUNCATED);
    }
    out.put((byte) '}').put((byte) '\n');
  }

  private void timestamp(ByteBuffer out, long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != second) {
      String text = Instant.ofEpochSecond(now).toString();
      secondText = text.substring(0, text.length() - 1).getBytes(StandardCharsets.US_ASCII);
      second = now;
    }
    int millis = (int) Math.floorMod(epochMillis, 1000L);
    out.put(secondText).put((byte) '.');
    out.put((byte) ('0' + millis / 100));
    out.put((byte) ('0' + millis / 10 % 10));
    out.put((byte) ('0' + millis % 10));
    out.put((byte) 'Z');
  }

  private static void target(ByteBuffer out, AccessRecord record) {
    out.put(TARGET).put((byte) '"');
    escaped(out, record, AccessRecord.PATH);
    if (record.lengths[AccessRecord.QUERY] >= 0) {
      out.put((byte) '?');
      escaped(out, record, AccessRecord.QUERY);
    }
    out.put((byte) '"');
  }

  private static void wire(ByteBuffer out, byte[] name, AccessRecord record, int field) {
    if (record.lengths[field] < 0) {
      return;
    }
    out.put(name).put((byte) '"');
    escaped(out, record, field);
    out.put((byte) '"');
  }

  private static void escaped(ByteBuffer out, AccessRecord record, int field) {
    int offset = AccessRecord.offset(field);
    for (int i = 0; i < record.lengths[field]; i++) {
      escaped(out, record.text[offset + i] & 0xFF);
    }
  }

  private static void text(ByteBuffer out, byte[] name, @Nullable String value) {
    if (value == null) {
      return;
    }
    out.put(name).put((byte) '"');
    for (int i = 0; i < value.length() && i < MAX_SHORT_TEXT; i++) {
      char c = value.charAt(i);
      escaped(out, c < 0x100 ? c : '?');
    }
    out.put((byte) '"');
  }

  private static void escaped(ByteBuffer out, int c) {
    if (c == '"' || c == '\\') {
      out.put((byte) '\\').put((byte) c);
    } else if (c < 0x20 || c == 0x7F) {
      out.put((byte) '\\').put((byte) 'u').put((byte) '0').put((byte) '0');
      out.put(HEX[c >> 4]).put(HEX[c & 0xF]);
    } else if (c < 0x80) {
      out.put((byte) c);
    } else {
      out.put((byte) (0xC0 | (c >> 6))).put((byte) (0x80 | (c & 0x3F)));
    }
  }

  private static void micros(ByteBuffer out, byte[] name, long nanos) {
    if (nanos >= 0) {
      number(out, name, nanos / 1000);
    }
  }

  private static void number(ByteBuffer out, byte[] name, long value) {
    out.put(name);
    if (value < 0) {
      out.put(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
      return;
    }
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int end = out.position() + digits;
    long rest = value;
    for (int at = end - 1; at >= end - digits; at--) {
      out.put(at, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    out.position(end);
  }
}
