package io.forebay.core.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes Accept-Encoding (RFC 9110 §12.5.3) to the codings that matter: which of br, gzip and
 * zstd the client accepts, and whether it accepts none at all. The hundreds of spellings that
 * clients send become sixteen classes, so each representation is stored once. The class selects the
 * variant. A fill must therefore send the origin the {@link #value} of that class, not the client's
 * own field; otherwise one client's coding could be stored under the class of another.
 *
 * <p>A class is the OR of {@link #BR}, {@link #GZIP}, {@link #ZSTD} and {@link #NO_IDENTITY}; 0 is
 * identity only. A {@code *} counts as identity, since it includes identity; only if identity is
 * refused does it stand for the codings that are not refused.
 */
public final class AcceptEncoding {

  public static final int BR = 1;
  public static final int GZIP = 2;
  public static final int ZSTD = 4;
  public static final int IDENTITY = 0;

  /** By {@code identity;q=0}, or by {@code *;q=0} without a word for identity. */
  public static final int NO_IDENTITY = 8;

  /** Of a response: it has a coding that no class asks for. */
  public static final int OTHER_CODING = 128;

  private static final int CODINGS = BR | GZIP | ZSTD;

  // While the members of a field are being collected.
  private static final int IDENTITY_NAMED = 8;
  private static final int STAR = 16;

  /** Codings with {@code q=0}, shifted left so much. */
  private static final int REFUSED_SHIFT = 8;

  private static final List<String> VALUES = values();

  private AcceptEncoding() {}

  private static List<String> values() {
    List<String> values = new ArrayList<>();
    for (int encodingClass = 0; encodingClass <= (CODINGS | NO_IDENTITY); encodingClass++) {
      List<String> members = new ArrayList<>();
      if ((encodingClass & BR) != 0) {
        members.add("br");
      }
      if ((encodingClass & GZIP) != 0) {
        members.add("gzip");
      }
      if ((encodingClass & ZSTD) != 0) {
        members.add("zstd");
      }
      if ((encodingClass & NO_IDENTITY) != 0) {
        members.add("identity;q=0");
      }
      values.add(members.isEmpty() ? "identity" : String.join(", ", members));
    }
    return List.copyOf(values);
  }

  /** The codings of a response as bits of a class, or {@link #OTHER_CODING}; 0 for none. */
  public static int codingsOf(FieldsView response) {
    int codings = 0;
    for (String line : response.all("content-encoding")) {
      int start = 0;
      while (start <= line.length()) {
        int end = FieldSyntax.memberEnd(line, start);
        String coding = FieldSyntax.trim(line, start, end);
        start = end + 1;
        if (!coding.isEmpty() && !FieldSyntax.equalsIgnoreCase(coding, "identity")) {
          int known = coding(coding, 0, coding.length()) & CODINGS;
          codings |= known == 0 ? OTHER_CODING : known;
        }
      }
    }
    return codings;
  }

  /** Whether every client of a class takes a response with these codings. */
  public static boolean accepts(int encodingClass, int codings) {
    return (codings & ~(encodingClass & CODINGS)) == 0;
  }

  /** The class of a message with these fields. */
  public static int classOf(FieldsView fields) {
    int seen = 0;
    for (String line : fields.all("accept-encoding")) {
      seen = add(seen, line);
    }
    return classOfSeen(seen);
  }

  /** The class of one field value, null for none. */
  public static int classOf(@Nullable CharSequence value) {
    return value == null ? IDENTITY : classOfSeen(add(0, value));
  }

  /** The canonical field value of a class; {@code identity} for class 0. */
  public static String value(int encodingClass) {
    return VALUES.get(encodingClass);
  }

  /** The class that lines added one by one with {@link #add} come to. */
  public static int classOfSeen(int seen) {
    int refused = seen >> REFUSED_SHIFT;
    int accepted = seen & ~refused & CODINGS;
    boolean isIdentityRefused =
        (refused & IDENTITY_NAMED) != 0 || ((refused & STAR) != 0 && (seen & IDENTITY_NAMED) == 0);
    if (!isIdentityRefused) {
      return accepted;
    }
    boolean isAnyOther = (seen & STAR) != 0 && (refused & STAR) == 0;
    return (isAnyOther ? CODINGS & ~refused : accepted) | NO_IDENTITY;
  }

  /** Adds one field line to what was seen so far; starts from 0. */
  public static int add(int seen, CharSequence line) {
    int length = line.length();
    int result = seen;
    int i = 0;
    while (i < length) {
      int start = i;
      while (i < length && line.charAt(i) != ',') {
        i++;
      }
      result |= member(line, start, i);
      i++;
    }
    return result;
  }

  private static int member(CharSequence line, int from, int to) {
    int start = from;
    while (start < to && FieldSyntax.isWhitespace(line.charAt(start))) {
      start++;
    }
    int end = start;
    while (end < to && FieldSyntax.isTokenChar(line.charAt(end))) {
      end++;
    }
    int coding = coding(line, start, end);
    if (coding == 0) {
      return 0;
    }
    int i = skipWhitespace(line, end, to);
    if (i == to) {
      return coding;
    }
    if (line.charAt(i) != ';') {
      return 0;
    }
    i = skipWhitespace(line, i + 1, to);
    boolean isWeight =
        i + 2 < to && FieldSyntax.lower(line.charAt(i)) == 'q' && line.charAt(i + 1) == '=';
    if (!isWeight) {
      return 0;
    }
    return isZero(line, i + 2, to) ? coding << REFUSED_SHIFT : coding;
  }

  private static int coding(CharSequence line, int from, int to) {
    if (FieldSyntax.equalsIgnoreCase(line, from, to, "gzip")
        || FieldSyntax.equalsIgnoreCase(line, from, to, "x-gzip")) {
      return GZIP;
    }
    if (FieldSyntax.equalsIgnoreCase(line, from, to, "br")) {
      return BR;
    }
    if (FieldSyntax.equalsIgnoreCase(line, from, to, "identity")) {
      return IDENTITY_NAMED;
    }
    if (to - from == 1 && line.charAt(from) == '*') {
      return STAR;
    }
    return FieldSyntax.equalsIgnoreCase(line, from, to, "zstd") ? ZSTD : 0;
  }

  /** Whether a weight is 0: no digit but zeros. A weight that is none counts as 0 as well. */
  private static boolean isZero(CharSequence line, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = line.charAt(i);
      if (c >= '1' && c <= '9') {
        return false;
      }
      if (c != '0' && c != '.') {
        return true;
      }
    }
    return true;
  }

  private static int skipWhitespace(CharSequence line, int from, int to) {
    int i = from;
    while (i < to && FieldSyntax.isWhitespace(line.charAt(i))) {
      i++;
    }
    return i;
  }
}
