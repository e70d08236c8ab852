package io.forebay.server.compress;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import org.jspecify.annotations.Nullable;

/**
 * What Accept-Encoding says of each coding that the node knows, with its weight (RFC 9110 §12.4.2),
 * as one number: no allocation. {@link #NONE} is a request without the field.
 *
 * <pre>
 *   bits 0-10 br   11-21 zstd   22-32 gzip   33-43 identity   44-54 *     each: weight x 1000 + 1,
 *                                                                         0 where it is not named
 * </pre>
 *
 * As in {@link io.forebay.core.http.AcceptEncoding}, {@code *} stands for codings that are not
 * named only where identity is refused. Where a coding is named twice, the first counts.
 */
public final class CodingWeights {

  /** Nothing but identity is accepted. */
  public static final long NONE = 0;

  private static final int BITS = 11;
  private static final int MASK = (1 << BITS) - 1;
  private static final int IDENTITY = 3;
  private static final int STAR = 4;

  private static final ContentCoding[] CODINGS = ContentCoding.values();

  private CodingWeights() {}

  /** The weights of a message with these fields. */
  public static long of(FieldsView fields) {
    CharSequence first = fields.first("accept-encoding");
    if (first == null) {
      return NONE;
    }
    long weights = NONE;
    for (String line : fields.all("accept-encoding")) {
      weights = add(weights, line);
    }
    return weights;
  }

  /** The weights of one field value, null for none. */
  public static long of(@Nullable CharSequence value) {
    return value == null ? NONE : add(NONE, value);
  }

  /** Adds one field line; starts from {@link #NONE}. */
  public static long add(long weights, CharSequence line) {
    long result = weights;
    int length = line.length();
    int start = 0;
    while (start < length) {
      int end = start;
      while (end < length && line.charAt(end) != ',') {
        end++;
      }
      result = member(result, line, start, end);
      start = end + 1;
    }
    return result;
  }

  /** From 0 to 1000; 0 for a coding that the client does not take. */
  public static int weight(long weights, ContentCoding coding) {
    int named = at(weights, coding.ordinal());
    if (named == 0 && refusesIdentity(weights)) {
      named = at(weights, STAR);
    }
    return Math.max(0, named - 1);
  }

  /** From 0 to 1000. */
  public static int weightOfIdentity(long weights) {
    int named = at(weights, IDENTITY);
    return named == 0 ? (refusesIdentity(weights) ? 0 : 1) : named - 1;
  }

  private static boolean refusesIdentity(long weights) {
    int named = at(weights, IDENTITY);
    return named == 0 ? at(weights, STAR) == 1 : named == 1;
  }

  private static int at(long weights, int place) {
    return (int) (weights >>> (place * BITS)) & MASK;
  }

  private static long member(long weights, CharSequence line, int from, int to) {
    int start = skipWhitespace(line, from, to);
    int end = start;
    while (end < to && FieldSyntax.isTokenChar(line.charAt(end))) {
      end++;
    }
    int place = place(line, start, end);
    if (place < 0 || at(weights, place) != 0) {
      return weights;
    }
    int i = skipWhitespace(line, end, to);
    int weight = 1000;
    if (i < to) {
      if (line.charAt(i) != ';') {
        return weights;
      }
      weight = weight(line, skipWhitespace(line, i + 1, to), to);
      if (weight < 0) {
        return weights;
      }
    }
    return weights | (weight + 1L) << (place * BITS);
  }

  private static int place(CharSequence line, int from, int to) {
    for (ContentCoding coding : CODINGS) {
      if (FieldSyntax.equalsIgnoreCase(line, from, to, coding.token())) {
        return coding.ordinal();
      }
    }
    if (FieldSyntax.equalsIgnoreCase(line, from, to, "x-gzip")) {
      return ContentCoding.GZIP.ordinal();
    }
    if (FieldSyntax.equalsIgnoreCase(line, from, to, "identity")) {
      return IDENTITY;
    }
    return to - from == 1 && line.charAt(from) == '*' ? STAR : -1;
  }

  /** The weight in thousandths; 0 for one that is malformed, -1 where it is another parameter. */
  static int weight(CharSequence line, int from, int to) {
    boolean isWeight =
        from + 2 < to
            && (line.charAt(from) == 'q' || line.charAt(from) == 'Q')
            && line.charAt(from + 1) == '=';
    if (!isWeight) {
      return -1;
    }
    int i = from + 2;
    char whole = line.charAt(i++);
    if (whole != '0' && whole != '1') {
      return 0;
    }
    int weight = whole == '1' ? 1000 : 0;
    int unit = 100;
    if (i < to && line.charAt(i) == '.') {
      i++;
      while (i < to && line.charAt(i) >= '0' && line.charAt(i) <= '9') {
        weight += (line.charAt(i) - '0') * unit;
        unit /= 10;
        i++;
      }
    }
    return skipWhitespace(line, i, to) == to ? Math.min(weight, 1000) : 0;
  }

  static int skipWhitespace(CharSequence line, int from, int to) {
    int i = from;
    while (i < to && FieldSyntax.isWhitespace(line.charAt(i))) {
      i++;
    }
    return i;
  }
}
