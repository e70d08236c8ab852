package io.forebay.core.key;

/** Reads the texts that {@link KeyBuilder} writes. */
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
}
