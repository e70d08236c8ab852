package io.forebay.cli.importer.vcl;

/** Parts of expressions of rules. */
final class Cel {
  static final int MAX_LENGTH = 2000;

  /** The target as the client sent it, as VCL's {@code req.url} is. */
  static final String URL =
      "(request.path + (request.query_string == \"\" ? \"\" : \"?\" + request.query_string))";

  private Cel() {}

  /** A text as a literal. */
  static String text(String value) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c >= 0x7f) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  /** The value of a field, or an empty text. */
  static String field(String of, String name) {
    return of + ".headers.get(" + text(name) + ")";
  }

  static String hasField(String of, String name) {
    return text(name) + " in " + of + ".headers";
  }

  static String matches(String value, String expression) {
    return value + ".matches(" + text(expression) + ")";
  }
}
