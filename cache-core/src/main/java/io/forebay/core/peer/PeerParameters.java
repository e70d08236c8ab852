package io.forebay.core.peer;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code v=1, name=value, …}: bounded, each name once, values of visible ASCII. */
final class PeerParameters {
  private static final int MAX_LENGTH = 1024;
  private static final int MAX_VALUE = 256;

  private PeerParameters() {}

  /**
   * The parameters without the version; null where the text has another form.
   *
   * @param most how many there may be besides the version
   */
  static @Nullable Map<String, String> parse(CharSequence text, int most) {
    if (text.length() > MAX_LENGTH) {
      return null;
    }
    Map<String, String> values = new HashMap<>();
    for (String member : text.toString().split(", ", most + 2)) {
      int equals = member.indexOf('=');
      if (equals < 1
          || !isName(member, equals)
          || !isValue(member, equals + 1)
          || values.put(member.substring(0, equals), member.substring(equals + 1)) != null) {
        return null;
      }
    }
    return "1".equals(values.remove("v")) ? values : null;
  }

  private static boolean isName(String member, int end) {
    for (int i = 0; i < end; i++) {
      if (member.charAt(i) < 'a' || member.charAt(i) > 'z') {
        return false;
      }
    }
    return true;
  }

  private static boolean isValue(String member, int start) {
    if (start == member.length() || member.length() - start > MAX_VALUE) {
      return false;
    }
    for (int i = start; i < member.length(); i++) {
      char c = member.charAt(i);
      if (c <= ' ' || c > '~' || c == ',' || c == '"' || c == '=' || c == ';') {
        return false;
      }
    }
    return true;
  }
}
