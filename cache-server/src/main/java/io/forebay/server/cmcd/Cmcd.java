package io.forebay.server.cmcd;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.Latin1Text;
import io.forebay.server.counters.CmcdCounters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The CMCD of one request: of its fields, or, where it has none of these, of its query parameter.
 * If any part of it is malformed or it is too long, it has no values at all. Keys that CMCD does
 * not define are ignored, and so are values of another type than that of their key.
 *
 * <p>Reused for one request after the other; what it gives is valid until the next one. Reading
 * allocates nothing. Confined to one event loop.
 */
public final class Cmcd implements BiConsumer<CharSequence, CharSequence> {

  /** All of it together, after percent-decoding. */
  static final int MAX_LENGTH = 4096;

  /** Keys of one field or parameter. */
  static final int MAX_MEMBERS = 64;

  /** Members of an inner list. */
  static final int MAX_ITEMS = 16;

  /** Longest string that is logged; the standard allows 128 characters, and more only for paths. */
  static final int MAX_LOGGED_TEXT = 256;

  /** Longest text of {@link #json}. */
  public static final int MAX_JSON = 1024;

  /** What is above counts as this: a day of media, 1 Tbit/s. */
  private static final long MAX_BUFFER_MILLIS = 86_400_000;

  private static final long MAX_KBITS = 1_000_000_000;

  private static final int BYTES_PER_KBIT = 125;

  private static final CmcdKey[] KEYS = CmcdKey.values();
  private static final int ABSENT = -1;
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final String PREFIX = "cmcd-";

  private final byte[] text = new byte[MAX_LENGTH];
  private final StructuredText cursor = new StructuredText();

  /** Where the value of each key begins and ends in the text. */
  private final int[] from = new int[KEYS.length];

  private final int[] to = new int[KEYS.length];
  private final byte[] json = new byte[MAX_JSON];
  private final Latin1Text jsonText = new Latin1Text();

  private int length;
  private boolean isThere;
  private boolean isMalformed;

  /**
   * Reads that of a request.
   *
   * @return whether it has some, malformed or not
   */
  public boolean read(FieldsView fields, @Nullable CharSequence query) {
    length = 0;
    isThere = false;
    isMalformed = false;
    Arrays.fill(from, ABSENT);
    fields.forEach(this);
    if (!isThere && query != null) {
      readParameter(query);
    }
    if (isMalformed) {
      Arrays.fill(from, ABSENT);
    }
    return isThere;
  }

  /** Visits a field. */
  @Override
  public void accept(CharSequence name, CharSequence value) {
    if (name.length() > PREFIX.length()
        && FieldSyntax.equalsIgnoreCase(name, 0, PREFIX.length(), PREFIX)
        && isKnown(name)) {
      isThere = true;
      int start = length;
      isMalformed = isMalformed || !copy(value) || !parse(start);
    }
  }

  private static boolean isKnown(CharSequence name) {
    for (int i = 0; i < CmcdSettings.FIELDS.size(); i++) {
      if (FieldSyntax.equalsIgnoreCase(name, CmcdSettings.FIELDS.get(i))) {
        return true;
      }
    }
    return false;
  }

  private boolean copy(CharSequence value) {
    if (value.length() > MAX_LENGTH - length) {
      return false;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c > 0x7e) {
        return false;
      }
      text[length++] = (byte) c;
    }
    return true;
  }

  /** The first parameter of that very name counts. */
  private void readParameter(CharSequence query) {
    int nameLength = CmcdSettings.PARAMETER.length();
    int at = 0;
    while (at < query.length()) {
      int end = at;
      while (end < query.length() && query.charAt(end) != '&') {
        end++;
      }
      if (end - at > nameLength
          && query.charAt(at + nameLength) == '='
          && isParameter(query, at, at + nameLength)) {
        isThere = true;
        isMalformed = !decode(query, at + nameLength + 1, end) || !parse(0);
        return;
      }
      at = end + 1;
    }
  }

  private static boolean isParameter(CharSequence query, int start, int end) {
    for (int i = start; i < end; i++) {
      if (query.charAt(i) != CmcdSettings.PARAMETER.charAt(i - start)) {
        return false;
      }
    }
    return true;
  }

  private boolean decode(CharSequence query, int start, int end) {
    for (int i = start; i < end; i++) {
      int c = query.charAt(i);
      if (c == '%') {
        c = i + 2 < end ? octet(query.charAt(i + 1), query.charAt(i + 2)) : -1;
        i += 2;
      }
      if (c < 0 || c > 0x7e || length == MAX_LENGTH) {
        return false;
      }
      text[length++] = (byte) c;
    }
    return true;
  }

  /** The octet of two hexadecimal digits, or a negative number. */
  private static int octet(char high, char low) {
    int first = hexDigit(high);
    int second = hexDigit(low);
    return first < 0 || second < 0 ? -1 : first << 4 | second;
  }

  private static int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }

  private boolean parse(int start) {
    cursor.over(text, start, length);
    cursor.skipSpaces();
    if (cursor.isAtEnd()) {
      return true;
    }
    for (int members = 0; members < MAX_MEMBERS; members++) {
      if (!member()) {
        return false;
      }
      cursor.skipBlanks();
      if (cursor.isAtEnd()) {
        return true;
      }
      if (!cursor.take(',')) {
        return false;
      }
      cursor.skipBlanks();
    }
    return false;
  }

  private boolean member() {
    int nameFrom = cursor.position();
    if (!cursor.key()) {
      return false;
    }
    CmcdKey key = CmcdKey.of(text, nameFrom, cursor.position());
    CmcdKey.Type type = CmcdKey.Type.BOOLEAN;
    boolean isTrue = true;
    int valueFrom = cursor.position();
    if (cursor.take('=')) {
      valueFrom++;
      boolean isList = cursor.isAt('(');
      type = isList ? list() : cursor.item();
      // No boolean of CMCD stands in a list.
      isTrue = !isList && cursor.isTrue();
    }
    int valueTo = cursor.position();
    if (type == null || !cursor.parameters()) {
      return false;
    }
    if (key != null) {
      boolean isValue = key.takes(type) && (type != CmcdKey.Type.BOOLEAN || isTrue);
      from[key.ordinal()] = isValue ? valueFrom : ABSENT;
      to[key.ordinal()] = valueTo;
    }
    return true;
  }

  /** The type that all members of an inner list have; null if it is malformed. */
  private CmcdKey.@Nullable Type list() {
    CmcdKey.Type all = null;
    cursor.take('(');
    for (int items = 0; items <= MAX_ITEMS; items++) {
      int before = cursor.position();
      cursor.skipSpaces();
      if (cursor.take(')')) {
        return all == null ? CmcdKey.Type.OTHER : all;
      }
      if (items > 0 && cursor.position() == before) {
        return null;
      }
      CmcdKey.Type type = cursor.item();
      if (type == null || !cursor.parameters()) {
        return null;
      }
      all = all == null || all == type ? type : CmcdKey.Type.OTHER;
    }
    return null;
  }

  // --- what it says -----------------------------------------------------------------------------

  /** Whether it could not be read. */
  public boolean isMalformed() {
    return isMalformed;
  }

  boolean has(CmcdKey key) {
    return from[key.ordinal()] != ABSENT;
  }

  /** The integer of a key, the first of a list, or -1. */
  long number(CmcdKey key) {
    int at = from[key.ordinal()];
    if (at == ABSENT || key.type() != CmcdKey.Type.INTEGER) {
      return -1;
    }
    while (text[at] < '0' || text[at] > '9') {
      at++;
    }
    long number = 0;
    while (at < to[key.ordinal()] && text[at] >= '0' && text[at] <= '9') {
      number = 10 * number + text[at++] - '0';
    }
    return number;
  }

  /** The string of a key, or all of a list; allocates. */
  List<String> texts(CmcdKey key) {
    List<String> texts = new ArrayList<>();
    if (!has(key) || key.type() != CmcdKey.Type.STRING) {
      return texts;
    }
    cursor.over(text, from[key.ordinal()], to[key.ordinal()]);
    cursor.take('(');
    cursor.skipSpaces();
    while (cursor.isAt('"')) {
      int start = cursor.position();
      cursor.item();
      StringBuilder unescaped = new StringBuilder();
      for (int i = start + 1; i < cursor.position() - 1; i++) {
        if (text[i] == '\\') {
          i++;
        }
        unescaped.append((char) text[i]);
      }
      texts.add(unescaped.toString());
      cursor.parameters();
      cursor.skipSpaces();
    }
    return texts;
  }

  /**
   * The rate that the player asks for: its {@code rtp}, or so many times the bit rate of the object
   * ({@code br}). A player that starts or has run dry ({@code su}, {@code bs}) asks for none.
   *
   * @return bytes a second, or -1
   */
  public long askedRate(int bitRateFactor) {
    if (has(CmcdKey.SU) || has(CmcdKey.BS)) {
      return -1;
    }
    long wanted = number(CmcdKey.RTP);
    long bitRate = number(CmcdKey.BR);
    if (wanted > 0) {
      return Math.min(wanted, MAX_KBITS) * BYTES_PER_KBIT;
    }
    return bitRate > 0 ? Math.min(bitRate, MAX_KBITS) * bitRateFactor * BYTES_PER_KBIT : -1;
  }

  /** The next objects as it names them ({@code nor}), unless it wants a range of one; allocates. */
  public List<String> nextObjects() {
    return has(CmcdKey.NRR) ? List.of() : texts(CmcdKey.NOR);
  }

  /** Counts it for a route. */
  public void count(CmcdCounters.OfRoute counters) {
    counters.requests++;
    if (isMalformed) {
      counters.malformed++;
      return;
    }
    if (has(CmcdKey.SU)) {
      counters.startups++;
    }
    if (has(CmcdKey.BS)) {
      counters.starvations++;
    }
    if (has(CmcdKey.BL)) {
      counters.buffer.record(Math.min(number(CmcdKey.BL), MAX_BUFFER_MILLIS));
    }
    if (has(CmcdKey.MTP)) {
      counters.throughput.record(Math.min(number(CmcdKey.MTP), MAX_KBITS));
    }
  }

  // --- the access log ---------------------------------------------------------------------------

  /**
   * What it says as an object of JSON, with a member for each key. A string that is too long is
   * left out, and so are those for which there is no room.
   */
  public Latin1Text json() {
    int at = 0;
    json[at++] = '{';
    for (CmcdKey key : KEYS) {
      if (has(key)) {
        at = append(key, at);
      }
    }
    json[at++] = '}';
    return jsonText.over(json, 0, at);
  }

  /** Where the text ends with a member more, or without it. */
  private int append(CmcdKey key, int start) {
    int valueFrom = from[key.ordinal()];
    int valueTo = to[key.ordinal()];
    byte[] member = key.member();
    // A value is not longer in JSON; beside it there are a comma and the brace at the end.
    int valueLength = key.type() == CmcdKey.Type.BOOLEAN ? TRUE.length : valueTo - valueFrom;
    // A list has commas for the blanks between its members, and tokens get quotes.
    int room = member.length + valueLength + 2 * MAX_ITEMS + 4;
    if (start + room > MAX_JSON || valueLength > MAX_LOGGED_TEXT) {
      return start;
    }
    int at = start;
    if (at > 1) {
      json[at++] = ',';
    }
    at = put(member, 0, member.length, at);
    if (key.type() == CmcdKey.Type.BOOLEAN) {
      return put(TRUE, 0, TRUE.length, at);
    }
    cursor.over(text, valueFrom, valueTo);
    if (!cursor.take('(')) {
      cursor.item();
      return item(key, valueFrom, valueTo, at);
    }
    json[at++] = '[';
    cursor.skipSpaces();
    boolean isFirst = true;
    while (!cursor.isAt(')')) {
      if (!isFirst) {
        json[at++] = ',';
      }
      isFirst = false;
      int itemFrom = cursor.position();
      cursor.item();
      at = item(key, itemFrom, cursor.position(), at);
      cursor.parameters();
      cursor.skipSpaces();
    }
    json[at++] = ']';
    return at;
  }

  /** Strings of structured fields are strings of JSON; numbers lose zeros that come first. */
  private int item(CmcdKey key, int start, int end, int into) {
    int at = into;
    switch (key.type()) {
      case STRING -> at = put(text, start, end, at);
      case TOKEN -> {
        json[at++] = '"';
        at = put(text, start, end, at);
        json[at++] = '"';
      }
      default -> {
        int first = start;
        while (first + 1 < end && text[first] == '0' && text[first + 1] != '.') {
          first++;
        }
        at = put(text, first, end, at);
      }
    }
    return at;
  }

  private int put(byte[] bytes, int start, int end, int at) {
    System.arraycopy(bytes, start, json, at, end - start);
    return at + end - start;
  }
}
