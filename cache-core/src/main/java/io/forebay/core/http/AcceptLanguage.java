package io.forebay.core.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Normalizes Accept-Language (RFC 9110 §12.5.4): ranges in lower case, highest weight first, equal
 * weights in alphabetical order, duplicates and redundant zeros removed. Invalid ranges and those
 * after the 32nd are dropped. A fill sends the origin this form instead of the client's field,
 * because two requests with the same form must look the same to the origin.
 *
 * <p>One instance is used again for every request and then allocates nothing. Belongs to one
 * thread.
 */
public final class AcceptLanguage {

  /** The most ranges that count. */
  static final int MAX_RANGES = 32;

  private static final int FULL_WEIGHT = 1000;
  private static final int NONE = -1;

  private byte[] received = new byte[128];
  private int receivedLength;
  private final int[] from = new int[MAX_RANGES];
  private final int[] to = new int[MAX_RANGES];
  private final int[] weight = new int[MAX_RANGES];

  /** The ranges in the order in which they are written. */
  private final int[] order = new int[MAX_RANGES];

  private int count;
  private byte[] text = new byte[128];
  private int length;

  public AcceptLanguage() {}

  /** The normal form of these fields; empty when there is no range in them. */
  public static String of(FieldsView fields) {
    if (!fields.has("accept-language")) {
      return "";
    }
    AcceptLanguage language = read(fields);
    return new String(language.text, 0, language.length, StandardCharsets.US_ASCII);
  }

  /** These fields, read. */
  public static AcceptLanguage read(FieldsView fields) {
    AcceptLanguage language = new AcceptLanguage();
    language.begin();
    fields.all("accept-language").forEach(language::add);
    language.end();
    return language;
  }

  /** Forgets the last request. */
  public void begin() {
    receivedLength = 0;
    count = 0;
    length = 0;
  }

  /** Adds one field line. */
  public void add(CharSequence line) {
    int needed = receivedLength + line.length() + 1;
    if (needed > received.length) {
      received = Arrays.copyOf(received, Math.max(needed, 2 * received.length));
    }
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      received[receivedLength++] = (byte) (c < 0x80 ? FieldSyntax.lower(c) : '?');
    }
    received[receivedLength++] = ',';
  }

  /** Works out the normal form of all lines added. */
  public void end() {
    int start = 0;
    for (int i = 0; i < receivedLength && count < MAX_RANGES; i++) {
      if (received[i] == ',') {
        member(start, i);
        start = i + 1;
      }
    }
    write();
  }

  /** The normal form in its first {@link #length()} bytes; overwritten by the next. */
  public byte[] text() {
    return text;
  }

  public int length() {
    return length;
  }

  /**
   * Which of these tags serves the client best (RFC 4647 §3.4): each range in turn, shortened until
   * it is one of the tags. Of equal weights the first that came is the first that is tried. The
   * first tag is the default.
   *
   * @param tags in lower case
   * @return an index into the tags
   */
  public int lookup(List<String> tags) {
    for (int i = 0; i < count; i++) {
      int end = weight[i] == 0 ? from[i] : to[i];
      while (end > from[i]) {
        for (int tag = 0; tag < tags.size(); tag++) {
          if (isSame(tags.get(tag), from[i], end)) {
            return tag;
          }
        }
        end = shortened(from[i], end);
      }
    }
    return 0;
  }

  /** Without its last subtag, and without one of a single letter that would then be the last. */
  private int shortened(int start, int end) {
    int cut = lastHyphen(start, end);
    if (cut > start && cut - lastHyphen(start, cut) == 2 && lastHyphen(start, cut) > start) {
      cut -= 2;
    }
    return Math.max(cut, start);
  }

  private int lastHyphen(int start, int end) {
    for (int i = end - 1; i > start; i--) {
      if (received[i] == '-') {
        return i;
      }
    }
    return start;
  }

  private boolean isSame(String tag, int start, int end) {
    if (tag.length() != end - start) {
      return false;
    }
    for (int i = start; i < end; i++) {
      if (received[i] != tag.charAt(i - start)) {
        return false;
      }
    }
    return true;
  }

  /** Puts one range where its weight belongs; there are few, so insertion is sorting enough. */
  private void member(int start, int end) {
    int first = skipBlanks(start, end);
    int last = rangeEnd(first, end);
    int value = last == first ? NONE : weight(skipBlanks(last, end), end);
    if (value == NONE) {
      return;
    }
    for (int i = 0; i < count; i++) {
      if (isSameRange(i, first, last)) {
        if (weight[i] >= value) {
          return;
        }
        remove(i);
        break;
      }
    }
    int at = count;
    while (at > 0 && weight[at - 1] < value) {
      from[at] = from[at - 1];
      to[at] = to[at - 1];
      weight[at] = weight[at - 1];
      at--;
    }
    from[at] = first;
    to[at] = last;
    weight[at] = value;
    count++;
  }

  private void remove(int index) {
    count--;
    System.arraycopy(from, index + 1, from, index, count - index);
    System.arraycopy(to, index + 1, to, index, count - index);
    System.arraycopy(weight, index + 1, weight, index, count - index);
  }

  private boolean isSameRange(int index, int first, int last) {
    return Arrays.equals(received, from[index], to[index], received, first, last);
  }

  /** Where a language range ends (RFC 4647 §2.1); {@code start} when there is none. */
  private int rangeEnd(int start, int end) {
    if (start < end && received[start] == '*') {
      return start + 1;
    }
    int subtag = start;
    int i = start;
    while (i < end) {
      byte c = received[i];
      boolean isLetter = c >= 'a' && c <= 'z';
      boolean isDigit = c >= '0' && c <= '9';
      if (isLetter || (isDigit && subtag > start)) {
        i++;
        if (i - subtag > 8) {
          return start;
        }
      } else if (c == '-' && i > subtag) {
        i++;
        subtag = i;
      } else {
        break;
      }
    }
    return i == subtag ? start : i;
  }

  /** The weight in thousandths, or NONE for what is malformed. */
  private int weight(int start, int end) {
    if (start == end) {
      return FULL_WEIGHT;
    }
    if (received[start] != ';') {
      return NONE;
    }
    int i = skipBlanks(start + 1, end);
    if (i + 2 >= end || received[i] != 'q' || received[i + 1] != '=') {
      return NONE;
    }
    i += 2;
    int value = (received[i] - '0') * FULL_WEIGHT;
    if (value != 0 && value != FULL_WEIGHT) {
      return NONE;
    }
    i++;
    if (i < end && received[i] == '.') {
      i++;
      for (int unit = 100; unit > 0 && i < end && isDigit(received[i]); unit /= 10) {
        value += (received[i] - '0') * unit;
        i++;
      }
    }
    return skipBlanks(i, end) == end && value <= FULL_WEIGHT ? value : NONE;
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  private int skipBlanks(int start, int end) {
    int i = start;
    while (i < end && (received[i] == ' ' || received[i] == '\t')) {
      i++;
    }
    return i;
  }

  private void write() {
    // A range takes no more room than it was received with, but for the weight: ";q=0.123, ".
    int room = receivedLength + MAX_RANGES * 10;
    if (room > text.length) {
      text = new byte[room];
    }
    sort();
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        text[length++] = ',';
        text[length++] = ' ';
      }
      int range = order[i];
      System.arraycopy(received, from[range], text, length, to[range] - from[range]);
      length += to[range] - from[range];
      writeWeight(weight[range]);
    }
  }

  /** They come by weight; there are few, so insertion is sorting enough. */
  private void sort() {
    for (int i = 0; i < count; i++) {
      int at = i;
      while (at > 0 && weight[order[at - 1]] == weight[i] && isBehind(order[at - 1], i)) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = i;
    }
  }

  private boolean isBehind(int range, int other) {
    return Arrays.compare(received, from[range], to[range], received, from[other], to[other]) > 0;
  }

  private void writeWeight(int value) {
    if (value == FULL_WEIGHT) {
      return;
    }
    text[length++] = ';';
    text[length++] = 'q';
    text[length++] = '=';
    text[length++] = '0';
    int rest = value;
    for (int unit = 100; rest > 0; unit /= 10) {
      if (unit == 100) {
        text[length++] = '.';
      }
      text[length++] = (byte) ('0' + rest / unit);
      rest %= unit;
    }
  }
}
