package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.SourceFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The words of a Caddyfile: between blanks, in quotes or back-quotes, or a text up to a marker. */
final class CaddyfileLexer {
  private static final int MAX_WORDS = 200_000;
  private static final Pattern ENVIRONMENT =
      Pattern.compile("\\{\\$([A-Za-z0-9_]+)(?::([^{}]*))?}");
  private static final Pattern HEREDOC = Pattern.compile("<<([A-Za-z0-9_-]+)[ \\t]*\\r?\\n");

  private final String file;
  private final String text;
  private final List<Word> words = new ArrayList<>();
  private int at;
  private int line = 1;
  private int lineStart;

  /** Ends of lines that go on, which count with the next one. */
  private int continued;

  private CaddyfileLexer(String file, String text) {
    this.file = file;
    this.text = text;
  }

  /**
   * A word.
   *
   * @param line on which it begins, from 1 on
   * @param lastLine on which it ends
   * @param isQuoted whether braces in it are a text
   */
  record Word(String text, int line, int column, int lastLine, boolean isQuoted) {
    boolean isOpen() {
      return !isQuoted && text.equals("{");
    }

    boolean isClose() {
      return !isQuoted && text.equals("}");
    }
  }

  /**
   * Reads the words of a text.
   *
   * @param environment what {@code {$NAME}} stands for
   */
  static List<Word> words(String file, String text, Function<String, @Nullable String> environment)
      throws ImportException {
    CaddyfileLexer lexer = new CaddyfileLexer(file, withEnvironment(file, text, environment));
    lexer.read();
    return lexer.words;
  }

  private static String withEnvironment(
      String file, String text, Function<String, @Nullable String> environment)
      throws ImportException {
    Matcher variable = ENVIRONMENT.matcher(text);
    StringBuilder out = new StringBuilder();
    while (variable.find()) {
      String value = environment.apply(variable.group(1));
      if (value == null) {
        value = variable.group(2);
      }
      if (value == null) {
        int line =
            1 + (int) text.substring(0, variable.start()).chars().filter(c -> c == '\n').count();
        int column = variable.start() - text.lastIndexOf('\n', variable.start());
        throw SourceFile.problem(
            file,
            line,
            column,
            variable.group() + ": set " + variable.group(1) + " in the environment");
      }
      variable.appendReplacement(out, Matcher.quoteReplacement(value));
    }
    return variable.appendTail(out).toString();
  }

  private void read() throws ImportException {
    while (true) {
      skipBlanks();
      if (at == text.length()) {
        return;
      }
      int column = at - lineStart + 1;
      if (words.size() == MAX_WORDS) {
        throw SourceFile.problem(file, line, column, "more than " + MAX_WORDS + " words");
      }
      int first = line;
      char c = text.charAt(at);
      boolean isQuoted = c == '"' || c == '`';
      String word;
      if (isQuoted) {
        word = quoted(c, column);
      } else if (text.startsWith("<<", at)
          && HEREDOC.matcher(text).region(at, text.length()).lookingAt()) {
        isQuoted = true;
        word = heredoc(column);
      } else {
        word = bare();
      }
      words.add(new Word(word, first, column, line, isQuoted));
    }
  }

  private void newline() {
    line += 1 + continued;
    continued = 0;
    lineStart = at;
  }

  private void skipBlanks() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '\n') {
        at++;
        newline();
      } else if (c == '\\' && text.startsWith("\\\n", at)) {
        // The line goes on: its words count as one line.
        at += 2;
        continued++;
        lineStart = at;
      } else if (c == '\\' && text.startsWith("\\\r\n", at)) {
        at += 3;
        continued++;
        lineStart = at;
      } else if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '#') {
        while (at < text.length() && text.charAt(at) != '\n') {
          at++;
        }
      } else {
        return;
      }
    }
  }

  private String bare() {
    int start = at;
    while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private String quoted(char quote, int column) throws ImportException {
    int first = line;
    StringBuilder word = new StringBuilder();
    at++;
    while (at < text.length() && text.charAt(at) != quote) {
      char c = text.charAt(at++);
      if (c == '\n') {
        newline();
      }
      if (quote == '"' && c == '\\' && at < text.length() && text.charAt(at) == '"') {
        word.append('"');
        at++;
      } else {
        word.append(c);
      }
    }
    if (at == text.length()) {
      throw SourceFile.problem(file, first, column, "the quote that opens here is not closed");
    }
    at++;
    return word.toString();
  }

  /** Lines up to one with the marker; the blanks before the marker go from all of them. */
  private String heredoc(int column) throws ImportException {
    int first = line;
    Matcher head = HEREDOC.matcher(text);
    head.find(at);
    String marker = head.group(1);
    at = head.end();
    newline();
    List<String> lines = new ArrayList<>();
    while (at < text.length()) {
      int end = text.indexOf('\n', at);
      String each = text.substring(at, end < 0 ? text.length() : end);
      String own = each.strip();
      boolean isLast =
          own.equals(marker) || (own.startsWith(marker + " ") || own.startsWith(marker + "\t"));
      if (isLast) {
        int indent = each.indexOf(marker);
        at += indent + marker.length();
        String blanks = each.substring(0, indent);
        return String.join(
            "\n",
            lines.stream()
                .map(one -> one.startsWith(blanks) ? one.substring(blanks.length()) : one.strip())
                .toList());
      }
      lines.add(each.endsWith("\r") ? each.substring(0, each.length() - 1) : each);
      at = end < 0 ? text.length() : end + 1;
      newline();
    }
    throw SourceFile.problem(
        file, first, column, "the text that begins here has no line " + marker);
  }
}
