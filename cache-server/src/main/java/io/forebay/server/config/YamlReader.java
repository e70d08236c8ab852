package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * Reads a YAML document into a {@link ConfigTree}. Scalars are kept as written, so that the key's
 * type, not YAML, interprets {@code 0x10} or {@code off}. Aliases are rejected: a few lines of them
 * can expand to millions of nodes.
 */
public final class YamlReader {
  private static final int MAX_DEPTH = 16;
  private static final Pattern MARK =
      Pattern.compile("\\s+in .*, line (\\d{1,9}), column (\\d{1,9}):");

  private final String source;
  private String document = "";
  private final List<ConfigProblem> problems;

  /**
   * A reader of one document.
   *
   * @param source its name in problems
   * @param problems where what is wrong is added
   */
  public YamlReader(String source, List<ConfigProblem> problems) {
    this.source = source;
    this.problems = problems;
  }

  /** The document, or null when it is empty or a problem was noted that left no tree. */
  public @Nullable ConfigTree read(String text) {
    document = text;
    try (YAMLParser parser =
        (YAMLParser) new YAMLFactory().createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        return null;
      }
      ConfigTree tree = value(parser, 0);
      if (parser.nextToken() != null) {
        problems.add(
            place(parser.currentTokenLocation())
                .problem("", "a second YAML document begins here", "write one document"));
      }
      return tree;
    } catch (TooDeepException e) {
      problems.add(
          e.place.problem("", "nested deeper than " + MAX_DEPTH + " levels", "use fewer levels"));
      return null;
    } catch (JacksonException e) {
      problems.add(syntaxProblem(e));
      return null;
    }
  }

  private ConfigTree value(YAMLParser parser, int depth) {
    SourceLocation place = place(parser.currentTokenLocation());
    if (depth > MAX_DEPTH) {
      throw new TooDeepException(place);
    }
    if (parser.isCurrentAlias()) {
      problems.add(place.problem("", "YAML aliases are not supported", "write the value out"));
      return new ConfigTree.Scalar(place, "", true, place);
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> mapping(parser, place, depth);
      case START_ARRAY -> {
        List<ConfigTree> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser, depth + 1));
        }
        yield new ConfigTree.Sequence(place, items);
      }
      case VALUE_NULL -> new ConfigTree.Scalar(place, "", true, place);
      default -> {
        SourceLocation content = content(place, parser.currentTokenLocation().getCharOffset());
        yield new ConfigTree.Scalar(place, parser.getString(), false, content);
      }
    };
  }

  /** Where the first character of a scalar stands: behind its quote, or in the line below a bar. */
  private SourceLocation content(SourceLocation place, long offset) {
    char style = offset < 0 || offset >= document.length() ? ' ' : document.charAt((int) offset);
    if (style == '"' || style == '\'') {
      return new SourceLocation(source, place.line(), place.column() + 1);
    }
    if (style != '|' && style != '>') {
      return place;
    }
    int start = document.indexOf('\n', (int) offset) + 1;
    while (start > 0) {
      int at = start;
      while (at < document.length() && document.charAt(at) == ' ') {
        at++;
      }
      if (at == document.length() || document.charAt(at) > ' ') {
        return new SourceLocation(source, place.line() + 1, at - start + 1);
      }
      start = document.indexOf('\n', at) + 1;
    }
    return place;
  }

  private ConfigTree mapping(YAMLParser parser, SourceLocation place, int depth) {
    List<ConfigTree.Entry> entries = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      SourceLocation keyPlace = place(parser.currentTokenLocation());
      String key = parser.currentName();
      parser.nextToken();
      ConfigTree child = value(parser, depth + 1);
      if (keys.add(key)) {
        entries.add(new ConfigTree.Entry(keyPlace, key, child));
      } else {
        problems.add(keyPlace.problem(key, "the key occurs twice", "keep one"));
      }
    }
    return new ConfigTree.Mapping(place, entries);
  }

  private SourceLocation place(TokenStreamLocation location) {
    return new SourceLocation(
        source, Math.max(location.getLineNr(), 0), Math.max(location.getColumnNr(), 0));
  }

  /**
   * The parser's own words in one line. Its message is some lines of text, each followed by the
   * place it speaks of; the last one is where reading stopped, which the exception's own location
   * is not always.
   */
  private ConfigProblem syntaxProblem(JacksonException e) {
    String message = e.getOriginalMessage() == null ? "" : e.getOriginalMessage();
    TokenStreamLocation location = e.getLocation();
    SourceLocation place = location == null ? new SourceLocation(source, 0, 0) : place(location);
    StringBuilder words = new StringBuilder();
    for (String line : (Iterable<String>) message.lines()::iterator) {
      Matcher mark = MARK.matcher(line);
      if (mark.matches()) {
        place =
            new SourceLocation(
                source, Integer.parseInt(mark.group(1)), Integer.parseInt(mark.group(2)));
      } else if (!line.isBlank() && !line.startsWith(" ")) {
        words.append(words.isEmpty() ? "" : ", ").append(line);
      }
    }
    return place.problem("", "not valid YAML: " + Printable.shown(words.toString(), 200), "");
  }

  private static final class TooDeepException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient SourceLocation place;

    TooDeepException(SourceLocation place) {
      this.place = place;
    }
  }
}
