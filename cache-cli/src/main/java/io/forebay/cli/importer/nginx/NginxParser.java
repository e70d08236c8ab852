package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a configuration of nginx: words, quotes, comments, blocks and {@code include} with
 * patterns, relative to the directory of the first file as nginx has it.
 */
final class NginxParser {
  private static final int MAX_FILES = 1000;
  private static final int MAX_DEPTH = 32;
  private static final long MAX_BYTES = 4 << 20;

  private final Path directory;
  private final List<Directive> notFound = new ArrayList<>();
  private int files;

  private NginxParser(Path directory) {
    this.directory = directory;
  }

  /**
   * The statements of a file, those of included files in the place of the include.
   *
   * @param directory what relative names begin at
   * @param notFound gets the includes whose files do not exist
   */
  static List<Directive> parse(Path file, Path directory, List<Directive> notFound)
      throws ImportException {
    NginxParser parser = new NginxParser(directory);
    List<Directive> all = parser.file(file, 0);
    notFound.addAll(parser.notFound);
    return all;
  }

  private List<Directive> file(Path file, int depth) throws ImportException {
    if (++files > MAX_FILES || depth > MAX_DEPTH) {
      throw new ImportException(file + ": more than " + MAX_FILES + " files, or a circle of them");
    }
    String text;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ImportException(file + ": larger than " + MAX_BYTES + " bytes");
      }
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new ImportException(file + ": cannot be read: " + e.getMessage());
    }
    Words words = new Words(file.toString(), text);
    List<Directive> all = block(words, depth, false);
    return all;
  }

  /** Statements up to the brace that closes their block, or the end of the file. */
  private List<Directive> block(Words words, int depth, boolean isInner) throws ImportException {
    if (depth > MAX_DEPTH) {
      throw new ImportException(words.file, words.line, "blocks are nested too deeply");
    }
    List<Directive> all = new ArrayList<>();
    List<String> statement = new ArrayList<>();
    int line = words.line;
    while (true) {
      String word = words.next();
      if (word == null) {
        if (isInner || !statement.isEmpty()) {
          throw new ImportException(
              words.file, words.line, isInner ? "a } is missing" : "a ; is missing");
        }
        return all;
      }
      if (statement.isEmpty()) {
        line = words.wordLine;
      }
      if (words.isText) {
        statement.add(word);
        continue;
      }
      switch (word) {
        case "}" -> {
          if (!isInner || !statement.isEmpty()) {
            throw new ImportException(words.file, words.line, "} was not expected here");
          }
          return all;
        }
        case "{" -> {
          if (statement.isEmpty()) {
            throw new ImportException(words.file, words.line, "{ was not expected here");
          }
          String name = statement.getFirst();
          List<Directive> inner;
          if (name.endsWith("_by_lua_block")) {
            words.skipBraces();
            inner = List.of();
          } else {
            inner = block(words, depth + 1, true);
          }
          all.add(directive(words.file, line, statement, inner));
          statement.clear();
        }
        default -> {
          if (statement.isEmpty()) {
            throw new ImportException(words.file, words.line, "; was not expected here");
          }
          Directive ended = directive(words.file, line, statement, null);
          if (ended.name().equals("include") && ended.arguments().size() == 1) {
            all.addAll(include(ended, depth));
          } else {
            all.add(ended);
          }
          statement.clear();
        }
      }
    }
  }

  private static Directive directive(
      String file, int line, List<String> words, @Nullable List<Directive> block) {
    return new Directive(file, line, words.getFirst(), words.subList(1, words.size()), block);
  }

  private List<Directive> include(Directive of, int depth) throws ImportException {
    String pattern = of.argument(0);
    Path named = directory.resolve(pattern);
    Path parent = named.getParent();
    Path last = named.getFileName();
    List<Path> found = new ArrayList<>();
    if (parent != null && last != null && last.toString().matches(".*[*?\\[].*")) {
      if (Files.isDirectory(parent)) {
        try (DirectoryStream<Path> matching = Files.newDirectoryStream(parent, last.toString())) {
          matching.forEach(found::add);
        } catch (IOException e) {
          throw new ImportException(of.file(), of.line(), "cannot list " + parent);
        }
      }
      found.sort(null);
      if (found.isEmpty()) {
        // As for nginx, a pattern that matches nothing is no error.
        notFound.add(of);
        return List.of(of);
      }
    } else if (Files.isReadable(named)) {
      found.add(named);
    } else {
      notFound.add(of);
      return List.of(of);
    }
    List<Directive> all = new ArrayList<>();
    for (Path each : found) {
      all.addAll(file(each, depth + 1));
    }
    return all;
  }

  /** The words of a file. */
  private static final class Words {
    private final String file;
    private final String text;
    private int at;
    private int line = 1;

    /** Where the last word began. */
    private int wordLine = 1;

    /** Whether the last word is a text, and neither a brace nor a semicolon. */
    private boolean isText;

    Words(String file, String text) {
      this.file = file;
      this.text = text;
    }

    @Nullable String next() throws ImportException {
      skipBlanks();
      wordLine = line;
      if (at == text.length()) {
        return null;
      }
      char c = text.charAt(at);
      if (c == ';' || c == '{' || c == '}') {
        at++;
        isText = false;
        return String.valueOf(c);
      }
      isText = true;
      return c == '"' || c == '\'' ? quoted(c) : bare();
    }

    private void skipBlanks() {
      while (at < text.length()) {
        char c = text.charAt(at);
        if (c == '#') {
          while (at < text.length() && text.charAt(at) != '\n') {
            at++;
          }
        } else if (c == '\n') {
          line++;
          at++;
        } else if (Character.isWhitespace(c) || c == '\ufeff') {
          at++;
        } else {
          return;
        }
      }
    }

    private String quoted(char quote) throws ImportException {
      StringBuilder word = new StringBuilder();
      at++;
      while (at < text.length() && text.charAt(at) != quote) {
        character(word);
      }
      if (at == text.length()) {
        throw new ImportException(file, wordLine, "the quote that opens here is not closed");
      }
      at++;
      return word.toString();
    }

    private String bare() {
      StringBuilder word = new StringBuilder();
      while (at < text.length()) {
        char c = text.charAt(at);
        boolean isVariable = c == '{' && at > 0 && text.charAt(at - 1) == '$';
        if (isVariable) {
          int end = text.indexOf('}', at);
          if (end > 0) {
            word.append(text, at, end + 1);
            at = end + 1;
            continue;
          }
        }
        if (Character.isWhitespace(c) || c == ';' || c == '{') {
          break;
        }
        character(word);
      }
      return word.toString();
    }

    /** One character, or a backslash and what it escapes; other backslashes stay. */
    private void character(StringBuilder word) {
      char c = text.charAt(at++);
      if (c == '\n') {
        line++;
      }
      if (c != '\\' || at == text.length()) {
        word.append(c);
        return;
      }
      char escaped = text.charAt(at++);
      switch (escaped) {
        case '"', '\'', '\\' -> word.append(escaped);
        case 't' -> word.append('\t');
        case 'r' -> word.append('\r');
        case 'n' -> word.append('\n');
        default -> word.append('\\').append(escaped);
      }
    }

    /** Skips what is between a brace that was read and its partner. */
    void skipBraces() throws ImportException {
      int depth = 1;
      while (depth > 0) {
        if (at == text.length()) {
          throw new ImportException(file, line, "a } is missing");
        }
        char c = text.charAt(at++);
        if (c == '\n') {
          line++;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      }
    }
  }
}
