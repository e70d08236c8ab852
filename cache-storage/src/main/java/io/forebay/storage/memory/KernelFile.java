package io.forebay.storage.memory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the kernel's small text files: bounded, and strict about numbers. A file that is missing,
 * too long or has no such field says nothing; a shortage is never inferred from what cannot be
 * read.
 */
final class KernelFile {
  /** The longest of them, {@code memory.stat} and {@code /proc/meminfo}, have a few KiB. */
  static final int MAX_BYTES = 64 << 10;

  private static final int MAX_DIGITS = 18;

  private KernelFile() {}

  /** The lines of a file; none if it cannot be read or is too long. */
  static List<String> lines(Path file) {
    return lines(file, MAX_BYTES);
  }

  /** The same of one that may be longer. */
  static List<String> lines(Path file, int maxBytes) {
    String text = text(file, maxBytes);
    return text == null ? List.of() : text.lines().toList();
  }

  private static @Nullable String text(Path file, int maxBytes) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(maxBytes + 1);
      return bytes.length > maxBytes ? null : new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null;
    }
  }

  /** The number that is all there is in a file. */
  static OptionalLong number(Path file) {
    String text = text(file, MAX_BYTES);
    return text == null ? OptionalLong.empty() : number(text.strip());
  }

  /** The number behind a name and blanks, at the beginning of a line. */
  static OptionalLong field(List<String> lines, String name) {
    for (String line : lines) {
      if (line.startsWith(name)
          && line.length() > name.length()
          && isBlank(line.charAt(name.length()))) {
        String value = line.substring(name.length()).strip();
        int end = value.indexOf(' ');
        return number(end < 0 ? value : value.substring(0, end));
      }
    }
    return OptionalLong.empty();
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /**
   * The share, 0 to 1, that a line of pressure stall information states for the last ten seconds:
   * {@code some avg10=1.53 avg60=0.87 avg300=0.73 total=1234}. 0 if no line states it.
   */
  static double pressure(List<String> lines, String kind) {
    String start = kind + " avg10=";
    for (String line : lines) {
      if (line.startsWith(start)) {
        int end = line.indexOf(' ', start.length());
        return percent(line.substring(start.length(), end < 0 ? line.length() : end));
      }
    }
    return 0;
  }

  /** Two numbers with a point between them, or one; at most 100. */
  private static double percent(String text) {
    int point = text.indexOf('.');
    OptionalLong whole = number(point < 0 ? text : text.substring(0, point));
    OptionalLong part = point < 0 ? OptionalLong.of(0) : number(text.substring(point + 1));
    int places = point < 0 ? 0 : text.length() - point - 1;
    if (whole.isEmpty() || part.isEmpty() || whole.getAsLong() > 100) {
      return 0;
    }
    double percent = whole.getAsLong() + part.getAsLong() / Math.pow(10, places);
    return Math.min(percent, 100) / 100;
  }

  /** Digits and nothing else. What has more of them than any amount of memory is no number. */
  private static OptionalLong number(String text) {
    if (text.isEmpty() || text.length() > MAX_DIGITS + 1) {
      return OptionalLong.empty();
    }
    for (int n = 0; n < text.length(); n++) {
      if (text.charAt(n) < '0' || text.charAt(n) > '9') {
        return OptionalLong.empty();
      }
    }
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException tooLarge) {
      return OptionalLong.empty();
    }
  }
}
