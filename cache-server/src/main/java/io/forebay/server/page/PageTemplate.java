package io.forebay.server.page;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The body of a page, with variables. Values are escaped for the type of the page, and have
 * printable ASCII characters only; a dollar sign that begins no variable stands for itself.
 *
 * <pre>
 *   $status      404                        $host  the host that was asked
 *   $reason      Not Found                  $uri   path and query
 *   $request_id  as in the access log
 * </pre>
 */
public final class PageTemplate {
  /** A variable is a few bytes here and up to a request head in what is sent. */
  public static final int MAX_VARIABLES = 32;

  private enum Variable {
    STATUS,
    REASON,
    REQUEST_ID,
    HOST,
    URI;

    private static @Nullable Variable of(String name) {
      for (Variable variable : values()) {
        if (variable.name().toLowerCase(Locale.ROOT).equals(name)) {
          return variable;
        }
      }
      return null;
    }
  }

  private enum Escaping {
    /** For HTML and XML, and for what is not known. */
    MARKUP,
    JSON,
    TEXT
  }

  private sealed interface Part {}

  private record Literal(String text) implements Part {}

  private record Named(Variable variable) implements Part {}

  private final String contentType;
  private final String text;
  private final List<Part> parts;
  private final Escaping escaping;

  private PageTemplate(String contentType, String text, List<Part> parts) {
    this.contentType = contentType;
    this.text = text;
    this.parts = parts;
    this.escaping = escaping(contentType.toLowerCase(Locale.ROOT));
  }

  private static Escaping escaping(String type) {
    return type.startsWith("text/plain")
        ? Escaping.TEXT
        : type.contains("json") ? Escaping.JSON : Escaping.MARKUP;
  }

  /**
   * Parses the bytes of a page, in any encoding that has ASCII in it.
   *
   * @throws IllegalArgumentException for more than {@link #MAX_VARIABLES} variables
   */
  public static PageTemplate of(String contentType, byte[] body) {
    String text = new String(body, StandardCharsets.ISO_8859_1);
    List<Part> parts = new ArrayList<>();
    int literal = 0;
    int at = text.indexOf('$');
    while (at >= 0) {
      int end = at + 1;
      while (end < text.length() && isNameChar(text.charAt(end))) {
        end++;
      }
      Variable variable = Variable.of(text.substring(at + 1, end));
      if (variable != null) {
        parts.add(new Literal(text.substring(literal, at)));
        parts.add(new Named(variable));
        literal = end;
      }
      at = text.indexOf('$', end);
    }
    if (parts.size() > 2 * MAX_VARIABLES) {
      throw new IllegalArgumentException(parts.size() / 2 + " variables");
    }
    parts.add(new Literal(text.substring(literal)));
    return new PageTemplate(contentType, text, List.copyOf(parts));
  }

  private static boolean isNameChar(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  }

  public String contentType() {
    return contentType;
  }

  public byte[] render(PageFacts facts) {
    StringBuilder out = new StringBuilder(text.length() + 64);
    for (Part part : parts) {
      switch (part) {
        case Literal(String fixed) -> out.append(fixed);
        case Named(Variable variable) -> escape(out, value(variable, facts));
      }
    }
    return out.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String value(Variable variable, PageFacts facts) {
    return switch (variable) {
      case STATUS -> Integer.toString(facts.status());
      case REASON -> facts.reason();
      case REQUEST_ID -> facts.requestId();
      case HOST -> facts.host();
      // As the target of a link, two slashes would name a host.
      case URI -> facts.uri().replaceFirst("^//+", "/");
    };
  }

  private void escape(StringBuilder out, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c > '~') {
        out.append('?');
      } else {
        switch (escaping) {
          case TEXT -> out.append(c);
          case JSON -> {
            if ("\"\\<>&'".indexOf(c) >= 0) {
              out.append(String.format("\\u%04x", (int) c));
            } else {
              out.append(c);
            }
          }
          case MARKUP -> {
            if ("\"'<>&`".indexOf(c) >= 0) {
              out.append("&#").append((int) c).append(';');
            } else {
              out.append(c);
            }
          }
        }
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PageTemplate its
        && its.contentType.equals(contentType)
        && its.text.equals(text);
  }

  @Override
  public int hashCode() {
    return 31 * contentType.hashCode() + text.hashCode();
  }
}
