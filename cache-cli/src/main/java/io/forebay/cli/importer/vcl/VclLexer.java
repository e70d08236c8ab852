package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.vcl.VclToken.Kind;
import java.util.ArrayList;
import java.util.List;

/** The words of a file of VCL. */
final class VclLexer {
  /** Words of one file; the largest files that are known have a tenth. */
  static final int MAX_TOKENS = 200_000;

  private static final List<String> SIGNS =
      List.of(
          "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", "&&", "||", "!~");

  private final String file;
  private final String text;
  private final List<VclToken> tokens = new ArrayList<>();
  private int at;
  private int line = 1;
  private int lineStart;

  private VclLexer(String file, String text) {
    this.file = file;
    this.text = text;
  }

  /** All words, the last of which is {@link Kind#END}. */
  static List<VclToken> tokens(String file, String text) throws ImportException {
    VclLexer lexer = new VclLexer(file, text);
    lexer.run();
    return lexer.tokens;
  }

  private void run() throws ImportException {
    while (true) {
      skipBlanks();
      if (tokens.size() == MAX_TOKENS) {
        throw problem("more than " + MAX_TOKENS + " words");
      }
      if (at == text.length()) {
        tokens.add(new VclToken(Kind.END, "", file, line, column(), at, at));
        return;
      }
      next();
    }
  }

  private int column() {
    return at - lineStart + 1;
  }

  private ImportException problem(String what) {
    return new ImportException(file + ":" + line + ":" + column() + ": " + what);
  }

  private void skipBlanks() throws ImportException {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '#' || text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw problem("the comment that opens here is not closed");
        }
        advance(end + 2);
      } else if (Character.isWhitespace(c) || c == '\ufeff') {
        advance(at + 1);
      } else {
        return;
      }
    }
  }

  /** Goes on to a place and counts the lines on the way. */
  private void advance(int to) {
    while (at < to) {
      if (text.charAt(at++) == '\n') {
        line++;
        lineStart = at;
      }
    }
  }

  private void next() throws ImportException {
    char c = text.charAt(at);
    if (text.startsWith("C{", at)) {
      delimited(Kind.INLINE_C, 2, "}C");
    } else if (text.startsWith("{\"", at)) {
      delimited(Kind.STRING, 2, "\"}");
    } else if (text.startsWith("\"\"\"", at)) {
      delimited(Kind.STRING, 3, "\"\"\"");
    } else if (c == '"') {
      int end = text.indexOf('"', at + 1);
      int newline = text.indexOf('\n', at);
      if (end < 0 || (newline >= 0 && newline < end)) {
        throw problem("the quote that opens here is not closed on its line");
      }
      delimited(Kind.STRING, 1, "\"");
    } else if (isNameStart(c)) {
      int end = at;
      while (end < text.length() && isNamePart(text.charAt(end))) {
        end++;
      }
      // A dot that ends a name is none of it.
      while (text.charAt(end - 1) == '.' || text.charAt(end - 1) == '-') {
        end--;
      }
      add(Kind.NAME, at, end, end);
    } else if (c >= '0' && c <= '9') {
      int end = at;
      while (end < text.length()
          && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '.')) {
        end++;
      }
      add(Kind.NUMBER, at, end, end);
    } else {
      sign(c);
    }
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
  }

  private void sign(char c) throws ImportException {
    for (String sign : SIGNS) {
      if (text.startsWith(sign, at)) {
        add(Kind.SIGN, at, at + 2, at + 2);
        return;
      }
    }
    if ("{}()[];,=+-*/%<>!~.&|^?:".indexOf(c) < 0) {
      throw problem("a character that VCL does not have: " + shown(c));
    }
    add(Kind.SIGN, at, at + 1, at + 1);
  }

  private static String shown(char c) {
    return c > ' ' && c < 0x7f ? String.valueOf(c) : "U+%04X".formatted((int) c);
  }

  private void delimited(Kind kind, int opening, String closing) throws ImportException {
    int end = text.indexOf(closing, at + opening);
    if (end < 0) {
      throw problem("what opens here is not closed: " + closing + " is missing");
    }
    add(kind, at + opening, end, end + closing.length());
  }

  private void add(Kind kind, int from, int to, int end) {
    tokens.add(new VclToken(kind, text.substring(from, to), file, line, column(), at, end));
    advance(end);
  }
}
