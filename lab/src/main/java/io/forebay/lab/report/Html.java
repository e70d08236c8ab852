package io.forebay.lab.report;

/** Escapes text for HTML that is well-formed XML, too. */
final class Html {

  private Html() {}

  static String text(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\n', '\t' -> out.append(c);
        default -> out.append(c < ' ' || c == 0x7f || c >= 0xfffe ? '\ufffd' : c);
      }
    }
    return out.toString();
  }
}
