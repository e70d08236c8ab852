package io.forebay.server.rule;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A text with variables, parsed once.
 *
 * <pre>
 *   $scheme  http or https                $path   in normal form
 *   $host    lower case, without a port   $query  without the question mark
 *   $uri     path, and ?query if any      $1..$9  groups of the rule's expression on the path
 *   $$       a dollar sign                $(host) the same where letters follow
 * </pre>
 *
 * A {@code ?} or {@code &} just before {@code $query} is left out where the request has no query.
 */
public final class Template {
  private static final String NOT_IN_URIS = "\"<>\\^`{|}";

  /** What may be named. */
  private enum Variable {
    SCHEME,
    HOST,
    PATH,
    QUERY,
    URI
  }

  private sealed interface Part {}

  private record Literal(String text) implements Part {}

  private record Named(Variable variable) implements Part {}

  private record Group(int number) implements Part {}

  private final String source;
  private final List<Part> parts;

  private Template(String source, List<Part> parts) {
    this.source = source;
    this.parts = parts;
  }

  /**
   * Parses a text.
   *
   * @throws IllegalArgumentException for a variable that is not known
   */
  public static Template of(String text) {
    List<Part> parts = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '$') {
        literal.append(c);
        continue;
      }
      if (at < text.length() && text.charAt(at) == '$') {
        literal.append('$');
        at++;
        continue;
      }
      if (!literal.isEmpty()) {
        parts.add(new Literal(literal.toString()));
        literal.setLength(0);
      }
      if (at < text.length() && text.charAt(at) >= '1' && text.charAt(at) <= '9') {
        parts.add(new Group(text.charAt(at++) - '0'));
        continue;
      }
      boolean isEnclosed = at < text.length() && text.charAt(at) == '(';
      int start = isEnclosed ? at + 1 : at;
      int end = start;
      while (end < text.length() && isNameChar(text.charAt(end))) {
        end++;
      }
      String name = text.substring(start, end);
      if (isEnclosed && (end == text.length() || text.charAt(end) != ')')) {
        throw new IllegalArgumentException("$( without )");
      }
      parts.add(new Named(variable(name)));
      at = isEnclosed ? end + 1 : end;
    }
    if (!literal.isEmpty()) {
      parts.add(new Literal(literal.toString()));
    }
    return new Template(text, List.copyOf(parts));
  }

  private static boolean isNameChar(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  }

  private static Variable variable(String name) {
    for (Variable variable : Variable.values()) {
      if (variable.name().toLowerCase(Locale.ROOT).equals(name)) {
        return variable;
      }
    }
    throw new IllegalArgumentException(
        (name.isEmpty() ? "a lone $" : "no variable $" + name)
            + ": there are $scheme, $host, $path, $query, $uri and $1 to $9, and $$ for a dollar");
  }

  /** Whether it is the same for every request. */
  public boolean isConstant() {
    return parts.stream().allMatch(Literal.class::isInstance);
  }

  /** The highest group that it names, or 0. */
  public int groups() {
    return parts.stream()
        .mapToInt(part -> part instanceof Group group ? group.number() : 0)
        .max()
        .orElse(0);
  }

  /** The text as far as it is the same for every request. */
  public String literals() {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      if (part instanceof Literal literal) {
        text.append(literal.text());
      }
    }
    return text.toString();
  }

  /**
   * Whether clients have no say in the host of the URL: it is a path, or has a scheme, and what
   * follows up to the path is a literal or {@code $host}.
   */
  public boolean isSafeTarget() {
    if (parts.isEmpty()) {
      return false;
    }
    boolean isInAuthority = false;
    for (int i = 0; i < parts.size(); i++) {
      switch (parts.get(i)) {
        case Named(Variable variable) -> {
          if (variable == Variable.PATH || variable == Variable.URI) {
            return i == 0 || isInAuthority;
          }
          if (variable != (i == 0 ? Variable.SCHEME : Variable.HOST)) {
            return false;
          }
        }
        case Literal(String text) -> {
          String rest = text;
          if (i == 0) {
            if (text.startsWith("/") && !text.startsWith("//")) {
              return true;
            }
            int scheme = text.startsWith("http://") ? 7 : text.startsWith("https://") ? 8 : 0;
            if (scheme == 0) {
              return false;
            }
            rest = text.substring(scheme);
            isInAuthority = true;
          } else if (i == 1 && !isInAuthority) {
            if (!text.startsWith("://")) {
              return false;
            }
            rest = text.substring(3);
            isInAuthority = true;
          }
          if (rest.indexOf('@') >= 0) {
            return false;
          }
          if (rest.indexOf('/') >= 0 || rest.indexOf('?') >= 0) {
            return true;
          }
        }
        case Group group -> {
          return false;
        }
      }
    }
    return isInAuthority;
  }

  /** The text for a field: nothing in it ends the line. */
  public String fieldValue(RequestView request, String @Nullable [] captures) {
    String text = expand(request, captures);
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append((c < ' ' && c != '\t') || c == 0x7f || c > 0xff ? '?' : c);
    }
    return out.toString();
  }

  /** The text as a URL: other characters are percent-encoded, and a path begins with one slash. */
  public String url(RequestView request, String @Nullable [] captures) {
    String text = expand(request, captures);
    if (text.startsWith("//")) {
      // It would name a host.
      text = text.replaceFirst("^/+", "/");
    }
    return encoded(text);
  }

  /** Characters that no URL has are percent-encoded. */
  static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (octet & 0xff);
      if (c > ' ' && c < 0x7f && NOT_IN_URIS.indexOf(c) < 0) {
        out.append(c);
      } else {
        out.append('%')
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
      }
    }
    return out.toString();
  }

  private String expand(RequestView request, String @Nullable [] captures) {
    StringBuilder out = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Literal(String text) -> out.append(text);
        case Group(int number) -> {
          if (captures != null && number < captures.length) {
            out.append(captures[number]);
          }
        }
        case Named(Variable variable) -> append(out, variable, request);
      }
    }
    return out.toString();
  }

  private static void append(StringBuilder out, Variable variable, RequestView request) {
    String query = request.query();
    switch (variable) {
      case SCHEME -> out.append(request.scheme());
      case HOST -> out.append(AuthorityNormalizer.host(request.authority()));
      case PATH -> out.append(request.path());
      case QUERY -> {
        if (query != null && !query.isEmpty()) {
          out.append(query);
        } else if (!out.isEmpty() && "?&".indexOf(out.charAt(out.length() - 1)) >= 0) {
          out.setLength(out.length() - 1);
        }
      }
      case URI -> {
        out.append(request.path());
        if (query != null) {
          out.append('?').append(query);
        }
      }
    }
  }

  @Override
  public String toString() {
    return source;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Template template && template.source.equals(source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }
}
