package io.forebay.core.key;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses the key texts that {@link KeyBuilder} writes. */
public final class KeyText {
  private KeyText() {}

  /** Path and, where the key has one, query of a stored key; empty for what is no key text. */
  public static String pathAndQuery(String keyText) {
    int authority = keyText.indexOf("://");
    int start = authority < 0 ? -1 : keyText.indexOf('/', authority + 3);
    if (start < 0) {
      return "";
    }
    int end = start;
    // A target in normal form holds neither: here the route's own text or the variant begins.
    while (end < keyText.length() && keyText.charAt(end) != '#' && keyText.charAt(end) != ' ') {
      end++;
    }
    return keyText.substring(start, end);
  }

  /**
   * A URL that a GET with this key has, without a default port; {@code https} where the key has no
   * scheme. Null where the key needs a body or stands for several URLs.
   */
  public static @Nullable String url(String keyText) {
    int authority = keyText.indexOf("://");
    String target = pathAndQuery(keyText);
    if (authority < 0 || target.isEmpty()) {
      return null;
    }
    int start = keyText.indexOf('/', authority + 3);
    int end = start + target.length();
    if (keyText.startsWith("#b=", end)
        || keyText.startsWith("#n=", end)
        || keyText.startsWith("#?", end)) {
      return null;
    }
    String scheme = authority == 0 ? "https" : keyText.substring(0, authority);
    String host = keyText.substring(authority + 3, start);
    String port = scheme.equals("http") ? ":80" : ":443";
    return scheme
        + "://"
        + (host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host)
        + target;
  }

  /**
   * The names of the fields that a variant's key tells it apart by; a star for the one that does
   * not vary.
   *
   * @param baseLength where the base key's text ends
   */
  public static List<String> selectingFields(String keyText, int baseLength) {
    List<String> names = new ArrayList<>();
    int at = baseLength;
    while (at < keyText.length() && keyText.charAt(at) == ' ') {
      int end = at + 1;
      while (end < keyText.length() && keyText.charAt(end) != ' ' && keyText.charAt(end) != '=') {
        end++;
      }
      names.add(keyText.substring(at + 1, end));
      at = keyText.startsWith("=\"", end) ? valueEnd(keyText, end + 2) : end;
    }
    return names;
  }

  /**
   * What a variant's key has of one of its selecting fields, with name and quotes; empty where it
   * is not told apart by that.
   *
   * @param baseLength where the base key's text ends
   */
  public static String selectingValue(String keyText, int baseLength, String name) {
    int at = baseLength;
    while (at < keyText.length() && keyText.charAt(at) == ' ') {
      int end = at + 1;
      while (end < keyText.length() && keyText.charAt(end) != ' ' && keyText.charAt(end) != '=') {
        end++;
      }
      int behind = keyText.startsWith("=\"", end) ? valueEnd(keyText, end + 2) : end;
      if (keyText.substring(at + 1, end).equals(name)) {
        return keyText.substring(at + 1, Math.min(behind, keyText.length()));
      }
      at = behind;
    }
    return "";
  }

  /** What stands behind the colon in the key of a coded copy, or null in the key of a response. */
  public static @Nullable String coding(String keyText) {
    int at = keyText.lastIndexOf(" :");
    return at < 0 || keyText.indexOf('"', at) >= 0 ? null : keyText.substring(at + 2);
  }

  /** Behind the quote that ends a value. */
  private static int valueEnd(String keyText, int from) {
    int i = from;
    while (i < keyText.length() && keyText.charAt(i) != '"') {
      i += keyText.charAt(i) == '\\' ? 2 : 1;
    }
    return i + 1;
  }
}
