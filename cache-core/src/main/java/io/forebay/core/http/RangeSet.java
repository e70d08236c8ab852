package io.forebay.core.http;

import io.forebay.core.http.ByteRange.Satisfiable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parsed ranges of a Range field in bytes, before the length of the representation is known
 * (RFC 9110 §14.1.1): {@code bytes=0-99, 200-, -5}. It contains at least one range.
 *
 * <p>Not every set is honoured. A set of more ranges than the caller allows, of more than two that
 * overlap another, or of more than {@link #MAX_UNORDERED} that are not in ascending order is
 * ignored, so that the answer is the whole representation: §14.2 names these as signs of a broken
 * client or an attack. What overlaps or is separated by less than a part's own header is sent as
 * one part (§15.3.7.2).
 */
public record RangeSet(List<Spec> specs) {

  /** About what a part costs beside its bytes: a smaller gap is cheaper sent than left out. */
  static final int PART_OVERHEAD = 80;

  /** So many ranges may be asked for in any order. */
  static final int MAX_UNORDERED = 4;

  /** Overlaps beyond this many ranges are no accident. */
  private static final int MAX_OVERLAPPING = 2;

  private static final long SUFFIX = -1;

  /**
   * One range.
   *
   * @param first the first byte, or -1 of a suffix
   * @param last the last byte, included; {@link Long#MAX_VALUE} where it goes to the end; of a
   *     suffix its length
   */
  public record Spec(long first, long last) {
    public boolean isSuffix() {
      return first == SUFFIX;
    }

    /** Whether both ends are named. */
    public boolean isClosed() {
      return first != SUFFIX && last != Long.MAX_VALUE;
    }

    /** Its bytes of a representation of that length, or null if there are none. */
    @Nullable Satisfiable of(long totalLength) {
      if (isSuffix()) {
        return last == 0 || totalLength == 0
            ? null
            : new Satisfiable(Math.max(0, totalLength - last), totalLength - 1);
      }
      return first < totalLength ? new Satisfiable(first, Math.min(last, totalLength - 1)) : null;
    }
  }

  /**
   * The ranges that a request asks for, or null: there is no Range field, or more than one line of
   * it, or it is to be ignored.
   */
  public static @Nullable RangeSet of(RequestView request, int maxRanges) {
    if (!request.has(KnownField.RANGE)) {
      return null;
    }
    List<String> lines = request.fields().all(KnownField.RANGE.fieldName());
    return lines.size() == 1 ? parse(lines.getFirst(), maxRanges) : null;
  }

  /** Parses the value of a Range field in one pass; null if it is ignored. */
  static @Nullable RangeSet parse(CharSequence value, int maxRanges) {
    int length = value.length();
    if (length < 7
        || value.charAt(5) != '='
        || !FieldSyntax.equalsIgnoreCase(value, 0, 5, "bytes")) {
      return null;
    }
    List<Spec> specs = new ArrayList<>(1);
    int from = 6;
    while (from <= length) {
      int to = from;
      while (to < length && value.charAt(to) != ',') {
        to++;
      }
      int end = to;
      while (from < end && FieldSyntax.isWhitespace(value.charAt(from))) {
        from++;
      }
      while (end > from && FieldSyntax.isWhitespace(value.charAt(end - 1))) {
        end--;
      }
      // An empty element of a list counts for nothing (RFC 9110 §5.6.1.2).
      if (from < end) {
        Spec spec = spec(value, from, end);
        if (spec == null || specs.size() == maxRanges) {
          return null;
        }
        specs.add(spec);
      }
      from = to + 1;
    }
    return specs.isEmpty() ? null : new RangeSet(specs);
  }

  private static @Nullable Spec spec(CharSequence value, int from, int to) {
    int dash = from;
    while (dash < to && isDigit(value.charAt(dash))) {
      dash++;
    }
    if (dash == to || value.charAt(dash) != '-') {
      return null;
    }
    for (int i = dash + 1; i < to; i++) {
      if (!isDigit(value.charAt(i))) {
        return null;
      }
    }
    boolean hasLast = dash + 1 < to;
    if (dash == from) {
      return hasLast ? new Spec(SUFFIX, number(value, dash + 1, to)) : null;
    }
    long first = number(value, from, dash);
    long last = hasLast ? number(value, dash + 1, to) : Long.MAX_VALUE;
    return last < first ? null : new Spec(first, last);
  }

  /** What they come to of a representation of that length. */
  public ByteRange of(long totalLength) {
    if (specs.size() == 1) {
      Satisfiable only = specs.getFirst().of(totalLength);
      return only == null ? none(totalLength) : only;
    }
    List<Satisfiable> parts = new ArrayList<>(specs.size());
    for (Spec spec : specs) {
      Satisfiable part = spec.of(totalLength);
      if (part != null) {
        parts.add(part);
      }
    }
    if (parts.isEmpty()) {
      return none(totalLength);
    }
    if (isAbusive(parts)) {
      return ByteRange.NONE;
    }
    coalesce(parts);
    return parts.size() == 1 ? parts.getFirst() : new ByteRange.Several(List.copyOf(parts));
  }

  /** A suffix of an empty body is satisfiable, but has no Content-Range. */
  private ByteRange none(long totalLength) {
    return totalLength == 0 && specs.stream().anyMatch(spec -> spec.isSuffix() && spec.last > 0)
        ? ByteRange.NONE
        : ByteRange.UNSATISFIABLE;
  }

  private static boolean isAbusive(List<Satisfiable> parts) {
    int overlapping = 0;
    boolean isAscending = true;
    for (int i = 0; i < parts.size(); i++) {
      boolean overlaps = false;
      for (int k = 0; k < parts.size(); k++) {
        overlaps |= k != i && isWithin(parts.get(i), parts.get(k), 0);
      }
      overlapping += overlaps ? 1 : 0;
      isAscending &= i == 0 || parts.get(i - 1).first() <= parts.get(i).first();
    }
    return overlapping > MAX_OVERLAPPING || (!isAscending && parts.size() > MAX_UNORDERED);
  }

  /** Joins what is better sent as one part, in the place of the first that was asked for. */
  private static void coalesce(List<Satisfiable> parts) {
    for (int i = 0; i < parts.size(); i++) {
      int k = i + 1;
      while (k < parts.size()) {
        Satisfiable part = parts.get(i);
        Satisfiable other = parts.get(k);
        if (isWithin(part, other, PART_OVERHEAD)) {
          parts.set(
              i,
              new Satisfiable(
                  Math.min(part.first(), other.first()), Math.max(part.last(), other.last())));
          parts.remove(k);
          // It may have come within reach of one that was passed.
          k = i + 1;
        } else {
          k++;
        }
      }
    }
  }

  private static boolean isWithin(Satisfiable a, Satisfiable b, int gap) {
    return a.first() - b.last() <= gap && b.first() - a.last() <= gap;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Capped at {@link Long#MAX_VALUE}, which no representation reaches. */
  private static long number(CharSequence value, int from, int to) {
    long number = 0;
    for (int i = from; i < to; i++) {
      int digit = value.charAt(i) - '0';
      if (number > (Long.MAX_VALUE - digit) / 10) {
        return Long.MAX_VALUE;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
