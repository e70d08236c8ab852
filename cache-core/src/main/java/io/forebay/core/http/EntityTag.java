package io.forebay.core.http;

/**
 * Compares entity tags (RFC 9110 §8.8.3) without copying them: {@code "xyz"} or {@code W/"xyz"}. A
 * text that is not an entity tag equals nothing, not even itself.
 */
public final class EntityTag {

  private EntityTag() {}

  /** Whether the whole text is one entity tag. */
  public static boolean isValid(CharSequence text) {
    return text.length() > 0 && end(text, 0) == text.length();
  }

  /** Whether a valid tag is a weak one. */
  public static boolean isWeak(CharSequence tag) {
    return tag.charAt(0) == 'W';
  }

  /** Strong comparison (RFC 9110 §8.8.3.2): both strong and the same, character by character. */
  public static boolean strongEquals(CharSequence a, CharSequence b) {
    return isValid(a) && isValid(b) && !isWeak(a) && CharSequence.compare(a, b) == 0;
  }

  /** Weak comparison (RFC 9110 §8.8.3.2): the same but for a {@code W/}. */
  public static boolean weakEquals(CharSequence a, CharSequence b) {
    return isValid(a) && isValid(b) && opaqueEquals(a, 0, a.length(), b);
  }

  /**
   * Whether a list of entity tags, as in If-Match and If-None-Match, has the tag. What is not an
   * entity tag is passed over up to the next comma; the whole is one pass.
   */
  public static boolean listContains(CharSequence list, CharSequence tag, boolean strong) {
    if (!isValid(tag) || (strong && isWeak(tag))) {
      return false;
    }
    int length = list.length();
    int i = 0;
    while (i < length) {
      char c = list.charAt(i);
      if (c == ',' || FieldSyntax.isWhitespace(c)) {
        i++;
        continue;
      }
      int end = end(list, i);
      if (end < 0) {
        while (i < length && list.charAt(i) != ',') {
          i++;
        }
        continue;
      }
      if (opaqueEquals(list, i, end, tag) && !(strong && c == 'W')) {
        return true;
      }
      i = end;
    }
    return false;
  }

  /** Index after the entity tag that begins at {@code from}, or -1. */
  private static int end(CharSequence text, int from) {
    int length = text.length();
    int i = from;
    if (i + 1 < length && text.charAt(i) == 'W' && text.charAt(i + 1) == '/') {
      i += 2;
    }
    if (i >= length || text.charAt(i) != '"') {
      return -1;
    }
    for (i++; i < length; i++) {
      char c = text.charAt(i);
      if (c == '"') {
        return i + 1;
      }
      if (c <= ' ' || c == 0x7f || c > 0xff) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean opaqueEquals(CharSequence text, int from, int to, CharSequence tag) {
    int start = text.charAt(from) == 'W' ? from + 2 : from;
    int tagStart = tag.charAt(0) == 'W' ? 2 : 0;
    if (to - start != tag.length() - tagStart) {
      return false;
    }
    for (int i = start; i < to; i++) {
      if (text.charAt(i) != tag.charAt(i - start + tagStart)) {
        return false;
      }
    }
    return true;
  }
}
