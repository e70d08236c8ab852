package io.forebay.core.http;

import java.util.ArrayList;
import java.util.List;

/**
 * Reduces Accept (RFC 9110 §12.5.1) to the image formats that a route tells apart: which of them
 * the client accepts. The hundreds of texts that clients send become a few classes, so each
 * representation is stored once. The class selects the variant. A fill must therefore send the
 * origin the {@link #value} of that class, not the client's own field; otherwise an image could be
 * stored under a class whose clients do not accept it. Immutable.
 *
 * <ul>
 *   <li>A client accepts a format if it names the type, as {@code image/avif}, with a weight other
 *       than 0 and nowhere with a weight of 0. A weight that is malformed counts as 0.
 *   <li>{@code image/*} and {@code *}{@code /*} name no format: all clients send one of them, also
 *       those that can't show the format.
 *   <li>Weights order nothing: which format a client gets of those it accepts, the origin says.
 * </ul>
 *
 * <p>A class is the OR of a bit for each format, in the order of the list.
 */
public final class AcceptClasses {

  /** The formats that a route may name; each is a subtype of {@code image}. */
  public static final List<String> FORMATS = List.of("avif", "webp", "jxl");

  /** Accept is an ordinary field. */
  public static final AcceptClasses NONE = new AcceptClasses(List.of());

  /** Formats with {@code q=0}, shifted left so much. */
  private static final int REFUSED_SHIFT = 8;

  private final List<String> formats;
  private final List<String> types;
  private final List<String> values;

  /**
   * Tells some formats apart.
   *
   * @throws IllegalArgumentException when one of them is unknown, or named twice
   */
  public AcceptClasses(List<String> formats) {
    this.formats = List.copyOf(formats);
    this.types = formats.stream().map(format -> "image/" + format).toList();
    if (!FORMATS.containsAll(formats) || formats.stream().distinct().count() < formats.size()) {
      throw new IllegalArgumentException("formats: " + formats);
    }
    List<String> canonical = new ArrayList<>();
    for (int acceptClass = 0; acceptClass < 1 << formats.size(); acceptClass++) {
      List<String> members = new ArrayList<>();
      for (int i = 0; i < formats.size(); i++) {
        if ((acceptClass & 1 << i) != 0) {
          members.add(types.get(i));
        }
      }
      members.add(members.isEmpty() ? "*/*" : "*/*;q=0.8");
      canonical.add(String.join(",", members));
    }
    this.values = List.copyOf(canonical);
  }

  /** The formats, the one that the route prefers first. */
  public List<String> formats() {
    return formats;
  }

  /** Whether no formats are told apart. */
  public boolean isEmpty() {
    return formats.isEmpty();
  }

  /** The class of a message with these fields. */
  public int classOf(FieldsView fields) {
    int seen = 0;
    for (String line : fields.all("accept")) {
      seen = add(seen, line);
    }
    return classOfSeen(seen);
  }

  /** The field value that stands for a class, in keys and in requests to origins. */
  public String value(int acceptClass) {
    return values.get(acceptClass);
  }

  /** The class that lines added one by one with {@link #add} come to. */
  public int classOfSeen(int seen) {
    return seen & ~(seen >> REFUSED_SHIFT) & ((1 << formats.size()) - 1);
  }

  /** Adds one field line to what was seen so far; starts from 0. Allocates nothing. */
  public int add(int seen, CharSequence line) {
    int result = seen;
    int start = 0;
    while (start < line.length()) {
      int end = partEnd(line, start, line.length(), ',');
      result |= member(line, start, end);
      start = end + 1;
    }
    return result;
  }

  /** Where a part of a list ends: at the separator, unless that is quoted. */
  private static int partEnd(CharSequence line, int from, int to, char separator) {
    boolean isQuoted = false;
    for (int i = from; i < to; i++) {
      char c = line.charAt(i);
      if (c == '"') {
        isQuoted = !isQuoted;
      } else if (isQuoted && c == '\\') {
        i++;
      } else if (!isQuoted && c == separator) {
        return i;
      }
    }
    return to;
  }

  private int member(CharSequence line, int from, int to) {
    int typeEnd = partEnd(line, from, to, ';');
    int format = format(line, skipWhitespace(line, from, typeEnd), typeEnd);
    if (format == 0) {
      return 0;
    }
    int start = typeEnd + 1;
    while (start < to) {
      int end = partEnd(line, start, to, ';');
      int name = skipWhitespace(line, start, end);
      boolean isWeight =
          name + 1 < end
              && FieldSyntax.lower(line.charAt(name)) == 'q'
              && line.charAt(name + 1) == '=';
      if (isWeight) {
        return isZero(line, name + 2, end) ? format << REFUSED_SHIFT : format;
      }
      start = end + 1;
    }
    return format;
  }

  /** The bit of a media type, or 0. */
  private int format(CharSequence line, int from, int to) {
    int end = to;
    while (end > from && FieldSyntax.isWhitespace(line.charAt(end - 1))) {
      end--;
    }
    for (int i = 0; i < types.size(); i++) {
      if (FieldSyntax.equalsIgnoreCase(line, from, end, types.get(i))) {
        return 1 << i;
      }
    }
    return 0;
  }

  /** Whether a weight is 0: no digit but zeros, or malformed. */
  private static boolean isZero(CharSequence line, int from, int to) {
    boolean isZero = true;
    int end = to;
    while (end > from && FieldSyntax.isWhitespace(line.charAt(end - 1))) {
      end--;
    }
    for (int i = from; i < end; i++) {
      char c = line.charAt(i);
      if (c != '.' && (c < '0' || c > '9')) {
        return true;
      }
      isZero &= c == '.' || c == '0';
    }
    return isZero;
  }

  private static int skipWhitespace(CharSequence line, int from, int to) {
    int i = from;
    while (i < to && FieldSyntax.isWhitespace(line.charAt(i))) {
      i++;
    }
    return i;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AcceptClasses classes && formats.equals(classes.formats);
  }

  @Override
  public int hashCode() {
    return formats.hashCode();
  }

  @Override
  public String toString() {
    return formats.toString();
  }
}
