package io.forebay.cli.importer.vcl;

/**
 * One word of VCL.
 *
 * @param text of a string what is between its quotes
 * @param start where it begins in its file
 * @param end behind its last character
 */
record VclToken(Kind kind, String text, String file, int line, int column, int start, int end) {

  /** What a word can be. */
  enum Kind {
    /** A name with its dots, such as {@code req.http.Cookie}. */
    NAME,
    STRING,
    /** A number, with its unit if it has one. */
    NUMBER,
    /** An operator, a parenthesis, a brace or a semicolon. */
    SIGN,
    /** Program text in C. */
    INLINE_C,
    END
  }

  boolean is(String sign) {
    return (kind == Kind.SIGN || kind == Kind.NAME) && text.equals(sign);
  }

  String place() {
    return file + ":" + line + ":" + column;
  }
}
