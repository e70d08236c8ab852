package io.forebay.server.compress.dictionary;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Finds Use-As-Dictionary (RFC 9842 §2.1) among the lines of a stored response. */
public final class UseAsDictionary {
  private static final byte[] NAME = "use-as-dictionary:".getBytes(StandardCharsets.US_ASCII);

  private UseAsDictionary() {}

  /** Where the first such line begins, or -1. Allocates nothing. */
  public static long find(MemorySegment memory, long offset, long length) {
    long end = offset + length;
    for (long at = offset; at + NAME.length <= end; at = behindLine(memory, at, end)) {
      if (isNamed(memory, at)) {
        return at;
      }
    }
    return -1;
  }

  private static boolean isNamed(MemorySegment memory, long at) {
    for (int i = 0; i < NAME.length; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, at + i) != NAME[i]) {
        return false;
      }
    }
    return true;
  }

  private static long behindLine(MemorySegment memory, long from, long end) {
    long at = from;
    while (at < end && memory.get(ValueLayout.JAVA_BYTE, at) != '\n') {
      at++;
    }
    return at + 1;
  }

  /** What the first such line says, or null. */
  static @Nullable String value(MemorySegment memory, long offset, long length) {
    long at = find(memory, offset, length);
    if (at < 0) {
      return null;
    }
    int from = (int) (at + NAME.length);
    byte[] value = new byte[(int) (behindLine(memory, at, offset + length) - from)];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, value, 0, value.length);
    return new String(value, StandardCharsets.ISO_8859_1).strip();
  }

  /** Whether clients are to use the bytes as they are: the type is raw, or not said. */
  static boolean isRaw(String value) {
    StringBuilder unquoted = new StringBuilder(value.length());
    boolean isQuoted = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"') {
        isQuoted = !isQuoted;
      } else if (isQuoted && c == '\\') {
        i++;
      } else if (!isQuoted && c != ' ' && c != '\t') {
        unquoted.append(c);
      }
    }
    boolean isRaw = true;
    for (String member : unquoted.toString().split(",", -1)) {
      if (member.startsWith("type=") || member.equals("type") || member.startsWith("type;")) {
        isRaw = member.equals("type=raw") || member.startsWith("type=raw;");
      }
    }
    return isRaw;
  }
}
