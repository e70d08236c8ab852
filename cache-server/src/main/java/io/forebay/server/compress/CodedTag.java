package io.forebay.server.compress;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Entity tags of coded responses: a suffix within the quotes names coding, level and version of the
 * encoder, so that a strong tag stays true of every byte.
 *
 * <pre>
 *   "abc"    ─►   "abc-br9.1"        W/"abc"   ─►   W/"abc-br9.1"
 *   "abc"    ─►   "abc-dcb9.1D"      D: ten digits of the dictionary, and more
 * </pre>
 */
public final class CodedTag {

  /** Goes up when the same level brings other bytes: another major version of a library. */
  static final int VERSION = 1;

  /** Coded tags of a condition that are looked at; a client has one or two. */
  private static final int MAX_STRIPPED = 16;

  private static final int DICTIONARY_DIGITS = 10;
  private static final long DICTIONARIES = 10_000_000_000L;

  private CodedTag() {}

  /** What stands before the closing quote of the tags of such responses. */
  public static String suffix(ContentCoding coding, int level) {
    return "-" + coding.token() + level + "." + VERSION;
  }

  /** The tag with the suffix, or as it is where it is not a well-formed one. */
  public static String add(String tag, ContentCoding coding, int level) {
    return tag.length() >= 2 && tag.endsWith("\"") && tag.indexOf('"') < tag.length() - 1
        ? tag.substring(0, tag.length() - 1) + suffix(coding, level) + "\""
        : tag;
  }

  /** The same of tags of deltas; more digits may follow. */
  public static String suffix(DeltaCoding coding, int level, byte[] dictionaryHash) {
    return "-" + coding.token() + level + "." + VERSION + digits(dictionaryHash);
  }

  private static String digits(byte[] hash) {
    long number = Long.remainderUnsigned(ByteBuffer.wrap(hash).getLong(), DICTIONARIES);
    return String.format(Locale.ROOT, "%0" + DICTIONARY_DIGITS + "d", number);
  }

  /** The delta coding that a tag names if it also names that dictionary, or null. */
  public static @Nullable DeltaCoding delta(String tag, byte[] dictionaryHash) {
    int dash = suffixAt(tag);
    if (dash < 0) {
      return null;
    }
    boolean isOfDictionary =
        tag.startsWith(VERSION + digits(dictionaryHash), tag.indexOf('.', dash) + 1);
    return isOfDictionary ? DeltaCoding.ofToken(token(tag, dash)) : null;
  }

  private static String token(CharSequence tag, int dash) {
    int end = dash + 1;
    while (isLetter(tag.charAt(end))) {
      end++;
    }
    return tag.subSequence(dash + 1, end).toString();
  }

  /** The coding that a tag names; null where it has no suffix, or is of a delta. */
  public static @Nullable ContentCoding coding(CharSequence tag) {
    int dash = suffixAt(tag);
    if (dash < 0) {
      return null;
    }
    return ContentCoding.ofToken(token(tag, dash));
  }

  /** The tag without its suffix, or as it is where it has none. */
  public static String strip(String tag) {
    int dash = suffixAt(tag);
    return dash < 0 ? tag : tag.substring(0, dash) + "\"";
  }

  /**
   * A list of tags of a condition, and behind them those of its coded tags without their suffix: an
   * origin knows these. As it is where it has none. The coded ones stay, since an origin may have
   * tags that look like them.
   */
  public static String withStripped(String list) {
    StringBuilder more = null;
    int added = 0;
    int open = list.indexOf('"');
    while (open >= 0 && added < MAX_STRIPPED) {
      int close = list.indexOf('"', open + 1);
      if (close < 0) {
        break;
      }
      String tag = list.substring(open, close + 1);
      String plain = strip(tag);
      if (plain.length() < tag.length() && !list.contains(plain)) {
        boolean isWeak = open >= 2 && list.startsWith("W/", open - 2);
        more = more == null ? new StringBuilder(list) : more;
        added++;
        more.append(", ").append(isWeak ? "W/" : "").append(plain);
      }
      open = list.indexOf('"', close + 1);
    }
    return more == null ? list : more.toString();
  }

  /**
   * The tag of a list that is the coded form of a tag; null where there is none, or the list has
   * the tag itself.
   */
  public static @Nullable String codedFormOf(String tag, String list) {
    String opaque = opaque(tag);
    String coded = null;
    int open = list.indexOf('"');
    while (open >= 0) {
      int close = list.indexOf('"', open + 1);
      if (close < 0) {
        break;
      }
      String listed = list.substring(open, close + 1);
      if (listed.equals(opaque)) {
        return null;
      }
      if (coded == null && strip(listed).equals(opaque)) {
        coded = open >= 2 && list.startsWith("W/", open - 2) ? "W/" + listed : listed;
      }
      open = list.indexOf('"', close + 1);
    }
    return coded;
  }

  private static String opaque(String tag) {
    return tag.startsWith("W/") ? tag.substring(2) : tag;
  }

  /** Where the suffix begins, or -1: {@code -letters digits . digits "}, read from the end. */
  private static int suffixAt(CharSequence tag) {
    int i = tag.length() - 1;
    if (i < 0 || tag.charAt(i) != '"') {
      return -1;
    }
    int version = digitsBefore(tag, i);
    if (version == i || version == 0 || tag.charAt(version - 1) != '.') {
      return -1;
    }
    int level = digitsBefore(tag, version - 1);
    if (level == version - 1) {
      return -1;
    }
    int letters = level;
    while (letters > 0 && isLetter(tag.charAt(letters - 1))) {
      letters--;
    }
    boolean isSuffix =
        letters > 1
            && tag.charAt(letters - 1) == '-'
            && isToken(tag.subSequence(letters, level).toString());
    return isSuffix ? letters - 1 : -1;
  }

  private static boolean isToken(String token) {
    return ContentCoding.ofToken(token) != null || DeltaCoding.ofToken(token) != null;
  }

  private static int digitsBefore(CharSequence tag, int end) {
    int i = end;
    while (i > 0 && tag.charAt(i - 1) >= '0' && tag.charAt(i - 1) <= '9') {
      i--;
    }
    return i;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }
}
