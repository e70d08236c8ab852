package io.forebay.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Changes of header fields: lines that replace those of their name, lines that are added, and names
 * that are removed. Immutable; each method gives a new one.
 *
 * @param set replace what is there under their names
 * @param added come behind what is there
 * @param removed names, in lower case
 */
public record FieldEdits(List<Line> set, List<Line> added, List<String> removed) {

  /** Changes nothing. */
  public static final FieldEdits NONE = new FieldEdits(List.of(), List.of(), List.of());

  /** Fields of requests that the node writes, or decides about. */
  public static final Set<String> RESERVED_IN_REQUESTS =
      Set.of(
          "accept-encoding",
          "cdn-loop",
          "connection",
          "content-encoding",
          "content-length",
          "expect",
          "forwarded",
          "http2-settings",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "keep-alive",
          "max-forwards",
          "proxy-connection",
          "range",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "via",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto");

  /** Fields of responses about framing, and those that say what the node did. */
  public static final Set<String> RESERVED_IN_RESPONSES =
      Set.of(
          "age",
          "alt-svc",
          "cache-status",
          "connection",
          "content-encoding",
          "content-length",
          "content-range",
          "date",
          "keep-alive",
          "proxy-connection",
          "proxy-status",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "via");

  private static final int MAX_LINES = 64;
  private static final int MAX_VALUE = 8192;
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]{1,256}");

  /**
   * A field line.
   *
   * @param name in lower case
   */
  public record Line(String name, String value) {
    public Line {
      name = checked(name);
      requirePrintable("a value of " + name, value);
      value = value.strip();
    }
  }

  public FieldEdits {
    set = List.copyOf(set);
    added = List.copyOf(added);
    removed = removed.stream().map(FieldEdits::checked).toList();
    if (set.size() + added.size() + removed.size() > MAX_LINES) {
      throw new IllegalArgumentException("more than " + MAX_LINES + " changes of fields");
    }
  }

  /** The same, and a field has that value alone. */
  public FieldEdits set(String name, String value) {
    return new FieldEdits(with(set, new Line(name, value)), added, removed);
  }

  /** The same, and a field has one more line. */
  public FieldEdits add(String name, String value) {
    return new FieldEdits(set, with(added, new Line(name, value)), removed);
  }

  /** The same without the lines of a field. */
  public FieldEdits remove(String name) {
    return new FieldEdits(set, added, with(removed, name));
  }

  private static <T> List<T> with(List<T> before, T one) {
    List<T> all = new ArrayList<>(before);
    all.add(one);
    return all;
  }

  private static String checked(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!NAME.matcher(lower).matches()) {
      throw new IllegalArgumentException("not the name of a field: \"" + name + "\"");
    }
    return lower;
  }

  static void requirePrintable(String what, String text) {
    if (text.length() > MAX_VALUE) {
      throw new IllegalArgumentException(what + " has more than " + MAX_VALUE + " characters");
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 0x20 && c != '\t') || c >= 0x7f) {
        throw new IllegalArgumentException(what + " has a character other than printable ASCII");
      }
    }
  }

  void requireNone(Set<String> reserved) {
    for (List<Line> lines : List.of(set, added)) {
      lines.forEach(line -> requireFree(line.name(), reserved));
    }
    removed.forEach(name -> requireFree(name, reserved));
  }

  private static void requireFree(String name, Set<String> reserved) {
    if (reserved.contains(name)) {
      throw new IllegalArgumentException("the node decides about " + name + " itself");
    }
  }
}
