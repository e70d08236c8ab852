package io.forebay.plugin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What requests of clients and to origins have in common. Good for the length of a call. */
public interface RequestHead {

  String method();

  /** {@code http} or {@code https}. */
  String scheme();

  /** Host, and port unless it is the usual one of the scheme, in lower case. */
  String authority();

  /** In normal form; begins with {@code /}. */
  String path();

  /** Behind the question mark, as it was sent. */
  Optional<String> query();

  Fields fields();

  /** The first value of a parameter of the query, decoded. */
  default Optional<String> parameter(String name) {
    for (String pair : query().orElse("").split("&", -1)) {
      int equals = pair.indexOf('=');
      String key = equals < 0 ? pair : pair.substring(0, equals);
      if (!pair.isEmpty() && decoded(key).equals(name)) {
        return Optional.of(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
      }
    }
    return Optional.empty();
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
