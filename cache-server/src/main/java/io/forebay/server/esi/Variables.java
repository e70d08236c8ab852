package io.forebay.server.esi;

import io.forebay.core.http.RequestView;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The variables of ESI, read from the request of the page: {@code $(NAME)}, {@code $(NAME{key})},
 * with a default behind a bar. They have the values that the client sent; what can be more than
 * text where it is inserted is escaped.
 *
 * <pre>
 *   HTTP_HOST  REQUEST_PATH  QUERY_STRING  QUERY_STRING{name}  HTTP_COOKIE{name}  HTTP_HEADER{name}
 *   HTTP_USER_AGENT  HTTP_REFERER  HTTP_ACCEPT_LANGUAGE  HTTP_ACCEPT_LANGUAGE{tag}
 * </pre>
 *
 * <p>Values are never parsed for tags. A variable that is not known, and one without a value and a
 * default, is empty. Defaults are the page's own words and are inserted as they stand.
 */
final class Variables {

  private static final int MAX_VALUE = 4096;
  private static final String HEX = "0123456789ABCDEF";

  /** Fields that a page does not get to see. */
  private static final Set<String> SECRET =
      Set.of("authorization", "proxy-authorization", "cookie");

  /** Where a value goes. */
  enum Into {
    /** The text of a page: anything but letters, digits and a few marks becomes an entity. */
    TEXT,
    /** A URL: anything that separates its parts is percent-encoded. */
    URL,
    /** An expression, which compares it and inserts it nowhere: as it came. */
    TEST
  }

  private final RequestView request;

  Variables(RequestView request) {
    this.request = request;
  }

  /** A text with its variables replaced. */
  String expanded(String text, Into where) {
    int open = text.indexOf("$(");
    if (open < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length() + 32);
    int from = 0;
    while (open >= 0) {
      int close = end(text, open + 2);
      if (close < 0) {
        break;
      }
      out.append(text, from, open).append(value(text.substring(open + 2, close), where));
      from = close + 1;
      open = text.indexOf("$(", from);
    }
    return out.append(text, from, text.length()).toString();
  }

  /** Index of the parenthesis that ends a variable, or -1. */
  static int end(String text, int from) {
    boolean isQuoted = false;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'') {
        isQuoted = !isQuoted;
      } else if (c == ')' && !isQuoted) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The escaped value of what stands between the parentheses.
   *
   * @param expression {@code NAME}, {@code NAME{key}}, either with {@code |default}
   */
  String value(String expression, Into where) {
    int bar = expression.indexOf('|');
    String variable = (bar < 0 ? expression : expression.substring(0, bar)).strip();
    int brace = variable.indexOf('{');
    boolean hasKey = brace >= 0 && variable.endsWith("}");
    String name = hasKey ? variable.substring(0, brace) : variable;
    String key = hasKey ? variable.substring(brace + 1, variable.length() - 1) : null;
    String value = raw(name, key);
    if (value == null || value.isEmpty()) {
      return bar < 0 ? "" : unquoted(expression.substring(bar + 1).strip());
    }
    String bounded = value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value;
    return switch (where) {
      case TEXT -> entities(bounded);
      case URL -> key == null ? url(name, bounded) : encoded(bounded, "");
      case TEST -> bounded;
    };
  }

  private static String unquoted(String text) {
    boolean isQuoted = text.length() >= 2 && text.startsWith("'") && text.endsWith("'");
    return isQuoted ? text.substring(1, text.length() - 1) : text;
  }

  private @Nullable String raw(String name, @Nullable String key) {
    return switch (name) {
      case "HTTP_HOST" -> request.authority();
      case "REQUEST_PATH" -> request.path();
      case "QUERY_STRING" -> key == null ? request.query() : parameter(key);
      case "HTTP_COOKIE" -> key == null ? null : cookie(key);
      case "HTTP_HEADER" -> key == null ? null : field(key.toLowerCase(Locale.ROOT));
      case "HTTP_USER_AGENT" -> field("user-agent");
      case "HTTP_REFERER" -> field("referer");
      case "HTTP_ACCEPT_LANGUAGE" -> key == null ? field("accept-language") : language(key);
      default -> null;
    };
  }

  private @Nullable String field(String lowerCaseName) {
    CharSequence value =
        SECRET.contains(lowerCaseName) ? null : request.fields().first(lowerCaseName);
    return value == null ? null : value.toString();
  }

  private @Nullable String parameter(String name) {
    String query = request.query();
    if (query == null) {
      return null;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if ((equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
        return equals < 0 ? "" : pair.substring(equals + 1);
      }
    }
    return null;
  }

  private @Nullable String cookie(String name) {
    for (String line : request.fields().all("cookie")) {
      for (String pair : line.split(";", -1)) {
        int equals = pair.indexOf('=');
        if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
          return pair.substring(equals + 1).strip();
        }
      }
    }
    return null;
  }

  /** {@code true} or {@code false}, as the language is accepted. */
  private String language(String tag) {
    String accepted = request.fields().combined("accept-language");
    if (accepted != null) {
      for (String member : accepted.split(",", -1)) {
        int semicolon = member.indexOf(';');
        String named = (semicolon < 0 ? member : member.substring(0, semicolon)).strip();
        if (named.equalsIgnoreCase(tag)) {
          return "true";
        }
      }
    }
    return "false";
  }

  /**
   * The characters left as they are end neither text, nor an attribute, nor a string of a script.
   */
  private static String entities(String value) {
    StringBuilder out = new StringBuilder(value.length() + 16);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (isUnreserved(c) || " ,:/%+".indexOf(c) >= 0) {
        out.append(c);
      } else if (c > ' ' && c < 0x7f) {
        out.append("&#").append((int) c).append(';');
      } else if (c >= 0x80) {
        out.append('?');
      }
    }
    return out.toString();
  }

  /** A value that is a part of a URL by itself keeps what separates parts of its own. */
  private static String url(String name, String value) {
    return switch (name) {
      case "HTTP_HOST" -> encoded(value, ":[]");
      case "REQUEST_PATH" -> encoded(value, "/%!$&'()*+,;=:@");
      case "QUERY_STRING" -> encoded(value, "/?%!$&'()*+,;=:@");
      default -> encoded(value, "");
    };
  }

  private static String encoded(String value, String kept) {
    boolean isDots = value.replace("%2e", ".").replace("%2E", ".").chars().allMatch(c -> c == '.');
    if (kept.isEmpty() && isDots) {
      // It would be a dot segment.
      return "";
    }
    StringBuilder out = new StringBuilder(value.length() + 16);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (isUnreserved(c) || kept.indexOf(c) >= 0 || isEncoding(value, i)) {
        out.append(c);
      } else if (c < 0x100) {
        out.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
      }
    }
    return out.toString();
  }

  /** Whether an octet is percent-encoded there already. */
  private static boolean isEncoding(String value, int at) {
    return value.charAt(at) == '%'
        && at + 2 < value.length()
        && Character.digit(value.charAt(at + 1), 16) >= 0
        && Character.digit(value.charAt(at + 2), 16) >= 0
        && value.charAt(at + 1) < 0x80
        && value.charAt(at + 2) < 0x80;
  }

  private static boolean isUnreserved(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "-._~".indexOf(c) >= 0;
  }
}
