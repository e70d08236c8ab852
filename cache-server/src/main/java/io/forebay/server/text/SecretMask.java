package io.forebay.server.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Hides the values of parameters that are secrets, in URLs and in texts that have some. Immutable;
 * used by any thread.
 *
 * <p>A parameter begins behind one of {@code ? & ; #}, and its value ends before the next one. Its
 * name counts without upper and lower case, and as it is percent-decoded. A secret that is written
 * otherwise than as a parameter is not found.
 */
public final class SecretMask {
  /** A value appears as so many asterisks, or as fewer if it is shorter. */
  private static final int ASTERISKS = 3;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = ONES << 7;
  private static final long EQUALS = ONES * '=';

  private final byte[][] names;

  /** Hides the values of parameters of these names. */
  public SecretMask(List<String> names) {
    this.names =
        names.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .map(name -> name.getBytes(StandardCharsets.ISO_8859_1))
            .toArray(byte[][]::new);
  }

  /**
   * Hides values in place.
   *
   * @param isQuery whether the text begins with the name of a parameter
   * @return where the text ends now
   */
  public int apply(byte[] text, int from, int end, boolean isQuery) {
    if (names.length == 0 || !hasEquals(text, from, end)) {
      return end;
    }
    int out = from;
    int name = isQuery ? from : -1;
    for (int in = from; in < end; in++) {
      byte c = text[in];
      text[out++] = c;
      if (isBeginning(c)) {
        name = out;
      } else if (c == '=' && name >= 0) {
        boolean isSecret = isSecret(text, name, out - 1);
        name = -1;
        if (isSecret) {
          int value = in + 1;
          while (in + 1 < end && !isBeginning(text[in + 1])) {
            in++;
          }
          for (int i = Math.min(ASTERISKS, in + 1 - value); i > 0; i--) {
            text[out++] = '*';
          }
        }
      }
    }
    return out;
  }

  /** Most texts have no parameter, which eight bytes at a time show. */
  private static boolean hasEquals(byte[] text, int from, int end) {
    int at = from;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      // A byte of 0 is where the mark is: the lowest one borrows from its highest bit.
      long found = (long) LONGS.get(text, at) ^ EQUALS;
      if (((found - ONES) & ~found & HIGH_BITS) != 0) {
        return true;
      }
    }
    for (; at < end; at++) {
      if (text[at] == '=') {
        return true;
      }
    }
    return false;
  }

  /** The same of a text of any length. */
  public String apply(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new String(bytes, 0, apply(bytes, 0, bytes.length, false), StandardCharsets.UTF_8);
  }

  /** Whether that is the name of a secret. */
  public boolean hides(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return isSecret(bytes, 0, bytes.length);
  }

  private static boolean isBeginning(byte c) {
    return c == '?' || c == '&' || c == ';' || c == '#';
  }

  private boolean isSecret(byte[] text, int from, int end) {
    for (byte[] name : names) {
      if (isName(name, text, from, end)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isName(byte[] name, byte[] text, int from, int end) {
    int at = from;
    for (byte expected : name) {
      if (at >= end) {
        return false;
      }
      int c = text[at++];
      if (c == '%' && end - at >= 2) {
        int high = Character.digit(text[at], 16);
        int low = Character.digit(text[at + 1], 16);
        if (high >= 0 && low >= 0) {
          c = (byte) ((high << 4) | low);
          at += 2;
        }
      }
      if (c >= 'A' && c <= 'Z') {
        c += 'a' - 'A';
      }
      if (c != expected) {
        return false;
      }
    }
    return at == end;
  }
}
