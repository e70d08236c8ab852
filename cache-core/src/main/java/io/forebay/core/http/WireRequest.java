package io.forebay.core.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The head of a simple HTTP/1.1 request, parsed in place for the fast lane. A flyweight that
 * allocates nothing for hosts it has seen. It is valid until the next {@link #read} or until the
 * bytes change. Confined to one event loop.
 *
 * <pre>
 *   GET /path?query HTTP/1.1 CRLF
 *   name: value CRLF                 of {@link WireFields}, with one Host
 *   CRLF
 * </pre>
 *
 * Anything unusual is not parsed here: another method or version, a target that is not in normal
 * form, a body, an unknown field, an octet beyond ASCII, a line that does not end in CRLF, an
 * incomplete head. This is no rejection: the complete parser handles such a request.
 */
public final class WireRequest implements RequestView, FieldsView {

  /** The longest head that is read. */
  public static final int MAX_LENGTH = 8 * 1024;

  /** Not such a request, or not whole. */
  public static final int NOT_READ = -1;

  /** For {@link #nextField}: begin with the first field. */
  public static final int FIRST_FIELD = 0;

  private static final int MAX_FIELDS = 64;
  private static final int ACCEPT_ENCODING = KnownField.ACCEPT_ENCODING.ordinal();
  private static final int LINE_ENDING = 2;
  private static final byte[] VERSION = ascii(" HTTP/1.1\r\n");
  private static final byte[] GET = ascii("GET /");
  private static final byte[] HEAD = ascii("HEAD /");

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private final String scheme;
  private final AuthorityCache hosts;
  private final Latin1Text path = new Latin1Text();
  private final Latin1Text query = new Latin1Text();
  private final Latin1Text visitedName = new Latin1Text();
  private final Latin1Text visitedValue = new Latin1Text();

  /** Four a field: where its name begins and ends, where its value begins and ends. */
  private final int[] fields = new int[4 * MAX_FIELDS];

  private byte[] bytes = new byte[0];
  private int fieldCount;
  private boolean isHead;
  private boolean hasQuery;
  private int knownFields;

  /** Where the first Accept-Encoding stands in the fields; of no meaning without one. */
  private int acceptEncoding;

  private boolean hasFurtherAcceptEncoding;
  private String authority = "";

  public WireRequest(String scheme) {
    this.scheme = scheme;
    this.hosts = new AuthorityCache(scheme);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads the head that begins there.
   *
   * @param maxTargetLength the longest target that is served
   * @param maxFields the most field lines that are served
   * @return where the head ends, or {@link #NOT_READ}
   */
  public int read(byte[] head, int from, int to, int maxTargetLength, int maxFields) {
    bytes = head;
    fieldCount = 0;
    knownFields = 0;
    hasFurtherAcceptEncoding = false;
    int target;
    if (isAt(head, from, to, GET)) {
      isHead = false;
      target = from + GET.length - 1;
    } else if (isAt(head, from, to, HEAD)) {
      isHead = true;
      target = from + HEAD.length - 1;
    } else {
      return NOT_READ;
    }
    int end = TargetNormalizer.normalEnd(head, target, to);
    if (end < 0 || end - target > maxTargetLength || !isAt(head, end, to, VERSION)) {
      return NOT_READ;
    }
    int mark = target;
    while (mark < end && head[mark] != '?') {
      mark++;
    }
    path.over(head, target, mark);
    hasQuery = mark < end;
    if (hasQuery) {
      query.over(head, mark + 1, end);
    }
    return readFields(head, end + VERSION.length, to, Math.min(maxFields, MAX_FIELDS));
  }

  private static boolean isAt(byte[] head, int at, int to, byte[] text) {
    if (to - at < text.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (head[at + i] != text[i]) {
        return false;
      }
    }
    return true;
  }

  private int readFields(byte[] head, int from, int to, int maxFields) {
    String host = null;
    int at = from;
    while (to - at >= LINE_ENDING) {
      if (head[at] == '\r') {
        if (head[at + 1] != '\n' || host == null) {
          return NOT_READ;
        }
        authority = host;
        return at + LINE_ENDING;
      }
      int colon = nameEnd(head, at, to);
      if (colon < 0 || fieldCount == maxFields) {
        return NOT_READ;
      }
      int lineEnd = valueEnd(head, colon + 1, to);
      if (to - lineEnd < LINE_ENDING || head[lineEnd] != '\r' || head[lineEnd + 1] != '\n') {
        return NOT_READ;
      }
      int valueFrom = colon + 1;
      int valueTo = lineEnd;
      while (valueFrom < valueTo && isBlank(head[valueFrom])) {
        valueFrom++;
      }
      while (valueTo > valueFrom && isBlank(head[valueTo - 1])) {
        valueTo--;
      }
      int field = WireFields.number(head, at, colon);
      switch (field) {
        case WireFields.UNKNOWN -> {
          return NOT_READ;
        }
        case WireFields.HOST -> {
          if (host != null) {
            return NOT_READ;
          }
          host = hosts.authority(head, valueFrom, valueTo);
          if (host == null) {
            return NOT_READ;
          }
        }
        case WireFields.CONNECTION -> {
          if (!WireFields.isKeepAlive(head, valueFrom, valueTo)) {
            return NOT_READ;
          }
        }
        case WireFields.OF_NO_EFFECT -> {}
        default -> noteKnown(field);
      }
      note(at, colon, valueFrom, valueTo);
      at = lineEnd + LINE_ENDING;
    }
    return NOT_READ;
  }

  private void note(int nameFrom, int nameTo, int valueFrom, int valueTo) {
    int i = 4 * fieldCount++;
    fields[i] = nameFrom;
    fields[i + 1] = nameTo;
    fields[i + 2] = valueFrom;
    fields[i + 3] = valueTo;
  }

  /** Before the field itself is noted. */
  private void noteKnown(int field) {
    if (field == ACCEPT_ENCODING) {
      if (has(KnownField.ACCEPT_ENCODING)) {
        hasFurtherAcceptEncoding = true;
      } else {
        acceptEncoding = 4 * fieldCount;
      }
    }
    knownFields |= 1 << field;
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t';
  }

  /** The colon behind a name; what else may stand in a name is known to {@link WireFields}. */
  private static int nameEnd(byte[] head, int from, int to) {
    int end = Math.min(to, from + WireFields.MAX_NAME + 1);
    for (int i = from; i < end; i++) {
      if (head[i] == ':') {
        return i;
      }
    }
    return -1;
  }

  /** The first octet that is neither printable ASCII nor a blank nor a tab. */
  private static int valueEnd(byte[] head, int from, int to) {
    int at = from;
    while (true) {
      // Eight at a time while all are printable: no sign bit (beyond ASCII), and none set by taking
      // 0x20 away (a control character) or adding one (DEL). A borrow or carry from a neighbour
      // only ever comes from an octet that ends the value itself.
      while (to - at >= Long.BYTES) {
        long word = (long) LONG.get(head, at);
        if (((word | (word - ONES * 0x20) | (word + ONES)) & HIGH_BITS) != 0) {
          break;
        }
        at += Long.BYTES;
      }
      int stop = Math.min(to, at + Long.BYTES);
      while (at < stop && isValueByte(head[at])) {
        at++;
      }
      if (at < stop || at == to) {
        return at;
      }
    }
  }

  private static boolean isValueByte(byte c) {
    return (c >= ' ' && c < 0x7f) || c == '\t';
  }

  public boolean isHead() {
    return isHead;
  }

  /** Lays a text over the first value of a field; false when it is not there. */
  public boolean field(String lowerCaseName, Latin1Text into) {
    int i = indexOf(lowerCaseName);
    if (i < 0) {
      return false;
    }
    into.over(bytes, fields[i + 2], fields[i + 3]);
    return true;
  }

  /**
   * Lays a text over the next value of a field.
   *
   * @param after {@link #FIRST_FIELD}, or what the call before gave
   * @return what the next call takes, or a negative number when there is no further value
   */
  public int nextField(String lowerCaseName, int after, Latin1Text into) {
    for (int i = after; i < 4 * fieldCount; i += 4) {
      if (isNamed(i, lowerCaseName)) {
        into.over(bytes, fields[i + 2], fields[i + 3]);
        return i + 4;
      }
    }
    return -1;
  }

  /** As {@link #nextField} of Accept-Encoding, which was noted when the head was read. */
  public int nextAcceptEncoding(int after, Latin1Text into) {
    if (after != FIRST_FIELD) {
      return hasFurtherAcceptEncoding ? nextField("accept-encoding", after, into) : -1;
    }
    if (!has(KnownField.ACCEPT_ENCODING)) {
      return -1;
    }
    into.over(bytes, fields[acceptEncoding + 2], fields[acceptEncoding + 3]);
    return acceptEncoding + 4;
  }

  private int indexOf(String lowerCaseName) {
    for (int i = 0; i < 4 * fieldCount; i += 4) {
      if (isNamed(i, lowerCaseName)) {
        return i;
      }
    }
    return -1;
  }

  private boolean isNamed(int i, String lowerCaseName) {
    return FieldSyntax.equalsIgnoreCase(
        visitedName.over(bytes, fields[i], fields[i + 1]), lowerCaseName);
  }

  @Override
  public String method() {
    return isHead ? "HEAD" : "GET";
  }

  @Override
  public String scheme() {
    return scheme;
  }

  @Override
  public String authority() {
    return authority;
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public CharSequence pathText() {
    return path;
  }

  @Override
  public @Nullable String query() {
    return hasQuery ? query.toString() : null;
  }

  @Override
  public @Nullable CharSequence queryText() {
    return hasQuery ? query : null;
  }

  @Override
  public FieldsView fields() {
    return this;
  }

  @Override
  public int knownFields() {
    return knownFields;
  }

  @Override
  public boolean hasBody() {
    return false;
  }

  @Override
  public @Nullable CharSequence first(String lowerCaseName) {
    Latin1Text text = new Latin1Text();
    return field(lowerCaseName, text) ? text.toString() : null;
  }

  @Override
  public List<String> all(String lowerCaseName) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 4 * fieldCount; i += 4) {
      if (isNamed(i, lowerCaseName)) {
        lines.add(new Latin1Text().over(bytes, fields[i + 2], fields[i + 3]).toString());
      }
    }
    return lines;
  }

  /** Name and value are flyweights: the visitor keeps neither. */
  @Override
  public void forEach(BiConsumer<? super CharSequence, ? super CharSequence> visitor) {
    for (int i = 0; i < 4 * fieldCount; i += 4) {
      visitor.accept(
          visitedName.over(bytes, fields[i], fields[i + 1]),
          visitedValue.over(bytes, fields[i + 2], fields[i + 3]));
    }
  }
}
