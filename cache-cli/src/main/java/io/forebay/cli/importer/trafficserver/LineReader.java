package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.SourceFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads files with a statement on each line: words between blanks, quotes around what has blanks,
 * {@code #} before comments, and a backslash at the end of a line that goes on.
 */
final class LineReader {
  private static final int MAX_LINES = 100_000;
  private static final int MAX_WORDS = 1000;

  private final String file;
  private final List<Directive> all = new ArrayList<>();
  private final List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();

  private LineReader(String file) {
    this.file = file;
  }

  /** The statements of a file: the first word of a line is the name. */
  static List<Directive> read(Path file) throws ImportException {
    LineReader reader = new LineReader(file.toString());
    reader.lines(SourceFile.read(file));
    return reader.all;
  }

  private void lines(String text) throws ImportException {
    String[] lines = text.split("\n", -1);
    if (lines.length > MAX_LINES) {
      throw new ImportException(file + ": more than " + MAX_LINES + " lines");
    }
    int first = 1;
    for (int number = 1; number <= lines.length; number++) {
      String line = lines[number - 1];
      String ended = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      boolean isContinued = ended.endsWith("\\") && number < lines.length;
      words(isContinued ? ended.substring(0, ended.length() - 1) : ended, number);
      if (!isContinued) {
        if (!words.isEmpty()) {
          all.add(
              new Directive(file, first, words.getFirst(), words.subList(1, words.size()), null));
          words.clear();
        }
        first = number + 1;
      }
    }
  }

  private void words(String line, int number) throws ImportException {
    int at = 0;
    while (true) {
      while (at < line.length() && isBlank(line.charAt(at))) {
        at++;
      }
      if (at == line.length() || line.charAt(at) == '#') {
        return;
      }
      if (words.size() == MAX_WORDS) {
        throw SourceFile.problem(file, number, at + 1, "more than " + MAX_WORDS + " words");
      }
      at = word(line, at, number);
    }
  }

  private int word(String line, int start, int number) throws ImportException {
    word.setLength(0);
    int at = start;
    while (at < line.length() && !isBlank(line.charAt(at))) {
      char c = line.charAt(at);
      if (c < ' ' || c == 0x7f) {
        throw SourceFile.problem(file, number, at + 1, "a control character");
      }
      if (c != '"') {
        word.append(c);
        at++;
        continue;
      }
      int end = closing(line, at);
      if (end < 0) {
        throw SourceFile.problem(
            file, number, at + 1, "the quote that opens here is not closed on this line");
      }
      word.append(line.substring(at + 1, end).replace("\\\"", "\""));
      at = end + 1;
    }
    words.add(word.toString());
    return at;
  }

  private static int closing(String line, int quote) {
    for (int at = quote + 1; at < line.length(); at++) {
      if (line.charAt(at) == '"' && line.charAt(at - 1) != '\\') {
        return at;
      }
    }
    return -1;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == 0x0b;
  }

  /** The {@code name=value} words of a statement; the name in lower case. */
  static Map<String, String> tags(Directive of) throws ImportException {
    Map<String, String> tags = new LinkedHashMap<>();
    List<String> words = new ArrayList<>(List.of(of.name()));
    words.addAll(of.arguments());
    for (String each : words) {
      int equals = each.indexOf('=');
      if (equals <= 0) {
        throw new ImportException(of.file(), of.line(), each + ": write NAME=VALUE");
      }
      String name = each.substring(0, equals).toLowerCase(java.util.Locale.ROOT);
      if (tags.put(name, each.substring(equals + 1)) != null) {
        throw new ImportException(of.file(), of.line(), name + " is there twice");
      }
    }
    return tags;
  }
}
