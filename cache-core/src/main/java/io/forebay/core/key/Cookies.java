package io.forebay.core.key;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;

/**
 * Parses the name-value pairs of a request's Cookie lines (RFC 6265 §4.2.1). A part without an
 * equals sign is ignored. Quoted values need no special treatment, because no value may contain a
 * semicolon.
 */
final class Cookies {
  private Cookies() {}

  /** Is told of each pair: its name ends at {@code equals}, its value at {@code to}. */
  interface Visitor {
    void accept(CharSequence line, int from, int equals, int to);
  }

  static void visit(FieldsView fields, Visitor visitor) {
    fields.forEach((name, value) -> {
      if (FieldSyntax.equalsIgnoreCase(name, "cookie")) {
        visitLine(value, visitor);
      }
    });
  }

  static void visitLine(CharSequence line, Visitor visitor) {
    int start = 0;
    for (int i = 0; i <= line.length(); i++) {
      if (i < line.length() && line.charAt(i) != ';') {
        continue;
      }
      int from = start;
      int to = i;
      while (from < to && FieldSyntax.isWhitespace(line.charAt(from))) {
        from++;
      }
      while (to > from && FieldSyntax.isWhitespace(line.charAt(to - 1))) {
        to--;
      }
      int equals = from;
      while (equals < to && line.charAt(equals) != '=') {
        equals++;
      }
      if (equals < to) {
        visitor.accept(line, from, equals, to);
      }
      start = i + 1;
    }
  }

  /** Cookie names are case-sensitive. */
  static boolean isNamed(CharSequence line, int from, int equals, String name) {
    if (equals - from != name.length()) {
      return false;
    }
    for (int i = from; i < equals; i++) {
      if (line.charAt(i) != name.charAt(i - from)) {
        return false;
      }
    }
    return true;
  }
}
