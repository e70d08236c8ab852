package io.forebay.core.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes a request target to the one form that keys, routes and origins use (RFC 3986 §6.2.2,
 * RFC 9112 §3.2). In the path:
 *
 * <ul>
 *   <li>percent-encoded unreserved characters (letters, digits, {@code - . _ ~}) are decoded, then
 *       dot segments are removed (RFC 3986 §5.2.4), so {@code /a/%2e%2e/b} is {@code /b};
 *   <li>every other percent-encoding stays encoded, its hex digits in upper case: {@code %2f} is
 *       {@code %2F} and never a slash, {@code %3f} never a question mark, {@code %00} never a NUL;
 *   <li>what no URI may contain but browsers send, {@code " < > \ ^ ` { | }}, is percent-encoded;
 *   <li>empty segments stay ({@code //} is never merged) and {@code ;} means nothing;
 *   <li>an invalid percent-encoding, a control character, a blank, a byte beyond ASCII and {@code
 *       #} are refused.
 * </ul>
 *
 * The query goes through unchanged: how it is encoded is a matter between page and origin (a bare
 * {@code %} is common there), and every spelling of it is a key of its own. Only control
 * characters, blanks, bytes beyond ASCII and {@code #} are refused in it.
 */
public final class TargetNormalizer {

  private static final String HEX = "0123456789ABCDEF";

  /** Per ASCII code: what a raw character is in a path. */
  private static final byte[] CLASS = new byte[128];

  private static final byte REFUSED = 0;
  private static final byte PLAIN = 1;
  private static final byte ENCODE = 2;
  private static final byte UNRESERVED = 3;

  static {
    for (char c = '!'; c < 0x7f; c++) {
      boolean alphanumeric =
          (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (alphanumeric || "-._~".indexOf(c) >= 0) {
        CLASS[c] = UNRESERVED;
      } else if ("!$&'()*+,;=:@/".indexOf(c) >= 0) {
        CLASS[c] = PLAIN;
      } else if ("\"<>\\^`{|}".indexOf(c) >= 0) {
        CLASS[c] = ENCODE;
      }
    }
  }

  private TargetNormalizer() {}

  /** What became of a target. */
  public sealed interface Result {}

  /**
   * A target in normal form. Scheme and authority are there only when the target came in absolute
   * form (RFC 9112 §3.2.2); then the authority, still to be normalised, replaces the Host field.
   *
   * @param scheme {@code http}, {@code https}, or null
   */
  public record Accepted(
      @Nullable String scheme, @Nullable String authority, String path, @Nullable String query)
      implements Result {}

  /** {@code OPTIONS *} (RFC 9112 §3.2.4). */
  public record Asterisk() implements Result {}

  /** Not a target to serve: status 400. */
  public record Refused(Refusal refusal) implements Result {}

  /** Why a target is refused. */
  public enum Refusal {
    EMPTY,
    NOT_A_PATH,
    SCHEME,
    AUTHORITY,
    PERCENT_ENCODING,
    BYTE
  }

  private static final Asterisk ASTERISK = new Asterisk();

  /** Normalises the target of a request line, or the {@code :path} of HTTP/2 and HTTP/3. */
  public static Result normalize(String rawTarget, String method) {
    if (rawTarget.isEmpty()) {
      return new Refused(Refusal.EMPTY);
    }
    if (rawTarget.charAt(0) == '/') {
      return normalizePath(rawTarget, 0, null, null);
    }
    if (rawTarget.equals("*")) {
      return method.equals("OPTIONS") ? ASTERISK : new Refused(Refusal.NOT_A_PATH);
    }
    return normalizeAbsolute(rawTarget, method);
  }

  /**
   * Where a target ends that begins with a slash and is in normal form as it stands: at the first
   * blank. A target that has to be rewritten, or refused, has no such end.
   *
   * @return the blank's index, or -1
   */
  static int normalEnd(byte[] target, int from, int to) {
    int at = from;
    while (at < to) {
      byte c = target[at];
      if (c == ' ') {
        return at;
      }
      if (c == '?') {
        return queryEnd(target, at + 1, to);
      }
      if (c == '%') {
        if (at + 2 >= to) {
          return -1;
        }
        int high = hexValue((char) target[at + 1]);
        int low = hexValue((char) target[at + 2]);
        if (high < 0
            || low < 0
            || target[at + 1] >= 'a'
            || target[at + 2] >= 'a'
            || isUnreserved(high << 4 | low)) {
          return -1;
        }
        at += 3;
        continue;
      }
      byte kind = c < 0 ? REFUSED : CLASS[c];
      if (kind == REFUSED || kind == ENCODE || (c == '.' && target[at - 1] == '/')) {
        return -1;
      }
      at++;
    }
    return -1;
  }

  private static int queryEnd(byte[] target, int from, int to) {
    for (int i = from; i < to; i++) {
      byte c = target[i];
      if (c == ' ') {
        return i;
      }
      if (!isQueryByte(c)) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean isQueryByte(int c) {
    return c > ' ' && c < 0x7f && c != '#';
  }

  private static Result normalizeAbsolute(String rawTarget, String method) {
    int colon = rawTarget.indexOf("://");
    if (colon < 0) {
      return new Refused(Refusal.NOT_A_PATH);
    }
    String scheme;
    if (FieldSyntax.equalsIgnoreCase(rawTarget, 0, colon, "http")) {
      scheme = "http";
    } else if (FieldSyntax.equalsIgnoreCase(rawTarget, 0, colon, "https")) {
      scheme = "https";
    } else {
      return new Refused(Refusal.SCHEME);
    }
    int end = colon + 3;
    while (end < rawTarget.length()
        && rawTarget.charAt(end) != '/'
        && rawTarget.charAt(end) != '?') {
      end++;
    }
    String authority = rawTarget.substring(colon + 3, end);
    if (authority.isEmpty()) {
      return new Refused(Refusal.AUTHORITY);
    }
    if (end == rawTarget.length()) {
      // RFC 9112 §3.2.4: OPTIONS of an absolute form without path and query means "*".
      return method.equals("OPTIONS") ? ASTERISK : new Accepted(scheme, authority, "/", null);
    }
    if (rawTarget.charAt(end) == '?') {
      return hasOnlyQueryBytes(rawTarget, end + 1)
          ? new Accepted(scheme, authority, "/", rawTarget.substring(end + 1))
          : new Refused(Refusal.BYTE);
    }
    return normalizePath(rawTarget, end, scheme, authority);
  }

  private static Result normalizePath(
      String target, int from, @Nullable String scheme, @Nullable String authority) {
    int length = target.length();
    int end = from;
    boolean isNormal = true;
    while (end < length) {
      char c = target.charAt(end);
      if (c == '?') {
        break;
      }
      if (c == '%') {
        int value = percentValue(target, end);
        if (value < 0) {
          return new Refused(Refusal.PERCENT_ENCODING);
        }
        isNormal &= isNormalEncoding(target, end, value);
        end += 3;
        continue;
      }
      byte kind = c < 128 ? CLASS[c] : REFUSED;
      if (kind == REFUSED) {
        return new Refused(Refusal.BYTE);
      }
      if (kind == ENCODE || (c == '.' && target.charAt(end - 1) == '/')) {
        // A segment that begins with a dot may be a dot segment; the slow way finds out.
        isNormal = false;
      }
      end++;
    }
    String query = null;
    if (end < length) {
      if (!hasOnlyQueryBytes(target, end + 1)) {
        return new Refused(Refusal.BYTE);
      }
      query = target.substring(end + 1);
    }
    // substring(0, length) gives the same String back, so a normal target without a query costs
    // nothing but the result.
    String path = isNormal ? target.substring(from, end) : rewrite(target, from, end);
    return new Accepted(scheme, authority, path, query);
  }

  private static boolean hasOnlyQueryBytes(String target, int from) {
    for (int i = from; i < target.length(); i++) {
      if (!isQueryByte(target.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** The octet that the encoding at {@code index} stands for, or -1. */
  private static int percentValue(String target, int index) {
    if (index + 2 >= target.length()) {
      return -1;
    }
    int high = hexValue(target.charAt(index + 1));
    int low = hexValue(target.charAt(index + 2));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int hexValue(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    if (c >= 'A' && c <= 'F') {
      return c - 'A' + 10;
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }

  private static boolean isNormalEncoding(String target, int index, int value) {
    return !isUnreserved(value) && target.charAt(index + 1) < 'a' && target.charAt(index + 2) < 'a';
  }

  private static boolean isUnreserved(int value) {
    return value < 128 && CLASS[value] == UNRESERVED;
  }

  private static String rewrite(String target, int from, int to) {
    byte[] path = new byte[3 * (to - from)];
    int length = 0;
    for (int i = from; i < to; i++) {
      char c = target.charAt(i);
      int value = c;
      if (c == '%') {
        value = percentValue(target, i);
        i += 2;
        if (isUnreserved(value)) {
          path[length++] = (byte) value;
          continue;
        }
      } else if (CLASS[c] != ENCODE) {
        path[length++] = (byte) c;
        continue;
      }
      path[length++] = '%';
      path[length++] = (byte) HEX.charAt(value >> 4);
      path[length++] = (byte) HEX.charAt(value & 15);
    }
    return new String(path, 0, removeDotSegments(path, length), StandardCharsets.US_ASCII);
  }

  /**
   * Works in place, from segment to segment; each begins with its slash. What {@code ..} takes back
   * was written once, so the whole is linear.
   */
  private static int removeDotSegments(byte[] path, int length) {
    int written = 0;
    int start = 0;
    while (start < length) {
      int end = start + 1;
      while (end < length && path[end] != '/') {
        end++;
      }
      boolean isDot = end - start == 2 && path[start + 1] == '.';
      boolean isDotDot = end - start == 3 && path[start + 1] == '.' && path[start + 2] == '.';
      if (isDotDot) {
        do {
          written--;
        } while (written > 0 && path[written] != '/');
        written = Math.max(written, 0);
      }
      if (isDot || isDotDot) {
        if (end == length) {
          path[written++] = '/';
        }
      } else {
        System.arraycopy(path, start, path, written, end - start);
        written += end - start;
      }
      start = end;
    }
    return written;
  }
}
