package io.forebay.server.origin.sign;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The key of an object as a path of S3 has it: each byte but letters, digits, {@code - . _ ~} and
 * slashes is percent-encoded. This is the form that is signed, and the form that is sent: S3 reads
 * a bare {@code +} in a path as a blank, and other servers read it as a plus sign.
 */
final class S3Key {
  private static final String HEX = "0123456789ABCDEF";

  private S3Key() {}

  /**
   * The path of a request, encoded in this form.
   *
   * @param path in normal form, with a slash at its start
   * @return null for what names no object: the root, a key with dot segments (once {@code %2F} is a
   *     slash), which a server with a file system may resolve, one with a NUL, or one that is
   *     encoded wrongly
   */
  static @Nullable String encoded(String path) {
    byte[] key = decoded(path);
    if (key == null || key.length < 2 || key[0] != '/' || hasDotSegment(key)) {
      return null;
    }
    StringBuilder out = new StringBuilder(path.length() + 16);
    for (byte octet : key) {
      if (octet == 0) {
        return null;
      }
      append(out, octet);
    }
    return out.toString();
  }

  private static void append(StringBuilder out, byte octet) {
    char c = (char) (octet & 0xff);
    boolean isPlain =
        (c >= 'a' && c <= 'z')
            || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9')
            || "-._~/".indexOf(c) >= 0;
    if (isPlain) {
      out.append(c);
    } else {
      out.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
    }
  }

  private static byte @Nullable [] decoded(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        out.write(c);
        continue;
      }
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
      if (low < 0) {
        return null;
      }
      out.write(high << 4 | low);
      i += 2;
    }
    return out.toByteArray();
  }

  private static boolean hasDotSegment(byte[] path) {
    int start = 0;
    for (int i = 0; i <= path.length; i++) {
      if (i < path.length && path[i] != '/') {
        continue;
      }
      int length = i - start;
      boolean isDot = length == 1 && path[start] == '.';
      boolean isDotDot = length == 2 && path[start] == '.' && path[start + 1] == '.';
      if (isDot || isDotDot) {
        return true;
      }
      start = i + 1;
    }
    return false;
  }
}
