package io.forebay.server.accesslog;

import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.TlsSession;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats records as lines of JSON. Bytes from the network are decoded as ISO 8859-1, so every byte
 * has a character and the line is valid UTF-8 whatever a client sends. Confined to one thread.
 */
final class AccessFormat {
  /** Version of the lines' schema; raised when a field changes its meaning or goes. */
  static final int SCHEMA_VERSION = 1;

  /** No line is longer: every byte escaped, with room for numbers, names and short texts. */
  static final int MAX_LINE_LENGTH =
      (AccessRecord.TEXT_LENGTH
                  + 2 * RouteLog.MAX_HEADERS * (AccessRecord.EXTRA_LENGTH + 128)
                  + 12 * 128)
              * 6
          + Cmcd.MAX_JSON
          + 1056;

  private static final int MAX_SHORT_TEXT = 128;

  /** A host name of the DNS has 253 characters at most. */
  private static final int MAX_SERVER_NAME = 256;

  private static final byte[] UNICODE = "\\u00".getBytes(StandardCharsets.US_ASCII);
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
  private static final byte[] TLS = name("tls");
  private static final byte[] CIPHER = name("cipher");
  private static final byte[] SERVER_NAME = name("sni");
  private static final byte[] JA4 = name("ja4");
  private static final byte[] RESUMED = ",\"resumed\":true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOT_RESUMED =
      ",\"resumed\":false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STATUS = name("status");
  private static final byte[] BYTES = name("bytes");
  private static final byte[] CODING = name("coding");
  private static final byte[] ESI = name("esi");
  private static final byte[] RECEIVED = name("received");
  private static final byte[] DURATION = name("duration_us");
  private static final byte[] FIRST_BYTE = name("first_byte_us");
  private static final byte[] CACHE = name("cache");
  private static final byte[] REASON = name("reason");
  private static final byte[] ROUTE = name("route");
  private static final byte[] ORIGIN = name("origin");
  private static final byte[] FETCH = name("fetch_us");
  private static final byte[] REFERER = name("referer");
  private static final byte[] USER_AGENT = name("user_agent");
  private static final byte[] SAMPLED = name("sampled");
  private static final byte[] REQUEST_HEADERS = name("request_headers");
  private static final byte[] RESPONSE_HEADERS = name("response_headers");
  private static final byte[] CMCD = name("cmcd");
  private static final byte[] ERROR = name("error");
  private static final byte[] ABORT = name("abort");
  private static final byte[] TRUNCATED = ",\"truncated\":true".getBytes(StandardCharsets.US_ASCII);

  // Bytes that stand for themselves within a JSON string.
  private static final boolean[] IS_PLAIN = new boolean[256];

  static {
    for (int c = 0x20; c < 0x7F; c++) {
      IS_PLAIN[c] = c != '"' && c != '\\';
    }
  }

  // The second that the text is of; lines of one second share it.
  private long second = Long.MIN_VALUE;
  private byte[] secondText = new byte[0];

  // Where the line at hand is written; set by append.
  private byte[] out = new byte[0];
  private int at;

  private static byte[] name(String name) {
    return (",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Writes one line at a position of the target and returns where it ends. The target must have
   * {@link #MAX_LINE_LENGTH} bytes left there.
   */
  int append(byte[] target, int position, AccessRecord record) {
    out = target;
    at = position;
    put(START);
    timestamp(record.epochMillis);
    put('"');
    wire(REQUEST_ID, record, AccessRecord.REQUEST_ID);
    wire(TRACEPARENT, record, AccessRecord.TRACEPARENT);
    text(CLIENT, record.client);
    text(METHOD, record.method);
    text(SCHEME, record.scheme);
    wire(HOST, record, AccessRecord.HOST);
    target(record);
    text(PROTOCOL, record.protocol);
    tls(record.tls);
    number(STATUS, record.status);
    number(BYTES, record.bytes);
    text(CODING, record.coding);
    if (record.esiFragments >= 0) {
      number(ESI, record.esiFragments);
    } else if (record.esiFragments == AccessEvent.ESI_FRAGMENT) {
      text(ESI, "fragment");
    }
    if (record.tunnelledBytes >= 0) {
      number(RECEIVED, record.tunnelledBytes);
    }
    number(DURATION, Math.max(record.durationNanos, 0) / 1000);
    micros(FIRST_BYTE, record.firstByteNanos);
    put(CACHE);
    put('"');
    put(CACHE_NAMES[record.cache.ordinal()]);
    put('"');
    text(REASON, record.reason);
    text(ROUTE, record.route);
    text(ORIGIN, record.origin);
    micros(FETCH, record.fetchNanos);
    wire(REFERER, record, AccessRecord.REFERER);
    wire(USER_AGENT, record, AccessRecord.USER_AGENT);
    byRoute(record);
    if (record.cmcdLength >= 0) {
      put(CMCD);
      System.arraycopy(record.cmcd, 0, out, at, record.cmcdLength);
      at += record.cmcdLength;
    }
    wire(ERROR, record, AccessRecord.ERROR);
    text(ABORT, record.abort);
    if (record.isTruncated) {
      put(TRUNCATED);
    }
    put('}');
    put('\n');
    return at;
  }

  /** What lines of a route have in addition. */
  private void byRoute(AccessRecord record) {
    RouteLog rules = record.rules;
    if (rules.hitsPercent() < 100 && record.cache == LoopCounters.CacheResult.HIT) {
      number(SAMPLED, rules.hitsPercent());
    }
    fields(REQUEST_HEADERS, record, rules.requestHeaders(), 0);
    fields(RESPONSE_HEADERS, record, rules.responseHeaders(), AccessRecord.OF_RESPONSE);
  }

  /** An object of those fields that there were. */
  private void fields(byte[] name, AccessRecord record, List<String> names, int firstPlace) {
    boolean isBegun = false;
    for (int i = 0; i < names.size(); i++) {
      int length = record.extraLengths[firstPlace + i];
      if (length < 0) {
        continue;
      }
      if (isBegun) {
        put(',');
      } else {
        put(name);
        put('{');
        isBegun = true;
      }
      put('"');
      // A token: nothing of it has to be escaped.
      put(names.get(i).getBytes(StandardCharsets.US_ASCII));
      put('"');
      put(':');
      put('"');
      int start = (firstPlace + i) * AccessRecord.EXTRA_LENGTH;
      escaped(record.extra, start, start + length);
      put('"');
    }
    if (isBegun) {
      put('}');
    }
  }

  private void timestamp(long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != second) {
      String text = Instant.ofEpochSecond(now).toString();
      secondText = text.substring(0, text.length() - 1).getBytes(StandardCharsets.US_ASCII);
      second = now;
    }
    int millis = (int) Math.floorMod(epochMillis, 1000L);
    put(secondText);
    put('.');
    put('0' + millis / 100);
    put('0' + millis / 10 % 10);
    put('0' + millis % 10);
    put('Z');
  }

  private void target(AccessRecord record) {
    put(TARGET);
    put('"');
    escaped(record, AccessRecord.PATH);
    if (record.lengths[AccessRecord.QUERY] >= 0) {
      put('?');
      escaped(record, AccessRecord.QUERY);
    }
    put('"');
  }

  private void tls(@Nullable TlsSession session) {
    if (session == null) {
      return;
    }
    text(TLS, session.version());
    text(CIPHER, session.cipher());
    text(SERVER_NAME, session.serverName(), MAX_SERVER_NAME);
    Boolean resumed = session.resumed();
    if (resumed != null) {
      put(resumed ? RESUMED : NOT_RESUMED);
    }
    text(JA4, session.ja4());
  }

  private void wire(byte[] name, AccessRecord record, int field) {
    if (record.lengths[field] < 0) {
      return;
    }
    put(name);
    put('"');
    escaped(record, field);
    put('"');
  }

  private void escaped(AccessRecord record, int field) {
    int from = AccessRecord.offset(field);
    escaped(record.text, from, from + record.lengths[field]);
  }

  /** Copies runs of plain bytes as they are; most texts are one such run. */
  private void escaped(byte[] text, int from, int end) {
    int start = from;
    int index = start;
    while (index < end) {
      if (IS_PLAIN[text[index] & 0xFF]) {
        index++;
        continue;
      }
      System.arraycopy(text, start, out, at, index - start);
      at += index - start;
      escaped(text[index] & 0xFF);
      index++;
      start = index;
    }
    System.arraycopy(text, start, out, at, end - start);
    at += end - start;
  }

  private void text(byte[] name, @Nullable String value) {
    text(name, value, MAX_SHORT_TEXT);
  }

  private void text(byte[] name, @Nullable String value, int maxLength) {
    if (value == null) {
      return;
    }
    put(name);
    put('"');
    int length = Math.min(value.length(), maxLength);
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c < 0x100 && IS_PLAIN[c]) {
        put(c);
      } else {
        escaped(c < 0x100 ? c : '?');
      }
    }
    put('"');
  }

  private void escaped(int c) {
    if (c == '"' || c == '\\') {
      put('\\');
      put(c);
    } else if (c < 0x20 || c == 0x7F) {
      put(UNICODE);
      put(HEX[c >> 4]);
      put(HEX[c & 0xF]);
    } else if (c < 0x80) {
      put(c);
    } else {
      put(0xC0 | (c >> 6));
      put(0x80 | (c & 0x3F));
    }
  }

  private void micros(byte[] name, long nanos) {
    if (nanos >= 0) {
      number(name, nanos / 1000);
    }
  }

  private void number(byte[] name, long value) {
    put(name);
    if (value < 0) {
      put(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
      return;
    }
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    long rest = value;
    for (int index = at + digits - 1; index >= at; index--) {
      out[index] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    at += digits;
  }

  private void put(byte[] bytes) {
    System.arraycopy(bytes, 0, out, at, bytes.length);
    at += bytes.length;
  }

  private void put(int b) {
    out[at++] = (byte) b;
  }
}
