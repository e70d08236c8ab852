package io.forebay.server.accesslog;

import io.forebay.server.config.LogField;
import io.forebay.server.config.LogTemplate;
import io.forebay.server.http.TlsSession;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines by a template. What is absent is {@code -}. A byte that is no visible ASCII, a quote or a
 * backslash is {@code \xHH}, as nginx writes it. Outside of quotes so is a blank, and a comma,
 * semicolon or bar if the template has one: what a client sends is neither more than one line nor
 * more than one column.
 */
final class TextFormat extends AccessFormat {
  private static final byte[] HEX = ascii("0123456789ABCDEF");

  /** What other servers write where the client left before there was a status. */
  private static final int CLIENT_LEFT = 499;

  /** A piece of the template, ready to be written. */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by the one format.
  private record Piece(
      byte[] literal, @Nullable LogField field, @Nullable String header, boolean[] isPlain) {}

  private final TimeText times = new TimeText();
  private final Piece[] pieces;

  /** Of the piece that is being written. */
  private boolean[] isPlain = {};

  TextFormat(LogTemplate template, RecordPrivacy privacy) {
    super(privacy);
    StringBuilder literals = new StringBuilder();
    template.parts().forEach(part -> literals.append(part.literal()));
    boolean[] quoted = plain("");
    boolean[] bare = plain(" " + separators(literals));
    List<Piece> all = new ArrayList<>();
    for (LogTemplate.Part part : template.parts()) {
      all.add(
          new Piece(
              ascii(part.literal()), part.field(), part.header(), part.isQuoted() ? quoted : bare));
    }
    pieces = all.toArray(new Piece[0]);
  }

  private static String separators(CharSequence literals) {
    StringBuilder used = new StringBuilder();
    for (char separator : new char[] {',', ';', '|'}) {
      if (literals.toString().indexOf(separator) >= 0) {
        used.append(separator);
      }
    }
    return used.toString();
  }

  private static boolean[] plain(String without) {
    boolean[] plain = new boolean[256];
    for (int c = 0x20; c < 0x7F; c++) {
      plain[c] = c != '"' && c != '\\' && without.indexOf(c) < 0;
    }
    return plain;
  }

  @Override
  void line(AccessRecord record) {
    for (Piece piece : pieces) {
      LogField field = piece.field();
      if (field == null) {
        put(piece.literal());
        continue;
      }
      isPlain = piece.isPlain();
      int start = at;
      value(field, piece.header(), record);
      if (at == start) {
        put('-');
      }
    }
  }

  /** Writes a value, or nothing if it is absent. */
  private void value(LogField field, @Nullable String header, AccessRecord record) {
    switch (field) {
      case TS -> {
        put(times.rfc3339(record.epochMillis));
        put('.');
        int millis = (int) Math.floorMod(record.epochMillis, 1000L);
        put('0' + millis / 100);
        put('0' + millis / 10 % 10);
        put('0' + millis % 10);
        put('Z');
      }
      case TIME_CLF -> put(times.clf(record.epochMillis));
      case REQUEST_ID -> wire(record, AccessRecord.REQUEST_ID);
      case TRACEPARENT -> wire(record, AccessRecord.TRACEPARENT);
      case CLIENT -> text(record.client);
      case METHOD -> text(record.method);
      case SCHEME -> text(record.scheme);
      case HOST -> wire(record, AccessRecord.HOST);
      case TARGET -> {
        wire(record, AccessRecord.PATH);
        if (record.lengths[AccessRecord.QUERY] >= 0) {
          put('?');
          wire(record, AccessRecord.QUERY);
        }
      }
      case PATH -> wire(record, AccessRecord.PATH);
      case QUERY -> wire(record, AccessRecord.QUERY);
      case PROTOCOL -> text(record.protocol);
      case TLS, CIPHER, SNI, RESUMED, JA4 -> handshake(field, record.tls);
      case STATUS -> digits(record.status == 0 ? CLIENT_LEFT : record.status);
      case BYTES -> digits(record.bytes);
      case CODING -> text(record.coding);
      case ESI -> {
        if (record.esiFragments == AccessEvent.ESI_FRAGMENT) {
          text("fragment");
        } else {
          numberIfAny(record.esiFragments);
        }
      }
      case RECEIVED -> numberIfAny(record.tunnelledBytes);
      case DURATION_US -> digits(Math.max(record.durationNanos, 0) / 1000);
      case FIRST_BYTE_US -> micros(record.firstByteNanos);
      case CACHE -> put(CACHE_NAMES[record.cache.ordinal()]);
      case REASON -> text(record.reason);
      case ROUTE -> text(record.route);
      case ORIGIN -> text(record.origin);
      case FETCH_US -> micros(record.fetchNanos);
      case REFERER -> wire(record, AccessRecord.REFERER);
      case USER_AGENT -> wire(record, AccessRecord.USER_AGENT);
      case SAMPLED -> percent(record.share);
      case REQUEST_HEADERS -> header(record, record.rules.requestHeaders(), header, 0);
      case RESPONSE_HEADERS ->
          header(record, record.rules.responseHeaders(), header, AccessRecord.OF_RESPONSE);
      case CMCD -> escaped(record.cmcd, 0, record.cmcdLength);
      case ERROR -> wire(record, AccessRecord.ERROR);
      case ABORT -> text(record.abort);
      case TRUNCATED -> text(record.isTruncated ? "true" : null);
    }
  }

  /** A field of a message, where its route logs it. */
  private void header(
      AccessRecord record, List<String> names, @Nullable String name, int firstPlace) {
    int index = names.indexOf(name);
    if (index >= 0) {
      int start = (firstPlace + index) * AccessRecord.EXTRA_LENGTH;
      escaped(record.extra, start, start + record.extraLengths[firstPlace + index]);
    }
  }

  private void handshake(LogField field, @Nullable TlsSession session) {
    if (session == null) {
      return;
    }
    switch (field) {
      case TLS -> text(session.version());
      case CIPHER -> text(session.cipher());
      case SNI -> text(session.serverName(), MAX_SERVER_NAME);
      case JA4 -> text(session.ja4());
      default -> {
        Boolean resumed = session.resumed();
        text(resumed == null ? null : resumed.toString());
      }
    }
  }

  private void wire(AccessRecord record, int field) {
    int from = AccessRecord.offset(field);
    escaped(record.text, from, from + record.lengths[field]);
  }

  private void escaped(byte[] text, int from, int end) {
    for (int i = from; i < end; i++) {
      escaped(text[i] & 0xFF);
    }
  }

  private void text(@Nullable String value) {
    text(value, MAX_SHORT_TEXT);
  }

  private void text(@Nullable String value, int maxLength) {
    if (value != null) {
      int length = Math.min(value.length(), maxLength);
      for (int i = 0; i < length; i++) {
        char c = value.charAt(i);
        escaped(c < 0x100 ? c : '?');
      }
    }
  }

  private void escaped(int c) {
    if (isPlain[c]) {
      put(c);
    } else {
      put('\\');
      put('x');
      put(HEX[c >> 4]);
      put(HEX[c & 0xF]);
    }
  }

  private void micros(long nanos) {
    if (nanos >= 0) {
      digits(nanos / 1000);
    }
  }

  private void numberIfAny(long value) {
    if (value >= 0) {
      digits(value);
    }
  }
}
