package io.forebay.server.accesslog;

import io.forebay.server.config.LogField;
import io.forebay.server.config.LogSampling;
import io.forebay.server.http.TlsSession;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines of JSON. Bytes from the network are decoded as ISO 8859-1, so every byte has a character
 * and the line is valid UTF-8 whatever a client sends.
 */
final class JsonFormat extends AccessFormat {
  /** Version of the lines' schema; raised when a field changes its meaning or goes. */
  static final int SCHEMA_VERSION = 1;

  private static final byte[] UNICODE = ascii("\\u00");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final byte[] START = ascii("{\"v\":" + SCHEMA_VERSION);
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");

  /** The beginning of each member, by the field. */
  private static final byte[][] NAMES = new byte[LogField.values().length][];

  // Bytes that stand for themselves within a JSON string.
  private static final boolean[] IS_PLAIN = new boolean[256];

  static {
    for (LogField field : LogField.values()) {
      NAMES[field.ordinal()] = ascii(",\"" + field.label() + "\":");
    }
    for (int c = 0x20; c < 0x7F; c++) {
      IS_PLAIN[c] = c != '"' && c != '\\';
    }
  }

  private final TimeText times = new TimeText();
  private final LogField[] fields;

  /** Lines with these fields in their order, or with all if there are none. */
  JsonFormat(List<LogField> chosen, RecordPrivacy privacy) {
    super(privacy);
    List<LogField> all = new ArrayList<>(chosen.isEmpty() ? LogField.JSON : chosen);
    // Without these a line could not be understood.
    for (LogField needed : List.of(LogField.SAMPLED, LogField.TRUNCATED)) {
      if (!all.contains(needed)) {
        all.add(needed);
      }
    }
    fields = all.toArray(new LogField[0]);
  }

  @Override
  void line(AccessRecord record) {
    put(START);
    for (LogField field : fields) {
      member(NAMES[field.ordinal()], field, record);
    }
    put('}');
  }

  private void member(byte[] name, LogField field, AccessRecord record) {
    switch (field) {
      case TS -> timestamp(name, record.epochMillis);
      case REQUEST_ID -> wire(name, record, AccessRecord.REQUEST_ID);
      case TRACEPARENT -> wire(name, record, AccessRecord.TRACEPARENT);
      case CLIENT -> text(name, record.client);
      case METHOD -> text(name, record.method);
      case SCHEME -> text(name, record.scheme);
      case HOST -> wire(name, record, AccessRecord.HOST);
      case TARGET -> target(name, record);
      case PROTOCOL -> text(name, record.protocol);
      case TLS, CIPHER, SNI, RESUMED, JA4 -> handshake(name, field, record.tls);
      case STATUS -> number(name, record.status);
      case BYTES -> number(name, record.bytes);
      case CODING -> text(name, record.coding);
      case ESI -> esi(name, record.esiFragments);
      case RECEIVED -> numberIfAny(name, record.tunnelledBytes);
      case DURATION_US -> number(name, Math.max(record.durationNanos, 0) / 1000);
      case FIRST_BYTE_US -> micros(name, record.firstByteNanos);
      case CACHE -> {
        put(name);
        put('"');
        put(CACHE_NAMES[record.cache.ordinal()]);
        put('"');
      }
      case REASON -> text(name, record.reason);
      case ROUTE -> text(name, record.route);
      case ORIGIN -> text(name, record.origin);
      case FETCH_US -> micros(name, record.fetchNanos);
      case REFERER -> wire(name, record, AccessRecord.REFERER);
      case USER_AGENT -> wire(name, record, AccessRecord.USER_AGENT);
      case SAMPLED -> {
        if (record.share < LogSampling.ALL) {
          put(name);
          percent(record.share);
        }
      }
      case REQUEST_HEADERS -> headers(name, record, record.rules.requestHeaders(), 0);
      case RESPONSE_HEADERS ->
          headers(name, record, record.rules.responseHeaders(), AccessRecord.OF_RESPONSE);
      case CMCD -> {
        if (record.cmcdLength >= 0) {
          put(name);
          put(record.cmcd, 0, record.cmcdLength);
        }
      }
      case ERROR -> wire(name, record, AccessRecord.ERROR);
      case ABORT -> text(name, record.abort);
      case TRUNCATED -> {
        if (record.isTruncated) {
          put(name);
          put(TRUE);
        }
      }
      case TIME_CLF, PATH, QUERY -> throw new IllegalStateException(field + " is of lines of text");
    }
  }

  /** An object of those fields that there were. */
  private void headers(byte[] name, AccessRecord record, List<String> names, int firstPlace) {
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
      put(ascii(names.get(i)));
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

  private void timestamp(byte[] name, long epochMillis) {
    put(name);
    put('"');
    put(times.rfc3339(epochMillis));
    int millis = (int) Math.floorMod(epochMillis, 1000L);
    put('.');
    put('0' + millis / 100);
    put('0' + millis / 10 % 10);
    put('0' + millis % 10);
    put('Z');
    put('"');
  }

  private void target(byte[] name, AccessRecord record) {
    put(name);
    put('"');
    escaped(record, AccessRecord.PATH);
    if (record.lengths[AccessRecord.QUERY] >= 0) {
      put('?');
      escaped(record, AccessRecord.QUERY);
    }
    put('"');
  }

  private void handshake(byte[] name, LogField field, @Nullable TlsSession session) {
    if (session == null) {
      return;
    }
    switch (field) {
      case TLS -> text(name, session.version());
      case CIPHER -> text(name, session.cipher());
      case SNI -> text(name, session.serverName(), MAX_SERVER_NAME);
      case JA4 -> text(name, session.ja4());
      default -> {
        Boolean resumed = session.resumed();
        if (resumed != null) {
          put(name);
          put(resumed ? TRUE : FALSE);
        }
      }
    }
  }

  private void esi(byte[] name, int fragments) {
    if (fragments == AccessEvent.ESI_FRAGMENT) {
      text(name, "fragment");
    } else {
      numberIfAny(name, fragments);
    }
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
      put(text, start, index - start);
      escaped(text[index] & 0xFF);
      index++;
      start = index;
    }
    put(text, start, end - start);
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

  private void numberIfAny(byte[] name, long value) {
    if (value >= 0) {
      number(name, value);
    }
  }

  private void number(byte[] name, long value) {
    put(name);
    digits(value);
  }
}
